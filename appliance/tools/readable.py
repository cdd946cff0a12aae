"""Turns what was fetched into text, in a process of its own: `python -m appliance.tools.readable`.

Parsers of HTML, XML and PDF are large, and pages are written by strangers. This process has a limit on memory and on
time, no secrets in its environment, and ends after one document; the gateway never loads these libraries.

In: one line of JSON {"media_type", "charset", "url"}, then the document. Out: JSON {"title", "text"} or {"error"}.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import resource
import sys
from dataclasses import dataclass
from typing import Any

from appliance.errors import ToolError
from appliance.lifeline import first_to_go
from appliance.network.client import Fetched
from appliance.tools.plain_markdown import markdown_of

MOST_CHARS = 200_000
_SECONDS = 25.0
_MEMORY = 1024 * 1024 * 1024
_ENTRIES = 50
_PAGES = 200
_FEW, _MAIN_SHARE = 500, 0.1  # with less main text (characters, part of the page), the whole page is taken
_FEED = re.compile(rb"<(rss|feed|rdf:RDF)[\s>]")
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/javascript", "application/yaml")


@dataclass(frozen=True, slots=True)
class Readable:
    """A document as text: `text` is Markdown where the document had a form."""

    title: str
    text: str


async def read(fetched: Fetched) -> Readable:
    """Given what was fetched, return its text. Raises ToolError with the reason when it has none."""
    head = {"media_type": fetched.media_type, "charset": fetched.charset, "url": fetched.url}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-m", "appliance.tools.readable",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    )  # fmt: skip
    first_to_go(process.pid)
    try:
        async with asyncio.timeout(_SECONDS):
            out, _ = await process.communicate(json.dumps(head).encode() + b"\n" + fetched.body)
    except TimeoutError:
        raise ToolError(f"{fetched.url} could not be read within {_SECONDS:.0f} s.") from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    try:
        answer = json.loads(out)
    except ValueError:
        raise ToolError(f"{fetched.url} is too large or too odd to be read as text.") from None
    if "error" in answer:
        raise ToolError(f"{fetched.url}: {answer['error']}")
    return Readable(answer["title"], answer["text"])


# the child ------------------------------------------------------------------------------------------------------


def main() -> None:
    """Read one document from standard input."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(_SECONDS), int(_SECONDS)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    head = json.loads(sys.stdin.buffer.readline())
    body = sys.stdin.buffer.read()
    try:
        title, text = convert(body, head["media_type"], head["charset"], head["url"])
        answer = {"title": title[:300], "text": text[:MOST_CHARS]}
    except ToolError as error:
        answer = {"error": error.what}
    except Exception as error:  # noqa: BLE001 - a parser's failure over a stranger's document is told, not raised
        answer = {"error": f"it cannot be read ({type(error).__name__})"}
    sys.stdout.write(json.dumps(answer))


def convert(body: bytes, media_type: str, charset: str = "", url: str = "") -> tuple[str, str]:
    """Title and text of a document, by what it is rather than by what it is called. Raises ToolError."""
    start = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"%PDF-"):
        return _pdf(body)
    if re.match(rb"<(\?xml|!DOCTYPE rss|rss|feed|rdf:RDF)", start) and _FEED.search(body[:4096]):
        return _feed(body)
    if "html" in media_type or re.match(rb"<(!doctype html|html)", start, re.IGNORECASE):
        return _html(body, charset, url)
    if media_type.startswith(_TEXT_TYPES) or media_type.endswith(("+json", "+xml")) or not media_type:
        return "", _decode(body, charset)
    if media_type.startswith("image/"):
        raise ToolError("it is a picture; open it with the browser to see it.")
    raise ToolError(f"it is {media_type}, which has no text to read.")


def _decode(body: bytes, charset: str) -> str:
    for name in (charset, "utf-8", "gb18030"):
        with contextlib.suppress(LookupError, UnicodeDecodeError, ValueError):
            return body.decode(name) if name else body.decode("utf-8")
    return body.decode("utf-8", "replace")


def _html(body: bytes, charset: str, url: str) -> tuple[str, str]:
    import trafilatura  # large; only in this process
    from trafilatura.settings import use_config

    config = use_config()
    config.set("DEFAULT", "EXTRACTION_TIMEOUT", "0")  # the process has a limit of its own
    page = body.decode(charset, "replace") if charset and _known(charset) else body
    found: Any = trafilatura.bare_extraction(
        page, url=url or None, config=config, output_format="markdown", with_metadata=True, favor_recall=True,
        include_links=True, include_tables=True, include_formatting=True, include_comments=True,
    )  # fmt: skip
    title = str(getattr(found, "title", "") or "") if found is not None else ""
    text = str(getattr(found, "text", "") or "") if found is not None else ""
    tree = trafilatura.load_html(page)
    if tree is None:
        tree = _fragment(_decode(body, charset))
    if tree is not None:
        whole = markdown_of(tree, url)
        if len(text) < max(_FEW, len(whole) * _MAIN_SHARE):
            text = whole  # no article: a front page, a list, a table
        title = title or " ".join((tree.findtext(".//title") or "").split())
    return title, text


def _fragment(page: str) -> Any:
    """What trafilatura takes for no page: a piece of HTML without its frame. None when there is nothing in it."""
    from lxml import etree, html

    try:
        return html.document_fromstring(page)
    except (etree.ParserError, ValueError):
        return None


def _known(charset: str) -> bool:
    try:
        return bool("".encode(charset) == b"" or charset)
    except LookupError:
        return False


def _pdf(body: bytes) -> tuple[str, str]:
    import logging

    import pypdf  # only in this process

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = pypdf.PdfReader(io.BytesIO(body))
    if reader.is_encrypted and not reader.decrypt(""):
        raise ToolError("the PDF is locked with a password.")
    parts: list[str] = []
    for number, page in enumerate(reader.pages):
        if number >= _PAGES or sum(map(len, parts)) > MOST_CHARS:
            break
        parts.append(page.extract_text().strip())
    text = "\n\n".join(part for part in parts if part)
    if not text:
        raise ToolError("the PDF holds pictures of pages and no text.")
    return str(getattr(reader.metadata, "title", None) or ""), text


def _feed(body: bytes) -> tuple[str, str]:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    root = etree.fromstring(body, parser)
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname  # RSS, RSS 1.0 and Atom look alike without their prefixes
    channel = root.find("channel")
    head = root if channel is None else channel
    entries = list(root.iter("item", "entry"))[:_ENTRIES]
    lines = []
    for entry in entries:
        when = _first(entry, "pubDate", "updated", "published", "date")
        summary = _plain(_first(entry, "description", "summary", "content", "encoded"))
        lines.append(f"## {_plain(_first(entry, 'title')) or '(no title)'}\n{_link(entry)} {when}".rstrip())
        if summary:
            lines.append(summary[:500])
    return _plain(_first(head, "title")), "\n\n".join(lines)


def _first(element: Any, *names: str) -> str:
    for name in names:
        found = element.find(name)
        if found is not None:
            return "".join(found.itertext()).strip()
    return ""


def _link(entry: Any) -> str:
    links = entry.findall("link")
    for link in links:
        if link.get("href") and link.get("rel", "alternate") == "alternate":
            return str(link.get("href"))
    return (links[0].text or "").strip() if links else ""


def _plain(text: str) -> str:
    """Text of a fragment that may be HTML."""
    if "<" not in text:
        return text.strip()
    from lxml import html

    return " ".join(html.fromstring(f"<div>{text}</div>").text_content().split())


if __name__ == "__main__":
    main()
