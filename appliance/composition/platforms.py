"""Which chat platforms a house is on; part of the composition root. A channel exists when its secret is set."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from appliance.channels.base import ChannelParts, ChatChannel
from appliance.channels.discord.channel import DiscordChannel
from appliance.channels.mail.channel import MailChannel
from appliance.channels.telegram.channel import TelegramChannel
from appliance.settings import Settings
from appliance.settings.agents import agent_of_channel, channel_name


def channels_of(settings: Settings, parts_for: Callable[[str], ChannelParts]) -> list[ChatChannel]:
    """The channels that the settings ask for, each with the parts for its agent; their libraries are loaded when they
    start, behind readiness."""
    return [channel_of(name, settings, parts_for) for name in settings.chats]


def channel_of(name: str, settings: Settings, parts_for: Callable[[str], ChannelParts]) -> ChatChannel:
    """A channel that is set up, by its name."""
    agent = agent_of_channel(settings.agents, name)
    own, parts = settings.agents.get(agent, settings), parts_for(agent)
    made: dict[str, Callable[[], ChatChannel]] = {
        channel_name("telegram", agent): lambda: TelegramChannel(own.telegram, parts),
        channel_name("discord", agent): lambda: DiscordChannel(own.discord, parts),
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
    further = {
        channel_name(platform, agent): members
        for agent, own in settings.agents.items()
        for platform, members in (("telegram", own.telegram.members), ("discord", own.discord.members))
    }
    return {
        **further,
        "telegram": settings.telegram.members,
        "discord": settings.discord.members,
        "email": settings.email.members,
        "whatsapp": settings.whatsapp.members,
        "slack": settings.slack.members,
    }
