"""Embedding and reranking calls of another server, paid for like every model call: reserved, made, settled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from appliance.errors import BudgetError, ModelError, ModelFault
from appliance.messages import Purpose, Usage
from appliance.models.paid_call import Purse
from appliance.spending.calls import CallSpec

T = TypeVar("T")

# What a server may have worked on, and so may bill, although no usable answer came.
_PERHAPS_BILLED = (ModelFault.NETWORK, ModelFault.UNUSABLE)


class PaidEmbeddings:
    """memory.embeddings.Meter. `free`: nothing is charged, the tokens are still written down."""

    def __init__(self, purse: Purse, *, free: bool) -> None:
        self._purse = purse
        self._free = free

    async def pay(self, model: str, agent: str, most_tokens: int, call: Callable[[], Awaitable[tuple[T, int]]]) -> T:
        """Make `call` on an agent's budget; it returns a result and the tokens that were read. Return the result.

        Raises ModelError: the call's own, or UNAVAILABLE when the budget refuses, so that search goes on with words.
        """
        spec = CallSpec(
            model=model,
            provider="openai_compatible",
            local=self._free,
            purpose=Purpose.EMBEDDING,
            session="",
            agent=agent,
            channel="",
            turn="",
            characters=most_tokens,
            input_tokens=None,
            max_tokens=0,
            cache_write=False,
            byte_bound=most_tokens,
        )
        try:
            held = await self._purse.reserve(spec)
        except BudgetError as error:
            raise ModelError(error.what, kind=ModelFault.UNAVAILABLE, fix=error.fix) from error
        try:
            result, tokens = await call()
        except ModelError as error:
            if error.kind in _PERHAPS_BILLED:
                await self._purse.settle(held, Usage(estimated=True), outcome=error.kind)
            else:
                await self._purse.release(held, outcome=error.kind)
            raise
        except asyncio.CancelledError:
            await asyncio.shield(self._purse.settle(held, Usage(estimated=True), outcome="cancelled"))
            raise
        await asyncio.shield(self._purse.settle(held, Usage(input=tokens)))
        return result
