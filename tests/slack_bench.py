"""An app on the fake Slack (see channel_bench)."""

from __future__ import annotations

import re

from pydantic import SecretStr

from appliance.channels.base import ChannelParts
from appliance.channels.slack.channel import SlackChannel
from appliance.messages import Role
from appliance.settings.channels import SlackSettings
from appliance.testing.fake_slack import APP_TOKEN, BOT, BOT_TOKEN, FakeSlack, direct
from tests.channel_bench import ChannelBench

OWNER, STRANGER = "U0OWNER", "U0EVE"


class SlackBench(ChannelBench):
    """One running appliance, as far as Slack goes."""

    channel: SlackChannel
    bot_token, app_token = BOT_TOKEN, APP_TOKEN

    @property
    def slack(self) -> FakeSlack:
        return self.fake  # type: ignore[no-any-return]

    def make(self, parts: ChannelParts) -> SlackChannel:
        tokens = {"bot_token": SecretStr(self.bot_token), "app_token": SecretStr(self.app_token)}
        return SlackChannel(SlackSettings(api_base=self.slack.url, **tokens, **self.settings), parts)

    async def connected(self) -> None:
        """Return once a socket stands and the gap before it is filled."""
        await self.until(lambda: (part := self.health.get("slack")) and part.detail == "Connected.")

    async def pair(self, user: str = OWNER, role: Role | None = None) -> None:
        await self.connected()
        await self.slack.say(user, await self.access.invite(role))
        await self.until(lambda: any("Paired" in text for text in self.texts(direct(user))))

    def texts(self, chat: str) -> list[str]:
        """What stands from the bot in a conversation, as people read it."""
        held = self.slack.world.chats.get(chat, {})
        return [readable(m["text"]) for _, m in sorted(held.items()) if m["user"] == BOT and m["text"]]

    def replies(self, user: str = OWNER) -> list[str]:
        return [text for text in self.texts(direct(user)) if "Paired" not in text]


def readable(text: str) -> str:
    """Slack's markup as a reader sees it, but for the marks of emphasis."""
    text = re.sub(r"<([^|>]+)\|([^>]*)>", r"\2", text)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
