"""One quiet call beside the talk: rules and a text in, a text out, and no fuss when no model can be had."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from appliance.errors import BudgetError, ModelError
from appliance.messages import Purpose, SessionKey
from appliance.models.base import Answer, ModelRequest, PromptPart
from appliance.models.resolver import Resolver

log = structlog.get_logger(__name__)


async def ask_quietly(
    resolver: Resolver,
    chain: Sequence[str],
    *,
    purpose: Purpose,
    session: SessionKey,
    rules: str,
    text: str,
    max_tokens: int,
) -> str | None:
    """Given the models in order, ask them what `rules` say of `text`; None when none answers or no money is left."""
    request = ModelRequest(
        system=(PromptPart(rules),),
        messages=({"role": "user", "content": [{"type": "text", "text": text}]},),
        max_tokens=max_tokens,
        purpose=purpose,
        session=session,
        agent=session.agent,
        channel="internal",
    )
    try:
        async for event in resolver.stream(request, chain=chain):
            if isinstance(event, Answer):
                return "".join(b["text"] for b in event.finished.content if b["type"] == "text")
    except (ModelError, BudgetError) as error:
        log.warning("a quiet call failed", purpose=purpose.value, reason=error.what)
    return None
