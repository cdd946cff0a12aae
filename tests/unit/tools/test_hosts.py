"""exec outside the sandbox: only where the owner turned it on, only what was judged, and never by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import AccessError, SandboxError, ToolError
from appliance.messages import Person, Role, SessionKey, Source
from appliance.sandbox.approvals import Decision
from appliance.sandbox.client import CommandResult, SandboxHealth
from appliance.sandbox.plan import Plan
from appliance.tools.base import ToolContext
from appliance.tools.hosts import Hosts
from appliance.tools.permission import PolicyGate
from appliance.tools.shell import Exec

OWNER = Person("owner", role=Role.OWNER)


def result(text: bytes = b"there\n") -> CommandResult:
    return CommandResult("exited", 0, 0.1, "", text, b"", len(text), b"", b"", 0)


class People:
    """Answers as told and keeps a book; `meanwhile` happens while the person thinks."""

    def __init__(self, approved: bool = True, entries: dict[str, tuple[str, ...]] | None = None) -> None:
        self.approved = approved
        self._entries = entries or {}
        self.meanwhile: Callable[[], object] = lambda: None
        self.asked: list[tuple[Plan, str]] = []
        self.redeemed: list[Plan] = []
        self.used: list[str] = []

    def entries(self, host: str, network: str = "none") -> tuple[str, ...]:
        return self._entries.get(host, ())

    async def request(self, plan: Plan, *, approver: str, session: str, why: str) -> Decision:
        self.asked.append((plan, why))
        self.meanwhile()
        return Decision(self.approved, "The person said no.", "a1")

    async def redeem(self, approval: str, plan: Plan, /) -> None:
        if plan.digest() != self.asked[-1][0].digest():
            raise AccessError("The approval no longer fits: what it was given for has changed.")
        self.redeemed.append(plan)

    async def mark_used(self, segments: tuple[tuple[str, ...], ...], host: str, network: str = "none") -> None:
        self.used.append(host)


class Place:
    """Stands for everything that can run a command, and writes down what it is asked."""

    def __init__(self, *, healthy: bool = True) -> None:
        self.healthy = healthy
        self.plans: list[Plan] = []
        self.scripts: list[str] = []

    async def health(self) -> SandboxHealth:
        if self.healthy:
            return SandboxHealth(True, facts={"image_id": "sha256:far"})
        return SandboxHealth(False, "There is no Docker engine.", "Install one.")

    async def start(self, *words: Any, **named: Any) -> dict[str, Any]:
        raise AssertionError("nothing is started in the background here")


class OnHost(Place):
    async def run(self, plan: Plan, limit: float) -> CommandResult:
        self.plans.append(plan)
        return result()


class OnEngine(Place):
    async def run(self, work: str, command: str = "", *, profile: str = "none", limit: float = 120.0) -> CommandResult:
        if not self.healthy:
            raise SandboxError("The Docker engine does not answer on its socket.", fix="docker info")
        self.scripts.append(command)
        return result()


class House:
    """exec with a sandbox, a host and another machine, each with its book."""

    def __init__(self, people: People | None = None, *, sandbox_up: bool = True, on: tuple[str, ...] = ()) -> None:
        self.people = people or People()
        self.sandbox, self.host, self.remote = OnEngine(healthy=sandbox_up), OnHost(), OnEngine()
        self.records: list[tuple[str, dict[str, Any]]] = []
        gate = PolicyGate(self.people, image=lambda: "sha256:near")
        hosts = Hosts(
            gate,
            host=self.host if "host" in on else None,
            remote=self.remote if "remote" in on else None,
            record=lambda kind, **fields: self.records.append((kind, fields)),
        )
        self.usable = sandbox_up
        self.exec = Exec(self.sandbox, gate=gate, usable=lambda: self.usable, hosts=hosts)

    def nothing_ran(self) -> bool:
        return not (self.sandbox.scripts or self.host.plans or self.remote.scripts)


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(SessionKey.main(), "main", OWNER, "t", "c", tmp_path)


def test_other_hosts_are_offered_only_when_turned_on() -> None:
    assert "host" not in House().exec.spec.schema["properties"]
    assert House(on=("host",)).exec.spec.schema["properties"]["host"]["enum"] == ["sandbox", "host"]
    both = House(on=("host", "remote"))
    assert both.exec.spec.schema["properties"]["host"]["enum"] == ["sandbox", "host", "remote"]


async def test_without_a_host_the_sandbox_is_meant_and_nothing_else(context: ToolContext) -> None:
    house = House(on=("host", "remote"))
    await house.exec.run({"command": "head -n 1 f"}, context)
    await house.exec.run({"command": "head -n 1 f", "host": "sandbox"}, context)
    assert house.sandbox.scripts == ["head -n 1 f"] * 2
    assert (house.host.plans, house.remote.scripts, house.people.asked) == ([], [], [])


@pytest.mark.parametrize("name", ["host", "remote", "elsewhere", "HOST"])
async def test_a_host_that_is_not_turned_on_runs_nothing(context: ToolContext, name: str) -> None:
    house = House()
    with pytest.raises(ToolError, match="Nothing was run"):
        await house.exec.run({"command": "head f", "host": name}, context)
    assert house.nothing_ran()


async def test_when_the_sandbox_cannot_run_commands_nothing_runs_anywhere(context: ToolContext) -> None:
    """No engine, a dead runner or a missing image: the other hosts are no way around it."""
    for on in ((), ("host",), ("host", "remote")):
        for usable in (True, False):  # known beforehand, or only found at the call
            house = House(sandbox_up=False, on=on)
            house.usable = usable
            with pytest.raises((ToolError, SandboxError)):
                await house.exec.run({"command": "head f"}, context)
            assert house.nothing_ran()
            assert house.people.asked == []


async def test_another_machine_that_is_down_runs_nothing_anywhere(context: ToolContext) -> None:
    house = House(on=("host", "remote"))
    house.remote.healthy = False
    with pytest.raises(ToolError, match="Nothing was run"):
        await house.exec.run({"command": "head f", "host": "remote"}, context)
    assert house.nothing_ran()
    assert house.people.asked == []


def test_without_a_sandbox_exec_is_there_only_for_other_hosts() -> None:
    member = Person("m", role=Role.MEMBER)
    down, other = House(sandbox_up=False), House(sandbox_up=False, on=("host",))
    assert not down.exec.available(SessionKey.main(), OWNER)
    assert other.exec.available(SessionKey.main(), OWNER)
    assert not other.exec.available(SessionKey("agent:main:telegram:dm:7"), member)


async def test_a_safe_filter_runs_on_the_host_unasked_and_is_recorded(context: ToolContext) -> None:
    house = House(on=("host",))
    answer = await house.exec.run({"command": "jq -n 1 | head -n 3", "host": "host"}, context)
    (plan,) = house.host.plans
    assert plan.segments == (("jq", "-n", "1"), ("head", "-n", "3"))
    assert (plan.host, plan.image, plan.folder) == ("host", "", str(context.files))
    assert house.people.asked == []
    assert (answer.ok, answer.source, answer.origin) == (True, Source.OUTSIDE, "exec on host")
    assert [(kind, fields["state"], fields["host"]) for kind, fields in house.records] == [
        ("exec", "started", "host"),
        ("exec", "ended", "host"),
    ]
    assert house.records[0][1]["argv"] == plan.segments


async def test_what_the_policy_asks_about_runs_after_a_yes_and_only_then(context: ToolContext) -> None:
    house = House(on=("host",))
    await house.exec.run({"command": "make test", "host": "host"}, context)
    assert [plan.segments for plan, _ in house.people.asked] == [(("make", "test"),)]
    assert house.people.asked[0][0].host == "host"
    assert house.host.plans == house.people.redeemed
    refused = House(People(approved=False), on=("host",))
    with pytest.raises(ToolError, match="said no"):
        await refused.exec.run({"command": "make test", "host": "host"}, context)
    assert refused.nothing_ran()


@pytest.mark.parametrize("host", ["host", "remote"])
@pytest.mark.parametrize(
    "command",
    ["head $(id)", "head f > g", "head f; id", "head f && id", "(head f)", "cat <(id)", "sudo id", "FOO=`id` head f",
     "sh -c id", "head f &", "curl -o /etc/x http://127.0.0.1/", "head ~/.ssh/id_rsa"],
)  # fmt: skip
async def test_what_the_policy_denies_is_not_even_asked(context: ToolContext, command: str, host: str) -> None:
    house = House(on=("host", "remote"))
    with pytest.raises(ToolError):
        await house.exec.run({"command": command, "host": host}, context)
    assert house.nothing_ran()
    assert house.people.asked == []


async def test_a_conversation_with_outside_text_is_asked_about_everything(context: ToolContext) -> None:
    house = House(People(entries={"host": ("uptime",)}), on=("host",))
    tainted = ToolContext(context.session, "main", OWNER, "t", "c", context.files, tainted=True)
    for command in ("head -n 1", "uptime"):
        await house.exec.run({"command": command, "host": "host"}, tainted)
    assert [why for _, why in house.people.asked] == ["This conversation holds text from outside."] * 2
    await house.exec.run({"command": "uptime", "host": "host"}, context)
    assert len(house.people.asked) == 2
    assert house.people.used == ["host"]


async def test_a_list_is_for_its_host_only(context: ToolContext) -> None:
    house = House(People(entries={"sandbox": ("uptime",), "remote": ("uptime",)}), on=("host", "remote"))
    await house.exec.run({"command": "uptime", "host": "host"}, context)
    assert len(house.people.asked) == 1
    await house.exec.run({"command": "uptime", "host": "remote"}, context)
    assert len(house.people.asked) == 1


async def test_on_another_machine_the_shown_words_run_in_its_image(context: ToolContext) -> None:
    house = House(on=("remote",))
    command = "make 'a b' | grep -v x"
    answer = await house.exec.run({"command": command, "host": "remote"}, context)
    (plan, _), *_ = house.people.asked
    assert (plan.host, plan.image) == ("remote", "sha256:far")
    assert house.remote.scripts == ["(exec make 'a b') | (exec grep -v x)"]
    assert (answer.source, answer.origin) == (Source.OWN, "exec on remote")


async def test_a_script_that_changed_while_the_person_thought_does_not_run(context: ToolContext) -> None:
    house = House(on=("host",))
    (context.files / "tidy.py").write_text("print('fine')")
    house.people.meanwhile = lambda: (context.files / "tidy.py").write_text("print('worse')")
    with pytest.raises(ToolError, match="has changed"):
        await house.exec.run({"command": "python3 tidy.py", "host": "host"}, context)
    assert house.nothing_ran()


async def test_links_out_of_the_work_folder_are_not_followed_on_the_host(context: ToolContext, tmp_path: Path) -> None:
    house = House(on=("host",))
    (context.files / "notes").symlink_to("/etc/shadow")
    (context.files / "sub").symlink_to("/etc")
    for command in ("head notes", "grep root sub/shadow", "grep -fnotes x", "cut -c1 < notes"):
        with pytest.raises(ToolError):
            await house.exec.run({"command": command, "host": "host"}, context)
    with pytest.raises(ToolError, match="container only"):
        await house.exec.run({"command": "head /workspace/notes", "host": "host"}, context)
    assert house.nothing_ran()


@pytest.mark.parametrize(
    ("person", "session"),
    [
        (Person("m", role=Role.MEMBER), "agent:main:telegram:dm:7"),
        (Person("g", role=Role.GUEST), "agent:main:telegram:dm:8"),
        (OWNER, "agent:main:telegram:group:-1"),
    ],
)
async def test_nobody_but_the_owner_alone_reaches_a_host(tmp_path: Path, person: Person, session: str) -> None:
    house = House(on=("host", "remote"))
    context = ToolContext(SessionKey(session), "main", person, "t", "c", tmp_path)
    for host in ("host", "remote"):
        with pytest.raises(ToolError, match="Only the owner"):
            await house.exec.run({"command": "head f", "host": host}, context)
    assert house.nothing_ran()


@pytest.mark.parametrize("more", [{"background": True}, {"network": True}])
async def test_background_and_network_are_for_the_sandbox(context: ToolContext, more: dict[str, bool]) -> None:
    house = House(on=("host",))
    with pytest.raises(ToolError, match="for the sandbox"):
        await house.exec.run({"command": "head f", "host": "host", **more}, context)
    assert house.nothing_ran()
