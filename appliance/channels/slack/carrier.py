"""Delivery's way to Slack: placeholder, edits of it, files; paced per conversation, refusals understood.

What holds: an edit can be repeated. Slack has no nonce, so a placeholder whose id a kill lost is found in the history
and deleted. A file is sent at most once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from appliance.channels.known import remember
from appliance.channels.outgoing import file_of, noted
from appliance.channels.pacer import Pacer, Rate
from appliance.channels.slack.api import Raw, RefusedError, SlackApi
from appliance.channels.slack.mrkdwn import slack_parts
from appliance.clock import Clock
from appliance.errors import ApplianceError, DeliveryError
from appliance.gateway.delivery import Carrier
from appliance.messages import Attachment, Button
from appliance.texts import say

log = structlog.get_logger(__name__)

Place = dict[str, Any]
Part = dict[str, Any]
PLACEHOLDER = say("thinking")
UPLOAD_BYTES = 1024**3
RATE = Rate(burst=3, interval=1.0, edit_gap=1.5)  # one message a second and conversation; fifty edits a minute
# A preview would fetch the address: a way out for what a model read. Names are shown, not rung.
_QUIET = {"unfurl_links": False, "unfurl_media": False, "link_names": False}
_BUTTONS, _LABEL = 25, 75
_SWEEP = 100


class SlackCarrier(Carrier):
    """A place is {"chat": the conversation, "private": bool, "message"?: what is answered, "topic"?: its thread}.

    `known` gives the message ids that the outbox knows in a conversation, `me` the bot's user id; `ack` is the emoji
    under a message while it is worked on, by name; empty: none.
    """

    name = "slack"
    edits = True
    nonces = False

    def __init__(
        self,
        api: SlackApi,
        clock: Clock,
        *,
        me: Callable[[], str],
        known: Callable[[str], set[str]],
        outcome: Callable[[str], None],
        ack: str,
    ) -> None:
        self._api = api
        self._pacer = Pacer(clock)
        self._me = me
        self._known = known
        self._outcome = outcome
        self._ack = ack
        self._acked: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._instead: OrderedDict[tuple[str, str], str] = OrderedDict()

    def split(self, text: str) -> list[Part]:
        """Markdown to parts; there is always one, because a message cannot be empty."""
        return [{"text": part} for part in slack_parts(text)] or [{"text": PLACEHOLDER}]

    async def place(self, place: Place) -> str:
        return await self.send(place, {"text": PLACEHOLDER}, "")

    async def edit(self, place: Place, message: str, part: Part, buttons: Sequence[Button] = ()) -> None:
        chat = str(place["chat"])
        number = self._instead.get((chat, message), message)
        try:
            # Without buttons those of before have to go, which an empty list does.
            content: Raw = {"blocks": []} | _content(part, buttons)
            await self._call("chat.update", place, edit=True, ts=number, **content)
        except RefusedError as refusal:
            if not refusal.message_gone:
                raise
            # The person deleted the placeholder while we worked: the answer still has to arrive.
            log.info("the message to edit is gone, sending a new one", channel=self.name)
            remember(self._instead, (chat, message), await self.send(place, part, "", buttons))

    async def send(self, place: Place, part: Part, nonce: str, buttons: Sequence[Button] = ()) -> str:
        """Send at once; Slack has no nonce, so it is at most once."""
        thread = place.get("topic")
        sent = await self._call("chat.postMessage", place, thread_ts=thread, **_QUIET, **_content(part, buttons))
        return str(sent["ts"])

    async def send_file(self, place: Place, attachment: Attachment) -> str:
        path, name, size = await file_of(attachment)
        if size > UPLOAD_BYTES:
            raise DeliveryError(f"{name} is larger than the 1 GB that Slack takes.", permanent=True)
        try:
            file = await self._api.upload(path, name)
        except ApplianceError as trouble:
            told = self._trouble(place, trouble)
            told.ambiguous = False  # nobody has seen it yet, so this can be tried again
            raise told from trouble
        where: Raw = {"channel_id": str(place["chat"]), "thread_ts": place.get("topic")}
        await self._call("files.completeUploadExternal", place, files=[{"id": file, "title": name}], **where)
        return file

    async def typing(self, place: Place) -> None:
        """Slack shows no typing of a bot: a mark under the message says that it was seen."""
        key = (str(place["chat"]), str(place.get("message", "")))
        if self._ack and key[1] and key not in self._acked:
            remember(self._acked, key, None)
            await self._react("reactions.add", key)

    async def settled(self, place: Place) -> None:
        """The answer stands: the mark under its message goes; in private also under those answered together with it."""
        for key in [k for k in self._acked if k[0] == place["chat"]]:
            if place.get("private") or key[1] == place.get("message"):
                self._acked.pop(key)
                await self._react("reactions.remove", key)

    async def sweep(self, place: Place, after: str | None, before: str) -> int:
        """Delete our placeholders between two ids, or between the answered message and `before`.

        Messages that the outbox knows are left alone. Returns how many went.
        """
        chat = str(place["chat"])
        known = self._known(chat)
        span: Raw = {"oldest": after or place.get("message"), "latest": before, "limit": _SWEEP}
        thread = place.get("topic")
        method = "conversations.replies" if thread else "conversations.history"
        count = 0
        try:
            for found in (await self._api.call(method, channel=chat, ts=thread, **span))["messages"]:
                ours = found.get("user") == self._me() and found.get("text") == PLACEHOLDER
                if ours and found["ts"] < before and found["ts"] not in known:
                    await self._api.call("chat.delete", channel=chat, ts=found["ts"])
                    count += 1
        except ApplianceError as trouble:
            log.warning("placeholders not all swept", channel=self.name, reason=str(trouble))
        return count

    async def _react(self, method: str, key: tuple[str, str]) -> None:
        try:
            await self._api.call(method, channel=key[0], timestamp=key[1], name=self._ack)
        except ApplianceError as trouble:
            log.debug("reaction not changed", channel=self.name, reason=trouble.what)

    async def _call(self, method: str, place: Place, *, edit: bool = False, **fields: Any) -> Raw:
        """One call, paced; a wait that Slack asks for holds this conversation alone."""
        await self._pacer.wait(str(place["chat"]), RATE, edit=edit)
        into: Raw = {} if "channel_id" in fields else {"channel": str(place["chat"])}
        try:
            result = await self._api.call(method, **into, **fields)
        except ApplianceError as trouble:
            raise self._trouble(place, trouble) from trouble
        self._outcome("ok")
        return result

    def _trouble(self, place: Place, trouble: ApplianceError) -> DeliveryError:
        return noted(trouble, self._outcome, self._pacer, place["chat"])


def _content(part: Part, buttons: Sequence[Button]) -> Raw:
    """A text, and with buttons the same as a block above them."""
    if not buttons:
        return {"text": part["text"]}
    shown = [
        {
            "type": "button",
            "action_id": f"choice-{number}",
            "text": {"type": "plain_text", "text": button.label[:_LABEL]},
            "value": button.action,
        }
        for number, button in enumerate(buttons[:_BUTTONS])
    ]
    section = {"type": "section", "text": {"type": "mrkdwn", "text": part["text"]}}
    return {"text": part["text"], "blocks": [section, {"type": "actions", "elements": shown}]}
