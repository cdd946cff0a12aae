"""What is measured of each program; every phase with a fresh home, the fake model's book deciding."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from appliance.testing.fake_openai import Completion, FakeOpenAI
from tests.benchmarks.peers.install import megabytes
from tests.benchmarks.peers.model import Script, prompt, since_answer, tokens, uncached, usd
from tests.benchmarks.peers.program import Program, Setting
from tests.benchmarks.tokens import PAGE_TURN, SIZES, TURNS, report, said

STARTS = 5
IDLE_SECONDS = 20.0
SETTLE_SECONDS = 5.0  # for what comes up behind readiness: the first containers, catalogues
WARM_TURNS, PLAIN_TURNS, SANDBOX_TURNS = 5, 40, 20
LIMIT_USD, LIMIT_MESSAGES = 0.20, 40
KILLS = 3
RECOVERY_SECONDS = 25.0
BIG = 300_000
UNLIMITED = 100_000_000
TROUBLE = (RuntimeError, OSError, TimeoutError, httpx2.HTTPError)


@dataclass(frozen=True, slots=True)
class Figure:
    """A cell: what is shown, and the number by which programs are compared, where there is one."""

    shown: str
    value: float | None = None


Figures = dict[str, Figure]


@dataclass(frozen=True, slots=True)
class Bench:
    """One program under measurement: where it is installed, where homes may be made, and the image for sandboxes."""

    kind: type[Program]
    installed: Path
    scratch: Path
    image: str

    @asynccontextmanager
    async def running(
        self, phase: str, *, image: str = "", daily_usd: float | None = None
    ) -> AsyncIterator[tuple[Program, FakeOpenAI, Script]]:
        """A fresh home of the program, started, in front of a fake model of its own."""
        async with FakeOpenAI(window=UNLIMITED) as model:
            home = self.scratch / f"{self.kind.package.name}-{phase}"
            program = self.kind(self.installed, home, Setting(model.url, image, daily_usd))
            script = Script(program)
            model.default(script)
            program.write()
            try:
                await program.start()
                yield program, model, script
            finally:
                await program.close()


async def measured(bench: Bench) -> Figures:
    """Every row of one program, told as it comes. A phase that fails is said to be not measured, with its reason."""
    found: Figures = {"install": _number(megabytes(bench.installed, bench.kind.package), 0)}
    for phase, rows in PHASES.items():
        try:
            figures = await phase(bench)
        except TROUBLE as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
            figures = {row: Figure(f"not measured: {reason}") for row in rows}
        found.update(figures)
        shown = "; ".join(f"{row} {figure.shown}" for row, figure in figures.items())
        print(f"{bench.kind.package.name}: {shown}", file=sys.stderr, flush=True)
    return found


async def starts(bench: Bench) -> Figures:
    """Seconds from exec to a healthy answer; the first start of a home, which makes it, is left out."""
    async with bench.running("starts") as (program, _, _):
        times = []
        for _ in range(STARTS):
            await program.stop()
            times.append(await program.start())
    return {"start": _number(statistics.median(times), 2)}


async def turns(bench: Bench) -> Figures:
    """Memory at rest, the first request, what a warm turn costs beyond the model, and memory afterwards."""
    async with bench.running("turns") as (program, model, _):
        await asyncio.sleep(IDLE_SECONDS)
        idle = program.memory()
        await program.ask("hello", "first")
        first = tokens(model.calls[0])
        await _timed(program, "warm", WARM_TURNS)
        spent = program.cpu()
        times = await _timed(program, "plain", PLAIN_TURNS)
        spent = program.cpu() - spent
        return {
            "memory": _number(idle, 0),
            "first": _number(first, 0),
            "turn": _number(statistics.median(times) * 1000, 0),
            "cpu": _number(spent / PLAIN_TURNS * 1000, 0),
            "memory_after": _number(program.memory(), 0),
        }


async def day(bench: Bench) -> Figures:
    """The thirty turns of tokens.py, files read with the program's own file tool."""
    async with bench.running("day") as (program, model, _):
        program.files.mkdir(parents=True, exist_ok=True)
        for turn in range(1, TURNS + 1):
            text = said(turn)
            if turn in SIZES or turn == PAGE_TURN:
                (program.files / f"report-{turn}.txt").write_text(report(turn))
                text += f" [[read: report-{turn}.txt]]"
            await program.ask(text, "day")
        return {
            "day": _number(sum(map(tokens, model.calls)), 0),
            "day_uncached": _number(uncached(model.calls), 0),
        }


async def big_result(bench: Bench) -> Figures:
    """A command that prints 300,000 characters: how many of them each later request carries."""
    async with bench.running("big", image=_own_sandbox(bench)) as (program, model, _):
        await asyncio.sleep(SETTLE_SECONDS)
        program.files.mkdir(parents=True, exist_ok=True)
        (program.files / "big.txt").write_text(("0123456789" * 9 + "endofline\n") * (BIG // 100))
        await program.ask("hello", "big")
        before = len(prompt(model.calls[-1]))
        await program.ask("[[shell: cat big.txt]]", "big")
        await program.ask("and now?", "big")
        last = model.calls[-1]
        carried = len(prompt(last)) - before
        if last.status != 200 or carried < 200:
            return {"big": Figure(f"the next request was answered with {last.status}; {carried} characters more")}
        return {"big": Figure(f"{carried:,} characters", carried)}


async def sandbox(bench: Bench) -> Figures:
    """`echo hi` in each program's own sandbox: between the model's call for it and the request with its result."""
    if not bench.image:
        raise RuntimeError("no Docker engine with a shell image")
    async with bench.running("sandbox", image=bench.image) as (program, model, _):
        await asyncio.sleep(SETTLE_SECONDS)
        await program.ask("[[shell: echo hi]]", "box")
        began = len(model.calls)
        times = []
        for _ in range(SANDBOX_TURNS):
            at = time.perf_counter()
            await program.ask("[[shell: echo hi]]", "box")
            times.append(time.perf_counter() - at)
        waits = [result.came - call.ended for call, result in _pairs(model.calls[began:])]
        if len(waits) < SANDBOX_TURNS or "hi" not in prompt(model.calls[-1])[-2_000:]:
            raise RuntimeError(f"{len(waits)} of {SANDBOX_TURNS} commands came back")
        return {
            "sandbox": _number(statistics.median(waits) * 1000, 0),
            "sandbox_turn": _number(statistics.median(times) * 1000, 0),
            "sandbox_kind": Figure(program.sandbox_note),
        }


async def spend_limit(bench: Bench) -> Figures:
    """Forty messages under a daily limit that covers a part of them, where the program has such a limit."""
    async with bench.running("limit", daily_usd=LIMIT_USD) as (program, model, _):
        failed = 0
        for number in range(LIMIT_MESSAGES):
            try:
                await program.ask(f"message {number}", "limit")
            except TROUBLE:
                failed += 1
        made = [call for call in model.calls if call.status == 200]
        paid = usd(made)
        held = paid <= LIMIT_USD
        verdict = f"stopped at ${paid:.3f}" if held else f"went on to ${paid:.2f}; {program.limit_note}"
        return {"limit": Figure(f"{verdict} ({len(made)} model calls, {failed} requests failed)")}


async def kill(bench: Bench) -> Figures:
    """`kill -9` after a tool had its effect and while the model writes the answer; then a restart."""
    seen: Counter[str] = Counter()
    async with bench.running("kill", image=_own_sandbox(bench)) as (program, model, script):
        await asyncio.sleep(SETTLE_SECONDS)
        program.files.mkdir(parents=True, exist_ok=True)
        await program.ask("hello", "kill")
        for number in range(KILLS):
            seen += await _one_kill(program, model, script, f"marker-{number}")
    parts = [f"{what} {seen[what]} of {KILLS}" for what in ("answered by itself", "remembered", "effect twice")]
    return {"kill": Figure("; ".join(parts))}


async def _one_kill(program: Program, model: FakeOpenAI, script: Script, marker: str) -> Counter[str]:
    """What became of one message whose turn was killed."""
    script.holding = "tool"
    asking = asyncio.create_task(program.ask(f"{marker} [[shell: echo {marker} >> tally.txt]]", "kill"))
    await _until(lambda: model.open > 0 and marker in _tally(program), 60.0)
    await program.kill()
    await asyncio.gather(asking, return_exceptions=True)
    script.holding = ""
    before = len(model.calls)
    await program.start()
    answered = await _until(lambda: _finished(model.calls[before:], marker), RECOVERY_SECONDS)
    if not answered:
        await program.ask("are you there?", "kill")
    remembered = any(marker in prompt(call) for call in model.calls[before:])
    twice = _tally(program).count(marker) > 1
    return Counter({"answered by itself": answered, "remembered": remembered, "effect twice": twice})


PHASES: dict[Callable[[Bench], Awaitable[Figures]], tuple[str, ...]] = {
    starts: ("start",),
    turns: ("memory", "first", "turn", "cpu", "memory_after"),
    day: ("day", "day_uncached"),
    big_result: ("big",),
    sandbox: ("sandbox", "sandbox_turn", "sandbox_kind"),
    spend_limit: ("limit",),
    kill: ("kill",),
}


def _own_sandbox(bench: Bench) -> str:
    """Commands where the program's defaults put them."""
    return bench.image if bench.kind.sandboxed else ""


async def _timed(program: Program, session: str, count: int) -> list[float]:
    times = []
    for number in range(count):
        began = time.perf_counter()
        await program.ask(f"message {number}", session)
        times.append(time.perf_counter() - began)
    return times


async def _until(met: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if met():
            return True
        await asyncio.sleep(0.1)
    return met()


def _pairs(calls: list[Completion]) -> list[tuple[Completion, Completion]]:
    """Each call that asked for a tool with the one that brought its result."""
    results = [any(m["role"] == "tool" for m in since_answer(call.request["messages"])) for call in calls]
    return [(calls[index - 1], calls[index]) for index in range(1, len(calls)) if results[index]]


def _finished(calls: list[Completion], marker: str) -> bool:
    """Whether the model was asked about the message again and heard to its end."""
    return any(call.outcome == "ok" and marker in prompt(call) for call in calls)


def _tally(program: Program) -> str:
    path = program.files / "tally.txt"
    return path.read_text() if path.exists() else ""


def _number(value: float, digits: int) -> Figure:
    return Figure(f"{value:,.{digits}f}", value)
