"""Fixtures shared with other folders: pytest finds them by name here."""

from tests.unit.memory.conftest import house, wordy

__all__ = ["house", "wordy"]
