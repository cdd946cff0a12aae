"""Jobs in the whole house: run once, delivered once, late or skipped with the reason, paid from their own budget."""

from __future__ import annotations

import asyncio

from appliance.testing.anthropic_replies import Reply
from tests.integration.automation.conftest import Home, Start


async def test_a_job_runs_at_its_minute_in_its_own_session_and_its_answer_arrives_once(home: Home) -> None:
    job = await home.schedule('"0 9 * * *" Say good morning 早安')
    home.provider.script(Reply(text="Good morning 早安"))
    await home.at("2026-11-30T08:59:59Z")
    assert home.paid_calls() == 0
    await home.at("2026-11-30T09:00:00Z")
    await home.at("2026-11-30T09:00:40Z")
    assert home.pocket.got == ["Good morning 早安"]
    assert home.states(job) == ["done"]
    assert "planned for 2026-11-30 09:00]" in str(home.provider.calls[0].request["messages"])
    main = (await home.client.get("/api/sessions/main/messages")).json()["messages"]
    assert not any("Good morning" in row["text"] for row in main)


async def test_runs_are_charged_to_cron_and_its_sub_budget_stops_them(start: Start) -> None:
    home = await start(APPLIANCE_BUDGET__PURPOSE_USD='{"cron": "0.0001"}')
    job = await home.schedule('"0 9 * * *" Count')
    await home.at("2026-11-30T09:00:00Z")
    assert home.paid_calls() == 0
    assert home.states(job) == ["failed"]
    assert home.house.automation.jobs.find(job).failures == 0


async def test_a_budget_of_its_own_holds_for_the_job_alone(home: Home) -> None:
    poor = await home.schedule('--budget 0.0001 "0 9 * * *" Count')
    rich = await home.schedule('"0 9 * * *" Count')
    await home.at("2026-11-30T09:00:00Z")
    assert (home.states(poor), home.states(rich)) == (["failed"], ["done"])
    spent = (await home.client.get("/api/spend?by=purpose")).json()["rows"]
    assert [row["key"] for row in spent] == ["cron"]
    assert spent[0]["calls"] == 1


async def test_each_run_begins_with_an_empty_window(home: Home) -> None:
    await home.schedule('"*/10 * * * *" Say tick')
    await home.at("2026-11-30T08:10:00Z")
    await home.at("2026-11-30T08:20:00Z")
    assert home.paid_calls() == 2
    assert len(home.provider.calls[1].request["messages"]) == 1


async def test_a_job_of_the_main_conversation_sees_and_joins_it(home: Home) -> None:
    await home.command("My cat is called Miso.")
    await home.schedule('--main "0 9 * * *" Remind me to feed the cat')
    await home.at("2026-11-30T09:00:00Z")
    assert "Miso" in str(home.provider.calls[-1].request["messages"])
    assert len(home.pocket.got) == 1
    assert not home.house.workspace("main").read_day(home.house.workspace("main").day(home.clock.now())).count("feed")


async def test_a_silent_job_says_nothing(home: Home) -> None:
    job = await home.schedule('--silent "0 9 * * *" Tidy up')
    await home.at("2026-11-30T09:00:00Z")
    assert home.states(job) == ["done"]
    assert home.pocket.got == []


async def test_a_single_reminder_runs_once_and_is_done(home: Home) -> None:
    job = await home.schedule("at +20m Take the cake out")
    home.provider.script(Reply(text="The cake!"))
    await home.at("2026-11-30T08:20:05Z")
    await home.at("2026-12-01T08:20:05Z")
    assert home.pocket.got == ["The cake!"]
    assert home.house.automation.jobs.find(job).state == "done"


async def test_a_missed_run_is_made_up_for_once_and_marked_late(start: Start) -> None:
    home = await start()
    job = await home.schedule('"0 9 * * *" News')
    await home.house.stop()
    again = await start("2026-11-30T11:00:00Z", provider=home.provider)
    await again.quiet()
    assert [(state, late) for _, state, late in again.log(job)] == [("done", True)]
    assert again.paid_calls() == 1
    assert [text.startswith("_late: was planned for 2026-11-30 09:00_") for text in again.pocket.got] == [True]
    assert "planned for 2026-11-30 09:00, late]" in str(again.provider.calls[0].request["messages"])


async def test_what_is_missed_by_too_much_is_logged_and_not_run(start: Start) -> None:
    home = await start()
    job = await home.schedule('--late 1h "0 9 * * *" News')
    await home.house.stop()
    again = await start("2026-11-30T11:00:00Z", provider=home.provider)
    await again.quiet()
    assert again.states(job) == ["skipped"]
    assert again.house.automation.jobs.history(job, 1)[0]["reason"] == "missed by 2 h, more than the 1 h allowed"
    assert again.paid_calls() == 0


async def test_two_run_at_once_and_the_third_waits(home: Home) -> None:
    jobs = [await home.schedule(f'"0 9 * * *" Task {n}') for n in range(3)]
    running = 0
    most = 0

    def slow(body: dict[str, object]) -> Reply:
        return Reply(text="done", delay=0.4)

    home.provider.default(slow)
    home.clock.set("2026-11-30T09:00:00Z")
    home.house.automation.wake()
    async with asyncio.timeout(15):
        while not all(home.states(job) == ["done"] for job in jobs):
            running = home.house.core.read("SELECT count(*) FROM cron_occurrences WHERE state='started'")[0][0]
            most = max(most, running)
            await asyncio.sleep(0.01)
    assert most == 2


async def test_a_job_that_fails_backs_off_pauses_after_ten_and_says_so_once(start: Start) -> None:
    home = await start(APPLIANCE_SCHEDULES__CATCH_UP_SECONDS="900000")
    home.provider.default(lambda body: Reply(status=400, error="invalid_request_error", message="no"))
    job = await home.schedule('"0 */3 * * *" Look')
    for hour in range(9, 9 + 3 * 14, 3):
        await home.at(f"2026-{'11-30' if hour < 24 else '12-01' if hour < 48 else '12-02'}T{hour % 24:02}:00:01Z")
    assert home.states(job).count("failed") == 10
    assert home.house.automation.jobs.find(job).state == "paused"
    assert [("paused" in text) for text in home.pocket.got] == [False, True]
    home.provider.default(lambda body: Reply(text="fine again"))
    await home.command(f"/cron resume {job}")
    home.pocket.got.clear()
    await home.command(f"/cron run {job}")
    await home.quiet()
    assert [("works again" in text) for text in home.pocket.got] == [False, True]
    await home.command(f"/cron run {job}")
    await home.quiet()
    assert len(home.pocket.got) == 3


async def test_a_run_soon_after_a_failure_is_skipped_with_the_reason(home: Home) -> None:
    home.provider.default(lambda body: Reply(status=400, error="invalid_request_error", message="no"))
    job = await home.schedule("every 30s Look")
    await home.at("2026-11-30T08:00:31Z")
    await home.at("2026-11-30T08:01:01Z")
    async with asyncio.timeout(20):
        while len(home.states(job)) < 2:
            await home.quiet()
    assert home.states(job)[-2:] == ["failed", "skipped"]
    assert "after 1 failures" in home.house.automation.jobs.history(job, 1)[0]["reason"]


async def test_removing_pausing_and_listing(home: Home) -> None:
    job = await home.schedule('--name Weather "0 9 15 * 1" Tell me the weather')
    listed = await home.command("/cron")
    assert "Weather" in listed
    assert "either of them" in listed
    assert "paused" in await home.command(f"/cron pause {job}")
    await home.at("2026-12-07T09:00:00Z")
    assert home.states(job) == []
    assert "active" in await home.command("/cron resume Weather")
    assert "Removed" in await home.command("/cron remove Weather")
    assert "Nothing is scheduled" in await home.command("/cron")
    assert "no job" in await home.command(f"/cron run {job}")
    assert (await home.client.get("/api/schedules")).json()["schedules"] == []


async def test_a_webhook_gets_the_answer_as_json(home: Home) -> None:
    import json

    from appliance.testing.loopback import LoopbackServer, Request, Response

    seen: list[dict[str, object]] = []

    async def handle(request: Request) -> Response:
        seen.append({**json.loads(request.body), "key": request.headers.get("idempotency-key")})
        return Response(status=204)

    server = LoopbackServer(handle)
    port = await server.start()
    try:
        await home.schedule(f'--webhook http://127.0.0.1:{port}/hook "0 9 * * *" Count')
        home.provider.script(Reply(text="42"))
        await home.at("2026-11-30T09:00:00Z")
        async with asyncio.timeout(10):
            while not seen:
                await asyncio.sleep(0.01)
    finally:
        await server.stop()
    assert seen[0]["text"] == "42"
    assert seen[0]["planned"] == "2026-11-30T09:00:00Z"
    assert seen[0]["key"]
    assert home.pocket.got == []


async def test_a_reminder_that_no_money_is_left_for_is_said_all_the_same(start: Start) -> None:
    home = await start(APPLIANCE_BUDGET__PURPOSE_USD='{"cron": "0.0001"}')
    job = await home.schedule("at +20m Take the cake out of the oven")
    await home.at("2026-11-30T08:20:05Z")
    await home.at("2026-11-30T08:40:05Z")
    assert home.paid_calls() == 0
    assert home.states(job) == ["failed"]
    said = [text for text in home.pocket.got if "Take the cake out of the oven" in text]
    assert len(said) == 1


async def test_a_job_that_is_removed_while_it_runs_is_stopped_and_says_nothing(home: Home) -> None:
    job = await home.schedule('"0 9 * * *" Count')
    home.provider.default(lambda body: Reply(text="one two three", delay=5.0))
    home.clock.set("2026-11-30T09:00:00Z")
    home.house.automation.wake()
    async with asyncio.timeout(10):
        while home.states(job) != ["started"]:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        await home.command(f"/cron remove {job}")
        await home.quiet()
    assert home.states(job) == ["skipped"]
    assert home.pocket.got == []


async def test_the_history_of_a_job_of_seconds_stays_short(home: Home) -> None:
    job = await home.schedule('--silent "* * * * * *" Count')
    for minute in (10, 20, 30):  # after a longer gap the runs missed are one row
        home.clock.set(f"2026-11-30T08:{minute}:00Z")
        await home.house.automation.tick()
    before = home.log(job)
    assert len(before) > 1_500
    await home.command(f"/cron pause {job}")
    await home.house.automation.jobs.prune()
    assert 1_000 <= len(home.log(job)) <= 1_005
    assert home.log(job)[-2][0] >= before[-2][0], "the newest stay"


async def test_a_refusal_is_said_in_the_language_of_who_asked(home: Home) -> None:
    assert await home.command("/cron remove 這個") == "沒有 '這個' 這項排程。 /cron 會列出它們與 id。"
    assert await home.command("/cron remove that") == "There is no job 'that'. /cron lists them with their ids."
