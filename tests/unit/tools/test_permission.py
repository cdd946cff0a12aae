"""The gate of exec: what runs is exactly what was judged and shown."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from appliance.errors import AccessError, ToolError
from appliance.messages import Person, Role, SessionKey
from appliance.sandbox.approvals import Decision
from appliance.sandbox.plan import Plan
from appliance.tools.base import ToolContext
from appliance.tools.permission import PolicyGate, exactly


class People:
    """Answers as told and keeps a book; `meanwhile` happens while the person thinks."""

    def __init__(self, approved: bool = True, entries: tuple[str, ...] = (), meanwhile: object = None) -> None:
        self.approved = approved
        self._entries = entries
        self.meanwhile = meanwhile
        self.asked: list[Plan] = []
        self.redeemed: list[Plan] = []
        self.used: list[tuple[tuple[str, ...], ...]] = []

    def entries(self, host: str, network: str = "none") -> tuple[str, ...]:
        assert host == "sandbox"
        return self._entries

    async def request(self, plan: Plan, *, approver: str, session: str, why: str) -> Decision:
        assert approver == "owner"
        self.asked.append(plan)
        if callable(self.meanwhile):
            self.meanwhile()
        return Decision(self.approved, "The person said no.", "a1")

    async def redeem(self, approval: str, plan: Plan, /) -> None:
        if plan.digest() != self.asked[-1].digest():
            raise AccessError("The approval no longer fits: what it was given for has changed.")
        self.redeemed.append(plan)

    async def mark_used(self, segments: tuple[tuple[str, ...], ...], host: str, network: str = "none") -> None:
        self.used.append(segments)


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(SessionKey.main(), "main", Person("owner", role=Role.OWNER), "t", "c", tmp_path)


async def test_without_network_any_script_runs_as_it_is(context: ToolContext) -> None:
    people = People()
    script = "for x in 1 2; do echo $x; done > out; (id; true) || `date`"
    assert await PolicyGate(people)(script, False, context) == script
    assert people.asked == []


async def test_with_network_a_person_sees_the_words_and_only_they_run(context: ToolContext) -> None:
    people = People()
    gate = PolicyGate(people, image=lambda: "sha256:1")
    script = await gate("curl -s 'https://example.org/a b' | jq .x", True, context)
    assert script == "(exec curl -s 'https://example.org/a b') | (exec jq .x)"
    (plan,) = people.asked
    assert plan.segments == (("curl", "-s", "https://example.org/a b"), ("jq", ".x"))
    assert (plan.network, plan.image) == ("allowlist", "sha256:1")
    assert people.redeemed == [plan]


@pytest.mark.parametrize("command", ["curl x; id", "curl $(id)", "curl x > f", "curl x && id", "(curl x)", "curl x &"])
async def test_with_network_what_cannot_be_shown_as_words_is_denied(context: ToolContext, command: str) -> None:
    people = People()
    with pytest.raises(ToolError, match="Not allowed"):
        await PolicyGate(people)(command, True, context)
    assert people.asked == []


async def test_strict_applies_the_policy_without_network_too(context: ToolContext) -> None:
    people = People()
    gate = PolicyGate(people, sandbox_policy="strict")
    with pytest.raises(ToolError, match="Not allowed"):
        await gate("echo $(id)", False, context)
    assert await gate("sort -r | uniq -c", False, context) == "(exec sort -r) | (exec uniq -c)"
    assert people.asked == []
    assert people.used == [(("sort", "-r"), ("uniq", "-c"))]


async def test_a_no_is_a_no(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="The person said no"):
        await PolicyGate(People(approved=False))("curl https://example.org", True, context)


async def test_a_script_changed_while_the_person_thought_does_not_run(context: ToolContext) -> None:
    script = context.files / "fetch.py"
    script.write_text("print('harmless')")
    people = People(meanwhile=lambda: script.write_text("print('evil')"))
    with pytest.raises(ToolError, match="has changed"):
        await PolicyGate(people)("python3 fetch.py", True, context)
    assert people.redeemed == []


WORDS = (
    ("printf", "%s\n", "a b", "$HOME", "`id`", "x'y", '"', "*", "", "~", "#", "新\n行"),
    ("printf", "%s", "-n", ";", "&&", "|", ">f"),
    ("time", "--help"),
    ("[", "a", "=", "a", "]"),
)


@pytest.mark.parametrize("words", WORDS)
def test_words_are_run_as_they_are(words: tuple[str, ...]) -> None:
    direct = subprocess.run(words, capture_output=True) if _there(words[0]) else None
    ran = subprocess.run(["bash", "-c", exactly([words])], capture_output=True)
    if direct is None:
        assert ran.returncode == 127
    else:
        assert (ran.returncode, ran.stdout) == (direct.returncode, direct.stdout)


def _there(name: str) -> bool:
    return any((Path(folder) / name).is_file() for folder in ("/usr/bin", "/bin"))


@pytest.mark.parametrize("name", ["eval", "source", "exec", "builtin", "cd", ".", "if", "while", "{", "!"])
def test_nothing_that_only_the_shell_can_do_is_run(name: str) -> None:
    ran = subprocess.run(["bash", "-c", exactly([(name, "echo reached")])], capture_output=True)
    assert b"reached" not in ran.stdout
    assert ran.returncode != 0


def test_variables_reach_their_process_only() -> None:
    script = exactly([("env",), ("grep", "^A=")], [(("A", "1 $HOME"),), ()])
    assert subprocess.run(["bash", "-c", script], capture_output=True).stdout == b"A=1 $HOME\n"


def test_a_name_that_is_an_option_is_refused() -> None:
    with pytest.raises(ToolError):
        exactly([("-a", "x")])
