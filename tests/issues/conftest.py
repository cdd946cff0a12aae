"""Fixtures shared with other folders: pytest finds them by name here."""

from tests.discord_bench import discord_bench, fake
from tests.integration.automation.conftest import start as automation
from tests.integration.gateway.conftest import home, start
from tests.integration.local_models.conftest import service
from tests.telegram_bench import bench, paired, telegram

__all__ = ["automation", "bench", "discord_bench", "fake", "home", "paired", "service", "start", "telegram"]
