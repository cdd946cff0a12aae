"""Settings of the chat platforms, one section each."""

from __future__ import annotations

from pydantic import SecretStr, field_validator

from appliance.settings_base import Section, setting


class TelegramSettings(Section):
    bot_token: SecretStr = setting(SecretStr(""), "Token from BotFather.", "123456:ABC")
    api_base: str = setting("https://api.telegram.org", "Address of the Bot API.")
    groups: list[int] = setting([], "Group chat ids in which the agent answers when mentioned.", [-1001234567890])
    members: list[int] = setting([], "User ids that are household members without pairing.", [123456789])
    drafts: bool = setting(
        True, "Show an answer being written as a draft with Telegram's stop button, in private chats.", False
    )
    ack_reaction: str = setting("👀", "Emoji under a message while it is worked on; empty: none.", "")
    webhook_url: str = setting(
        "",
        "Address under which Telegram reaches /hooks/telegram; empty: polling.",
        "https://agent.example.com/hooks/telegram",
    )

    @field_validator("webhook_url")
    @classmethod
    def _reachable(cls, value: str) -> str:
        if value and not (value.startswith("https://") and value.endswith("/hooks/telegram")):
            raise ValueError("Telegram calls https only, and the address ends in /hooks/telegram")
        return value


class DiscordSettings(Section):
    bot_token: SecretStr = setting(SecretStr(""), "Token of the Discord application.", "abc.def")
    api_base: str = setting("https://discord.com/api/v10", "Address of the Discord API.")
    channels: list[int] = setting(
        [], "Ids of server channels in which the agent answers when mentioned.", [1234567890123456789]
    )
    members: list[int] = setting([], "User ids that are household members without pairing.", [1234567890123456789])


class NoticesSettings(Section):
    ntfy_url: str = setting(
        "", "An ntfy topic that what you are told is pushed to as well.", "https://ntfy.sh/my-secret-topic"
    )
    ntfy_token: SecretStr = setting(SecretStr(""), "Access token of that topic.", "tk_abc")
    webhook_url: str = setting(
        "",
        'An address that gets what you are told as JSON: {"text": ...}.',
        "http://homeassistant.local:8123/api/webhook/x",
    )
