"""Documents by strangers are read in a process of its own, which has limits and sees nothing of ours."""

from __future__ import annotations

import zlib

import pytest

from appliance.errors import ToolError
from appliance.network.client import Fetched
from appliance.tools import readable
from appliance.tools.readable import convert, read


def fetched(body: bytes, media_type: str = "text/html", charset: str = "") -> Fetched:
    return Fetched("https://a.example/x", 200, media_type, charset, body)


async def test_the_reader_sees_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []
    started = readable.asyncio.create_subprocess_exec

    async def watch(*words: str, **more: object) -> object:
        seen.append(more["env"])  # type: ignore[arg-type]
        return await started(*words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(readable.asyncio, "create_subprocess_exec", watch)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-canary")
    assert (await read(fetched(b"plain words", "text/plain"))).text == "plain words"
    assert seen == [{"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}]


async def test_a_document_that_takes_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readable, "_SECONDS", 0.01)
    with pytest.raises(ToolError, match="could not be read within"):
        await read(fetched(b"<p>x</p>"))


async def test_a_pdf_that_unpacks_without_end_ends_the_reader_alone() -> None:
    stream = zlib.compress(b"\0" * 400_000_000, 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
        b"<</Length %d/Filter/FlateDecode>>\nstream\n%b\nendstream" % (len(stream), stream),
    ]
    numbered = b"".join(b"%d 0 obj\n%b\nendobj\n" % (number, body) for number, body in enumerate(objects, 1))
    pdf = b"%PDF-1.4\n" + numbered + b"trailer<</Root 1 0 R>>\n"
    with pytest.raises(ToolError):
        await read(fetched(pdf, "application/pdf"))


@pytest.mark.parametrize(
    ("body", "charset", "said"),
    [
        ("繁體中文".encode("big5"), "big5", "繁體中文"),
        ("简体".encode("gb18030"), "", "简体"),
        ("日本語".encode("shift_jis"), "shift_jis", "日本語"),
        ("grün 🎉".encode(), "nonsense", "grün 🎉"),
        (b"\xff\xfe\xfd", "utf-8", ""),
    ],
)
def test_text_is_read_in_its_own_encoding(body: bytes, charset: str, said: str) -> None:
    assert said in convert(body, "text/plain", charset)[1]


def test_a_page_of_links_keeps_its_links_and_drops_what_is_hidden() -> None:
    page = b"""<html><head><title>Front</title><style>x{}</style></head><body><ul><li><a href="/a">One</a></li>
    <li><a href="https://b.example/">Two</a></li></ul><div style="display: none">secret order</div><script>1</script>
    <pre>code here</pre></body></html>"""
    title, text = convert(page, "text/html", "utf-8", "https://a.example/dir/")
    assert title == "Front"
    assert "- [One](https://a.example/a)" in text
    assert "[Two](https://b.example/)" in text
    assert "secret order" not in text
    assert "code here" in text


def test_a_deep_page_is_read_without_falling_over() -> None:
    assert isinstance(convert(b"<div>" * 50_000 + b"deep", "text/html")[1], str)


def test_a_page_of_one_paragraph_is_read() -> None:
    for charset in ("utf-8", ""):
        assert convert("<p>今天休息 closed today</p>".encode(), "text/html", charset)[1] == "今天休息 closed today"
