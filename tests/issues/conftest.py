"""Fixtures shared with other folders: pytest finds them by name here."""

from tests.integration.gateway.conftest import home, start
from tests.telegram_bench import bench, paired, telegram

__all__ = ["bench", "home", "paired", "start", "telegram"]
