"""The example settings file, made from the settings tree itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from appliance.settings import Settings
from appliance.settings.base import toml
from appliance.settings.names import SHORT_NAMES


def example() -> str:
    """A TOML file with every setting commented out, its description above it."""
    lines = ["# Every setting with its default. Uncomment what you change.", ""]
    for name, field in Settings.model_fields.items():
        if not _is_section(field):
            lines += _entry(name, field)
    for name, field in Settings.model_fields.items():
        if _is_section(field):
            lines += ["", f"[{name}]"]
            for key, inner in field.annotation.model_fields.items():  # type: ignore[union-attr]
                lines += _entry(key, inner)
    return "\n".join(lines) + "\n"


def rows() -> Iterator[tuple[str, str, str, str]]:
    """(path, environment variable, default, description) of every setting, for the documentation."""
    for name, field in Settings.model_fields.items():
        if _is_section(field):
            for key, inner in field.annotation.model_fields.items():  # type: ignore[union-attr]
                yield f"{name}.{key}", f"APPLIANCE_{name}__{key}".upper(), toml(inner.default), inner.description or ""
        else:
            yield name, f"APPLIANCE_{name}".upper(), toml(field.default), field.description or ""


def in_force(settings: Settings) -> list[dict[str, Any]]:
    """Every section with its settings as they are: path, variable, value, where it was set, description.

    Of a secret only whether it is set; addresses that could hold one are shown without what stands before an @.
    """
    sections: dict[str, list[dict[str, Any]]] = {}
    for path, variable, default, description in rows():
        section, _, key = path.rpartition(".")
        held: Any = getattr(settings, section) if section else settings
        value = getattr(held, key)
        secret = isinstance(value, SecretStr)
        sections.setdefault(section or "general", []).append(
            {
                "path": path,
                "variable": variable,
                "value": "" if secret else _USERINFO.sub("//", toml(_without_secrets(value))),
                "secret": secret,
                "set": bool(value.get_secret_value()) if secret else settings.origin(path) != "default",
                "origin": settings.origin(path),
                "default": default,
                "description": description,
            }
        )
    return [{"name": name, "rows": found} for name, found in sections.items()]


_USERINFO = re.compile(r"//[^/@\s\"]+@")


def _without_secrets(value: Any) -> Any:
    """A value in which no secret shows, however deep it stands."""
    if isinstance(value, SecretStr):
        return "***" if value.get_secret_value() else ""
    if isinstance(value, (dict, BaseModel)):
        return {key: _without_secrets(one) for key, one in dict(value).items()}
    return value


def _is_section(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)


def _entry(name: str, field: FieldInfo) -> list[str]:
    value = field.default
    if value is None or value in ([], {}, ""):
        value = (field.examples or [value])[0]
    return [f"# {field.description}", f"#{name} = {toml(value)}"]


def page() -> str:
    """docs/settings.md, made from the tree; a test holds the file to it."""
    lines = [
        "# Settings",
        "",
        "Made by `python -m appliance.settings.example > docs/settings.md`. Sources, strongest first: environment, "
        "`STATE/config/appliance.toml`,",
        "what was set on the page (`STATE/config/page.toml`, secrets in `STATE/secrets`), defaults. Every secret can",
        "also come from a file: append `_FILE` to its variable. Both set is an error.",
        "Short names: " + ", ".join(f"`{name}`" for name in SHORT_NAMES) + ".",
    ]
    section = None
    for path, variable, default, description in rows():
        head = path.partition(".")[0] if "." in path else "general"
        if head != section:
            section = head
            lines += ["", f"## {head}", "", "| setting | default | meaning |", "| --- | --- | --- |"]
        shown = default.replace("|", "\\|")
        text = description.replace("|", "\\|")
        lines.append(f"| `{path}`<br>`{variable}` | `{shown}` | {text} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    import sys

    sys.stdout.write(page())
