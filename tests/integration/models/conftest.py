"""Fixtures shared with other folders: pytest finds them by name here."""

from tests.integration.local_models.conftest import service

__all__ = ["service"]
