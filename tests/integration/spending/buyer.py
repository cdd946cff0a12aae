"""A process that buys model calls until it is killed: the books here, the provider's book in a file beside them.

Run as `python buyer.py FOLDER PARALLEL CALLS`. The provider writes a line the moment it accepts a call, before the
buyer can know, and a kill of the buyer does not take that back.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

from appliance.clock import SystemClock
from appliance.crash_points import crash_point
from appliance.database import Database
from appliance.errors import BudgetExceededError
from appliance.messages import Purpose, Usage
from appliance.settings.budget import BudgetSettings
from appliance.spending.budget import Budget, CallSpec
from appliance.spending.ledger import MIGRATIONS
from appliance.spending.prices import Prices

MODEL = "claude-haiku-5-5"
OUTPUT = 1_000


class Provider:
    """Bills whatever it accepts, at once and for ever."""

    def __init__(self, book: Path) -> None:
        self._fd = os.open(book, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def accept(self, reservation: int, usage: Usage) -> None:
        line = {
            "reservation": reservation,
            "input": usage.input,
            "cache_read": usage.cache_read,
            "output": usage.output,
        }
        os.write(self._fd, (json.dumps(line) + "\n").encode())


async def buy(budget: Budget, provider: Provider, chance: random.Random, number: int) -> None:
    spec = CallSpec(
        model=MODEL, provider="anthropic", local=False, purpose=Purpose.CHAT, session=f"agent:main:web:s{number % 7}",
        agent="main", channel="web", turn=f"t{number}", characters=2_000, input_tokens=None, max_tokens=OUTPUT,
        byte_bound=2_000,
    )  # fmt: skip
    try:
        held = await budget.reserve(spec)
    except BudgetExceededError:
        return
    crash_point("buyer.before_call")
    usage = Usage(input=chance.randint(1, 500), cache_read=chance.randint(0, 500), output=chance.randint(1, OUTPUT))
    provider.accept(held.id, usage)
    crash_point("buyer.accepted")
    await budget.narrow(held, usage)
    crash_point("buyer.narrowed")
    await asyncio.sleep(0)
    await budget.settle(held, usage)


async def main(folder: Path, parallel: int, calls: int) -> None:
    database = Database(folder / "core.db", {"spending": MIGRATIONS})
    database.open()
    settings = BudgetSettings(daily_usd=Decimal((folder / "limit").read_text()), wait_seconds=0.2)
    budget = Budget(database, Prices(), lambda: settings, lambda: ZoneInfo("UTC"), SystemClock())
    budget.recover()
    provider, chance = Provider(folder / "provider.jsonl"), random.Random(os.getpid())
    for number in range(0, calls, parallel):
        await asyncio.gather(*(buy(budget, provider, chance, number + lane) for lane in range(parallel)))
        sys.stdout.write(".")
        sys.stdout.flush()
    database.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
