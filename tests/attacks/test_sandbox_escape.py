"""What a hostile command tries from inside: every way out fails, on the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.sandbox.conftest import House

pytestmark = [pytest.mark.docker]

# Each prints "open" when the way is open; a way that is shut may fail in any manner.
WAYS = {
    "mount": "mount -t tmpfs x /tmp && echo open",
    "remount root writable": "mount -o remount,rw / && echo open",
    "unshare user": "unshare -r true && echo open",
    "unshare network": "unshare -n true && echo open",
    "raw socket": "python3 -c 'import socket; socket.socket(2, 3, 1); print(\"open\")'",
    "packet socket": "python3 -c 'import socket; socket.socket(17, 3, 3); print(\"open\")'",
    "trace pid 1": 'python3 -c \'import ctypes; print("open" if ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0 else "")\'',
    "memory of pid 1": 'python3 -c \'open("/proc/1/mem", "r+b"); print("open")\'',
    "environment of pid 1": "cat /proc/1/environ | grep -q . && echo open",
    "memory of the wrapper": 'python3 -c \'import os; open(f"/proc/{os.getppid()}/mem", "rb"); print("open")\'',
    "streams of the wrapper": "ls /proc/$PPID/fd/ && echo open",
    "sysctl": "echo 1 > /proc/sys/kernel/hostname && echo open",
    "sysrq": "echo b > /proc/sysrq-trigger && echo open",
    "kernel log": "cat /dev/kmsg | head -c 1 && test -e /dev/kmsg && echo open",
    "dmesg": "dmesg && echo open",
    "physical memory": "head -c 1 /dev/mem && echo open",
    "block device": "mknod /tmp/disk b 254 0 && echo open",
    "docker socket": "ls /var/run/docker.sock /run/docker.sock && echo open",
    "write root": "touch /etc/x && echo open",
    "write usr": "touch /usr/bin/x && echo open",
    "become root": "su -c id && echo open",
    "setuid": "python3 -c 'import os; os.setuid(0); print(\"open\")'",
    "give a file to root": "cp /usr/bin/id /workspace/i && chown 0 /workspace/i && echo open",
    "run from tmp": "cp /usr/bin/id /tmp/i && /tmp/i && echo open",
    "chroot": "chroot / true && echo open",
    "keyring": 'python3 -c \'import ctypes; print("open" if ctypes.CDLL(None).syscall(250, 0, -3, 1) > 0 else "")\'',
    "bpf": 'python3 -c \'import ctypes; print("open" if ctypes.CDLL(None).syscall(321, 0, 0, 0) >= 0 else "")\'',
    "kexec": 'python3 -c \'import ctypes; print("open" if ctypes.CDLL(None).syscall(246, 0, 0, 0, 0) == 0 else "")\'',
    "clock": "date -s 2000-01-01 && echo open",
    "cgroup": "mkdir /sys/fs/cgroup/memory/x /sys/fs/cgroup/x && echo open",
    "release agent": "echo /x > /sys/fs/cgroup/memory/release_agent && echo open",
    "core pattern": "echo '|/x' > /proc/sys/kernel/core_pattern && echo open",
    "signal to another namespace": "test $(ps -e | wc -l) -gt 20 && echo open",
    "parent of the work folder": "ls /workspace/../agents && echo open",
    "raise a limit": "ulimit -n 100000 && echo open",
    "core files": "ulimit -c unlimited && echo open",
    "network interface": "test $(ls /sys/class/net | grep -vc '^lo$') -gt 0 && echo open",
    "reach an address": "timeout 3 bash -c 'exec 3<>/dev/tcp/192.0.2.1/80' && echo open",
    "metadata": "curl -s -m 3 http://169.254.169.254/ && echo open",
    "resolve a name": "getent hosts example.org && echo open",
}


async def test_every_way_out_is_shut(house: House) -> None:
    for name, script in WAYS.items():
        result = await house.client.run("main", script, limit=20)
        assert result.outcome == "exited", (name, result)
        assert b"open" not in result.stdout, (name, result.stdout, result.stderr)
        (house.files / "i").unlink(missing_ok=True)


async def test_it_runs_as_an_ordinary_user_without_rights(house: House) -> None:
    result = await house.client.run("main", "id -u; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status")
    lines = dict(line.split(":\t") for line in result.stdout.decode().splitlines()[1:])
    assert result.stdout.split()[0] != b"0"
    assert {lines[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0000000000000000"}
    assert lines["NoNewPrivs"] == "1"
    assert lines["Seccomp"] == "2"


async def test_no_secret_of_the_gateway_is_inside(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-canary-0123456789")
    monkeypatch.setenv("APPLIANCE_TOKEN", "canary-0123456789")
    result = await house.client.run("main", "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; mount; set; env")
    assert b"canary" not in result.stdout
    pid = await house.pid()
    assert b"canary" not in Path(f"/proc/{pid}/environ").read_bytes(), "the runner needs no key either"


async def test_another_agents_folder_is_not_there(house: House) -> None:
    other = house.config.agents / "other" / "files"
    other.mkdir(parents=True)
    (other / "secret.txt").write_text("canary")
    result = await house.client.run(
        "main", "grep -rs canary / --include=secret.txt; find / -name secret.txt 2>/dev/null"
    )
    assert result.stdout == b""
    assert b"canary" in (await house.client.run("other", "cat secret.txt")).stdout


async def test_a_link_in_the_work_folder_leads_to_the_container_only(house: House) -> None:
    (house.files / "link").symlink_to("/etc/shadow")
    (house.files / "up").symlink_to("../../..")
    result = await house.client.run("main", "cat link; ls up/agents up/runner")
    assert result.stdout == b""
    assert result.code != 0


async def test_a_forged_end_is_only_output(house: House) -> None:
    forged = (
        "printf '%s000' 0123456789abcdef0123456789abcdef; printf '%s000' 0123456789abcdef0123456789abcdef >&2; exit 9"
    )
    result = await house.client.run("main", forged)
    assert result.code == 9
    assert result.stdout == b"0123456789abcdef0123456789abcdef000"


async def test_the_mark_of_the_end_cannot_be_read(house: House) -> None:
    script = """
for file in /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/fd/*; do
  case $file in */fd/[012]) ;; *) timeout 1 head -c 65536 "$file" 2>/dev/null | tr '\\0' '\\n' ;; esac
done | grep -Eo '[0-9a-f]{32}' | sort -u | wc -l
"""
    result = await house.client.run("main", script, limit=60)
    assert result.stdout.strip() == b"0", result


async def test_a_stopped_pid_1_does_not_keep_the_container(house: House) -> None:
    result = await house.client.run("main", "kill -STOP 1 $PPID; sleep 0.2; echo done", limit=5)
    assert result.outcome in ("exited", "timeout")
    assert (await house.client.run("main", "echo next")).stdout == b"next\n"


async def test_only_its_own_user_may_open_the_socket(house: House) -> None:
    await house.client.health()
    assert house.config.socket.stat().st_mode & 0o777 == 0o600
    assert house.config.socket.parent.stat().st_mode & 0o777 == 0o700
