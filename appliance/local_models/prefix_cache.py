"""Conversations that take turns: the one that leaves the context is kept in memory, so that coming back to it costs a
copy and not a reading of everything again (a heartbeat between two messages, two people at once)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

WORTH_TOKENS = 192  # fewer are read again faster than they are worth keeping


@dataclass(slots=True)
class _Saved:
    tokens: Any  # numpy array of the tokens that were in the context
    state: Any  # what llama.cpp wrote of them
    size: int


class PrefixCache:
    """The saved contexts of one model, the latest last; together at most `most_bytes`."""

    def __init__(self, api: Any, llama: Any, most_bytes: int) -> None:
        self._api = api
        self._llama = llama
        self._most = most_bytes
        self._saved: list[_Saved] = []

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return sum(saved.size for saved in self._saved)

    def switch(self, wanted: Any) -> int:
        """Bring in the saved context that shares most with the `wanted` tokens, when that is worth it.

        Return how many of the wanted tokens are in the context now, from the first on.
        """
        llama = self._llama
        here = common(llama.input_ids[: llama.n_tokens], wanted)
        best = max(self._saved, key=lambda saved: common(saved.tokens, wanted), default=None)
        gain = 0 if best is None else common(best.tokens, wanted) - here
        if llama.n_tokens - here >= WORTH_TOKENS:
            self._save()
        if best is None or gain < WORTH_TOKENS:
            return here
        return common(best.tokens, wanted) if self._restore(best) else 0

    def _save(self) -> None:
        import ctypes

        llama = self._llama
        size = self._api.llama_state_seq_get_size(llama._ctx.ctx, 0)
        if size == 0 or size > self._most:
            return
        state = (ctypes.c_uint8 * size)()
        if self._api.llama_state_seq_get_data(llama._ctx.ctx, state, size, 0) == 0:
            return
        tokens = llama.input_ids[: llama.n_tokens].copy()
        # What is a beginning of the new one is contained in it.
        self._saved = [saved for saved in self._saved if common(saved.tokens, tokens) < len(saved.tokens)]
        while self._saved and self.size + size > self._most:
            self._saved.pop(0)
        self._saved.append(_Saved(tokens, state, size))

    def _restore(self, saved: _Saved) -> bool:
        llama = self._llama
        llama._ctx.kv_cache_clear()
        llama.reset()
        if saved in self._saved:  # saving the present one may have pushed it out; it is still good
            self._saved.remove(saved)
        if self._api.llama_state_seq_set_data(llama._ctx.ctx, saved.state, saved.size, 0) == 0:
            llama._ctx.kv_cache_clear()
            return False
        self._saved.append(saved)
        count = len(saved.tokens)
        llama.input_ids[:count] = saved.tokens
        llama.n_tokens = count
        llama._requires_eval = True
        return True


def common(known: Any, wanted: Any) -> int:
    """How many tokens two arrays have in common from the first on."""
    length = min(len(known), len(wanted))
    differing = (known[:length] != wanted[:length]).nonzero()[0]
    return int(differing[0]) if len(differing) else length
