"""Every setting of every container, filled in here and nowhere else. No request reaches into it.

The command travels over the container's standard input, so a container can be created and started before there is a
command, and a container whose creation timed out can never run anything: nobody ever tells it what.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from appliance.errors import SandboxError

OWNER_LABEL = "appliance.composition.owner"
KIND_LABEL = "appliance.kind"
UNTIL_LABEL = "appliance.until"
WORK_LABEL = "appliance.work"
WORKSPACE = "/workspace"
PROXY = "http://egress:3128"
REMOTE_USER = "1000:1000"  # who owns /workspace in the image, and so in a volume made from it
LEASE_SECONDS = 30  # a background command ends one to two of these after nobody renewed its lease

LOG_MIB = 32  # the engine keeps one to two of these of a background command, as JSON

READY = b"\x06"

# The wrapper reads, line by line, a random mark, the number of lines of the script, the script and the size of its
# input. Standard input is then held by a reader of its own: when it ends, the runner has gone and so must everything
# here. It writes the mark and the exit code to both streams, because the engine does not keep their order, and again
# if a command left the pipe unable to wait. Signals to the whole group (`kill 0`) must not take the wrapper along.
WRAPPER = r"""
IFS=
shell=sh
command -v bash >/dev/null && shell=bash
trap : HUP INT QUIT TERM USR1 USR2 ALRM
printf '\006'
read -r marker && read -r lines || exit 0
script=
while [ "$lines" -gt 0 ] && read -r line; do
script="$script$line
"
lines=$((lines-1))
done
read -r size || exit 0
exec 3<&0 </dev/null
input=/dev/null
if [ "$size" -gt 0 ]; then
input=/tmp/.input
head -c "$size" <&3 >"$input"
fi
( trap '' HUP INT QUIT TERM; read -r marker <&3; kill -KILL -1 ) >/dev/null 2>&1 &
"$shell" -c "$script" <"$input" 3<&-
code=$?
until printf '%s%03d' "$marker" "$code" 2>/dev/null; do sleep 0.02; done
until printf '%s%03d' "$marker" "$code" >&2 2>/dev/null; do sleep 0.02; done
"""

# On another machine the work folder is fetched before the container may end: the command's children go, then it waits
# for the runner to let go of its standard input.
FAR_WRAPPER = f"""{WRAPPER}kill -KILL -1 2>/dev/null
read -r marker <&3
"""

# In the background the script comes the same way; then standard input carries frames: `w` has octal-escaped bytes for
# the command, `e` ends its input. The lease is a file that a helper takes away again and again; SIGUSR1, which only
# the runner sends, puts it back. When it is missing twice in a row, nobody owns this container and it ends by itself.
BACKGROUND_WRAPPER = r"""
IFS=
shell=sh
command -v bash >/dev/null && shell=bash
umask 077
: >/tmp/.lease
trap : HUP INT QUIT USR2 ALRM
trap ': >/tmp/.lease' USR1
child=
trap '[ -z "$child" ] || kill -TERM "$child"' TERM
read -r marker && read -r lines || exit 0
script=
while [ "$lines" -gt 0 ] && read -r line; do
script="$script$line
"
lines=$((lines-1))
done
read -r lease || exit 0
exec 3<&0 </dev/null
mkfifo /tmp/.input
( trap '' HUP INT QUIT TERM USR1
while sleep "$lease"; do rm /tmp/.lease || kill -KILL -1; done ) >/dev/null 2>&1 3<&- &
( trap '' HUP INT QUIT TERM USR1
exec 4>/tmp/.input
while read -r line; do
case $line in
e) exec 4>&- ;;
w*) printf '%b' "${line#w}" >&4 ;;
esac
done ) >/dev/null 2>&1 <&3 &
exec 3<&-
"$shell" -c "umask 022; $script" </tmp/.input &
child=$!
while :; do
wait "$child"
code=$?
kill -0 "$child" 2>/dev/null || break
done
exit "$code"
"""


@dataclass(frozen=True, slots=True)
class RunnerConfig:
    """What the owner chose, fixed while the runner lives. Sizes in MiB, times in seconds."""

    socket: Path
    agents: Path  # <agents>/<id>/files is what a work folder id means
    state: Path  # the runner's own: its id, its lock, its background commands
    image: str
    docker_host: str = ""
    docker_certificates: str = ""
    runtime: str = ""
    memory_mb: int = 512
    pids: int = 128
    pool_size: int = 2
    allow_domains: tuple[str, ...] = ()
    egress_image: str = ""
    copy_mib: int = 256  # most of a work folder that is copied to another machine's engine and back
    linger_seconds: float = 120.0  # how long to stay without a gateway; 0 is for ever
    timezone: str = "UTC"
    engine_seconds: float = 30.0  # how long one call to the engine may take; longer than any healthy one needs
    allowed_uids: tuple[int, ...] = field(default_factory=lambda: (0, os.getuid()))

    def to_json(self) -> str:
        """For the command line of the runner."""
        return msgspec.json.encode(self, enc_hook=str).decode()

    @classmethod
    def from_json(cls, text: str) -> RunnerConfig:
        return msgspec.json.decode(text, type=cls, dec_hook=lambda kind, value: kind(value))


@dataclass(frozen=True, slots=True)
class Engine:
    """What the Docker engine and the image are able to do; asked once per connection."""

    quota: bool
    image_id: str
    init: str  # the image's own unreadable init, empty when Docker's is used
    shell: str
    rootless: bool = False
    networkless: bool = False  # the runtime is set up to give containers no network, whatever is asked
    remote: bool = False  # another machine's: the work folder is copied into a volume and back


@dataclass(frozen=True, slots=True)
class Work:
    """A work folder: its id, its place on this machine, and who owns it."""

    id: str
    path: str
    user: str


def resolve_work(config: RunnerConfig, work: str) -> Work:
    """Given a work folder id, return its folder; raise SandboxError unless it is a plain folder in its place.

    Neither the agent's folder nor the work folder may be a link: a command could have put it there.
    """
    agent = config.agents / work
    folder = agent / "files"
    try:
        for part in (agent, folder):
            if not stat.S_ISDIR(part.lstat().st_mode):
                raise SandboxError(f"The work folder {work} is not a plain folder.", fix=f"Look at {part}.")
        status = folder.stat()
    except FileNotFoundError:
        raise SandboxError(f"There is no work folder {work}.", fix=f"Create {folder}.") from None
    except OSError as error:
        what = f"The work folder {work} cannot be used: {error.strerror}."
        raise SandboxError(what, fix=f"Look at {part}.") from None
    uid, gid = (status.st_uid, status.st_gid) if status.st_uid else (1000, 1000)
    if not status.st_uid:
        # A gateway that runs as root shares the folder with the unprivileged user that commands run as.
        os.chown(folder, uid, gid, follow_symlinks=False)
    return Work(work, str(folder.resolve()), f"{uid}:{gid}")


def environment(config: RunnerConfig, profile: str) -> dict[str, str]:
    """All that a command finds in its environment."""
    values = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/tmp",  # noqa: S108 - the container's own, a fresh tmpfs
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TZ": config.timezone,
    }
    if profile == "allowlist":
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            values[name] = PROXY
    return values


def container(
    config: RunnerConfig, engine: Engine, work: Work, profile: str, *, owner: str, background: float | None
) -> dict[str, Any]:
    """The whole body of a create request for a command's container, as the Docker API takes it.

    `background` is the Unix time at which a background command must have ended, None for a pooled container.
    """
    network = "none" if profile == "none" else egress_network(owner)
    words = [f"{key}={value}" for key, value in environment(config, profile).items()]
    foreground = FAR_WRAPPER if engine.remote else WRAPPER
    wrapper = foreground if background is None else BACKGROUND_WRAPPER
    entry = [engine.init, "--"] if engine.init else []
    entry += ["env", "-i", *words, engine.shell, "-c", wrapper]
    labels = {
        OWNER_LABEL: owner,
        KIND_LABEL: "command" if background is None else "background",
        WORK_LABEL: work.id,
        UNTIL_LABEL: "" if background is None else str(int(background)),
    }
    return {
        "Image": engine.image_id,
        "Hostname": "sandbox",
        "User": _user(engine, work),
        "WorkingDir": WORKSPACE,
        "Env": [],
        "Entrypoint": entry,
        "Cmd": [],
        "Labels": labels,
        "OpenStdin": True,
        "StdinOnce": background is None,
        "AttachStdin": background is None,
        "AttachStdout": background is None,
        "AttachStderr": background is None,
        "Tty": False,
        "HostConfig": _host(config, engine, work, network, background is not None),
    }


def egress_network(owner: str) -> str:
    """The name of the internal network on which a runner's commands find their proxy."""
    return f"appliance-egress-{owner[:8]}"


def _user(engine: Engine, work: Work) -> str:
    if engine.remote:
        return REMOTE_USER
    return "0:0" if engine.rootless else work.user


def _mount(engine: Engine, work: Work) -> dict[str, Any]:
    if engine.remote:
        # A volume without a name of its own; it is removed with its container.
        return {"Type": "volume", "Target": WORKSPACE, "ReadOnly": False}
    return {
        "Type": "bind",
        "Source": work.path,
        "Target": WORKSPACE,
        "ReadOnly": False,
        "BindOptions": {"Propagation": "rprivate"},
    }


def _host(config: RunnerConfig, engine: Engine, work: Work, network: str, background: bool) -> dict[str, Any]:
    memory = config.memory_mb * 1024 * 1024
    log: dict[str, Any] = {"Type": "none"}
    if background:
        log = {"Type": "json-file", "Config": {"max-size": f"{LOG_MIB}m", "max-file": "2"}}
    host: dict[str, Any] = {
        "NetworkMode": network,
        "ReadonlyRootfs": True,
        "Tmpfs": {"/tmp": "rw,noexec,nosuid,nodev,size=64m,mode=1777"},  # noqa: S108
        "ShmSize": 16 * 1024 * 1024,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges"],
        "Privileged": False,
        "PidsLimit": config.pids,
        "Memory": memory,
        "MemorySwap": memory,
        "Ulimits": [
            {"Name": "nofile", "Soft": 1024, "Hard": 1024},
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "fsize", "Soft": 2 << 30, "Hard": 2 << 30},
        ],
        "Init": not engine.init,
        "IpcMode": "private",
        "LogConfig": log,
        "AutoRemove": not background,
        "RestartPolicy": {"Name": "no"},
        "Mounts": [_mount(engine, work)],
    }
    if engine.quota:
        host["NanoCpus"] = 1_000_000_000
    if config.runtime:
        host["Runtime"] = config.runtime
    return host
