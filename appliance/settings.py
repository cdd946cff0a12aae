"""One typed tree of settings; `appliance config example` and docs/settings.md are made from it.

Sources, strongest first: environment (`APPLIANCE_<SECTION>__<KEY>`, the short names below, each also as `X_FILE`),
`config/appliance.toml` in STATE (or `--config`), defaults. Every problem is reported at once, with its path.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import PrivateAttr, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo

from appliance.errors import SettingsError
from appliance.messages import Mode
from appliance.settings_base import Section, setting
from appliance.settings_budget import BudgetSettings
from appliance.settings_channels import (
    DiscordSettings,
    EmailSettings,
    NoticesSettings,
    SpeechSettings,
    TelegramSettings,
    WhatsAppSettings,
)
from appliance.settings_checks import ChecksSettings
from appliance.settings_exec import ExecSettings
from appliance.settings_hooks import HooksSettings
from appliance.settings_mcp import McpServerSettings, ServerName
from appliance.settings_web import WebSettings

PREFIX = "APPLIANCE_"
# Well-known names that other tools use too, and where each lands in the tree.
SHORT_NAMES = {
    "ANTHROPIC_API_KEY": ("anthropic", "api_key"),
    "ANTHROPIC_BASE_URL": ("anthropic", "base_url"),
    "TELEGRAM_BOT_TOKEN": ("telegram", "bot_token"),
    "TELEGRAM_API_BASE": ("telegram", "api_base"),
    "DISCORD_BOT_TOKEN": ("discord", "bot_token"),
    "DISCORD_API_BASE": ("discord", "api_base"),
    "EMAIL_PASSWORD": ("email", "password"),
    "WHATSAPP_ACCESS_TOKEN": ("whatsapp", "access_token"),
    "WHATSAPP_APP_SECRET": ("whatsapp", "app_secret"),
}
# Read from the environment by other parts (test seams, compose), not settings.
NOT_SETTINGS = {"APPLIANCE_CONFIG", "APPLIANCE_TOKEN", "APPLIANCE_URL", "APPLIANCE_REQUIRE", "APPLIANCE_CRASH_AT"}


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
    _origins: dict[str, str] = PrivateAttr(default_factory=dict)

    def origin(self, path: str) -> str:
        """Where the setting at a dotted path was set: `environment`, `file`, `command line`, or `default`."""
        return self._origins.get(path, "default")

    @property
    def state(self) -> Path:
        """STATE as an absolute path."""
        return self.state_dir.expanduser().absolute()

    @property
    def has_key(self) -> bool:
        return bool(self.anthropic.api_key.get_secret_value())

    @property
    def chats(self) -> list[str]:
        """The chat platforms that are set up: those whose secret is there."""
        secrets = {
            "telegram": self.telegram.bot_token,
            "discord": self.discord.bot_token,
            "whatsapp": self.whatsapp.access_token,
            "email": self.email.password,
        }
        return [name for name, secret in secrets.items() if secret.get_secret_value()]

    @property
    def chain(self) -> list[str]:
        """The models in order, with the default that fits whether there is a key."""
        if self.models.chain is not None:
            return list(self.models.chain)
        return ["claude-sonnet-5-5", "local"] if self.has_key else ["local"]

    @property
    def cheap(self) -> str:
        """The cheap model, or the chain's last when that one has no key."""
        if self.models.cheap.startswith("claude") and not self.has_key:
            return self.chain[-1]
        return self.models.cheap


_NO_FIELD = FieldInfo()


def load_settings(
    config: Path | None = None, environ: Mapping[str, str] | None = None, overrides: dict[str, Any] | None = None
) -> Settings:
    """Read every source and return the settings; raise SettingsError naming every problem at once.

    `overrides` (command-line flags) is a nested dict that wins over everything.
    """
    env = dict(os.environ if environ is None else environ)
    problems: list[str] = []
    from_env = _environment(env, problems)
    path = config or (Path(env["APPLIANCE_CONFIG"]) if env.get("APPLIANCE_CONFIG") else None)
    if path is None:
        state = Path(from_env.get("state_dir", Settings.model_fields["state_dir"].default)).expanduser()
        candidate = state / "config" / "appliance.toml"
        tree = _file(candidate, problems) if candidate.is_file() else {}
    else:
        tree = _file(path, problems)
    origins = dict.fromkeys(_paths(tree), "file") | dict.fromkeys(_paths(from_env), "environment")
    origins |= dict.fromkeys(_paths(overrides or {}), "command line")
    _merge(tree, from_env)
    _merge(tree, overrides or {})
    settings: Settings | None = None
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        problems.extend(_explain(item) for item in error.errors(include_url=False))
    if problems or settings is None:
        raise SettingsError(sorted(problems), fix="`appliance config example` shows every setting.")
    settings._origins.update(origins)
    return settings


def _paths(tree: dict[str, Any]) -> list[str]:
    """The dotted paths of a tree, as deep as sections go."""
    found = []
    for name, value in tree.items():
        if isinstance(value, dict) and not isinstance(Settings.model_fields.get(name, _NO_FIELD).default, dict):
            found += [f"{name}.{key}" for key in value]
        else:
            found.append(name)
    return found


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


def _file(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problems.append(f"{path}: not valid TOML: {error}")
    except OSError as error:
        problems.append(f"{path}: cannot be read: {error.strerror}")
    return {}


def _environment(env: dict[str, str], problems: list[str]) -> dict[str, Any]:
    """Collect `X` and `X_FILE` variables into a nested dict; note problems instead of raising."""
    values: dict[str, str] = {}
    for name in sorted(env):
        base = name.removesuffix("_FILE")
        known = base in SHORT_NAMES or (name.startswith(PREFIX) and name not in NOT_SETTINGS)
        if not known:
            continue
        if name == base or not _is_file_variable(name):
            values[name] = env[name]
        elif env[name]:
            if env.get(base):
                problems.append(f"{base} and {name} are both set; keep one of them")
                continue
            try:
                text = Path(env[name]).read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
                if text:  # compose makes a file for every key, and one that was not filled in hides nothing
                    values[base] = text
            except (OSError, UnicodeDecodeError) as error:
                reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
                problems.append(f"{name}: {env[name]} cannot be read by user {os.getuid()}: {reason}")
    tree: dict[str, Any] = {}
    for name, value in values.items():
        if value == "" and name in SHORT_NAMES:
            continue  # an empty variable in an env file means "not given"
        keys = SHORT_NAMES.get(name) or tuple(name.removeprefix(PREFIX).lower().split("__"))
        _put(tree, keys, _parse(keys, value))
    return tree


def _is_file_variable(name: str) -> bool:
    """True unless a setting itself ends in `_file` (budget.price_file)."""
    if name.removesuffix("_FILE") in SHORT_NAMES:
        return True
    return not _field(tuple(name.removeprefix(PREFIX).lower().split("__")))


def _field(keys: tuple[str, ...]) -> Any:
    """The pydantic field at a path of keys, or None."""
    model: Any = Settings
    found = None
    for key in keys:
        fields = getattr(model, "model_fields", {})
        found = fields.get(key)
        if found is None:
            return None
        model = found.annotation
    return found


def _parse(keys: tuple[str, ...], value: str) -> Any:
    """Lists and tables are written as JSON in the environment; everything else is text for pydantic."""
    found = _field(keys)
    if found is None or isinstance(found.default, (list, dict)) or value.strip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    if found is not None and value == "" and found.default is None:
        return None
    return value


def _put(tree: dict[str, Any], keys: tuple[str, ...], value: Any) -> None:
    for key in keys[:-1]:
        tree = tree.setdefault(key, {})
    tree[keys[-1]] = value


def _merge(into: dict[str, Any], other: dict[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _explain(item: Any) -> str:
    path = [str(part) for part in item["loc"]]
    dotted = ".".join(path)
    if item["type"] == "extra_forbidden":
        parent = _field(tuple(path[:-1])) if len(path) > 1 else None
        fields = getattr(parent.annotation if parent else Settings, "model_fields", {})
        near = difflib.get_close_matches(path[-1], list(fields), n=1)
        return f"{dotted}: unknown setting" + (f"; did you mean {'.'.join([*path[:-1], near[0]])}?" if near else "")
    return f"{dotted}: {item['msg'].removeprefix('Value error, ')}"
