"""What a watcher compares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from appliance.automation.holidays import Holidays
from appliance.automation.watchers import Watched, feed_state, file_state, parse_watch
from appliance.errors import InputError

FEED = b"""<rss><channel><lastBuildDate>%s</lastBuildDate>
<item><title>One</title><link>https://a.example/1</link><guid>1</guid></item>%s</channel></rss>"""
MORE = b"<item><title>Two</title><link>https://a.example/2</link><guid>2</guid></item>"


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("file notes/inbox.md", "file", "notes/inbox.md"),
        ("url https://a.example/x", "url", "https://a.example/x"),
        ("feed http://a.example/rss", "feed", "http://a.example/rss"),
        ("alert DiskAlmostFull", "alert", "DiskAlmostFull"),
        ("command df -h | awk '{print  $5}'", "command", "df -h | awk '{print  $5}'"),
    ],
)
def test_a_target_is_understood(text: str, kind: str, target: str) -> None:
    assert parse_watch(text) == Watched(kind, target)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "command " + "x" * 2001,
        "file",
        "file /etc/passwd",
        "file ../core.db",
        "url ftp://a/x",
        "url x",
        "alert a b",
        "command",
        "command a\0b",
    ],
)
def test_what_cannot_be_watched_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="cannot be understood"):
        parse_watch(text)


def test_a_file_changes_with_its_bytes_and_a_folder_with_its_names(tmp_path: Path) -> None:
    assert file_state(tmp_path, "a.md") == "gone"
    (tmp_path / "a.md").write_text("one")
    first = file_state(tmp_path, "a.md")
    (tmp_path / "a.md").touch()
    assert file_state(tmp_path, "a.md") == first
    (tmp_path / "a.md").write_text("two")
    assert file_state(tmp_path, "a.md") != first
    folder = file_state(tmp_path, ".")
    (tmp_path / "b.md").write_text("")
    assert file_state(tmp_path, ".") != folder


def test_a_link_out_of_the_work_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "secret").write_text("x")
    (tmp_path / "work" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match="work folder"):
        file_state(tmp_path / "work", "link")


def test_a_feed_changes_with_its_entries_and_not_with_its_build_date() -> None:
    first = feed_state(FEED % (b"Mon", b""))
    assert feed_state(FEED % (b"Tue", b"")) == first
    assert feed_state(FEED % (b"Tue", MORE)) != first
    with pytest.raises(InputError, match="no feed"):
        feed_state(b"<html></html>")


def test_a_pipe_in_the_place_of_a_file_holds_nothing_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "inbox.md")
    with pytest.raises(OSError, match="not a plain file"):
        file_state(tmp_path, "inbox.md")
    with pytest.raises(InputError, match="cannot be read"):
        Holidays(tmp_path / "inbox.md").load()
