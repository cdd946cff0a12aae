"""Whether a skill can be used here: programs in the sandbox's image, variables, settings, system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from appliance.skills.manifest import Needs

_SYSTEM = "linux"  # commands run in Linux containers only


@dataclass(slots=True)
class Surroundings:
    """Given settings and the environment, judge needs. `programs` is None until the image was looked into."""

    settings: Any
    environ: Mapping[str, str]
    programs: Callable[[], frozenset[str] | None] = field(default=lambda: None)

    def missing(self, needs: Needs) -> str:
        """What a skill lacks here, in words for the owner; "" when nothing."""
        if needs.os and _SYSTEM not in needs.os:
            return f"needs the system {' or '.join(needs.os)}"
        unset = [name for name in needs.env if not self.environ.get(name)]
        if unset:
            return f"needs the variable {', '.join(unset)}"
        unset = [path for path in needs.config if not _is_set(self.settings, path)]
        if unset:
            return f"needs the setting {', '.join(unset)}"
        return self._missing_programs(needs)

    def _missing_programs(self, needs: Needs) -> str:
        if not needs.bins and not needs.any_bins:
            return ""
        programs = self.programs()
        if programs is None:
            return f"needs {', '.join(needs.bins or needs.any_bins)}, and no sandbox answers to be asked"
        lacking = [name for name in needs.bins if name not in programs]
        if lacking:
            return f"needs {', '.join(lacking)} in the sandbox's image"
        if needs.any_bins and not programs.intersection(needs.any_bins):
            return f"needs one of {', '.join(needs.any_bins)} in the sandbox's image"
        return ""


def _is_set(settings: Any, path: str) -> bool:
    """Whether a setting exists and is neither empty nor off; secrets are only asked whether they are there."""
    value = settings
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else _field(value, part)
    secret = getattr(value, "get_secret_value", None)
    return bool(secret() if secret is not None else value)


def _field(value: Any, name: str) -> Any:
    return getattr(value, name, None) if name in getattr(type(value), "model_fields", {}) else None
