"""What one suite for all channels asks of each (tests/channel_drivers.py, tests/integration/channels)."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from appliance.messages import Source
from tests.channel_bench import ChannelBench

FENCED = re.compile(r"```[^\n]*\n(.*?)\n?```", re.DOTALL)


class Driver(ABC):
    """One platform. `limit` is the most units of a message there, `edits` whether what was said can be changed,
    `placeholder` what stands in the place of an answer that is coming, `strangers` whether anybody can write there,
    `command` as what /stop is heard, `of_files` whose word a file is, `draws` whether it
    shows Markdown itself, `fetches` whether a file is fetched after the message told of it, `burst` how
    many messages can come in a second, `recalls` whether what was edited while nobody listened is told later."""

    name: ClassVar[str]
    limit: ClassVar[int]
    edits: ClassVar[bool] = True
    presses: ClassVar[bool] = True
    cuts: ClassVar[bool] = True
    placeholder: ClassVar[str] = "…"
    strangers: ClassVar[bool] = True
    command: ClassVar[str] = "command"
    of_files: ClassVar[Source] = Source.OWNER
    draws: ClassVar[bool] = False
    fetches: ClassVar[bool] = True
    burst: ClassVar[int] = 1000
    recalls: ClassVar[bool] = False
    owner: ClassVar[Any]
    stranger: ClassVar[Any]
    bench: ChannelBench

    @abstractmethod
    async def open(self, folder: Path) -> None:
        """Start the fake and the bench."""

    @abstractmethod
    async def close(self) -> None: ...

    @abstractmethod
    async def pair(self) -> None:
        """Make the owner known."""

    @abstractmethod
    async def say(self, text: str, user: Any = None) -> Any:
        """Somebody (the owner) writes in private; what is returned `repeat` takes."""

    async def say_quickly(self, texts: list[str]) -> None:
        """The owner writes many messages, one after the other."""
        for text in texts:
            await self.say(text)

    async def edit(self, said: Any, text: str) -> None:
        """The owner edits what they said."""
        raise AssertionError("nobody is told of edits there")

    @abstractmethod
    async def repeat(self, said: Any) -> None:
        """The platform tells of it once more."""

    @abstractmethod
    async def send_file(self, name: str, data: bytes, *, claimed: int | None = None, gone: bool = False) -> None:
        """The owner sends a file; `claimed` is the size that is said of it, `gone`: the platform has it no more."""

    @abstractmethod
    async def press(self, label: str) -> None:
        """The owner presses a button under the newest message that has it."""

    @abstractmethod
    def replies(self, user: Any = None) -> list[str]:
        """What stands in somebody's (the owner's) chat from the bot, but for the greeting."""

    @abstractmethod
    def buttons(self) -> list[list[str]]:
        """The labels under each of those messages to the owner."""

    @abstractmethod
    def code(self) -> list[str]:
        """The code that each of those messages shows as code."""

    @abstractmethod
    def files(self) -> list[str]:
        """The names of files that came from the bot."""

    async def down(self) -> None:
        """The network goes."""
        await self.bench.fake.stop()

    async def up(self) -> None:
        """The network comes back."""
        await self.bench.fake.start()
