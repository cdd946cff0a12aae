"""What a message does that arrives while a turn of its session runs. Nothing is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Literal

from appliance.messages import Mode, Received

Act = Literal["queue", "join", "interrupt"]


def on_arrival(mode: Mode, running: bool) -> Act:
    """steer: joins before the next model call. interrupt: joins now. followup, collect: wait for the turn's end."""
    if not running:
        return "queue"
    match mode:
        case Mode.STEER:
            return "join"
        case Mode.INTERRUPT:
            return "interrupt"
        case _:
            return "queue"


def next_batch(queue: Sequence[Received], modes: Sequence[Mode]) -> int:
    """How many messages from the head of the queue one turn answers.

    A turn that a kill cut off keeps its messages together. `followup` messages get a turn each; the others that
    wait are read together.
    """
    first = queue[0]
    same = sum(1 for _ in takewhile(lambda received: received.turn == first.turn, queue))
    if same > 1 or first.deaths:
        return same
    if modes[0] is Mode.FOLLOWUP:
        return 1
    count = 1
    for received, mode in zip(list(queue)[1:], modes[1:], strict=True):
        if mode is Mode.FOLLOWUP or received.deaths or received.inbound.person.id != first.inbound.person.id:
            break
        count += 1
    return count
