"""What the doctor looks at on the machine's side: backups, model files, the kernel's limits, what is open to whom."""

from __future__ import annotations

import functools
import ipaddress
import os
import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from appliance.doctor.examination import Outcome, Patient

if TYPE_CHECKING:
    from appliance.local_models import catalogue

_LATE = 36 * 3600.0  # seconds; a nightly backup is due after 24 hours
_CGROUPS = Path("/sys/fs/cgroup")
_DOCKER_PORT = 2375
_FETCH_AGAIN = "appliance models verify sets it aside, then appliance models pull {} fetches it again."
_READ_SECONDS = 4.0  # for one model file: two are read, and a check has ten


def backup_age(patient: Patient) -> Outcome | None:
    """Whether there is a backup, and of when. None before the first start."""
    from appliance.backup import newest_backup  # brings SQLite along

    core = patient.state / "core.db"
    if not core.exists():
        return None
    newest = newest_backup(patient.state)
    if newest is None:
        token = patient.state / "token"  # made at the first start and not written since
        born = (token if token.exists() else core).stat().st_mtime
        if patient.settings.backup.nightly and time.time() - born < _LATE:
            return "pass", f"The first nightly backup is made after {patient.settings.backup.hour}:00."
        return "warn", "There is no backup in STATE/backups.", "appliance backup"
    hours = max(0.0, (time.time() - newest) / 3600)
    if patient.settings.backup.nightly and hours * 3600 > _LATE:
        return "warn", f"The last backup was made {hours / 24:.1f} days ago.", "appliance backup, and see the log."
    sealed = "" if patient.settings.backup.passphrase.get_secret_value() else " It is not encrypted."
    return "pass", f"The last backup was made {hours:.0f} hours ago." + sealed


def agents(patient: Patient) -> Outcome | None:
    """Where there are several agents: whether each can be answered for, and has a folder that commands may see."""
    settings = patient.settings
    if not settings.agents:
        return None
    wrong = []
    for agent in settings.agent_ids:
        models = dict.fromkeys([*settings.chain(agent), settings.cheap(agent)])
        known = ("local", *settings.openai_compatible)
        unknown = [name for name in models if not name.startswith("claude") and name not in known]
        wrong += [f"{agent}: no setting makes the model {name}." for name in unknown]
        folder = patient.state / "agents" / agent
        if folder.is_symlink():
            wrong.append(f"{agent}: {folder} is a link, so it cannot run commands.")
    if wrong:
        return "warn", " ".join(wrong), "Mend the sections [agents.<id>]; see docs/how-to/agents.md."
    return "pass", f"{len(settings.agent_ids)} agents: {', '.join(settings.agent_ids)}."


def model_files(patient: Patient) -> Outcome | None:
    """Whether the local model's files are whole and fit into this machine's memory."""
    from appliance.local_models import catalogue, store  # only this check reads the catalogue

    local = patient.settings.local
    if not local.enabled or local.url or "local" not in patient.settings.models_named:
        return None
    memory = catalogue.machine_memory()
    files = store.Store(patient.state / "models")
    wanted = [_chosen(local.model, "chat", memory, 8192)]
    if local.embedder != "off":
        wanted.append(_chosen(local.embedder, "embedding", memory, 512))
    here = [file for item in wanted for file in item.files if files.path(file).exists()]
    cut = [file.name for file in here if not files.has_file(file)]
    if cut:
        return "fail", f"The file of {cut[0]} is not the size that was fetched.", _FETCH_AGAIN.format(cut[0])
    sums = {
        item.name: (record.sha256, _sum_of(files.path(item))) for item in here if (record := files.record(item.name))
    }
    spoiled = [name for name, (wanted, found) in sums.items() if found and found != wanted]
    if spoiled:
        return "fail", f"The file of {spoiled[0]} is not the one that was fetched.", _FETCH_AGAIN.format(spoiled[0])
    needs = sum(item.memory(min(local.context or 8192, item.context)) for item in wanted)
    names = ", ".join(item.name for item in wanted)
    text = f"{names} take about {needs / 1024**3:.1f} of {memory / 1024**3:.1f} GiB of memory."
    if not all(found for _, found in sums.values()):
        text += " Reading them through takes long here: appliance models verify."
    if needs > memory * 0.9:
        best = catalogue.best_fit(memory).name
        return "warn", text, f"Take a smaller one: APPLIANCE_LOCAL__MODEL={best}"
    return "pass", text


def _sum_of(path: Path) -> str:
    """The checksum of a file, read once for each state it is in; empty when reading it takes too long."""
    status = path.stat()
    return _read(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _read(path: Path, _size: int, _changed: int) -> str:
    from appliance.local_models.errors import StoppedError
    from appliance.local_models.progress import Stop
    from appliance.local_models.store import file_hash

    stop = Stop()
    timer = threading.Timer(_READ_SECONDS, stop.set)
    timer.start()
    try:
        return file_hash(path, stop=stop)
    except StoppedError:
        return ""
    finally:
        timer.cancel()


def _chosen(name: str, kind: catalogue.Kind, memory: int, context: int) -> catalogue.Entry:
    from appliance.local_models import catalogue

    return catalogue.best_fit(memory, kind, context) if name == "auto" else catalogue.resolve(name, kind)


def limits(patient: Patient, root: Path = _CGROUPS) -> Outcome | None:
    """Whether the kernel can hold commands to their limits. None where no commands run."""
    if not patient.settings.exec.enabled or not root.is_dir():
        return None
    unified = root / "cgroup.controllers"
    if unified.is_file():
        have = set(unified.read_text(encoding="ascii").split())
        version, quota = 2, "cpu" in have
    else:
        have = {path.name for path in root.iterdir() if path.is_dir()}
        version, quota = 1, (root / "cpu" / "cpu.cfs_quota_us").exists()
    missing = sorted({"memory", "pids"} - have)
    if missing:
        fix = "Add cgroup_enable=memory to the kernel's command line (Raspberry Pi: cmdline.txt) and restart."
        return "warn", f"The kernel does not limit {', '.join(missing)} of containers (cgroup v{version}).", fix
    shares = "" if quota else "; no processor quota, so commands get shares instead"
    return "pass", f"The kernel limits memory and processes of containers (cgroup v{version}{shares})."


def exposed(patient: Patient, environ: Mapping[str, str] | None = None) -> Outcome:
    """Who can reach the page's port, and whether a Docker engine listens without a lock."""
    env = os.environ if environ is None else environ
    address = env.get("BIND_ADDRESS") or patient.settings.server.host  # compose publishes the port for the gateway
    if _answers("127.0.0.1", _DOCKER_PORT):
        fix = "Take -H tcp:// out of the engine's options: whoever reaches that port owns this machine."
        return "fail", f"A Docker engine listens on TCP port {_DOCKER_PORT} without a key.", fix
    if _loopback(address):
        return "pass", f"The page answers on {address}, this machine alone."
    fix = "Put a reverse proxy with TLS in front before it leaves your home network, or bind 127.0.0.1."
    return "warn", f"The page answers on {address}: everybody on that network reaches its login, unencrypted.", fix


def policies(patient: Patient) -> Outcome:
    """What the owner opened wider than it comes."""
    settings = patient.settings
    opened = []
    if "host" in settings.exec.hosts:
        opened.append("commands may run on this machine itself (exec.hosts)")
    if any(domain.strip("*.") == "" or "." not in domain.strip("*.") for domain in settings.exec.allow_domains):
        opened.append("commands reach whole top-level domains (exec.allow_domains)")
    if settings.budget.daily_usd is None and settings.has_key:
        opened.append("there is no daily limit (budget.daily_usd)")
    if settings.budget.unpriced_usd_per_mtok == 0:
        opened.append("models without a known price cost nothing (budget.unpriced_usd_per_mtok)")
    if opened:
        return "warn", f"Opened by you: {'; '.join(opened)}.", "If that is not meant, take it out of the settings."
    return "pass", "Nothing is opened wider than it comes."


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), 1.0).close()
    except OSError:
        return False
    return True


def _loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
