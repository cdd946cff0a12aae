"""One typed tree of settings; `appliance config example` and docs/settings.md are made from it.

Where the values come from stands in `load.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import PrivateAttr, SecretStr, ValidationError, ValidationInfo, field_validator

from appliance.errors import InputError
from appliance.messages import MAIN, Mode
from appliance.settings.agents import AgentId, FurtherAgentSettings, bots_of, check_apart
from appliance.settings.base import Section, setting
from appliance.settings.budget import BudgetSettings
from appliance.settings.channels import (
    DiscordSettings,
    EmailSettings,
    NoticesSettings,
    SlackSettings,
    SpeechSettings,
    TelegramSettings,
    WhatsAppSettings,
)
from appliance.settings.checks import ChecksSettings
from appliance.settings.exec import ExecSettings
from appliance.settings.hooks import HooksSettings
from appliance.settings.mcp import McpServerSettings, ServerName
from appliance.settings.web import WebSettings


class OwnerSettings(Section):
    name: str = setting("", "What the agent calls you.", "Sam")
    timezone: str = setting("", "Your time zone; the budget's day is yours. Empty: TZ, else UTC.", "Europe/Berlin")
    language: Literal["auto", "en", "zh-Hant", "zh-Hans"] = setting(
        "auto", "Language of what the appliance itself says; `auto` follows what each person writes.", "en"
    )

    @field_validator("timezone")
    @classmethod
    def _zone(cls, value: str) -> str:
        if value:
            try:
                ZoneInfo(value)
            except (KeyError, ValueError, OSError):
                raise ValueError(f"{value!r} is not a time zone name such as Europe/Berlin") from None
        return value

    @property
    def zone(self) -> ZoneInfo:
        """The owner's zone: this setting, else TZ when it names one, else UTC."""
        for name in (self.timezone, os.environ.get("TZ", "").lstrip(":")):
            if name:
                try:
                    return ZoneInfo(name)
                except (KeyError, ValueError, OSError):
                    continue
        return ZoneInfo("UTC")


class ServerSettings(Section):
    host: str = setting("127.0.0.1", "Address to listen on. Wider than loopback is said aloud at start.", "0.0.0.0")  # noqa: S104
    port: int = setting(8321, "Port of the page and the API.", ge=0, le=65535)
    allowed_hosts: list[str] = setting(
        [], "Further host names under which the page is reached (a reverse proxy).", ["agent.home.example"]
    )
    metrics_token: SecretStr = setting(SecretStr(""), "Read-only token for /metrics; made in STATE when empty.", "m-1")
    alerts_token: SecretStr = setting(SecretStr(""), "Token for POST /api/alerts; made in STATE when empty.", "a-1")


class ModelsSettings(Section):
    chain: list[str] | None = setting(
        None,
        "Models in order of preference. Not set: claude-sonnet-5-5 then local, or local alone without a key.",
        ["claude-sonnet-5-5", "local"],
    )
    cheap: str = setting("claude-haiku-5-5", "Model for flushes, summaries and heartbeats; local without a key.")
    max_output_tokens: int = setting(8192, "Output limit of one call, thinking included.", ge=256, le=128_000)
    working_window: int = setting(200_000, "How much of a model's window is used, in tokens.", ge=2_000)
    timeout_seconds: float = setting(600.0, "How long one model call may take.", gt=0)


class OpenAICompatibleSettings(Section):
    base_url: str = setting("", "Base URL of an OpenAI-compatible server.", "http://192.168.1.20:11434/v1")
    api_key: SecretStr = setting(SecretStr(""), "Its key, if it wants one.", "sk-x")
    model: str = setting("", "Model name there.", "qwen3:8b")
    window: int = setting(32_768, "Its context window in tokens.", ge=1_024)
    vision: bool = setting(False, "Whether it can see images.", True)
    paid: bool = setting(False, "Whether its calls cost money; then a price must be known.", True)


class LocalModelSettings(Section):
    enabled: bool = setting(True, "Whether a local model may be built, fetched and started when the chain names it.")
    model: str = setting("auto", "A name from `appliance models list`, `auto`, or the path of a GGUF file.")
    url: str = setting("", "Address of a models service that runs elsewhere (compose sets it).", "http://models:8322")
    token: SecretStr = setting(SecretStr(""), "Token of that service, and of `appliance models serve`.", "s3cret")
    threads: int = setting(0, "Threads; 0 is the number of cores.", ge=0)
    memory_limit_mb: int = setting(0, "Memory limit of the models process in MiB; 0 is by model size.", ge=0)
    context: int = setting(0, "Context window in tokens; 0 is what fits the model and the memory.", ge=0)
    embedder: str = setting("auto", "Embedding model: `auto`, a catalogue name, a GGUF path, or `off`.")
    transcriber: str = setting(
        "off", "What writes down voice messages here: a catalogue name, or `off`.", "whisper-base"
    )


class AnthropicSettings(Section):
    api_key: SecretStr = setting(SecretStr(""), "Key of the Anthropic API.", "sk-ant-...")
    base_url: str = setting("https://api.anthropic.com", "Address of the Anthropic API.")


class AgentSettings(Section):
    max_steps: int = setting(20, "Most model calls in one turn.", ge=1, le=200)
    wall_seconds: float = setting(1800.0, "Longest a turn may take.", gt=0)
    same_failure: int = setting(3, "Stop after this many identical failing tool calls.", ge=1)
    mode: Mode = setting(Mode.STEER, "What a message does that arrives during a turn.", "followup")
    parallel_turns: int = setting(8, "How many sessions may run a turn at once.", ge=1, le=256)
    tool_result_chars: int = setting(16_000, "Longest tool result in a prompt; the whole is kept.", ge=1_000)
    prompt_file_chars: int = setting(20_000, "Most of one bootstrap file in the prompt.", ge=500)
    prompt_total_chars: int = setting(60_000, "Most of all bootstrap files together.", ge=2_000)


class MemorySettings(Section):
    weights: Literal["auto"] | tuple[float, float] = setting(
        "auto", "Vector and text weight; `auto` follows the embedder and the query's language.", [0.7, 0.3]
    )
    backend: Literal["hybrid", "rrf", "rerank"] = setting("hybrid", "How the two legs are joined.")
    reranker_url: str = setting(
        "", "Server with /v1/rerank (llama.cpp with --reranking) for the backend `rerank`.", "http://nas:8080/v1"
    )
    reranker_model: str = setting("", "Reranking model there.", "bge-reranker-v2-m3")
    reranker_key: SecretStr = setting(SecretStr(""), "Its key, if it wants one; then its calls are paid for.", "sk-x")
    watch: Literal["auto", "events", "poll"] = setting(
        "auto", "How edits are noticed; `auto` polls where the folder is a network mount."
    )
    embedder_url: str = setting(
        "", "OpenAI-compatible server for embeddings instead of the local one.", "http://nas:11434/v1"
    )
    embedder_model: str = setting("", "Embedding model there.", "bge-m3")
    embedder_key: SecretStr = setting(SecretStr(""), "Its key, if it wants one.", "sk-x")
    embedder_paid: bool | None = setting(
        None, "Whether its calls cost money; not set: exactly when it has a key. Then a price must be known.", True
    )
    embedder_multilingual: bool = setting(True, "Whether that model knows more than English.", False)

    @property
    def embedder_costs(self) -> bool:
        """Whether calls of `embedder_url` are charged."""
        return bool(self.embedder_key.get_secret_value()) if self.embedder_paid is None else self.embedder_paid


class BackupSettings(Section):
    nightly: bool = setting(True, "Make a backup into STATE/backups every night.")
    hour: int = setting(3, "Hour of the owner's day at which it is made.", ge=0, le=23)
    keep: int = setting(14, "How many nightly backups are kept.", ge=1, le=1000)
    passphrase: SecretStr = setting(SecretStr(""), "Encrypt backups with this passphrase.", "correct horse battery")


class SchedulesSettings(Section):
    parallel: int = setting(2, "How many scheduled runs may be under way at once.", ge=1, le=16)
    catch_up_seconds: float = setting(
        86_400.0, "How late a run that was missed may be made up for; later it is logged as skipped.", ge=0
    )
    most: int = setting(100, "Most jobs that can be scheduled.", ge=1, le=10_000)
    quiet_hours: list[str] = setting(
        [], "Hours in which schedules and the heartbeat send nothing, besides what you told the agent.", ["22:00-07:00"]
    )

    @field_validator("quiet_hours")
    @classmethod
    def _spans(cls, value: list[str]) -> list[str]:
        return _spans(value)


class HeartbeatSettings(Section):
    enabled: bool = setting(False, "Whether HEARTBEAT.md is looked after; with nothing due it costs nothing.", True)
    model: str = setting("", "Model of the heartbeat; empty is the cheap one.", "local")
    active_hours: str = setting("07:00-22:00", "Hours in which it works; what comes due outside waits for them.")
    idle_days: float = setting(7.0, "Pause after this many days without a message from you; 0 never pauses.", ge=0)

    @field_validator("active_hours")
    @classmethod
    def _span(cls, value: str) -> str:
        return _spans([value])[0]


def _spans(value: list[str]) -> list[str]:
    """Spans of hours as written. Raises ValueError for what is none."""
    for text in value:
        if not re.fullmatch(r"([01]?\d|2[0-4]):[0-5]\d\s*-\s*([01]?\d|2[0-4]):[0-5]\d", text.strip()):
            raise ValueError(f"{text!r} is not a span of hours such as 22:00-07:00")
    return value


class LoggingSettings(Section):
    level: Literal["debug", "info", "warning", "error"] = setting("info", "Least important line that is written.")
    format: Literal["auto", "json", "console"] = setting("auto", "`auto` is console on a terminal and json elsewhere.")


class Settings(Section):
    """The whole tree."""

    state_dir: Path = setting(Path("~/.local/state/appliance"), "Where everything lives (STATE).", "/srv/appliance")
    owner: OwnerSettings = OwnerSettings()
    server: ServerSettings = ServerSettings()
    models: ModelsSettings = ModelsSettings()
    openai_compatible: dict[str, OpenAICompatibleSettings] = setting(
        {}, "Further model servers by name; the chain names them.", {"nas": {"base_url": "http://nas:11434/v1"}}
    )
    local: LocalModelSettings = LocalModelSettings()
    anthropic: AnthropicSettings = AnthropicSettings()
    budget: BudgetSettings = BudgetSettings()
    agent: AgentSettings = AgentSettings()
    telegram: TelegramSettings = TelegramSettings()
    discord: DiscordSettings = DiscordSettings()
    whatsapp: WhatsAppSettings = WhatsAppSettings()
    slack: SlackSettings = SlackSettings()
    email: EmailSettings = EmailSettings()
    speech: SpeechSettings = SpeechSettings()
    notices: NoticesSettings = NoticesSettings()
    exec: ExecSettings = ExecSettings()
    web: WebSettings = WebSettings()
    checks: ChecksSettings = ChecksSettings()
    memory: MemorySettings = MemorySettings()
    backup: BackupSettings = BackupSettings()
    schedules: SchedulesSettings = SchedulesSettings()
    heartbeat: HeartbeatSettings = HeartbeatSettings()
    hooks: HooksSettings = HooksSettings()
    mcp: dict[ServerName, McpServerSettings] = setting(
        {},
        "MCP servers by name, each in a section of its own; what may stand there: docs/how-to/mcp.md.",
        {"home": {"url": "http://homeassistant:8123/api/mcp"}},
    )
    logging: LoggingSettings = LoggingSettings()
    agents: dict[AgentId, FurtherAgentSettings] = setting(
        {},
        "Further agents by id, each in a section of its own; what may stand there: docs/how-to/agents.md.",
        {"study": {"daily_usd": "0.50"}},
    )
    _origins: dict[str, str] = PrivateAttr(default_factory=dict)

    def origin(self, path: str) -> str:
        """Where the setting at a dotted path was set: `command line`, `environment`, `file`, `page`, or `default`."""
        return self._origins.get(path, "default")

    def remember_origins(self, origins: Mapping[str, str]) -> None:
        """Keep where values came from, by dotted path."""
        self._origins.update(origins)

    def changed(self, values: Mapping[str, Any]) -> dict[str, Section]:
        """The sections as they would be with other values by dotted path (None: the default). Raises InputError."""
        found: dict[str, Section] = {}
        for path, value in values.items():
            name, _, key = path.partition(".")
            section = found.get(name) or getattr(self, name)
            held = {**dict(section), key: type(section).model_fields[key].default if value is None else value}
            try:
                found[name] = type(section).model_validate(held)
            except ValidationError as error:
                raise InputError(f"{path}: {error.errors()[0]['msg'].removeprefix('Value error, ')}.") from None
        return found

    def take_over(self, values: Mapping[str, Any]) -> None:
        """Let values that were set on the page hold in this process. Raises InputError.

        Sections never change: whoever asks this tree again gets another one, and whoever keeps a section keeps its
        values until the next start.
        """
        self.__dict__.update(self.changed(values))
        for path, value in values.items():
            self._origins[path] = "default" if value is None else "page"

    @property
    def state(self) -> Path:
        """STATE as an absolute path."""
        return self.state_dir.expanduser().absolute()

    @property
    def has_key(self) -> bool:
        return bool(self.anthropic.api_key.get_secret_value())

    @field_validator("agents")
    @classmethod
    def _apart(cls, value: dict[str, FurtherAgentSettings], info: ValidationInfo) -> dict[str, FurtherAgentSettings]:
        if {"telegram", "discord", "budget"} <= set(info.data):  # else what is wrong there is said already
            mains = {platform: info.data[platform].bot_token for platform in ("telegram", "discord")}
            check_apart(value, mains, info.data["budget"].agent_usd)
        return value

    @property
    def agent_ids(self) -> list[str]:
        """Every agent of the house, the main one first."""
        return [MAIN, *self.agents]

    @property
    def limits(self) -> BudgetSettings:
        """The budget with the limits that stand in the agents' own sections."""
        own = {agent: one.daily_usd for agent, one in self.agents.items() if one.daily_usd is not None}
        return self.budget.model_copy(update={"agent_usd": {**self.budget.agent_usd, **own}}) if own else self.budget

    @property
    def chats(self) -> list[str]:
        """The chat channels that are set up: those whose secret is there."""
        secrets = {
            "telegram": self.telegram.bot_token,
            "discord": self.discord.bot_token,
            "whatsapp": self.whatsapp.access_token,
            "slack": self.slack.bot_token,
            "email": self.email.password,
            **bots_of(self.agents),
        }
        return [name for name, secret in secrets.items() if secret.get_secret_value()]

    def chain(self, agent: str = MAIN) -> list[str]:
        """An agent's models in order, with the default that fits whether there is a key."""
        own = self.agents[agent].chain if agent in self.agents else None
        chosen = own if own is not None else self.models.chain
        if chosen is not None:
            return list(chosen)
        return ["claude-sonnet-5-5", "local"] if self.has_key else ["local"]

    def cheap(self, agent: str = MAIN) -> str:
        """An agent's cheap model, or its chain's last when that one has no key."""
        own = self.agents[agent].cheap if agent in self.agents else None
        chosen = own or self.models.cheap
        return self.chain(agent)[-1] if chosen.startswith("claude") and not self.has_key else chosen

    @property
    def models_named(self) -> list[str]:
        """Every model that the chain of some agent names, each once."""
        return list(dict.fromkeys(name for agent in self.agent_ids for name in self.chain(agent)))


def secret_values(section: Section) -> list[str]:
    """Every secret in a tree of settings that is set, for the redactor."""
    found: list[str] = []
    for value in dict(section).values():
        for one in value.values() if isinstance(value, dict) else (value,):
            if isinstance(one, SecretStr):
                found.append(one.get_secret_value())
            elif isinstance(one, Section):
                found += secret_values(one)
    return [secret for secret in found if secret]
