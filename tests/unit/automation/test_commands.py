"""How /cron add reads what people type on a phone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.automation.commands import parse_wish, quoted
from appliance.errors import InputError


@pytest.mark.parametrize(
    ("typed", "when", "text"),
    [
        ("\"0 7 * * 1-5\" Tell me what's new and who's there", "0 7 * * 1-5", "Tell me what's new and who's there"),
        ("“0 7 * * *” 說「早安」給我聽", "0 7 * * *", "說「早安」給我聽"),
        ("'at 18:00' Don't forget mum's cake", "at 18:00", "Don't forget mum's cake"),
        ("0 7 * * 1-5 Tell me the weather", "0 7 * * 1-5", "Tell me the weather"),
        ("every 2h Look at the oven", "every 2h", "Look at the oven"),
        ("at +20m Take the cake out", "at +20m", "Take the cake out"),
        ("at 18:00 Call mum", "at 18:00", "Call mum"),
        ("at 2026-12-24 18:00 Light the candles", "at 2026-12-24 18:00", "Light the candles"),
        ("at 2026-12-24T18:00:00Z 18:00 is late", "at 2026-12-24T18:00:00Z", "18:00 is late"),
        ("@daily Tidy up\nand then rest", "@daily", "Tidy up\nand then rest"),
        ("watch file notes/in.md Read it", "watch file notes/in.md", "Read it"),
        ('"every 2h" "Say \\"hi\\""', "every 2h", 'Say "hi"'),
    ],
)
def test_schedule_and_text_are_told_apart(typed: str, when: str, text: str) -> None:
    wish = parse_wish(typed)
    assert (wish.when, wish.text) == (when, text)


def test_options_come_first() -> None:
    wish = parse_wish(
        '--name "Morning news" --tz Asia/Taipei --urgent --tools read,fetch --late 2h "0 7 * * *" --go on'
    )
    assert (wish.name, wish.zone, wish.urgent, wish.tools, wish.late_seconds) == (
        "Morning news", "Asia/Taipei", True, ("read", "fetch"), 7_200,
    )  # fmt: skip
    assert wish.text == "--go on"


@pytest.mark.parametrize("typed", ["", "every 2h", '"0 7 * * *"', "--tz", "--unknown x every 2h Go", "every", "at"])
def test_what_is_incomplete_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(InputError):
        parse_wish(typed)


@given(st.text(st.sampled_from("ab \\\"'“”「」\n早🙂-"), min_size=1).map(str.strip).filter(bool))
def test_the_command_line_hands_any_text_on_unchanged(text: str) -> None:
    assert parse_wish(f"{quoted('every 2h')} {quoted(text)}").text == text.strip()
