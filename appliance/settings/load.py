"""Reading the settings from their sources; the package itself is the tree they make.

Sources, strongest first: command line, environment (`APPLIANCE_<SECTION>__<KEY>`, the short names, each also as
`X_FILE`), `config/appliance.toml` in STATE (or `--config`), what was set on the page (`page.py`), defaults.
Every problem is reported at once, with its path and the file or variable it stands in.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from appliance.errors import SettingsError
from appliance.settings import Settings
from appliance.settings import page as settings_page
from appliance.settings.names import NOT_SETTINGS, PREFIX, SHORT_NAMES

_NO_FIELD = FieldInfo()
Keys = tuple[str, ...]


class _Sources:
    """The tree as it is put together, weakest source first, and where each value of it came from."""

    def __init__(self) -> None:
        self.tree: dict[str, Any] = {}
        self.kinds: dict[str, str] = {}  # by dotted path as deep as sections go: page, file, environment, command line
        self.places: dict[Keys, str] = {}  # by keys: the file or variable, for a person who looks for it

    def add(self, tree: dict[str, Any], kind: str, place: str | dict[Keys, str]) -> None:
        """Lay a source over those before. `place` names it, or names a place for each of its values."""
        self.kinds |= dict.fromkeys(_paths(tree), kind)
        self.places |= place if isinstance(place, dict) else dict.fromkeys(_leaves(tree), place)
        _merge(self.tree, tree)

    def place(self, keys: Keys) -> str:
        """Where a value, or what it is made of, was set; empty when nobody set it."""
        for depth in range(len(keys), 0, -1):
            found = {place for at, place in self.places.items() if at[:depth] == keys[:depth]}
            if found:
                return " and ".join(sorted(found))
        return ""


def load_settings(
    config: Path | None = None, environ: Mapping[str, str] | None = None, overrides: dict[str, Any] | None = None
) -> Settings:
    """Read every source and return the settings; raise SettingsError naming every problem at once.

    `overrides` (command-line flags) is a nested dict that wins over everything.
    """
    env = dict(os.environ if environ is None else environ)
    problems: list[str] = []
    from_env, variables = _environment(env, problems)
    path = config or (Path(env["APPLIANCE_CONFIG"]) if env.get("APPLIANCE_CONFIG") else None)
    if path is None:
        candidate = _state(from_env) / "config" / "appliance.toml"
        path = candidate if candidate.is_file() else None
    from_file = _file(path, problems) if path is not None else {}
    state = _state({**from_file, **from_env})
    page = settings_page.file(state)
    from_page = _file(page, problems) if page.is_file() else {}
    sources = _Sources()
    sources.add(from_page, "page", str(page))
    sources.add(settings_page.secrets(state, problems), "page", str(settings_page.folder(state)))
    sources.add(from_file, "file", str(path))
    sources.add(from_env, "environment", variables)
    sources.kinds |= {path: "page" for path in settings_page.same_files(state, env) if path in sources.kinds}
    sources.add(overrides or {}, "command line", "the command line")
    settings: Settings | None = None
    try:
        settings = Settings.model_validate(sources.tree)
    except ValidationError as error:
        problems.extend(_explain(item, sources) for item in error.errors(include_url=False))
    if problems or settings is None:
        raise SettingsError(sorted(problems), fix="`appliance config example` shows every setting.")
    settings.remember_origins(sources.kinds)
    return settings


def _state(tree: dict[str, Any]) -> Path:
    return Path(tree.get("state_dir", Settings.model_fields["state_dir"].default)).expanduser()


def _leaves(tree: dict[str, Any], above: Keys = ()) -> Iterator[Keys]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name)


def _paths(tree: dict[str, Any]) -> list[str]:
    """The dotted paths of a tree, as deep as sections go."""
    found = []
    for name, value in tree.items():
        if isinstance(value, dict) and not isinstance(Settings.model_fields.get(name, _NO_FIELD).default, dict):
            found += [f"{name}.{key}" for key in value]
        else:
            found.append(name)
    return found


def _file(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problems.append(f"{path}: not valid TOML: {error}")
    except OSError as error:
        problems.append(f"{path}: cannot be read: {error.strerror}")
    return {}


def _environment(env: dict[str, str], problems: list[str]) -> tuple[dict[str, Any], dict[Keys, str]]:
    """Collect `X` and `X_FILE` variables into a nested dict, and say which variable each value came from.

    Problems are noted instead of raised.
    """
    values: dict[str, str] = {}
    named: dict[str, str] = {}
    for name in sorted(env):
        base = name.removesuffix("_FILE")
        known = base in SHORT_NAMES or (name.startswith(PREFIX) and name not in NOT_SETTINGS)
        if not known:
            continue
        if name == base or not _is_file_variable(name):
            values[name] = env[name]
        elif env[name]:
            if env.get(base):
                problems.append(f"{base} and {name} are both set; keep one of them")
                continue
            try:
                text = Path(env[name]).read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
                if text:  # compose makes a file for every key, and one that was not filled in hides nothing
                    values[base], named[base] = text, name
            except (OSError, UnicodeDecodeError) as error:
                reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
                problems.append(f"{name}: {env[name]} cannot be read by user {os.getuid()}: {reason}")
    tree: dict[str, Any] = {}
    variables: dict[Keys, str] = {}
    for name, value in values.items():
        if value == "" and name in SHORT_NAMES:
            continue  # an empty variable in an env file means "not given"
        keys = SHORT_NAMES.get(name) or tuple(name.removeprefix(PREFIX).lower().split("__"))
        _put(tree, keys, _parse(keys, value))
        variables[keys] = named.get(name, name)
    return tree, variables


def _is_file_variable(name: str) -> bool:
    """True unless a setting itself ends in `_file` (budget.price_file)."""
    if name.removesuffix("_FILE") in SHORT_NAMES:
        return True
    return not _field(tuple(name.removeprefix(PREFIX).lower().split("__")))


def _field(keys: tuple[str, ...]) -> Any:
    """The pydantic field at a path of keys, or None."""
    model: Any = Settings
    found = None
    for key in keys:
        fields = getattr(model, "model_fields", {})
        found = fields.get(key)
        if found is None:
            return None
        model = found.annotation
    return found


def _parse(keys: tuple[str, ...], value: str) -> Any:
    """Lists and tables are written as JSON in the environment; everything else is text for pydantic."""
    found = _field(keys)
    if found is None or isinstance(found.default, (list, dict)) or value.strip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    if found is not None and value == "" and found.default is None:
        return None
    return value


def _put(tree: dict[str, Any], keys: tuple[str, ...], value: Any) -> None:
    for key in keys[:-1]:
        tree = tree.setdefault(key, {})
    tree[keys[-1]] = value


def _merge(into: dict[str, Any], other: dict[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _explain(item: Any, sources: _Sources) -> str:
    """One problem: the file or variable it stands in, the setting, what is wrong."""
    path = tuple(str(part) for part in item["loc"])
    dotted = ".".join(path)
    where = sources.place(path)
    named = f"{where}: {dotted}" if where else dotted
    if item["type"] == "extra_forbidden":
        parent = _field(path[:-1]) if len(path) > 1 else None
        fields = getattr(parent.annotation if parent else Settings, "model_fields", {})
        near = difflib.get_close_matches(path[-1], list(fields), n=1)
        return f"{named}: unknown setting" + (f"; did you mean {'.'.join([*path[:-1], near[0]])}?" if near else "")
    return f"{named}: {item['msg'].removeprefix('Value error, ')}"
