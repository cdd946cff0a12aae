"""What `appliance doctor` says of skills: each that cannot be read, with file and line."""

from __future__ import annotations

from pathlib import Path

from appliance.skills.folder import contents, skill_folders, workspaces
from appliance.skills.manifest import SkillFormatError, read_manifest

_MOST_SHOWN = 10


def unreadable(state: Path) -> list[str]:
    """Given STATE, return `file:line: why` of at most ten skills, in the order of their places."""
    found: list[str] = []
    for root in (state / "config" / "skills", *workspaces(state).values()):
        try:
            names, bad = skill_folders(root)
        except SkillFormatError as error:
            found.append(f"{root}: {error.what}")
            continue
        found += [f"{root}/{name}: {why}" for name, why in bad]
        for name in names:
            try:
                read_manifest(contents(root, name).files["SKILL.md"], name)
            except SkillFormatError as error:
                line = f":{error.line}" if error.line else ""
                found.append(f"{root / name / error.file}{line}: {error.what}")
    return found[:_MOST_SHOWN]
