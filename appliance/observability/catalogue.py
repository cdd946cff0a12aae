"""Every metric of the house: name, kind, labels, what it means. docs/metrics.md is checked against this list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PREFIX = "appliance_"
OTHER = "other"
Kind = Literal["counter", "gauge", "histogram"]

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)

# Values that a label may have; a label that is not listed is open, and capped.
KNOWN: dict[str, frozenset[str]] = {
    "token_type": frozenset({"input", "cache_read", "cache_write", "output"}),
    "purpose": frozenset(
        {"chat", "steer", "flush", "compaction", "heartbeat", "cron", "embedding", "title", "skill", "memory"}
    ),
    "channel": frozenset(
        {"telegram", "discord", "web", "terminal", "api", "cron", "heartbeat", "slack", "whatsapp", "email", "ntfy"}
    ),
    "direction": frozenset({"in", "out"}),
}


@dataclass(frozen=True, slots=True)
class Metric:
    """`name` is without the prefix. `ledger`: read from the books at every scrape, so a restart changes nothing."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    ledger: bool = False


_CALL = ("provider", "model", "agent", "channel", "purpose")
METRICS: tuple[Metric, ...] = (
    Metric("llm_tokens_total", "counter", "Tokens by kind; the kinds are disjoint, so their sum is the true total.",
           (*_CALL, "token_type"), ledger=True),
    Metric("llm_cost_usd_total", "counter", "US dollars charged by providers.", _CALL, ledger=True),
    Metric("llm_requests_total", "counter", "Model calls by how they ended.", (*_CALL, "outcome"), ledger=True),
    Metric("llm_request_duration_seconds", "histogram", "How long a model call took.", ("provider", "model"), _SECONDS),
    Metric("llm_time_to_first_token_seconds", "histogram", "From the call to the first text.", ("provider", "model"),
           _SECONDS),
    Metric("llm_fallbacks_total", "counter", "Calls another model answered.", ("from_model", "to_model", "reason")),
    Metric("budget_limit_usd", "gauge", "The limit, with today's raises.", ("scope", "period"), ledger=True),
    Metric("budget_spent_usd", "gauge", "Spent in the period.", ("scope", "period"), ledger=True),
    Metric("budget_reserved_usd", "gauge", "Held for calls under way.", ("scope", "period"), ledger=True),
    Metric("budget_exhausted", "gauge", "1 when a call was refused or made smaller and the limit was not raised since.",
           ("scope", "period"), ledger=True),
    Metric("budget_reset_timestamp_seconds", "gauge", "When the period ends.", ("scope", "period"), ledger=True),
    Metric("budget_decisions_total", "counter", "What the budget said to calls: allowed, shrunk, refused.",
           ("scope", "action"), ledger=True),
    Metric("budget_books_damaged", "gauge", "1 when the books cannot be trusted and paid calls are refused.",
           ledger=True),
    Metric("unpriced_requests_total", "counter", "Calls of models without a known price.", ledger=True),
    Metric("price_table_age_seconds", "gauge", "How old the price table is.", ledger=True),
    Metric("context_tokens", "gauge", "Tokens of the last prompt by section.", ("section",)),
    Metric("exec_runs_total", "counter", "Commands run in the sandbox.", ("image", "outcome")),
    Metric("exec_duration_seconds", "histogram", "How long a command took.", ("image",), _SECONDS),
    Metric("exec_pool_ready", "gauge", "Containers that wait for a command."),
    Metric("mcp_requests_total", "counter", "What MCP servers were asked, by how it ended.",
           ("server", "action", "outcome")),
    Metric("state_free_bytes", "gauge", "Free space where STATE lives."),
    Metric("approvals_total", "counter", "Commands that asked for the owner's word.", ("kind", "decision")),
    Metric("channel_messages_total", "counter", "Messages in and out.", ("channel", "direction", "outcome")),
    Metric("channel_last_poll_timestamp_seconds", "gauge", "When a channel last heard from its platform.",
           ("channel",)),
    Metric("lane_depth", "gauge", "Messages that wait for their turn."),
    Metric("turn_duration_seconds", "histogram", "From message to reply.", (), _SECONDS),
    Metric("memory_captured_total", "counter", "Wants, boundaries and facts that were captured.", ("tag",)),
    Metric("memory_items", "gauge", "Captured items that hold."),
    Metric("memory_waiting", "gauge", "Texts that wait for the owner's yes before they are remembered."),
    Metric("memory_notes", "gauge", "Day notes on disk."),
    Metric("memory_search_duration_seconds", "histogram", "How long a memory search took.", (), _QUICK),
    Metric("compactions_total", "counter", "Conversations that were summarised.", ("outcome",)),
    Metric("backup_last_success_timestamp_seconds", "gauge", "When the last good backup ended."),
    Metric("build_info", "gauge", "1; the label says which release runs.", ("version",)),
)  # fmt: skip
