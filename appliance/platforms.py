"""Which chat platforms a house is on; part of the composition root. A channel exists when its secret is set."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from appliance.channels.base import ChannelParts, ChatChannel
from appliance.channels.discord.channel import DiscordChannel
from appliance.channels.mail.channel import MailChannel
from appliance.channels.telegram.channel import TelegramChannel
from appliance.settings import Settings


def channels_of(settings: Settings, parts: ChannelParts) -> list[ChatChannel]:
    """The channels that the settings ask for; their libraries are loaded when they start, behind readiness."""
    return [channel_of(name, settings, parts) for name in settings.chats]


def channel_of(name: str, settings: Settings, parts: ChannelParts) -> ChatChannel:
    """The channel of a platform that is set up."""
    made: dict[str, Callable[[], ChatChannel]] = {
        "telegram": lambda: TelegramChannel(settings.telegram, parts),
        "discord": lambda: DiscordChannel(settings.discord, parts),
        "whatsapp": lambda: _whatsapp(settings, parts),
        "slack": lambda: _slack(settings, parts),
        "email": lambda: MailChannel(settings.email, parts),
    }
    return made[name]()


def _whatsapp(settings: Settings, parts: ChannelParts) -> ChatChannel:
    from appliance.channels.whatsapp.channel import WhatsAppChannel  # brings aiohttp, which few houses need

    return WhatsAppChannel(settings.whatsapp, parts)


def _slack(settings: Settings, parts: ChannelParts) -> ChatChannel:
    from appliance.channels.slack.channel import SlackChannel  # brings aiohttp as well

    return SlackChannel(settings.slack, parts)


def members_of(settings: Settings) -> dict[str, Iterable[int | str]]:
    """By channel, who is a household member without pairing."""
    return {
        "telegram": settings.telegram.members,
        "discord": settings.discord.members,
        "email": settings.email.members,
        "whatsapp": settings.whatsapp.members,
        "slack": settings.slack.members,
    }
