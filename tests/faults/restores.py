"""Restore a busy appliance into a fresh one, again and again, and compare what both say.

    python tests/faults/restores.py --runs 20

Each run answers messages in several conversations while the backup is made, restores it into an empty STATE, starts
that one and asks both: the replies, the books and the memory of everything that was finished before must be the same, a
repeated message must get its stored reply and cost nothing, and no byte of the archive may be a secret.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess

KEY = "sk-ant-CANARY-of-the-key"
BOT = "4711:CANARY-of-the-bot"
SESSIONS = ("main", "kitchen", "study")
FACTS = ("I am allergic to peanuts.", "我們家的貓叫 Mia 🐈。", "Never call me before nine.")


@dataclass
class Outcome:
    """What one run found; `wrong` is empty when everything held."""

    finished: int = 0  # messages that were answered before the backup began
    during: int = 0  # messages that were sent while it was made
    seconds: float = 0.0  # of restore and start
    wrong: list[str] = field(default_factory=list)

    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.wrong.append(what)


async def appliance(state: Path, *words: str) -> str:
    """Run the command line on `state`; return its output. Raises RuntimeError when it fails."""
    environ = {
        "PATH": os.environ["PATH"], "HOME": str(state.parent), "APPLIANCE_STATE_DIR": str(state),
        "APPLIANCE_LOCAL__ENABLED": "false", "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }  # fmt: skip
    done = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "appliance", *words, env=environ,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await asyncio.wait_for(done.communicate(), 60)
    if done.returncode != 0:
        raise RuntimeError(f"appliance {' '.join(words)}: {out.decode()}")
    return out.decode()


def gateway(state: Path, provider: FakeAnthropic) -> GatewayProcess:
    state.mkdir(exist_ok=True)
    return GatewayProcess(
        state, "-m", "appliance", "up", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=provider.url,
        APPLIANCE_BACKUP__NIGHTLY="false", PYTHONPATH=os.environ.get("PYTHONPATH", ""),
    )  # fmt: skip


async def replies(house: GatewayProcess, session: str) -> dict[str, str]:
    """The reply to each message id of a conversation."""
    rows = await house.messages(session)
    return {i: row["text"] for row in rows if row["role"] == "assistant" for i in row.get("in_reply_to", [])}


async def held(house: GatewayProcess) -> dict[str, Any]:
    """Everything that two houses are compared by."""
    found: dict[str, Any] = {session: await replies(house, session) for session in SESSIONS}
    return found


def books(core: Path) -> dict[int, int]:
    """The cost of every call in the books of a core.db, in picodollars."""
    connection = apsw.Connection(str(core), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return dict(connection.execute("SELECT id, cost FROM ledger").fetchall())
    finally:
        connection.close()


async def remembers(house: GatewayProcess, word: str, seconds: float = 30) -> bool:
    """Whether a search finds `word`; the index is made behind the running house."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if word in str(await house.get(f"/api/memory/search?q={quote(word)}")):
            return True
        await asyncio.sleep(0.2)
    return False


async def run(folder: Path) -> Outcome:
    """One restore, in an empty folder."""
    outcome = Outcome()
    async with FakeAnthropic() as provider:
        old, new = gateway(folder / "old", provider), gateway(folder / "new", provider)
        (folder / "old" / "secrets").mkdir()
        (folder / "old" / "secrets" / "telegram_bot_token").write_text(BOT)
        try:
            await old.start()
            for number, fact in enumerate(FACTS):
                await old.post(fact, session=SESSIONS[number], id=f"fact-{number}")
            before = await held(old)
            outcome.finished = len(FACTS)
            archive = folder / "busy.tar.gz"
            saving = asyncio.create_task(appliance(old.state, "backup", str(archive)))
            while not saving.done():
                texts = [
                    old.post(f"busy {outcome.during}", session=s, id=f"busy-{outcome.during}-{s}") for s in SESSIONS
                ]
                outcome.during += len(await asyncio.gather(*texts))
            await saving
            after = await held(old)
            _no_secret(outcome, archive, (old.state / "token").read_text().strip())
            began = time.monotonic()
            new.state.rmdir()
            await appliance(new.state, "restore", str(archive))
            await new.start()
            outcome.seconds = time.monotonic() - began
            await _compare(outcome, (old, new), folder / "core.db", before, after, provider)
        finally:
            await old.close()
            await new.close()
    return outcome


def _no_secret(outcome: Outcome, archive: Path, token: str) -> None:
    with tarfile.open(archive) as opened:
        (archive.parent / "core.db").write_bytes(opened.extractfile("core.db").read())  # type: ignore[union-attr]
        for member in opened.getmembers():
            content = opened.extractfile(member)
            data = content.read() if content else b""
            for secret in (KEY, BOT, token):
                outcome.expect(secret.encode() not in data, f"{member.name} holds a secret")


async def _compare(
    outcome: Outcome,
    houses: tuple[GatewayProcess, GatewayProcess],
    archived: Path,
    before: dict[str, Any],
    after: dict[str, Any],
    provider: FakeAnthropic,
) -> None:
    old, new = houses
    now = await held(new)
    for session in SESSIONS:
        for identity, text in before[session].items():
            outcome.expect(now[session].get(identity) == text, f"{identity} of {session} has another answer")
        for identity, text in now[session].items():
            outcome.expect(after[session].get(identity) == text, f"{identity} of {session} is not of the old house")
    theirs, ours = books(old.state / "core.db"), books(new.state / "core.db")
    saved = books(archived)
    outcome.expect(len(saved) >= len(FACTS), "the archive's books are short")
    for number, cost in saved.items():  # what was under way is charged as reserved by the new house, so it may add rows
        outcome.expect(theirs.get(number) == cost == ours.get(number), f"call {number} costs something else")
    outcome.expect(await remembers(new, "peanuts"), "the memory is gone")
    calls = len(provider.calls)
    again = await new.post(FACTS[0], session=SESSIONS[0], id="fact-0")
    outcome.expect(again["reply"] == before["main"]["fact-0"], "a repeated message got another reply")
    outcome.expect(len(provider.calls) == calls, "a repeated message was paid for again")
    total = (await new.get("/api/spend"))["total"]
    outcome.expect(abs(sum(books(new.state / "core.db").values()) / 1e12 - total) < 1e-9, "the rows are not the total")


def main() -> int:
    parser = argparse.ArgumentParser(description="Restore a busy appliance into a fresh one, again and again.")
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    wrong = 0
    for number in range(options.runs):
        with tempfile.TemporaryDirectory(prefix="appliance-restore-") as folder:
            outcome = asyncio.run(run(Path(folder)))
        wrong += bool(outcome.wrong)
        print(
            f"{number + 1}: {outcome.finished} before, {outcome.during} during, {outcome.seconds:.1f} s", *outcome.wrong
        )
    print(f"{options.runs - wrong} of {options.runs} restores were the same house")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
