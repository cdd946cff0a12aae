"""From a raw letter to what it means for us. Pure: bytes in, plain values out.

Whoever stands in From can be anybody: a letter counts as its sender's only when our own mail server says that DMARC
passed for that very domain.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime

_SUBJECT_CHARS = 300
_QUOTED = re.compile(
    r"^(>|On .{5,200} wrote:$|Am .{5,200} schrieb .*:$|Le .{5,200} a écrit\s?:$|在.{2,200}写道：?$|"
    r".{2,200}於.{2,200}寫道：?$|-----Original Message-----$|_{20,}$)"
)
_REPLY = re.compile(r"^\s*(re|aw|sv|回复|回覆|答复)\s*[:：]", re.IGNORECASE)
_FORWARD = re.compile(r"^\s*(fwd?|wg|转发|轉寄)\s*[:：]", re.IGNORECASE)
_TAG = re.compile(r"<(script|style)\b.*?</\1>|<br\s*/?>|</(?:p|div|tr|li|h[1-6])>|<[^>]+>", re.IGNORECASE | re.DOTALL)
_ROBOT = re.compile(r"^(mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounce)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file in a letter."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter. `proved`: it is from `sender`. `robot`: written by a program, never to be answered."""

    id: str
    sender: str
    name: str
    subject: str
    text: str
    at: float
    proved: bool
    robot: bool
    forwarded: bool
    references: tuple[str, ...] = ()
    enclosures: tuple[Enclosure, ...] = field(default=())


def read_letter(raw: bytes, trusted: str) -> Letter | None:
    """Given the bytes and the name with which our mail server signs its findings, return the letter; None when nobody
    sent it."""
    message = BytesParser(policy=policy.default).parsebytes(raw)
    sent = getaddresses([str(value) for value in message.get_all("From", [])])
    if len(sent) != 1 or "@" not in sent[0][1]:
        return None
    name, sender = sent[0][0], sent[0][1].lower()
    subject = str(message.get("Subject", "")).strip()[:_SUBJECT_CHARS]
    text = _own_words(_body(message))
    if subject and not _REPLY.match(subject) and not text.startswith("/"):
        text = f"Subject: {subject}\n\n{text}".strip()
    chain = f"{message.get('References', '')} {message.get('In-Reply-To', '')}"
    return Letter(
        id=str(message.get("Message-ID", "")).strip()[:300],
        sender=sender,
        name=name,
        subject=subject,
        text=text,
        at=_date(message),
        proved=_proved(message, sender, trusted),
        robot=_by_robot(message, sender),
        forwarded=bool(_FORWARD.match(subject)),
        references=tuple(dict.fromkeys(re.findall(r"<[^<>\s]{3,250}>", chain)))[-20:],
        enclosures=tuple(_enclosures(message)),
    )


def _proved(message: EmailMessage, sender: str, trusted: str) -> bool:
    """Whether our server's own finding, the topmost that bears its name, says that DMARC passed for the domain."""
    if not trusted:
        return False
    for value in message.get_all("Authentication-Results", []):
        found = re.sub(r"\([^()]*\)", " ", str(value))
        server, _, results = found.partition(";")
        if server.split()[:1] != [trusted]:
            continue
        passed = re.search(r"\bdmarc\s*=\s*pass\b[^;]*\bheader\.from\s*=\s*([\w.-]+)", results, re.IGNORECASE)
        domain = sender.rpartition("@")[2]
        return passed is not None and passed[1].lower() == domain
    return False


def _by_robot(message: EmailMessage, sender: str) -> bool:
    """Written by a program or a list: answering would make two machines talk for ever."""
    if str(message.get("Auto-Submitted", "no")).strip().lower() != "no" or "List-Id" in message:
        return True
    if str(message.get("Precedence", "")).strip().lower() in ("bulk", "list", "junk", "auto_reply"):
        return True
    return _ROBOT.match(sender) is not None


def _body(message: EmailMessage) -> str:
    found = message.get_body(("plain", "html"))
    if found is None:
        return ""
    try:
        text = str(found.get_content())
    except (LookupError, ValueError):  # a character set nobody knows
        text = bytes(found.get_payload(decode=True) or b"").decode("utf-8", "replace")
    if found.get_content_subtype() == "html":
        text = html.unescape(_TAG.sub(_line_end, text))
    return text.replace("\r\n", "\n")


def _line_end(tag: re.Match[str]) -> str:
    """A line's end for what ends a block in HTML, nothing for other tags."""
    return "\n" if tag[0].lower().startswith(("<br", "</p", "</div", "</tr", "</li", "</h")) else ""


def _own_words(text: str) -> str:
    """The letter without what it answers to and without its signature."""
    kept = []
    for line in text.split("\n"):
        if line.rstrip() == "--" or line == "-- " or _QUOTED.match(line.strip()):
            break
        kept.append(line.rstrip())
    return "\n".join(kept).strip()


def _enclosures(message: EmailMessage) -> list[Enclosure]:
    found = []
    for part in message.iter_attachments():
        data = part.get_payload(decode=True)
        if isinstance(data, bytes):
            found.append(Enclosure(part.get_filename() or "file", part.get_content_type(), data))
    return found


def _date(message: EmailMessage) -> float:
    try:
        return parsedate_to_datetime(str(message["Date"])).timestamp()
    except (TypeError, ValueError):
        return 0.0
