"""A strict fake of Discord: the REST API and the gateway that discord.py speaks to, with a book of what it saw."""

from appliance.testing.fake_discord.server import TOKEN, FakeDiscord
from appliance.testing.fake_discord.state import Call, World

__all__ = ["TOKEN", "Call", "FakeDiscord", "World"]
