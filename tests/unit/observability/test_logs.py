"""Log lines: readable by machines, free of secrets and of what people said."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
from collections.abc import Iterator

import pytest
import structlog

from appliance.observability import logs
from appliance.settings import LoggingSettings

SECRET = "canary-4f9a8b7c6d5e"


@pytest.fixture
def out() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before = (list(root.handlers), root.level, sys.excepthook, threading.excepthook)
    stream = io.StringIO()
    yield stream
    root.handlers[:], sys.excepthook, threading.excepthook = before[0], before[2], before[3]
    root.setLevel(before[1])
    structlog.reset_defaults()


def configured(out: io.StringIO, **settings: str) -> None:
    logs.configure(LoggingSettings.model_validate({"format": "json", **settings}), secret_values=[SECRET], stream=out)


def lines(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_structlog_and_plain_logging_come_out_the_same_way(out: io.StringIO) -> None:
    configured(out)
    structlog.get_logger("appliance.a").info("started", port=8321)
    logging.getLogger("appliance.b").warning("slow: %s", "disk", extra={"seconds": 3})
    first, second = lines(out)
    assert (first["event"], first["level"], first["port"], first["logger"]) == ("started", "info", 8321, "appliance.a")
    assert (second["event"], second["level"], second["seconds"]) == ("slow: disk", "warning", 3)
    assert str(first["timestamp"]).endswith("Z")


def test_a_secret_is_masked_in_events_values_and_tracebacks(out: io.StringIO) -> None:
    configured(out)
    structlog.get_logger("x").info(f"using {SECRET}", url=f"https://h/bot{SECRET}/x")
    try:
        raise ValueError(f"bad key {SECRET}")
    except ValueError:
        logging.getLogger("y").exception("failed")
    assert SECRET not in out.getvalue()
    assert out.getvalue().count("[redacted]") >= 3
    assert "ValueError" in out.getvalue()


def test_an_error_that_ends_the_process_is_masked_too(out: io.StringIO) -> None:
    configured(out)
    try:
        raise RuntimeError(SECRET)
    except RuntimeError as error:
        sys.excepthook(RuntimeError, error, error.__traceback__)
    assert SECRET not in out.getvalue()
    assert lines(out)[0]["level"] == "critical"


def test_what_was_said_and_by_whom_is_not_shown_at_info_but_lines_can_be_put_together(out: io.StringIO) -> None:
    configured(out)
    log = structlog.get_logger("x")
    log.info("accepted", text="I am pregnant", chat_id=4711, session="agent:main:telegram:dm:4711")
    log.warning("again", chat_id=4711)
    log.warning("other", chat_id=4712)
    first, second, third = lines(out)
    assert "pregnant" not in out.getvalue()
    assert "4711" not in out.getvalue()
    assert first["chat_id"] == second["chat_id"] != third["chat_id"]


def test_debug_shows_them_to_whoever_asked_for_debug(out: io.StringIO) -> None:
    configured(out, level="debug")
    structlog.get_logger("x").debug("accepted", text="hello")
    assert lines(out)[0]["text"] == "hello"


def test_the_level_holds_and_http_libraries_stay_quiet(out: io.StringIO) -> None:
    configured(out, level="debug")
    logging.getLogger("httpx").info("GET https://api.telegram.org/bot1:x/getMe")
    logging.getLogger("aiogram.event").info("update 1 from chat 2")
    assert out.getvalue() == ""
    configured(out, level="warning")
    structlog.get_logger("x").info("quiet")
    assert out.getvalue() == ""


def test_the_console_form_is_one_plain_line_without_local_variables(out: io.StringIO) -> None:
    configured(out, format="console")

    def fails(password: str) -> None:
        raise ValueError("no")

    try:
        fails("hunter2-hunter2")
    except ValueError:
        structlog.get_logger("x").exception("failed", port=1)
    assert "failed" in out.getvalue()
    assert "port=1" in out.getvalue()
    assert "hunter2-hunter2" not in out.getvalue().replace('fails("hunter2-hunter2")', "")
    assert "\x1b[" not in out.getvalue()
