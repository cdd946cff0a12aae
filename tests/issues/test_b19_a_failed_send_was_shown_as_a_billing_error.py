"""A failure of sendMessage was shown as a billing error."""

from __future__ import annotations

from tests.telegram_bench import OWNER, Bench


async def test_the_error_names_telegram_and_not_money(paired: Bench) -> None:
    paired.telegram.people.fault("sendMessage", times=9, code=400, description="Bad Request: chat not found")
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: paired.outbox.counts().get("dead"))
    ((error,),) = paired.database.read("SELECT error FROM outbox WHERE state = 'dead'")
    assert "Telegram" in error
    assert "chat not found" in error
    assert not any(word in error.lower() for word in ("bill", "budget", "credit", "quota"))
