"""The section `[budget]`: how much may be spent, and what happens then."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import field_validator

from appliance.settings.base import Section, setting


class BudgetSettings(Section):
    daily_usd: Decimal | None = setting(
        Decimal("2.00"), "Most that one day may cost, in US dollars; `none` for no limit.", "2.00"
    )
    at_limit: Literal["local", "stop", "ask"] = setting("local", "What happens at the limit.")
    agent_usd: dict[str, Decimal] = setting({}, "Daily limit of single agents.", {"main": "1.50"})
    session_usd: Decimal | None = setting(None, "Daily limit of each session.", "1.00")
    purpose_usd: dict[str, Decimal] = setting(
        {"heartbeat": Decimal("0.20"), "cron": Decimal("0.50"), "compaction": Decimal("0.50")},
        "Daily limit of single purposes.",
        {"heartbeat": "0.20"},
    )
    channel_usd: dict[str, Decimal] = setting({}, "Daily limit of single channels.", {"discord": "0.50"})
    price_file: Path | None = setting(None, "TOML file with prices that override the built-in table.", "prices.toml")
    unpriced_usd_per_mtok: Decimal | None = setting(
        None, "Charge models without a known price at this rate for every token instead of refusing them.", "20"
    )
    electricity_usd_per_hour: Decimal = setting(Decimal(0), "Cost of an hour of local model work.", "0.03")
    footer: bool = setting(False, "Show model and cost under every reply.", True)
    wait_seconds: float = setting(20.0, "How long a call waits for open reservations to settle.", ge=0, le=600)
    pause_on_alerts: list[str] = setting(
        [], "Alerts after which no paid model is called until you say /budget resume.", ["ApplianceBudgetBurningFast"]
    )

    @field_validator("daily_usd", "session_usd", "unpriced_usd_per_mtok", mode="before")
    @classmethod
    def _switched_off(cls, value: Any) -> Any:
        return None if value in ("", "none") else value

    @field_validator("daily_usd", "session_usd", "unpriced_usd_per_mtok", "electricity_usd_per_hour")
    @classmethod
    def _money(cls, value: Decimal | None) -> Decimal | None:
        if value is not None and (not value.is_finite() or value < 0):
            raise ValueError("must be a finite amount of 0 or more")
        return value

    @field_validator("agent_usd", "purpose_usd", "channel_usd")
    @classmethod
    def _monies(cls, value: dict[str, Decimal]) -> dict[str, Decimal]:
        for name, amount in value.items():
            if not amount.is_finite() or amount < 0:
                raise ValueError(f"{name}: must be a finite amount of 0 or more")
        return value
