"""Which chat platforms a house is on; part of the composition root. A channel exists when its secret is set."""

from __future__ import annotations

from collections.abc import Iterable

from appliance.channels.base import ChannelParts, ChatChannel
from appliance.channels.discord.channel import DiscordChannel
from appliance.channels.mail.channel import MailChannel
from appliance.channels.telegram.channel import TelegramChannel
from appliance.channels.whatsapp.channel import WhatsAppChannel
from appliance.settings import Settings


def channels_of(settings: Settings, parts: ChannelParts) -> list[ChatChannel]:
    """The channels that the settings ask for; their libraries are loaded when they start, behind readiness."""
    channels: list[ChatChannel] = []
    if settings.telegram.bot_token.get_secret_value():
        channels.append(TelegramChannel(settings.telegram, parts))
    if settings.discord.bot_token.get_secret_value():
        channels.append(DiscordChannel(settings.discord, parts))
    if settings.whatsapp.access_token.get_secret_value():
        channels.append(WhatsAppChannel(settings.whatsapp, parts))
    if settings.email.password.get_secret_value():
        channels.append(MailChannel(settings.email, parts))
    return channels


def members_of(settings: Settings) -> dict[str, Iterable[int | str]]:
    """By channel, who is a household member without pairing."""
    return {
        "telegram": settings.telegram.members,
        "discord": settings.discord.members,
        "email": settings.email.members,
        "whatsapp": settings.whatsapp.members,
    }
