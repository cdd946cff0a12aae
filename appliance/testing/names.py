"""A resolver with answers by name, for tests of the address wall: no name server is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class FakeNames:
    """appliance.network.wall.Resolve. A name has addresses, or lists of them that are given one after another (the
    last for good); `asked` lists every question. An IP address resolves to itself, as with a real resolver.
    """

    def __init__(self, names: Mapping[str, Iterable[str] | list[list[str]]] | None = None) -> None:
        self.asked: list[str] = []
        self._names = {name: list(found) for name, found in (names or {}).items()}

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        found = self._names.get(host)
        if not found:
            raise OSError(-2, "Name or service not known")
        if isinstance(found[0], list):
            return list(found.pop(0) if len(found) > 1 else found[0])
        return [str(address) for address in found]
