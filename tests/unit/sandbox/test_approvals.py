from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from appliance.database import Database
from appliance.errors import AccessError, DeliveryError, InputError, NotFoundError
from appliance.observability import audit
from appliance.sandbox import approvals as module
from appliance.sandbox import policy
from appliance.sandbox.approvals import Approvals, Pending
from appliance.sandbox.plan import Plan, bind
from appliance.testing.manual_clock import ManualClock

ROOMS = {"approvals": module.MIGRATIONS, "audit": audit.MIGRATIONS}


class Phone:
    """The approver's device: keeps what it was shown."""

    def __init__(self, *, reachable: bool = True, broken: bool = False) -> None:
        self.reachable = reachable
        self.broken = broken
        self.shown: list[Pending] = []
        self.settlements: list[str] = []
        self.arrived = asyncio.Event()

    async def ask(self, pending: Pending) -> bool:
        if self.broken:
            raise DeliveryError("no network")
        self.shown.append(pending)
        self.arrived.set()
        return self.reachable

    async def settled(self, pending: Pending, outcome: str) -> None:
        self.settlements.append(outcome)
        if self.broken:
            raise DeliveryError("no network")


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def core(tmp_path):
    database = Database(tmp_path / "core.db", ROOMS)
    database.open()
    yield database
    database.close()


@pytest.fixture
def phone():
    return Phone()


@pytest.fixture
def office(core, clock, phone):
    return Approvals(core, clock, phone)


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


def plan(*words: str, folder: Path | None = None, **options) -> Plan:
    if folder is not None:
        return bind((words,), folder=folder, **options)
    return Plan((words,), **options)


async def asked(office: Approvals, phone: Phone, what: Plan, approver: str = "7"):
    """Start a request and wait until the phone shows it; return the task and the request's id."""
    phone.arrived.clear()
    task = asyncio.create_task(office.request(what, approver=approver, session="agent:main:main", why="not in advance"))
    await asyncio.wait_for(phone.arrived.wait(), 5)
    return task, phone.shown[-1].id


async def test_a_yes_lets_exactly_the_plan_run_once(office, phone):
    what = plan("git", "push")
    task, identity = await asked(office, phone, what)
    assert (await office.decide(identity, "once", "7"))["decision"] == "once"
    decision = await task
    assert (decision.approved, decision.id) == (True, identity)
    await office.redeem(identity, what)
    with pytest.raises(AccessError, match="already used"):
        await office.redeem(identity, what)
    assert phone.settlements == ["once"]


async def test_a_no_is_told_and_cannot_be_redeemed(office, phone):
    what = plan("git", "push")
    task, identity = await asked(office, phone, what)
    await office.decide(identity, "deny", "7")
    assert (await task).approved is False
    with pytest.raises(AccessError, match="already denied"):
        await office.redeem(identity, what)


async def test_the_person_sees_the_whole_command_its_folder_image_and_network(office, phone, work):
    what = bind((("echo", "a b"), ("tee",)), folder=work, image="sha256:1234", network="allowlist")
    task, identity = await asked(office, phone, what)
    shown = phone.shown[0].shown
    for part in ("echo 'a b' | tee", str(work), "sha256:1234", "network: allowlist"):
        assert part in shown
    await office.decide(identity, "deny", "7")
    await task


async def test_a_command_too_long_to_be_shown_whole_is_refused_and_never_cut(office, phone):
    decision = await office.request(plan("echo", "x" * 5_000), approver="7", session="s", why="")
    assert decision.approved is False
    assert "whole" in decision.why
    assert phone.shown == []


@pytest.mark.parametrize("phone", [Phone(reachable=False), Phone(broken=True)], ids=["no way", "delivery fails"])
async def test_whoever_cannot_be_reached_has_said_no(office, phone, core):
    decision = await office.request(plan("git", "push"), approver="7", session="s", why="")
    assert decision.approved is False
    assert "reached" in decision.why
    assert office.pending() == ()
    assert core.read("SELECT state FROM approvals") == [("denied",)]


async def test_another_person_cannot_decide(office, phone):
    task, identity = await asked(office, phone, plan("git", "push"))
    for other in ("8", "07", "", "7 "):
        with pytest.raises(AccessError, match="not yours"):
            await office.decide(identity, "once", other)
    await office.decide(identity, "deny", "7")
    assert (await task).approved is False


async def test_the_owner_on_the_page_may_decide(office, phone):
    task, identity = await asked(office, phone, plan("git", "push"))
    await office.decide(identity, "once")
    assert (await task).approved is True


async def test_a_second_press_is_refused_with_the_reason(office, phone):
    task, identity = await asked(office, phone, plan("git", "push"))
    await office.decide(identity, "once", "7")
    with pytest.raises(InputError, match="already decided"):
        await office.decide(identity, "deny", "7")
    assert (await task).approved is True


async def test_two_presses_at_the_same_moment_count_once(office, phone):
    task, identity = await asked(office, phone, plan("git", "push"))
    results = await asyncio.gather(
        office.decide(identity, "deny", "7"), office.decide(identity, "once", "7"), return_exceptions=True
    )
    assert sum(isinstance(result, InputError) for result in results) == 1
    assert (await task).approved is isinstance(results[0], InputError)


async def test_unknown_ids_and_answers_are_refused(office):
    with pytest.raises(NotFoundError):
        await office.decide("nope", "once")
    with pytest.raises(InputError, match="once, always or deny"):
        await office.decide("nope", "yes")
    with pytest.raises(AccessError, match="does not exist"):
        await office.redeem("nope", plan("date"))


async def test_nobody_answering_is_a_no_after_thirty_minutes(office, phone, clock):
    task, identity = await asked(office, phone, plan("git", "push"))
    await clock.advance(1_799)
    assert not task.done()
    await clock.advance(2)
    decision = await task
    assert (decision.approved, decision.why) == (False, "Nobody answered within the time.")
    assert phone.settlements == ["expired"]
    with pytest.raises(InputError, match="expired"):
        await office.decide(identity, "once", "7")


async def test_a_yes_that_is_not_used_in_time_expires(office, phone, clock):
    what = plan("git", "push")
    task, identity = await asked(office, phone, what)
    await office.decide(identity, "once", "7")
    await task
    await clock.advance(1_801)
    with pytest.raises(AccessError, match="expired"):
        await office.redeem(identity, what)


async def test_a_restart_voids_what_was_asked_and_what_was_approved(office, phone, core, clock):
    what = plan("git", "push")
    task, approved = await asked(office, phone, what)
    await office.decide(approved, "once", "7")
    await task
    waiting, pending = await asked(office, phone, what)

    later = Approvals(core, clock, Phone())
    assert await later.start() == 2
    assert later.list() == []
    with pytest.raises(AccessError, match="restart"):
        await later.redeem(approved, what)
    with pytest.raises(InputError, match="restart"):
        await later.decide(pending, "once", "7")
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_cancelled_turn_takes_its_request_away(office, phone):
    task, identity = await asked(office, phone, plan("git", "push"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert office.list() == []
    assert phone.settlements == ["cancelled"]
    with pytest.raises(InputError, match="no longer wanted"):
        await office.decide(identity, "once", "7")


def swapped(work: Path) -> None:
    work.rename(work.with_name("old"))
    work.mkdir()
    (work / "run.sh").write_text("echo fine\n")


def linked(work: Path) -> None:
    (work / "run.sh").rename(work / "real.sh")
    (work / "run.sh").symlink_to("real.sh")


CHANGES = {
    "script": lambda work: (work / "run.sh").write_text("rm -rf .\n"),
    "script gone": lambda work: (work / "run.sh").unlink(),
    "folder": swapped,
    "link": linked,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_what_changes_on_disk_between_the_yes_and_the_run_voids_it(office, phone, work, change):
    (work / "run.sh").write_text("echo fine\n")
    words = ("bash", "run.sh", "argument")
    task, identity = await asked(office, phone, plan(*words, folder=work))
    assert "echo fine" in phone.shown[0].shown
    await office.decide(identity, "once", "7")
    await task
    change(work)
    with pytest.raises((AccessError, InputError)):
        await office.redeem(identity, plan(*words, folder=work))


@pytest.mark.parametrize(
    "change",
    [
        {"segments": (("git", "push", "--force"),)},
        {"environment": ((("TZ", "UTC"),),)},
        {"folder": "/elsewhere"},
        {"image": "sha256:2"},
        {"network": "allowlist"},
        {"host": "host"},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_any_other_plan_is_refused_and_uses_the_yes_up(office, phone, change):
    what = plan("git", "push")
    task, identity = await asked(office, phone, what)
    await office.decide(identity, "once", "7")
    await task
    with pytest.raises(AccessError, match="has changed"):
        await office.redeem(identity, replace(what, **change))
    with pytest.raises(AccessError):
        await office.redeem(identity, what)


@pytest.mark.parametrize("kind", ["link", "link in the way", "pipe", "long"])
def test_a_script_that_cannot_be_bound_is_refused(work, kind):
    path = "run.sh"
    if kind == "link":
        (work / path).symlink_to("/etc/hostname")
    elif kind == "link in the way":
        (work / "a").symlink_to("/etc")
        path = "a/hostname"
    elif kind == "pipe":
        import os

        os.mkfifo(work / path)
    else:
        (work / path).write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(InputError):
        bind((("bash", path),), folder=work)


def test_a_program_of_the_work_folder_is_bound_like_a_script(work):
    (work / "tool").write_text("one")
    before = bind((("/workspace/tool", "x"),), folder=work)
    (work / "tool").write_text("two")
    assert before.scripts[0].path == "tool"
    assert bind((("./tool", "x"),), folder=work).scripts != before.scripts


def test_a_script_inside_wrappers_is_bound(work):
    (work / "s.py").write_text("1")
    assert bind((("timeout", "5", "nice", "python3", "-u", "s.py"),), folder=work).scripts[0].sha256


@pytest.mark.parametrize(
    ("words", "stored"),
    [
        (("git", "push"), ("git push",)),
        (("env", "git", "push"), ("git push",)),
        (("timeout", "5", "jq", ".", "x.json"), ("jq . x.json",)),
        (("nice", "-n", "5", "npm", "test"), ("npm test",)),
        (("/usr/bin/date",), ("date",)),
        (("git", "commit", "-m", "a b"), ("git commit -m 'a b'",)),
        (("sh", "x.sh"), ()),
        (("env", "sh", "x.sh"), ()),
        (("python3", "x.py"), ()),
        (("perl", "-e", "1"), ()),
        (("awk", "{print}"), ()),
        (("busybox", "sh"), ()),
        (("./tool",), ()),
        (("env",), ()),
    ],
)
async def test_always_remembers_the_inner_argv_or_nothing(office, phone, words, stored):
    task, identity = await asked(office, phone, plan(*words))
    assert phone.shown[0].remembers == stored
    answer = await office.decide(identity, "always", "7")
    assert answer["remembered"] == stored
    assert ("; ".join(stored) if stored else "once only") in answer["note"]
    assert (await task).approved is True
    assert office.entries("sandbox") == stored
    assert policy.check("sh -c id", allow_list=office.entries("sandbox")).verdict == "deny"


async def test_what_is_remembered_runs_unasked_only_in_its_own_place(office, phone):
    task, identity = await asked(office, phone, plan("git", "push", host="host", network="allowlist"))
    await office.decide(identity, "always", "7")
    await task
    assert policy.check("git push", allow_list=office.entries("host", "allowlist")).verdict == "allow"
    assert policy.check("git push -f", allow_list=office.entries("host", "allowlist")).verdict == "ask"
    assert office.entries("host") == ()
    assert office.entries("sandbox", "allowlist") == ()


async def test_filters_in_a_pipeline_are_not_remembered_and_one_shell_spoils_it(office, phone):
    task, identity = await asked(office, phone, Plan((("git", "log"), ("head", "-n", "5"))))
    assert (await office.decide(identity, "always", "7"))["remembered"] == ("git log",)
    await task
    task, identity = await asked(office, phone, Plan((("git", "status"), ("bash", "x.sh"))))
    assert (await office.decide(identity, "always", "7"))["remembered"] == ()
    await task


async def test_rules_are_listed_with_their_last_use_allowed_and_revoked(office, clock):
    rule = await office.allow("npm run *", by="owner")
    assert [(row["entry"], row["last_used_at"]) for row in office.rules()] == [("npm run *", None)]
    await clock.advance(60)
    await office.mark_used((("npm", "run", "build"),), "host")
    assert office.rules()[0]["last_used_at"] is not None
    assert (await office.allow("npm run *"))["id"] == rule["id"]
    await office.revoke(rule["id"])
    assert office.rules() == []
    with pytest.raises(NotFoundError):
        await office.revoke(rule["id"])


@pytest.mark.parametrize(
    "entry", ["", " ", "*", "sh", "bash *", "env *", "python3 x.py", "a; b", "sudo ls", "/workspace/x"]
)
async def test_the_owner_is_told_what_can_never_be_remembered(office, entry):
    with pytest.raises(InputError, match="cannot be remembered"):
        await office.allow(entry)


async def test_decisions_are_in_the_audit_chain_and_counted(core, clock, phone):
    counts: list[tuple[str, str]] = []
    office = Approvals(core, clock, phone, counted=lambda kind, decision: counts.append((kind, decision)))
    task, identity = await asked(office, phone, plan("git", "push"))
    await office.decide(identity, "always", "7")
    await task
    kinds = [row[0] for row in core.read("SELECT kind FROM audit ORDER BY seq")]
    assert kinds == ["approval_rule", "approval"]
    assert counts == [("exec", "always")]
    assert audit.Audit(core, clock).verify()["problems"] == []


async def test_ten_requests_wait_side_by_side_and_each_gets_its_own_answer(office, phone):
    tasks = [await asked(office, phone, plan("echo", str(number))) for number in range(10)]
    assert [row["id"] for row in office.list()] == [identity for _, identity in tasks]
    for number, (_, identity) in enumerate(tasks):
        await office.decide(identity, "once" if number % 2 else "deny", "7")
    assert [(await task).approved for task, _ in tasks] == [bool(number % 2) for number in range(10)]
