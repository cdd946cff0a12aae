"""What every section of the settings is made of."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
from pydantic import BaseModel, ConfigDict, Field, SecretStr


class Section(BaseModel):
    """A group of settings: unknown keys are refused, values are fixed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def setting(default: Any, description: str, example: Any = None, **limits: Any) -> Any:
    """A field with what every setting must have: a description and an example."""
    return Field(default=default, description=description, examples=[default if example is None else example], **limits)


def toml(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: '""'}[value]
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, Path):
        value = str(value)
    return msgspec.json.encode(str(value)).decode()
