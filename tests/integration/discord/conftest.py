"""Fixtures shared with other folders."""

from tests.discord_bench import discord_bench, fake  # noqa: F401 - pytest finds them by name here
