"""One command in one fresh container, on the real engine."""

from __future__ import annotations

import hashlib

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.output import KEEP
from appliance.sandbox.protocol import RefusedError

from .conftest import House

pytestmark = [pytest.mark.docker]


async def test_streams_are_apart_and_the_exit_code_is_the_commands(house: House) -> None:
    result = await house.client.run("main", "echo out; echo err >&2; exit 3")
    assert (result.outcome, result.code) == ("exited", 3)
    assert (result.stdout, result.stderr) == (b"out\n", b"err\n")


async def test_a_command_sees_the_work_folder_and_leaves_files_there(house: House) -> None:
    (house.files / "in.txt").write_text("from outside")
    result = await house.client.run("main", "cat in.txt; pwd; echo 結果 > out.txt")
    assert result.stdout == b"from outside/workspace\n"
    assert (house.files / "out.txt").read_text() == "結果\n"


async def test_nothing_but_the_work_folder_outlives_a_command(house: House) -> None:
    await house.client.run("main", "echo left > /tmp/left; (sleep 600 &) ; echo $$")
    result = await house.client.run("main", "ls -A /tmp; ps -e -o comm= | sort -u | tr '\\n' ' '")
    assert b"left" not in result.stdout
    assert b"sleep" not in result.stdout


async def test_the_environment_is_the_fixed_one(house: House) -> None:
    result = await house.client.run("main", "python3 -c 'import os; print(*os.environ)'")
    # What bash itself adds (PWD, SHLVL, _) tells nothing about the outside.
    assert set(result.stdout.decode().split()) - {"PWD", "SHLVL", "_", "OLDPWD"} == {
        "PATH",
        "HOME",
        "LANG",
        "TERM",
        "TZ",
    }


async def test_words_run_exactly_as_given(house: House) -> None:
    words = ["printf", "%s|", "a b", "$HOME", "`id`", "x'y", '"', "", "*", "新\n行"]
    result = await house.client.run("main", argv=words)
    assert result.stdout.decode() == "a b|$HOME|`id`|x'y|\"||*|新\n行|"


async def test_every_byte_of_a_script_arrives(house: House) -> None:
    text = "".join(chr(c) for c in range(1, 0x250) if chr(c) not in "'\r") + "漢字かな🎉\x81\x84"
    result = await house.client.run("main", f"cat <<'END'\n{text}\nEND\n")
    assert result.stdout.decode() == text + "\n"


async def test_indentation_backslashes_and_blank_lines_of_a_script_arrive(house: House) -> None:
    script = "python3 - <<'EOF'\nif True:\n\n    print('a\\tb\\\\')\n\tx = 1\nEOF\n"
    result = await house.client.run("main", script.replace("\tx = 1\n", ""))
    assert result.stdout == b"a\tb\\\n"


async def test_a_long_script_arrives_whole(house: House) -> None:
    lines = [f"echo {number:06d}" for number in range(7_000)]
    result = await house.client.run("main", "\n".join(lines))
    assert result.stdout == b"".join(b"%06d\n" % number for number in range(7_000))


async def test_input_arrives_byte_by_byte_and_ends(house: House) -> None:
    given = bytes(range(256)) * 4096
    result = await house.client.run("main", "sha256sum; cat | wc -c", given=given)
    assert result.stdout.split()[0].decode() == hashlib.sha256(given).hexdigest()


async def test_without_input_a_reader_gets_an_end_at_once(house: House) -> None:
    result = await house.client.run("main", "cat; read x || echo none", limit=10)
    assert (result.stdout, result.code) == (b"none\n", 0)


async def test_binary_output_and_output_without_a_newline_are_exact(house: House) -> None:
    result = await house.client.run("main", "python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256))*3)'")
    assert result.stdout == bytes(range(256)) * 3
    assert (await house.client.run("main", "printf end")).stdout == b"end"


async def test_a_hundred_megabytes_are_counted_and_cut_to_both_ends(house: House) -> None:
    script = "python3 -c 'import sys\nfor n in range(100): sys.stdout.write(chr(65 + n % 26) * 1000000)'; exit 5"
    result = await house.client.run("main", script)
    assert (result.outcome, result.code) == ("exited", 5)
    assert result.stdout_total == 100_000_000
    assert result.stdout == b"A" * (KEEP // 2)
    assert result.stdout_tail == b"V" * (KEEP // 2)


async def test_an_unknown_work_folder_is_refused(house: House) -> None:
    with pytest.raises(SandboxError, match="no work folder nobody"):
        await house.client.run("nobody", "id")


async def test_a_linked_work_folder_is_refused(house: House) -> None:
    (house.config.agents / "evil").mkdir()
    (house.config.agents / "evil" / "files").symlink_to("/etc")
    with pytest.raises(SandboxError, match="not a plain folder"):
        await house.client.run("evil", "cat hostname")


async def test_network_without_listed_domains_is_refused(house: House) -> None:
    with pytest.raises(RefusedError, match="no domains are listed"):
        await house.client.run("main", "curl example.org", profile="allowlist")
