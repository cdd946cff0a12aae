"""What the owner sets on the page: plain values in `config/page.toml`, each secret in a 0600 file of `secrets/`.

The page writes these files and nothing else; `config/appliance.toml` stays the owner's own and wins over them. The
names in `secrets/` are those that the compose file hands over as `X_FILE`, so both ways lead to one file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from appliance.errors import StateError
from appliance.settings.base import toml
from appliance.storage import atomic_write

# Dotted path of a secret: the environment's short name for it. The file's name is that one in small letters.
SECRETS = {"anthropic.api_key": "ANTHROPIC_API_KEY", "telegram.bot_token": "TELEGRAM_BOT_TOKEN"}
_HEAD = "# Written by the page. Your own settings belong into appliance.toml, which wins over this file.\n"


def file(state: Path) -> Path:
    """Where the plain values stand."""
    return state / "config" / "page.toml"


def folder(state: Path) -> Path:
    """Where the secrets stand."""
    return state / "secrets"


def secret_file(state: Path, path: str) -> Path:
    """The file of the secret at a dotted path."""
    return folder(state) / SECRETS[path].lower()


def secrets(state: Path, problems: list[str]) -> dict[str, Any]:
    """The secrets that are there, as a tree; what cannot be read is noted in `problems`."""
    tree: dict[str, Any] = {}
    for path in SECRETS:
        at = secret_file(state, path)
        try:
            text = at.read_text(encoding="utf-8").strip()
        except (FileNotFoundError, NotADirectoryError):  # that STATE is no folder is said where it is opened
            continue
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{at}: cannot be read: {error}")
            continue
        if text:
            section, _, key = path.partition(".")
            tree[section] = {key: text}
    return tree


def same_files(state: Path, environ: Mapping[str, str]) -> list[str]:
    """The dotted paths of secrets whose `X_FILE` in the environment names the very file that the page writes."""
    return [
        path
        for path, variable in SECRETS.items()
        if (named := environ.get(f"{variable}_FILE")) and Path(named) == secret_file(state, path)
    ]


def keep(state: Path, values: Mapping[str, Any]) -> None:
    """Write values by dotted path, None for one that is taken back. Raises StateError; then nothing was taken over."""
    try:
        for path in values.keys() & SECRETS.keys():
            folder(state).mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(secret_file(state, path), f"{values[path] or ''}\n", mode=0o600)
        plain = {path: value for path, value in values.items() if path not in SECRETS}
        atomic_write(file(state), _written(_merged(_plain(state), plain)), mode=0o600)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise StateError(f"It could not be kept: {error}.", fix=f"Check the owner of {state} and its space.") from error


def _plain(state: Path) -> dict[str, Any]:
    at = file(state)
    return tomllib.loads(at.read_text(encoding="utf-8")) if at.is_file() else {}


def _merged(tree: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    for path, value in values.items():
        section, _, key = path.partition(".")
        tree.setdefault(section, {}).pop(key, None)
        if value is not None:
            tree[section][key] = value
    return tree


def _written(tree: dict[str, Any]) -> str:
    lines = [_HEAD]
    for section, values in tree.items():
        if values:
            lines += [f"[{section}]\n", *(f"{key} = {toml(value)}\n" for key, value in values.items()), "\n"]
    return "".join(lines)
