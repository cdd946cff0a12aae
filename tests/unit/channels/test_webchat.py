"""The web channel: what becomes of a request, and what is refused before anything is stored."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.channels.attachments import MAX_BYTES
from appliance.channels.media import media_type_of
from appliance.channels.webchat import TEXT_LIMIT, WebChat
from appliance.errors import InputError, NotFoundError, TooLargeError
from appliance.messages import Mode, Role, SessionKey, Source


@pytest.fixture
def web(tmp_path: Path) -> WebChat:
    return WebChat(tmp_path / "files", tmp_path / "sent")


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def test_main_is_the_owners_conversation(web: WebChat) -> None:
    inbound = web.inbound("main", "hello 你好 🎉", id="m-1", mode=Mode.COLLECT, language="zh-Hant")
    assert inbound.session == SessionKey.main()
    assert (inbound.source, inbound.person.role, inbound.person.id) == (Source.OWNER, Role.OWNER, "owner")
    assert inbound.key == ("web", "main", "main", "message", "m-1")
    assert (inbound.mode, inbound.person.language) == (Mode.COLLECT, "zh-Hant")


def test_another_name_is_a_conversation_of_its_own(web: WebChat) -> None:
    assert web.inbound("garden-2", "x").session == SessionKey.web("garden-2")


def test_the_same_id_in_two_sessions_is_two_messages(web: WebChat) -> None:
    assert web.inbound("a", "x", id="1").key != web.inbound("b", "x", id="1").key
    assert web.inbound("a", "x", id="1").key == web.inbound("a", "y", id="1").key


def test_without_an_id_every_message_is_new(web: WebChat) -> None:
    assert web.inbound("a", "x").key != web.inbound("a", "x").key


@pytest.mark.parametrize(
    "name", ["", "A", "a b", "../../etc/passwd", "/abs", "a\x00", "x" * 65, "ä", "a\n", "a:b", "main "]
)
def test_an_odd_session_name_is_refused(web: WebChat, name: str) -> None:
    with pytest.raises(InputError, match="session name"):
        web.inbound(name, "x")


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_an_empty_message_is_refused(web: WebChat, text: str) -> None:
    with pytest.raises(InputError, match="empty"):
        web.inbound("main", text)


@pytest.mark.parametrize("bad", ["", "x" * 201, "a\nb", "a\x00"])
def test_an_odd_id_is_refused(web: WebChat, bad: str) -> None:
    with pytest.raises(InputError, match="id"):
        web.inbound("main", "x", id=bad)


@pytest.mark.parametrize("letter", ["x", "字", "🎉"])
def test_64_kib_are_accepted_and_one_character_more_is_refused(web: WebChat, letter: str) -> None:
    most = TEXT_LIMIT // len(letter.encode())
    assert web.inbound("main", letter * most).text == letter * most
    with pytest.raises(TooLargeError, match="64 KiB"):
        web.inbound("main", letter * (most + 1))


def test_half_a_character_is_refused(web: WebChat) -> None:
    with pytest.raises(InputError, match="surrogate"):
        web.inbound("main", "a\ud83d")


async def test_a_file_is_kept_under_the_work_folder_and_found_again(web: WebChat, tmp_path: Path) -> None:
    file_id, saved = await web.save("Bericht März.pdf", "text/plain", chunks(b"%PDF-1.7 ", b"rest"))
    assert saved.media_type == "application/pdf"
    assert (saved.kind, saved.size, saved.name) == ("document", 13, "Bericht März.pdf")
    assert saved.source is Source.OUTSIDE
    assert Path(saved.path).read_bytes() == b"%PDF-1.7 rest"
    assert Path(saved.path).is_relative_to(tmp_path / "files")
    assert web.attachment(file_id) == saved


def stored(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "files").rglob("*") if path.is_file()]


async def test_a_file_over_the_limit_leaves_nothing(web: WebChat, tmp_path: Path) -> None:
    part = b"x" * 1_000_000
    with pytest.raises(TooLargeError, match="20 MB"):
        await web.save("big", "text/plain", chunks(*[part] * (MAX_BYTES // len(part) + 2)))
    assert stored(tmp_path) == []


async def test_an_empty_file_is_refused_and_leaves_nothing(web: WebChat, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="empty"):
        await web.save("none", "text/plain", chunks())
    assert stored(tmp_path) == []


async def test_a_file_with_a_hostile_name_stays_in_the_inbox_and_can_be_read_back(web: WebChat, tmp_path: Path) -> None:
    for name in ("../../.bashrc", "a\nb\x00c.txt", "</script><img onerror=x>.png", "x" * 300, "", "...", "照片 1.png"):
        file_id, saved = await web.save(name, "text/plain", chunks(b"body"))
        assert Path(saved.path).parent.parent == tmp_path / "files" / "inbox"
        assert web.attachment(file_id).size == 4
        assert b"".join([piece async for piece in web.read(file_id)]) == b"body"


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "x",
        "../../token",
        "2026-01-01",
        "2026-01-01/",
        "2026-01-01/../x",
        "2026-01-01/.x",
        "a/b",
        "2026-01-01/\ud800",
    ],
)
def test_a_malformed_file_id_is_refused(web: WebChat, bad: str) -> None:
    with pytest.raises(InputError):
        web.attachment(bad)


def test_an_unknown_file_id_is_not_found(web: WebChat) -> None:
    with pytest.raises(NotFoundError):
        web.attachment("2026-01-01/x.png")


async def test_links_and_fifos_that_a_command_left_in_the_folder_are_not_followed(web: WebChat, tmp_path: Path) -> None:
    file_id, saved = await web.save("x", "text/plain", chunks(b"x"))
    day = Path(saved.path).parent
    secret = tmp_path / "secret"
    secret.write_text("canary")
    (day / "link").symlink_to(secret)
    os.mkfifo(day / "pipe")
    (day / "folder").mkdir()
    for name in ("link", "pipe", "folder"):
        with pytest.raises(NotFoundError):
            web.attachment(f"{day.name}/{name}")
    day.rename(tmp_path / "moved")
    day.symlink_to(tmp_path / "moved")
    with pytest.raises(NotFoundError):
        web.attachment(file_id)


async def test_what_went_with_an_answer_is_read_back_by_its_word_and_no_link_is_followed(
    web: WebChat, tmp_path: Path
) -> None:
    folder = tmp_path / "sent" / "0123456789abcdef"
    folder.mkdir(parents=True)
    (folder / "報告 <1>.csv").write_bytes(b"a,b\n")
    (folder / "link.csv").symlink_to(folder / "報告 <1>.csv")
    found = web.attachment("0123456789abcdef/報告 <1>.csv")
    assert (found.name, found.size, found.path) == ("報告 <1>.csv", 4, str(folder / "報告 <1>.csv"))
    assert b"".join([piece async for piece in web.read("0123456789abcdef/報告 <1>.csv")]) == b"a,b\n"
    for name in ("link.csv", "..", "."):
        with pytest.raises(NotFoundError):
            web.attachment(f"0123456789abcdef/{name}")


def test_the_content_decides_about_pictures() -> None:
    assert media_type_of(b"\x89PNG\r\n\x1a\n....", "text/html") == "image/png"
    assert media_type_of(b"RIFF\0\0\0\0WEBPVP8 ", "x") == "image/webp"
    assert media_type_of(b"<svg onload=x>", "image/svg+xml") == "application/octet-stream"
    assert media_type_of(b"hello", "text/plain; charset=utf-8") == "text/plain"
    assert media_type_of(b"hello", "\r\nx: y") == "application/octet-stream"
