"""The fake's cache compares prefixes, forgets in time, and bills each kind at its own rate."""

from __future__ import annotations

from typing import Any

from appliance.testing.anthropic_cache import PromptCache, bill, prompt_tokens, units
from appliance.testing.manual_clock import ManualClock

MODEL = "claude-sonnet-5-5"
MARK = {"type": "ephemeral"}


def body(*texts: str, mark: int | None = -1, ttl: str = "", system: str = "word " * 800) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if mark is not None:
        blocks[mark]["cache_control"] = {**MARK, "ttl": ttl} if ttl else MARK
    return {"system": system, "messages": [{"role": "user", "content": blocks}]}


def use(cache: PromptCache, request: dict[str, Any], model: str = MODEL) -> tuple[int, int, int]:
    usage = cache.read_and_write(model, units(request))
    parts = (usage["input_tokens"], usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"])
    assert sum(parts) == prompt_tokens(request)
    return parts


def test_a_marked_prefix_is_written_and_then_read() -> None:
    cache = PromptCache(ManualClock())
    _, read, written = use(cache, body("a"))
    assert (read, written > 900) == (0, True)
    assert use(cache, body("a"))[1] == written
    _, read, more = use(cache, body("a", "b"))
    assert read == written
    assert 0 < more < 50


def test_a_change_before_the_mark_reads_nothing() -> None:
    cache = PromptCache(ManualClock())
    use(cache, body("a"))
    assert use(cache, body("a", system="other " * 800))[1] == 0


def test_without_a_mark_nothing_is_cached() -> None:
    cache = PromptCache(ManualClock())
    assert use(cache, body("a", mark=None))[1:] == (0, 0)
    assert use(cache, body("a", mark=None))[1:] == (0, 0)


def test_a_prefix_under_the_least_length_is_not_cached() -> None:
    cache = PromptCache(ManualClock())
    assert use(cache, body("a", system="short"))[1:] == (0, 0)


def test_models_do_not_share() -> None:
    cache = PromptCache(ManualClock())
    use(cache, body("a"))
    assert use(cache, body("a"), model="claude-haiku-5-5")[1] == 0


def test_five_minutes_without_a_read_and_it_is_forgotten() -> None:
    clock = ManualClock()
    cache = PromptCache(clock)
    use(cache, body("a"))
    clock.move(290)
    assert use(cache, body("a"))[1] > 0
    clock.move(290)
    assert use(cache, body("a"))[1] > 0
    clock.move(301)
    assert use(cache, body("a"))[1] == 0


def test_an_hour_is_billed_and_kept_as_one() -> None:
    clock = ManualClock()
    cache = PromptCache(clock)
    usage = cache.read_and_write(MODEL, units(body("a", ttl="1h")))
    assert usage["cache_creation"]["ephemeral_1h_input_tokens"] == usage["cache_creation_input_tokens"] > 0
    clock.move(3_000)
    assert use(cache, body("a", ttl="1h"))[1] > 0


def test_each_kind_has_its_own_rate() -> None:
    usage = {
        "input_tokens": 1,
        "cache_read_input_tokens": 10,
        "cache_creation_input_tokens": 300,
        "cache_creation": {"ephemeral_1h_input_tokens": 100},
        "output_tokens": 1_000,
    }
    dollars = 1 * 2 + 10 * 0.1 + 200 * 2.5 + 100 * 4 + 1_000 * 10
    assert bill(MODEL, usage) == round(dollars * 1_000_000)


def test_the_long_prompt_price_applies_to_the_whole_call() -> None:
    short, long = ({"input_tokens": n, "output_tokens": 10} for n in (100_000, 100_001))
    assert bill("claude-haiku-5-5", short) == 100_000 * 100_000 + 10 * 500_000
    assert bill("claude-haiku-5-5", long) == 5 * (100_001 * 100_000 + 10 * 500_000)
