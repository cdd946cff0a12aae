"""The sections `[agents.<id>]`: agents beside the main one, each with its own workspace, models, budget and bots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Annotated, TypeVar

from pydantic import AfterValidator, SecretStr, field_validator

from appliance.messages import AGENT_ID, MAIN
from appliance.settings.base import Section, setting
from appliance.settings.channels import DiscordSettings, TelegramSettings


def _usable(name: str) -> str:
    if AGENT_ID.fullmatch(name) is None:
        raise ValueError("an agent's id is 1 to 64 of a-z, 0-9 and -, and begins with a letter or digit")
    if name == MAIN:
        raise ValueError("the main agent needs no section: [models], [telegram] and budget.agent_usd are its own")
    if name == "team":
        raise ValueError("team is the folder that all agents share; choose another id")
    return name


AgentId = Annotated[str, AfterValidator(_usable)]


class FurtherAgentSettings(Section):
    """One agent. What is not set here is as for the main agent; bots are never shared."""

    chain: list[str] | None = setting(None, "Its models in order of preference.", ["claude-haiku-5-5", "local"])
    cheap: str | None = setting(None, "Its model for flushes, summaries and its heartbeat.", "local")
    daily_usd: Decimal | None = setting(None, "Most that it may spend in one day; the house's limit holds too.", "0.50")
    telegram: TelegramSettings = TelegramSettings()
    discord: DiscordSettings = DiscordSettings()

    @field_validator("chain")
    @classmethod
    def _named(cls, value: list[str] | None) -> list[str] | None:
        if value is not None and not value:
            raise ValueError("names no model; leave it out to have the main agent's")
        return value

    @field_validator("daily_usd")
    @classmethod
    def _money(cls, value: Decimal | None) -> Decimal | None:
        if value is not None and (not value.is_finite() or value < 0):
            raise ValueError("must be a finite amount of 0 or more")
        return value

    @field_validator("telegram")
    @classmethod
    def _polls(cls, value: TelegramSettings) -> TelegramSettings:
        if value.webhook_url:
            raise ValueError("webhook_url is for the main agent's bot; the bots of other agents poll")
        return value

    def bots(self) -> Iterator[tuple[str, SecretStr]]:
        """(platform, token) of each bot that it has."""
        for platform, token in (("telegram", self.telegram.bot_token), ("discord", self.discord.bot_token)):
            if token.get_secret_value():
                yield platform, token


Further = Mapping[str, FurtherAgentSettings]
Bot = TypeVar("Bot", TelegramSettings, DiscordSettings)


def channel_name(platform: str, agent: str) -> str:
    """What an agent's channel on a platform is called."""
    return platform if agent == MAIN else f"{platform}-{agent}"


def bots_of(agents: Further) -> dict[str, SecretStr]:
    """The token of every bot of a further agent, by the channel's name."""
    return {channel_name(platform, agent): token for agent, own in agents.items() for platform, token in own.bots()}


def agent_of_channel(agents: Further, channel: str) -> str:
    """Whose bot a channel is; every other channel is the main agent's."""
    _, _, agent = channel.partition("-")
    return agent if agent in agents else MAIN


def telegram_bots(mains: TelegramSettings, agents: Further) -> dict[str, TelegramSettings]:
    """Every Telegram bot of the house, by its channel's name."""
    return _named("telegram", {MAIN: mains} | {agent: own.telegram for agent, own in agents.items()})


def discord_bots(mains: DiscordSettings, agents: Further) -> dict[str, DiscordSettings]:
    """Every Discord bot of the house, by its channel's name."""
    return _named("discord", {MAIN: mains} | {agent: own.discord for agent, own in agents.items()})


def _named(platform: str, by_agent: Mapping[str, Bot]) -> dict[str, Bot]:
    """Those that are set up."""
    return {channel_name(platform, a): bot for a, bot in by_agent.items() if bot.bot_token.get_secret_value()}


def speaks_on(agents: Further, agent: str, channels: Iterable[str]) -> frozenset[str]:
    """Those of some channels on which an agent speaks: its own; where it has none the main agent's, else all."""
    there = frozenset(channels)
    own = {whose: frozenset(c for c in there if agent_of_channel(agents, c) == whose) for whose in (agent, MAIN)}
    return own[agent] or own[MAIN] or there


def check_apart(agents: Further, mains: Mapping[str, SecretStr], limits: Mapping[str, Decimal]) -> None:
    """Two agents share no bot, and a limit stands in one place. Raises ValueError.

    `mains` are the main agent's tokens by platform, `limits` what budget.agent_usd names.
    """
    taken = {token.get_secret_value(): f"{platform}.bot_token" for platform, token in mains.items()}
    taken.pop("", None)
    for agent, own in agents.items():
        for platform, token in own.bots():
            place = f"agents.{agent}.{platform}.bot_token"
            other = taken.setdefault(token.get_secret_value(), place)
            if other != place:
                raise ValueError(f"{place} is the bot of {other}; every agent needs a bot of its own")
        if own.daily_usd is not None and agent in limits:
            raise ValueError(f"agents.{agent}.daily_usd and budget.agent_usd both limit {agent}; keep one of them")
