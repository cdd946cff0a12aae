"""Exactly what an approval is for: the words, where they run, with which image, network and scripts.

A plan is bound when a person is asked and bound again just before it runs; if anything differs, the approval is void.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shlex
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from appliance.errors import InputError
from appliance.sandbox import launchers
from appliance.sandbox.paths import WORKSPACE, normal, under
from appliance.trust import clean

Segments = tuple[tuple[str, ...], ...]
_MAX_SCRIPT = 1024 * 1024  # bytes of a script that is still hashed; a longer one is refused


@dataclass(frozen=True, slots=True)
class Script:
    """A file that a plan would run. `sha256` is empty when it did not exist; `text` is shown to the person."""

    path: str
    sha256: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What would run. `folder_id` is (device, inode) of the work folder; `image` a digest, empty on the host.

    `kind` is "exec" for commands; other rooms may ask for other things ("send", "memory") with `segments` as the words
    that the person is shown.
    """

    segments: Segments
    environment: tuple[tuple[tuple[str, str], ...], ...] = ()
    folder: str = ""
    folder_id: tuple[int, int] = (0, 0)
    image: str = ""
    network: str = "none"
    host: str = "sandbox"
    scripts: tuple[Script, ...] = ()
    kind: str = "exec"

    def digest(self) -> str:
        """SHA-256 over everything that must not change between the yes and the run."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def command(self) -> str:
        """The words as a line that reads back to the same words."""
        parts = []
        for index, words in enumerate(self.segments):
            names = self.environment[index] if index < len(self.environment) else ()
            parts.append(" ".join([*(f"{name}={shlex.quote(value)}" for name, value in names), shlex.join(words)]))
        return " | ".join(parts)

    def shown(self, limit: int) -> str:
        """The text that a person decides on. The command is never cut; scripts are shown whole or not at all.

        Scripts whose text would take the whole over `limit` characters are named by their hash and length.
        """
        lines = [self.command(), ""]
        if self.folder:
            lines.append(f"folder: {self.folder}")
        if self.kind == "exec":
            lines += [f"where: {self.host}", f"network: {self.network}"]
        if self.image:
            lines.append(f"image: {self.image}")
        for script in self.scripts:
            lines.append(f"script: {script.path} ({script.sha256[:12] or 'does not exist'})")
            text = [f"    {line}" for line in clean(script.text).splitlines()]
            if len("\n".join([*lines, *text])) > limit - 200:
                text = [f"    {len(text)} lines, too long to show here; bound by its hash"]
            lines.extend(text)
        return "\n".join(lines)


def bind(
    segments: Segments,
    *,
    folder: Path,
    environment: tuple[tuple[tuple[str, str], ...], ...] = (),
    image: str = "",
    network: str = "none",
    host: str = "sandbox",
) -> Plan:
    """Given the words and the place, return the plan with folder inode and script hashes as they are now.

    Raises InputError when the folder or a script cannot be bound: a link, a special file, too long. Reads files, so
    call it off the event loop.
    """
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise InputError(f"The work folder {folder} cannot be opened: {error.strerror}.") from None
    try:
        status = os.fstat(fd)
        scripts = tuple(_script(fd, path) for path in sorted(set(_script_words(segments))))
    finally:
        os.close(fd)
    return Plan(
        segments, environment, str(folder), (status.st_dev, status.st_ino), image, network, host, scripts
    )  # fmt: skip


def _script_words(segments: Segments) -> Iterator[str]:
    """The words that may name a program text in the work folder, as paths relative to it."""
    for words in segments:
        inside = words
        while launchers.is_wrapper(inside[0]) and (opened := launchers.open_wrapper(inside).words):
            inside = opened
        program = inside[0]
        named = [program] if "/" in program else []
        if launchers.is_shell(program) or launchers.is_interpreter(program) or launchers.is_awk(program):
            # All of them: which operand is the script differs between interpreters, and data it reads matters too.
            named += [word for word in inside[1:] if not word.startswith("-")]
        if launchers.base_name(program) in ("make", "gmake", "bmake"):
            named += ["Makefile", "makefile", "GNUmakefile"]
        for word in named:
            path = normal(word)
            if path.startswith("/"):
                if not under(path, WORKSPACE):
                    continue
                path = path.removeprefix(WORKSPACE).lstrip("/")
            if path and ".." not in path.split("/") and "\0" not in path:
                yield path


def _script(folder: int, path: str) -> Script:
    """Read one file beneath `folder`, following no link on the way. Raises InputError when it cannot be bound."""
    current = os.dup(folder)
    try:
        *parents, name = path.split("/")
        for part in parents:
            following = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=current)
            os.close(current)
            current = following
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=current)
    except FileNotFoundError:
        return Script(path, "")
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return Script(path, "")  # an argument, not a name
        why = f"{path} cannot be bound to an approval: it is, or lies behind, a link ({error.strerror})."
        raise InputError(why) from None
    finally:
        os.close(current)
    with os.fdopen(fd, "rb") as file:
        status = os.fstat(fd)
        if stat.S_ISDIR(status.st_mode):
            return Script(path, "folder")
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is not an ordinary file.")
        data = file.read(_MAX_SCRIPT + 1)
    if len(data) > _MAX_SCRIPT:
        raise InputError(f"{path} is longer than {_MAX_SCRIPT} bytes, too long to be bound to an approval.")
    return Script(path, hashlib.sha256(data).hexdigest(), data.decode("utf-8", "replace"))
