"""SIGKILL between record, start, run, settle and delivery: each occurrence is run once and heard of once."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.loopback import LoopbackServer, Request, Response
from appliance.testing.process import GatewayProcess

POINTS = ["cron.recorded", "cron.started", "after_answer_commit", "cron.settled"]
MORE = [
    "cron.before_record", "cron.before_start", "after_inbox_commit", "before_call", "before_tool", "after_tool",
    "after_final_record", "before_answer_commit", "cron.answered", "before_outbox_commit", "after_outbox_commit",
]  # fmt: skip


def answer(body: dict[str, Any]) -> Reply:
    last = body["messages"][-1]["content"]
    if isinstance(last, list) and any(block["type"] == "tool_result" for block in last):
        return Reply(text="counted")
    return Reply(tools=[("tally", {"n": 1})])


class Hook:
    """What a webhook's address saw: one entry for each idempotency key."""

    def __init__(self) -> None:
        self.seen: dict[str, dict[str, Any]] = {}
        self.server = LoopbackServer(self._handle)

    async def _handle(self, request: Request) -> Response:
        self.seen[request.headers["idempotency-key"]] = json.loads(request.body)
        return Response(status=200)


def occurrences(state: Path) -> list[tuple[str, str]]:
    connection = apsw.Connection(str(state / "core.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [(str(s), str(r)) for s, r in connection.execute("SELECT state, reason FROM cron_occurrences")]
    finally:
        connection.close()


@pytest.mark.parametrize("point", [*POINTS, *(pytest.param(one, marks=pytest.mark.slow) for one in MORE)])
async def test_a_kill_at_any_step_leaves_one_run_and_one_message(tmp_path: Path, point: str) -> None:
    hook = Hook()
    port = await hook.server.start()
    async with FakeAnthropic() as provider:
        provider.default(answer)
        house = GatewayProcess(
            tmp_path / "state",
            ANTHROPIC_API_KEY="sk-ant-test",
            ANTHROPIC_BASE_URL=provider.url,
            APPLIANCE_MODELS__CHAIN='["claude-sonnet-5-5"]',
        )
        try:
            await house.start()
            soon = datetime.fromtimestamp(time.time() + 6, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            line = f"/cron add --webhook http://127.0.0.1:{port}/ 'at {soon}' please tally"
            assert "Scheduled" in (await house.post(line))["reply"]
            await house.stop()
            await start_to_die(house, point)
            await until(lambda: not house.alive, f"the crash point {point} was never reached")
            await house.start()
            await until(lambda: bool(hook.seen), "no webhook came")
            await until(lambda: [s for s, _ in occurrences(house.state)] == ["done"], str(occurrences(house.state)))
            await asyncio.sleep(0.3)
            assert [body["text"] for body in hook.seen.values()] == ["counted"]
            tally = house.state / "tally.txt"
            effects = tally.read_text().splitlines() if tally.exists() else []
            # A call that a kill cut off has an unknown outcome: it is never repeated by itself.
            assert effects == ([] if point == "before_tool" else ["1"])
        finally:
            await house.close()
            await hook.server.stop()


async def start_to_die(house: GatewayProcess, point: str) -> None:
    """Start with a crash point; on a slow machine it may be reached before the gateway has answered."""
    try:
        await house.start(APPLIANCE_CRASH_AT=point)
    except RuntimeError as error:
        if "ended with -9" not in str(error):
            raise


async def until(true: Any, problem: str, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, problem
        await asyncio.sleep(0.02)
