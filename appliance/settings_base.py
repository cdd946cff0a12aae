"""What every section of the settings is made of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """A group of settings: unknown keys are refused, values are fixed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def setting(default: Any, description: str, example: Any = None, **limits: Any) -> Any:
    """A field with what every setting must have: a description and an example."""
    return Field(default=default, description=description, examples=[default if example is None else example], **limits)
