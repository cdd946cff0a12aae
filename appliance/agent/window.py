"""The context window: count what a request will be, and make a history fit.

Token counts here are estimates for deciding; money is counted by the resolver, which asks the provider when it matters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from appliance.agent.history import repair
from appliance.messages import Block, Message
from appliance.models.estimate import dense_characters

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
    """Estimate the tokens of a text: a quarter of its ASCII characters, and one for each other character, and for each
    of a long run without blanks (base64, keys)."""
    plain = len(text) if text.isascii() else len(text.encode("ascii", errors="ignore"))
    dense = dense_characters(text)
    return (plain - dense + 3) // 4 + dense + (len(text) - plain)


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

    The question of the running turn always stays, and so does the last message; what is still too large is cut in the
    middle of its longest texts. The result is well formed and ends as `messages` did.
    """
    if message_tokens(messages) <= allowance or not messages:
        return list(messages), 0
    question = _last_question(messages)
    kept = list(messages[question:])
    start = question
    if message_tokens(kept) <= allowance:
        while start and message_tokens(messages[start - 1 :]) <= allowance:
            start -= 1
        kept = list(messages[start:])
    else:
        kept = _newest_steps(messages[question], messages[question + 1 :], allowance)
    kept = repair(kept)
    if message_tokens(kept) > allowance:
        kept = _shrink(kept, allowance)
    return kept, len(messages) - len(kept)


def _last_question(messages: list[Message]) -> int:
    """Index of the newest user message that is not only tool results."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message["role"] == "user" and any(b["type"] != "tool_result" for b in message["content"]):
            return index
    return 0


def _newest_steps(question: Message, steps: list[Message], allowance: int) -> list[Message]:
    """The question, and the newest pairs of answer and results that fit; at least the last pair."""
    pairs = [steps[i : i + 2] for i in range(0, len(steps), 2)]
    kept: list[Message] = []
    for pair in reversed(pairs):
        if kept and message_tokens([question, *pair, *kept]) > allowance:
            break
        kept = [*pair, *kept]
    return [question, *kept]


def _shrink(messages: list[Message], allowance: int) -> list[Message]:
    """Cut the longest texts until all of it fits; frames and pairs stay whole."""
    shrunk: list[Message] = [{"role": m["role"], "content": [dict(b) for b in m["content"]]} for m in messages]
    blocks = [block for message in shrunk for block in message["content"]]
    for _ in range(16):
        excess = message_tokens(shrunk) - allowance
        if excess <= 0:
            break
        longest = max(blocks, key=block_tokens)
        field = "text" if longest["type"] == "text" else "content"
        text = longest.get(field)
        if not isinstance(text, str) or len(text) < 64:
            break
        size = block_tokens(longest)
        longest[field] = middle_cut(text, max(32, int(len(text) * max(0.1, (size - excess) / size)) - 8))
    return shrunk


def characters_for(text: str, most: int) -> int:
    """How many characters of a text make at most `most` tokens."""
    size = tokens(text)
    return len(text) if size <= most else len(text) * most // size


def middle_cut(text: str, keep: int) -> str:
    """Head and tail of `text`, about `keep` characters, with a note of what is missing between."""
    if len(text) <= keep:
        return text
    note = f"\n[… {len(text) - keep:,} characters cut …]\n"
    room = max(16, keep - len(note))
    head = room * 2 // 3
    return text[:head] + note + text[len(text) - (room - head) :]
