"""The first run: a model, a limit, Telegram, set on the page and in force at once.

Values go where `settings.page` keeps them; here is what has to happen in the running house besides.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from appliance.channels.access import Access
from appliance.channels.base import ChatChannel
from appliance.channels.telegram.channel import TelegramChannel
from appliance.credentials import Answer, ask_bot, try_key
from appliance.errors import InputError
from appliance.messages import Role
from appliance.observability.health import Health, State
from appliance.observability.redaction import add_secrets
from appliance.settings import Settings
from appliance.settings import page as settings_page
from appliance.spending.budget import Budget
from appliance.texts import say
from appliance.texts.sentences import in_language

_KEY = re.compile(r"[!-~]{8,400}")
_TOKEN = re.compile(r"[0-9]{3,20}:[A-Za-z0-9_-]{10,100}")
_FIXED = ("environment", "file", "command line")  # these win over the page, so the page cannot change them


@dataclass(frozen=True)
class FirstRun:
    """Given the parts that are touched. `new_key` makes models use the settings' key, `connect` starts a channel."""

    settings: Settings
    health: Health
    budget: Budget
    access: Access
    channels: Callable[[], list[ChatChannel]]
    connect: Callable[[str], None]
    new_key: Callable[[], None]
    audit: Callable[..., Any]

    @property
    def due(self) -> bool:
        """Whether the owner has not been led through yet, and has set up no chat by other means."""
        return not settings_page.file(self.settings.state).exists() and not self.settings.chats

    def state(self, language: str) -> dict[str, Any]:
        """How each step stands, for a reader of `language`; `fixed` names where a value is set that the page cannot
        change."""
        settings = self.settings
        telegram = self._telegram
        part = next((one for one in self.health.parts() if one.name == "telegram"), None)
        return {
            "model": {
                "key": settings.has_key,
                "fixed": self._fixed("anthropic.api_key"),
                "chain": settings.chain(),
                "local": settings.local.enabled or bool(settings.local.url),
                "local_fixed": self._fixed("models.chain"),
            },
            "budget": {
                "daily_usd": settings.budget.daily_usd,
                "at_limit": settings.budget.at_limit,
                "fixed": self._fixed("budget.daily_usd") or self._fixed("budget.at_limit"),
            },
            "telegram": {
                "token": "telegram" in settings.chats,
                "fixed": self._fixed("telegram.bot_token"),
                "username": telegram.username if telegram else "",
                "trouble": in_language(part.detail, language) if part and part.state is State.FAILED else "",
                "owners": [person.name or person.id for _, person in self.access.owners("telegram")],
            },
        }

    async def use_key(self, key: str, language: str) -> None:
        """Try a key, and let Claude answer first from now on. Raises InputError with why it is not accepted."""
        key = key.strip()
        answer: Answer = "refused"
        if _KEY.fullmatch(key):
            answer = await asyncio.to_thread(try_key, key, self.settings.anthropic.base_url)
        if answer != "accepted":
            raise InputError(say(f"first_key_{answer}", language))
        add_secrets([key])
        chain = {} if self._fixed("models.chain") else {"models.chain": None}
        await self._keep({"anthropic.api_key": key, **chain}, language)
        self.new_key()

    async def answer_with(self, who: str, language: str) -> None:
        """Let the local model alone answer ("local"), or Claude first with the key that is there. Raises InputError."""
        if who != "local" and not self.settings.has_key:
            raise InputError(say("first_no_key", language))
        await self._keep({"models.chain": ["local"] if who == "local" else None}, language)

    async def set_budget(self, daily_usd: Decimal, at_limit: str, language: str) -> None:
        """Set the limit of a day and what happens there. Raises InputError."""
        await self._keep({"budget.daily_usd": daily_usd, "budget.at_limit": at_limit}, language)
        await self.budget.set_daily(None)  # what was said in chat gives way to what was said last

    async def use_bot(self, token: str, language: str) -> dict[str, Any]:
        """Try a bot's token and go on Telegram with it; `restart` says that another bot is still in use until then.

        Raises InputError with why it is not accepted.
        """
        token = token.strip()
        answer: Answer = "refused"
        me: dict[str, Any] = {}
        if _TOKEN.fullmatch(token):
            answer, me = await asyncio.to_thread(ask_bot, token, self.settings.telegram.api_base, "getMe")
        if answer != "accepted":
            raise InputError(say(f"first_token_{answer}", language))
        add_secrets([token])
        before = self.settings.telegram.bot_token.get_secret_value()
        await self._keep({"telegram.bot_token": token}, language)
        running = self._telegram is not None
        hooked = bool(self.settings.telegram.webhook_url)  # its route is made at the start
        if not running and not hooked:
            self.connect("telegram")
        restart = token != before if running else hooked
        return {"username": str(me.get("username", "")), "restart": restart}

    async def invite(self, role: Role) -> dict[str, Any]:
        """A code that pairs whoever sends it within the hour; as a link and a picture too, once the bot is known."""
        code = await self.access.invite(role)
        username = self._telegram.username if self._telegram else ""
        link = f"https://t.me/{username}?start={code}" if username else ""
        return {"code": code, "link": link, "picture": _picture(link) if link else None}

    async def leave(self) -> None:
        """The owner has seen it: it is not shown by itself again."""
        await asyncio.to_thread(settings_page.keep, self.settings.state, {})

    @property
    def _telegram(self) -> TelegramChannel | None:
        return next(
            (one for one in self.channels() if isinstance(one, TelegramChannel) and one.name == TelegramChannel.name),
            None,
        )

    def _fixed(self, path: str) -> str:
        origin = self.settings.origin(path)
        return origin if origin in _FIXED else ""

    async def _keep(self, values: dict[str, Any], language: str) -> None:
        """Check, write, and let hold. Raises InputError, StateError; then nothing has changed."""
        for path in values:
            if self._fixed(path):
                where = say(f"page_origin_{self._fixed(path).replace(' ', '_')}", language)
                raise InputError(say("first_fixed", language, path=path, where=where))
        self.settings.changed(values)
        await asyncio.to_thread(settings_page.keep, self.settings.state, values)
        self.settings.take_over(values)
        self.audit("settings_changed", paths=sorted(values))


def _picture(text: str) -> dict[str, Any]:
    """A QR code as one SVG path in a square of `size` modules, quiet zone included."""
    import segno  # only when somebody pairs

    rows = [list(row) for row in segno.make(text, error="m").matrix_iter(border=4)]
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    return {"size": len(rows), "path": path}
