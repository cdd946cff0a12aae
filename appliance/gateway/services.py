"""What the HTTP server is handed: one dataclass, built by app.py, each part behind the small face the server uses.

Only the parts without a default are needed. A route whose part is not handed over does not exist (404), so the API
never promises what is not there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from appliance.clock import Clock, SystemClock
from appliance.errors import NoAgentError
from appliance.gateway.auth import Auth
from appliance.gateway.closing import Closing
from appliance.gateway.webhooks import Webhook
from appliance.messages import MAIN, Attachment, Event, Inbound, Mode, Person, Role, SessionKey
from appliance.observability.health import Health
from appliance.settings import Settings


class Receipt(Protocol):
    """`row` names the inbox row; `new` is False for a repeated id; `answered` when its reply is already stored."""

    @property
    def row(self) -> int: ...
    @property
    def new(self) -> bool: ...
    @property
    def answered(self) -> bool: ...


class Reply(Protocol):
    """The stored answer of an inbox row; `error` says why there is no text."""

    @property
    def text(self) -> str: ...
    @property
    def session(self) -> SessionKey | str: ...
    @property
    def message_id(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def usage(self) -> Mapping[str, Any]: ...
    @property
    def cost_usd(self) -> str | float: ...
    @property
    def error(self) -> str | None: ...
    @property
    def attachments(self) -> Sequence[Attachment]: ...


class Intake(Protocol):
    """`accept` returns once the message is on disk."""

    async def accept(self, inbound: Inbound) -> Receipt: ...


class Events(Protocol):
    """What turns do, as it happens. `data["message_ids"]` of an event lists the inbox rows its turn answers."""

    def subscribe(self, session: SessionKey | None = None) -> AbstractAsyncContextManager[AsyncIterator[Event]]: ...


class Replies(Protocol):
    """`wait` returns at once when the row is answered; raises TimeoutError after `timeout` seconds."""

    async def wait(self, row: int, timeout: float | None = None) -> Reply: ...  # noqa: ASYNC109 - the contract's name


class Sessions(Protocol):
    """Conversations as the API shows them. `find` takes a name or a full key; None when there is none."""

    def list(self) -> list[dict[str, Any]]: ...
    def messages(self, key: SessionKey, limit: int = 200) -> Sequence[dict[str, Any]]: ...
    def find(self, name_or_key: str) -> SessionKey | None: ...
    async def stop(self, key: SessionKey) -> bool: ...


class WebChat(Protocol):
    """The web channel: a request becomes an Inbound, a file becomes an Attachment under the work folder."""

    def inbound(
        self,
        session: str,
        text: str,
        *,
        id: str | None = None,  # noqa: A002 - the API's word
        attachments: Sequence[Attachment] = (),
        mode: Mode | None = None,
        language: str = "",
    ) -> Inbound: ...

    async def save(self, name: str, media_type: str, chunks: AsyncIterator[bytes]) -> tuple[str, Attachment]: ...
    def attachment(self, id: str) -> Attachment: ...  # noqa: A002 - the API's word
    def read(self, id: str) -> AsyncIterator[bytes]: ...  # noqa: A002 - the API's word


class BudgetView(Protocol):
    def status(self) -> list[dict[str, Any]]: ...
    async def raise_today(self, usd: Decimal, scope: str = "day") -> Any: ...


class SpendView(Protocol):
    def spend(self, day: str | None = None, by: str = "model") -> dict[str, Any]: ...


class Approvals(Protocol):
    """Commands that wait for the owner's word. `decide` raises NotFoundError or InputError."""

    def list(self) -> Sequence[dict[str, Any]]: ...
    async def decide(self, id: str, decision: str) -> dict[str, Any]: ...  # noqa: A002 - the API's word


class Rules(Protocol):
    """What commands always may (sandbox.approvals.Approvals)."""

    def rules(self) -> Sequence[dict[str, Any]]: ...
    async def allow(self, entry: str, *, host: str = "host", network: str = "none") -> dict[str, Any]: ...
    async def revoke(self, id: str) -> None: ...  # noqa: A002 - the API's word


class People(Protocol):
    """Who is paired and who waits (channels.access.Access). The last two raise NotFoundError and InputError."""

    def listed(self) -> dict[str, Any]: ...
    async def invite(self, role: Role | None = None) -> str: ...
    async def approve(self, code: str, role: Role | None = None) -> tuple[str, Person]: ...
    async def set_role(self, channel: str, user: str, role: Role) -> None: ...
    async def remove(self, channel: str, user: str) -> None: ...


class MemoryView(Protocol):
    """What the owner may do with an agent's memory from outside a conversation (memory.owner.OwnersMemory)."""

    async def search(self, query: str, limit: int) -> list[dict[str, Any]]: ...
    def history(self, what: str) -> list[dict[str, Any]]: ...
    def waiting(self) -> list[dict[str, Any]]: ...
    async def status(self) -> dict[str, Any]: ...
    async def forget(self, what: str, erase: bool) -> dict[str, Any]: ...
    async def undo(self) -> dict[str, Any]: ...
    async def reindex(self) -> dict[str, Any]: ...
    async def tidy(self) -> dict[str, Any]: ...
    async def decide(self, held: str, keep: bool) -> dict[str, Any]: ...
    def captured(self) -> list[dict[str, Any]]: ...
    def last_forgotten(self) -> dict[str, Any] | None: ...


class Schedules(Protocol):
    """What runs by itself, by the owner's hand (automation.by_hand.ByHand). `act` raises NotFoundError, InputError."""

    def rows(self) -> list[dict[str, Any]]: ...
    def heartbeats(self) -> dict[str, dict[str, str]]: ...
    async def act(self, name: str, action: str) -> dict[str, Any]: ...


class SkillsView(Protocol):
    """Skills and the owner's word on them (skillset.SkillSet)."""

    def listed(self) -> dict[str, Any]: ...
    def shown(self, name: str, file: str = "") -> dict[str, Any]: ...
    async def approve(self, name: str, digest: str) -> dict[str, Any]: ...
    async def revoke(self, name: str) -> dict[str, Any]: ...


class McpView(Protocol):
    """MCP servers (mcp_servers.McpServers). `check` connects and raises NotFoundError."""

    def listed(self) -> dict[str, Any]: ...
    async def check(self, name: str = "") -> dict[str, Any]: ...


class ModelShelf(Protocol):
    """Models as the owner sees them (local_offers.LocalOffers). `fetch` begins; raises NotFoundError."""

    def shown(self) -> dict[str, Any]: ...
    def fetch(self, name: str) -> None: ...


class FirstRun(Protocol):
    """What is set on the page and holds at once (first_run.FirstRun). Every step raises InputError, StateError."""

    @property
    def due(self) -> bool: ...
    def state(self, language: str) -> dict[str, Any]: ...
    async def use_key(self, key: str, language: str) -> None: ...
    async def answer_with(self, who: str, language: str) -> None: ...
    async def set_budget(self, daily_usd: Decimal, at_limit: str, language: str) -> None: ...
    async def use_bot(self, token: str, language: str) -> dict[str, Any]: ...
    async def invite(self, role: Role) -> dict[str, Any]: ...
    async def leave(self) -> None: ...


MemoryOf = Callable[[str], MemoryView]  # by agent; raises NoAgentError


@dataclass(slots=True)
class Services:
    """Everything the server may reach. Optional parts add their routes when they are given."""

    settings: Settings
    auth: Auth
    health: Health
    intake: Intake
    events: Events
    replies: Replies
    sessions: Sessions
    web: WebChat
    version: str = ""
    clock: Clock = field(default_factory=SystemClock)
    closing: Closing = field(default_factory=Closing)
    context: Callable[[SessionKey], dict[str, Any]] | None = None
    budget: BudgetView | None = None
    spending: SpendView | None = None
    status: Callable[[], dict[str, Any]] | None = None
    models: Callable[[], dict[str, Any]] | None = None
    metrics: Callable[[], bytes] | None = None
    approvals: Approvals | None = None
    people: People | None = None
    rules: Rules | None = None
    session_search: Callable[[str], Awaitable[list[dict[str, Any]]]] | None = None
    memory: MemoryOf | None = None
    skills: SkillsView | None = None
    mcp: McpView | None = None
    schedules: Schedules | None = None
    doctor: Callable[[str], Awaitable[list[dict[str, Any]]]] | None = None  # for the reader's language
    alerts: Callable[[dict[str, Any]], Awaitable[None]] | None = None
    settings_listed: Callable[[], list[dict[str, Any]]] | None = None
    model_shelf: ModelShelf | None = None
    first_run: FirstRun | None = None
    webhooks: Mapping[str, Webhook] = field(default_factory=dict)
    further: Mapping[str, WebChat] = field(default_factory=dict)  # by agent, beside the main one
    agents: Callable[[], list[dict[str, Any]]] | None = None

    def web_of(self, agent: str) -> WebChat:
        """The web channel of an agent. Raises NotFoundError."""
        found = self.web if agent == MAIN else self.further.get(agent)
        if found is None:
            raise NoAgentError(agent)
        return found
