"""Moving a cut back to a blank could land inside a surrogate pair, and sending failed."""

from __future__ import annotations

from appliance.channels.rendering import telegram_parts
from appliance.channels.splitting import split_rendered


def test_emoji_and_blanks_around_the_limit_stay_whole() -> None:
    source = "a" * 4090 + "😀 " * 36
    parts = telegram_parts(source)
    assert len(parts) == 2
    for part in parts:
        part["text"].encode("utf-8")  # strict: raises on half a pair
        assert len(part["text"].encode("utf-16-le")) // 2 <= 4096
    assert "".join("".join(p["text"] for p in parts).split()) == "".join(source.split())


def test_a_family_a_flag_and_an_accent_are_not_taken_apart() -> None:
    for cluster in ("👨‍👩‍👧‍👦", "🇩🇪", "e\u0301\u0323", "👍🏽", "❤️"):
        for fill in range(20):
            parts = split_rendered("a" * fill + cluster * 8, [], 24)
            joined = [p["text"].lstrip("a") for p in parts]
            assert all(len(text) % len(cluster) == 0 for text in joined), (cluster, fill, joined)
