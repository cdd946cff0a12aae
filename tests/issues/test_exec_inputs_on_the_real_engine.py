"""The exec inputs of public reports, each through the tool on a real engine: what is refused does not run at all."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from appliance.errors import ApplianceError, ToolError
from appliance.messages import Person, Role, SessionKey
from appliance.sandbox.allow_list import always
from appliance.sandbox.approvals import Decision
from appliance.sandbox.client import SandboxClient
from appliance.sandbox.plan import Plan
from appliance.tools.base import ToolContext
from appliance.tools.files import Edit, Read, Write
from appliance.tools.permission import PolicyGate
from appliance.tools.shell import Exec
from tests.integration.sandbox.conftest import House, config, house, image  # noqa: F401

pytestmark = [pytest.mark.docker]


class Nobody:
    """A list of commands, and nobody who would say yes to another."""

    def __init__(self, *entries: str) -> None:
        self._entries = entries

    def entries(self, host: str, network: str = "none") -> tuple[str, ...]:
        return self._entries

    async def request(self, plan: Plan, *, approver: str, session: str, why: str) -> Decision:
        return Decision(False, "The person said no.")

    async def redeem(self, approval: str, plan: Plan, /) -> None:
        raise AssertionError("there is nothing to redeem")

    async def mark_used(self, segments: tuple[tuple[str, ...], ...], host: str, network: str = "none") -> None:
        """Nothing to note."""


def context_of(house: House) -> ToolContext:  # noqa: F811
    return ToolContext(SessionKey.main(), "main", Person("owner", role=Role.OWNER), "t", "c", house.files)


def tool(house: House, *entries: str) -> Exec:  # noqa: F811
    return Exec(house.client, gate=PolicyGate(Nobody(*entries), sandbox_policy="strict"))


async def runs(house: House) -> int:  # noqa: F811
    facts = (await house.client.health()).facts
    assert facts is not None
    return int(facts["runs"])


REFUSED = [
    # E1: echo is on the list, what follows it is not
    "echo 1 | node", "echo 1 & node", "echo 1; node", "echo 1\nnode",
    # E3: nor is what a wrapper runs
    "env bash -c id", "env -i sh -c id", 'env -S "bash -c id"', "nice -n 5 sh -c id", "timeout 5 sh -c id",
    # E5: a shell approved for ever with one line is no shell approved with another
    "zsh -lc whoami", "zsh -lc id", "busybox sh -c whoami", "busybox sh -c id",
    # E7: shortened options
    "sort --compress-prog=sh", "sort --outp=f", "grep --recurs x",
    # E9: process substitution and zsh modules
    "cat <(id)", "cat =(id)", "zmodload zsh/net/tcp",
    # E19: a name that is code
    "P_$(touch x)#=1 echo 1", "env 'P_$(touch x)#=1' echo 1",
]  # fmt: skip


async def test_none_of_the_refused_inputs_runs(house: House) -> None:  # noqa: F811
    listed = ("echo 1", "env *", "nice *", "timeout *", "whoami", "sort", "grep *", "cat *")
    exec_tool = tool(house, *listed)
    before = await runs(house)
    for command in REFUSED:
        with pytest.raises(ToolError):
            await exec_tool.run({"command": command}, context_of(house))
    assert await runs(house) == before
    assert list(house.files.iterdir()) == []
    assert (await exec_tool.run({"command": "echo 1"}, context_of(house))).text.startswith("1\n")


async def test_the_harmless_ones_run_as_text(house: House) -> None:  # noqa: F811
    quoted = tool(house, 'echo "<(x)"', "echo https://example.com/a")
    assert (await quoted.run({"command": 'echo "<(x)"'}, context_of(house))).text.startswith("<(x)\n")
    # M55: an address is not a path outside the work folder
    said = (await quoted.run({"command": "echo https://example.com/a"}, context_of(house))).text
    assert said.startswith("https://example.com/a\n")
    assert always(("zsh", "-lc", "whoami")) is None
    assert always(("busybox", "sh", "-c", "whoami")) is None


async def test_a_wrong_command_is_an_error_of_the_command(house: House) -> None:  # noqa: F811
    """E21: a program that does not exist fails in the container, and nothing else is tried."""
    result = await house.client.run("main", argv=["no-such-program"])
    assert (result.outcome, result.code) == ("exited", 127)


async def test_links_made_by_a_command_lead_the_file_tools_nowhere(house: House, tmp_path: Path) -> None:  # noqa: F811
    """E13: to a file outside, dangling, as a folder, and swapped in while a tool is writing."""
    (tmp_path / "secret").write_text("house-canary-7261")
    script = (
        f"ln -s {tmp_path}/secret file; ln -s {tmp_path}/new dangling; ln -s {tmp_path} folder; "
        "ln -s /etc/passwd passwd; mkdir plain"
    )
    assert (await house.client.run("main", script)).code == 0
    context = context_of(house)
    for path in ("file", "folder/secret", "passwd"):
        with pytest.raises(ApplianceError):
            await Read().run({"path": path}, context)
        with pytest.raises(ApplianceError):
            await Edit().run({"path": path, "old": "house-canary-7261", "new": "changed"}, context)
    for path in ("file", "dangling", "folder/made", "folder/secret"):
        with contextlib.suppress(ApplianceError):  # refused, or written over the link itself
            await Write().run({"path": path, "text": "theirs"}, context)
    assert (tmp_path / "secret").read_text() == "house-canary-7261"
    assert not (tmp_path / "made").exists()
    assert not (tmp_path / "new").exists()
    await _while_swapping(
        house.files / "plain", tmp_path, lambda: Write().run({"path": "plain/f", "text": "x"}, context)
    )
    assert not (tmp_path / "f").exists()


async def _while_swapping(place: Path, outside: Path, write: Callable[[], object]) -> None:
    """Call `write` often while a folder is swapped for a link and back."""
    over = threading.Event()
    other = place.with_name("other")
    other.symlink_to(outside)

    def swap() -> None:
        spare = place.with_name("spare")
        while not over.is_set():
            for first, second in ((place, spare), (other, place), (place, other), (spare, place)):
                with contextlib.suppress(OSError):  # the tool made the folder anew just then
                    first.rename(second)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(300):
            with contextlib.suppress(ApplianceError, OSError):  # refused, or the folder was away just then
                await asyncio.ensure_future(write())  # type: ignore[call-overload]
    finally:
        over.set()
        thread.join()


async def test_records_and_notes_are_not_in_the_container(house: House) -> None:  # noqa: F811
    """M49: a command cannot append to a transcript or a note, for neither is there."""
    agent = house.files.parent
    for name in ("sessions/main.jsonl", "memory/2026-04-10.md", "MEMORY.md"):
        (agent / name).parent.mkdir(exist_ok=True)
        (agent / name).write_text("house-canary-7261\n")
    script = (
        "find / -xdev -name '*.jsonl' 2>/dev/null; ls -A ..; "
        "grep -rs house-canary-7261 / --exclude-dir=proc --exclude-dir=sys"
    )
    result = await house.client.run("main", f"{script}; echo x >> ../MEMORY.md; echo x >> ../sessions/main.jsonl")
    assert b"house-canary-7261" not in result.stdout
    assert b".jsonl" not in result.stdout
    assert (agent / "sessions/main.jsonl").read_text() == (agent / "MEMORY.md").read_text() == "house-canary-7261\n"


async def test_the_runner_gives_no_way_into_another_container(house: House) -> None:  # noqa: F811
    """M79: through a proxy with reads allowed, every container's files could be read. Here there is no such request."""
    await house.client.health()
    for operation in ("export", "archive", "copy", "logs", "attach", "inspect", "exec", "build", "pull"):
        reader, writer = await asyncio.open_unix_connection(str(house.config.socket))
        writer.write(json.dumps({"op": operation, "id": "x", "path": "/"}).encode() + b"\n")
        answer = json.loads(await asyncio.wait_for(reader.readline(), 10))
        writer.close()
        assert (answer["ok"], answer["refused"]) == (False, True), operation


async def test_private_addresses_are_out_of_reach(house: House) -> None:  # noqa: F811
    """E15: without network none is reached; with it the policy refuses before the proxy, which would refuse too."""
    gate = PolicyGate(Nobody("curl *"))
    listed = Exec(with_domains(house), gate=gate, network=True)
    for host in ("169.254.169.254", "[::1]", "0x7f000001", "198.18.0.1", "127.0.0.1"):
        result = await house.client.run("main", f"curl -gsS -m 5 -o out 'http://{host}/'", limit=20)
        assert result.code != 0, host
        with pytest.raises(ToolError, match="Not allowed"):
            await listed.run({"command": f"curl -s 'http://{host}/'", "network": True}, context_of(house))
    assert not (house.files / "out").exists()


def with_domains(house: House) -> SandboxClient:  # noqa: F811
    """The same runner's client, for a house with a list of domains."""
    return SandboxClient(replace(house.config, allow_domains=("example.org",)))
