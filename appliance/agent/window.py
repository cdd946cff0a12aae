"""The context window: count what a request will be, and make a history fit.

Token counts here are estimates for deciding; money is counted by the resolver, which asks the provider when it matters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from appliance.agent.history import repair
from appliance.messages import Block, Message

RESERVE = 20_000
SOFT = 4_000
IMAGE_TOKENS = 1_600


@dataclass(frozen=True, slots=True)
class Window:
    """The working window of a model and the shares taken from it, in tokens."""

    size: int

    @classmethod
    def of(cls, model_window: int, working_window: int) -> Window:
        return cls(min(model_window, working_window))

    @property
    def reserve(self) -> int:
        """Kept free for the answer."""
        return min(RESERVE, self.size // 4)

    @property
    def compaction_line(self) -> int:
        """A request over this opens the door of compaction: 176,000 of 200,000."""
        return max(self.size // 2, self.size - self.reserve - SOFT)

    @property
    def tool_share(self) -> int:
        """Most that tool results may take together."""
        return self.size * 3 // 10


def tokens(text: str) -> int:
    """Estimate the tokens of a text: a quarter of its ASCII characters, and one for each other character."""
    plain = len(text.encode("ascii", errors="ignore"))
    return (plain + 3) // 4 + (len(text) - plain)


def block_tokens(block: Block) -> int:
    """Estimate one block, its frame included."""
    match block["type"]:
        case "text":
            return tokens(block["text"]) + 2
        case "image":
            return IMAGE_TOKENS
        case "tool_use":
            return tokens(str(block["input"])) + 20
        case "tool_result":
            return tokens(block["content"]) + 12 + IMAGE_TOKENS * len(block.get("images", ()))
        case _:
            return tokens(str(block))


def message_tokens(messages: Iterable[Message]) -> int:
    return sum(4 + sum(block_tokens(b) for b in m["content"]) for m in messages)


def fit(messages: list[Message], allowance: int) -> tuple[list[Message], int]:
    """Given well-formed messages and a token allowance, return the newest ones that fit and how many were left out.

    The last message always stays; when it alone is too large, its longest texts are cut in the middle.
    """
    kept: list[Message] = []
    used = 0
    for message in reversed(messages):
        cost = message_tokens([message])
        if kept and used + cost > allowance:
            break
        kept.append(message)
        used += cost
    kept.reverse()
    left_out = len(messages) - len(kept)
    if left_out:
        kept = repair(kept)
    if used > allowance and kept:
        kept = _shrink(kept, allowance)
    return kept, left_out


def _shrink(messages: list[Message], allowance: int) -> list[Message]:
    """Cut the longest texts of the last message until it fits; frames and pairs stay whole."""
    *earlier, last = messages
    blocks = [dict(block) for block in last["content"]]
    for _ in range(8):
        total = message_tokens([*earlier, {"role": last["role"], "content": blocks}])
        if total <= allowance:
            break
        longest = max(blocks, key=block_tokens)
        field = "text" if longest["type"] == "text" else "content"
        text = longest.get(field)
        if not isinstance(text, str) or len(text) < 64:
            break
        keep = max(32, int(len(text) * max(0.1, (block_tokens(longest) - (total - allowance)) / block_tokens(longest))))
        longest[field] = middle_cut(text, keep)
    return [*earlier, {"role": last["role"], "content": blocks}]


def middle_cut(text: str, keep: int) -> str:
    """Head and tail of `text`, about `keep` characters, with a note of what is missing between."""
    if len(text) <= keep:
        return text
    note = f"\n[… {len(text) - keep:,} characters cut …]\n"
    room = max(16, keep - len(note))
    head = room * 2 // 3
    return text[:head] + note + text[len(text) - (room - head) :]
