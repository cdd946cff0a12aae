"""Settings of the Discord channel."""

from __future__ import annotations

from pydantic import SecretStr

from appliance.settings_base import Section, setting


class DiscordSettings(Section):
    bot_token: SecretStr = setting(SecretStr(""), "Token of the Discord application.", "abc.def")
    api_base: str = setting("https://discord.com/api/v10", "Address of the Discord API.")
    channels: list[int] = setting(
        [], "Ids of server channels in which the agent answers when mentioned.", [1234567890123456789]
    )
    members: list[int] = setting([], "User ids that are household members without pairing.", [1234567890123456789])
