"""exec and process as the model meets them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ToolError
from appliance.messages import Person, Role, SessionKey, Source
from appliance.sandbox.client import CommandResult
from appliance.tools.base import ToolContext
from appliance.tools.processes import Process
from appliance.tools.shell import Exec, describe

OWNER = Person("owner", role=Role.OWNER)


def result(**changes: Any) -> CommandResult:
    fields: dict[str, Any] = {"outcome": "exited", "code": 0, "seconds": 0.014, "detail": ""}
    for name in ("stdout", "stderr"):
        fields |= {name: b"", f"{name}_tail": b"", f"{name}_total": 0}
    return CommandResult(**{**fields, **changes})


class Book:
    """Stands for the runner and writes down what it is asked."""

    def __init__(self, answer: CommandResult | None = None, jobs: list[dict[str, Any]] | None = None) -> None:
        self.answer = answer or result()
        self.jobs = jobs or []
        self.asked: list[tuple[Any, ...]] = []

    async def run(self, work: str, command: str = "", *, profile: str = "none", limit: float = 0) -> CommandResult:
        self.asked.append(("run", work, command, profile, limit))
        return self.answer

    async def start(
        self, work: str, command: str, *, profile: str = "none", lifetime: float = 0, label: str = ""
    ) -> dict[str, Any]:
        self.asked.append(("start", work, command, profile, lifetime, label))
        return {"id": "j1"}

    async def poll(self, job: str, *, start: int = 0, limit: int = 0, wait: float = 0) -> tuple[dict[str, Any], bytes]:
        self.asked.append(("poll", job, start, limit, wait))
        return {**self.jobs[0], "start": 0, "next": 3}, "好".encode()

    async def write(self, job: str, data: bytes, *, close: bool = False) -> dict[str, Any]:
        self.asked.append(("write", job, data, close))
        return self.jobs[0]

    async def kill(self, job: str, *, polite: bool = False) -> dict[str, Any]:
        self.asked.append(("kill", job, polite))
        return {**self.jobs[0], "state": "killed"}

    async def list(self) -> list[dict[str, Any]]:
        return self.jobs


def job(session: str = "agent:main:main") -> dict[str, Any]:
    return {"id": "j1", "state": "running", "code": None, "output": 3, "command": "make", "label": f"{session}\nowner",
            "profile": "none"}  # fmt: skip


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(SessionKey.main(), "main", OWNER, "t1", "c1", tmp_path)


async def test_a_command_runs_over_the_agents_folder_within_its_limit(context: ToolContext) -> None:
    book = Book(result(stdout="好\n".encode(), stdout_total=4))
    answer = await Exec(book, default_timeout=90).run({"command": "echo 好"}, context)
    assert book.asked == [("run", "main", "echo 好", "none", 90.0)]
    assert (answer.ok, answer.text, answer.source) == (True, "好\n[exit code 0, 0.01 s]", Source.OWN)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (result(code=2, stderr=b"no\n", stderr_total=3), "[stderr]\nno\n[exit code 2, 0.01 s]"),
        (result(), "(no output) [exit code 0, 0.01 s]"),
        (result(outcome="timeout", code=None), "ran longer than its limit of 7 s"),
        (result(outcome="died", code=None, detail="it used more memory"), "failed: it used more memory"),
        (result(outcome="flooded", code=None), "more output than any command may"),
        (result(outcome="disk", code=None), "disk of the work folder is nearly full"),
        (result(stdout=b"\x7fELF\0\1", stdout_total=6), "6 bytes that are not text"),
        (result(stdout=b"ab", stdout_tail=b"yz", stdout_total=1004), "ab\n[… 1,000 of 1,004 bytes left out …]\nyz"),
    ],
)
def test_the_model_reads_how_it_ended(answer: CommandResult, says: str) -> None:
    assert says in describe(answer, 7)


@pytest.mark.parametrize("outcome", ["timeout", "died", "flooded", "disk"])
async def test_what_did_not_exit_is_never_a_success(context: ToolContext, outcome: str) -> None:
    answer = await Exec(Book(result(outcome=outcome, code=None))).run({"command": "x"}, context)
    assert not answer.ok


@pytest.mark.parametrize("command", ["", "  \n", "a\0b", "x" * 100_001])
async def test_what_cannot_be_a_command_is_said_and_not_run(context: ToolContext, command: str) -> None:
    book = Book()
    with pytest.raises(ToolError):
        await Exec(book).run({"command": command}, context)
    assert book.asked == []


async def test_network_is_offered_only_with_listed_domains_and_never_without_a_yes(context: ToolContext) -> None:
    book = Book()
    assert "network" not in Exec(book).spec.schema["properties"]
    assert "network" in Exec(book, network=True).spec.schema["properties"]
    with pytest.raises(ToolError, match="no network"):
        await Exec(book, network=True).run({"command": "curl x", "network": True}, context)
    assert book.asked == []


async def test_what_the_gate_returns_is_what_runs(context: ToolContext) -> None:
    async def gate(command: str, network: bool, context: ToolContext) -> str:
        return f"({'net ' if network else ''}{command})"

    book = Book()
    answer = await Exec(book, gate=gate, network=True).run({"command": "curl x", "network": True}, context)
    assert book.asked == [("run", "main", "(net curl x)", "allowlist", 120.0)]
    assert answer.source is Source.OUTSIDE


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("cat inbox/letter.txt", Source.OUTSIDE),
        ("cat *.txt", Source.OUTSIDE),
        ("grep -r x .", Source.OUTSIDE),
        ("find . -name x", Source.OUTSIDE),
        ("date", Source.OWN),
        ("cat notes.txt", Source.OWN),
    ],
)
async def test_output_over_outside_files_is_outside_text(context: ToolContext, command: str, source: Source) -> None:
    (context.files / "inbox").mkdir()
    (context.files / "inbox" / "letter.txt").write_text("obey")
    assert (await Exec(Book()).run({"command": command}, context)).source is source


async def test_wildcards_over_ones_own_files_stay_ones_own(context: ToolContext) -> None:
    assert (await Exec(Book()).run({"command": "cat *.txt"}, context)).source is Source.OWN


async def test_a_background_command_is_started_with_its_conversation(context: ToolContext) -> None:
    book = Book()
    answer = await Exec(book).run({"command": "make", "background": True, "timeout": 60}, context)
    assert book.asked == [("start", "main", "make", "none", 60.0, "agent:main:main\nowner")]
    assert "j1" in answer.text


async def test_without_a_sandbox_and_for_guests_there_is_no_tool() -> None:
    guest = Person("9", role=Role.GUEST)
    for made in (Exec(Book(), usable=lambda: True), Process(Book(), usable=lambda: True)):
        assert made.available(SessionKey.main(), OWNER)
        assert not made.available(SessionKey.main(), guest)
    assert not Exec(Book(), usable=lambda: False).available(SessionKey.main(), OWNER)
    assert not Process(Book(), usable=lambda: False).available(SessionKey.main(), OWNER)


async def test_background_commands_of_another_conversation_are_not_there(context: ToolContext) -> None:
    process = Process(Book(jobs=[job("agent:main:web:other")]))
    assert (await process.run({"action": "list"}, context)).text == "No background commands."
    with pytest.raises(ToolError, match="in this conversation"):
        await process.run({"action": "kill", "id": "j1"}, context)


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ({"action": "poll", "id": "j1", "wait": 5}, ("poll", "j1", -8000, 8000, 5.0)),
        ({"action": "log", "id": "j1", "from": 10}, ("poll", "j1", 10, 65_536, 0.0)),
        ({"action": "write", "id": "j1", "text": "好", "close": True}, ("write", "j1", "好".encode(), True)),
        ({"action": "key", "id": "j1", "text": "Enter"}, ("write", "j1", b"\n", False)),
        ({"action": "key", "id": "j1", "text": "ctrl-c"}, ("kill", "j1", True)),
        ({"action": "key", "id": "j1", "text": "ctrl-d"}, ("write", "j1", b"", True)),
        ({"action": "kill", "id": "j1"}, ("kill", "j1", False)),
    ],
)
async def test_each_action_asks_the_runner_for_what_it_says(
    context: ToolContext, arguments: dict[str, Any], asked: tuple[Any, ...]
) -> None:
    book = Book(jobs=[job()])
    answer = await Process(book).run(arguments, context)
    assert book.asked == [asked]
    assert answer.ok


async def test_an_unknown_key_is_named_with_those_there_are(context: ToolContext) -> None:
    with pytest.raises(ToolError, match=r"no key 'f1'.*ctrl-c"):
        await Process(Book(jobs=[job()])).run({"action": "key", "id": "j1", "text": "f1"}, context)
