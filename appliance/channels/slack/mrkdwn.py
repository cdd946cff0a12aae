"""Markdown in Slack's own markup, in parts that Slack takes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.channels.fences import split_fenced
from appliance.channels.light_markup import light
from appliance.channels.rendering import tidy
from appliance.channels.splitting import utf16_length
from appliance.channels.tables import without_tables

MESSAGE_UNITS = 3000  # of a block's text; a text alone may be longer, but only up to 4,000 can be edited
# The language after a fence would be shown as a line of the code.
_OPENING = re.compile(r"^( {0,3}```)[A-Za-z0-9+#._-]{1,20}[ \t]*$", re.MULTILINE)
_QUOTE = re.compile(r"^&gt;(?= |$)", re.MULTILINE)


def slack_parts(markdown: str) -> list[str]:
    """Given Markdown, return the texts of its messages, each within the limit as it is sent; blank text makes none."""
    return list(_parts(without_tables(tidy(markdown)), MESSAGE_UNITS))


def _parts(markdown: str, limit: int) -> Iterator[str]:
    for piece in split_fenced(markdown, limit):
        shown = mrkdwn(piece)
        if utf16_length(shown) <= MESSAGE_UNITS:
            yield shown
        else:  # signs that Slack wants escaped take five characters for one
            yield from _parts(piece, utf16_length(piece) // 2)


def mrkdwn(markdown: str) -> str:
    """Markdown in Slack's markup. No mention, channel or group command can come of it: all of them begin with `<`."""
    escaped = markdown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    marked = light(escaped, lambda words, url: f"<{url}|{words}>")
    return _QUOTE.sub(">", _OPENING.sub(r"\1", marked))
