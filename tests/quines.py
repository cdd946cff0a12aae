"""Archives that hold themselves: unpacked once, each is the same file again, for ever.

After Russ Cox, "Zip Files All The Way Down": a DEFLATE stream of two instructions of one length, so that some print
others. `_literal(n)` prints the n bytes that follow it (a stored block), `_repeat(n)` the last n bytes once more (back
references). The checksum stands in what it is the sum of; CRC-32 is affine in its bits, so the one that is its own is
the solution of 32 equations over GF(2).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from itertools import count

_UNIT = 5  # bytes of an instruction
_EMPTY_BITS = 10  # of a block that prints nothing
_END = 256
# By code: the least value, and how many bits follow.
_LENGTHS = [(3 + n, 0) for n in range(8)] + [(3 + (4 + n << bits), bits) for bits in range(1, 6) for n in range(4)]
_DISTANCES = [(1 + n, 0) for n in range(4)] + [(1 + (2 + n << bits), bits) for bits in range(1, 14) for n in range(2)]


def quine_gzip() -> bytes:
    """A gzip file that unpacks to itself."""

    def build(checksum: int, attempt: int) -> bytes:
        head = struct.pack("<BBBBIBB", 0x1F, 0x8B, 8, 8, attempt, 0, 3) + b"q\0"
        size = len(_stream(head, bytes(8)))
        return _stream(head, struct.pack("<II", checksum, size))

    return _with_its_own_checksum(build)


def quine_zip() -> bytes:
    """A zip archive with one file in it: the archive."""
    name = b"this archive, whole, again.zip"  # the head must be 60 bytes: a repeat of 65 is one instruction

    def frame(packed: int, size: int, checksum: int, attempt: int) -> tuple[bytes, bytes]:
        first_of_january = attempt << 9 | 1 << 5 | 1
        about = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, first_of_january, checksum, packed, size, len(name), 0)
        head = b"PK\3\4" + about + name
        entry = b"PK\1\2" + struct.pack("<H", 20) + about + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
        return head, entry + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(head) + packed, 0)

    def build(checksum: int, attempt: int) -> bytes:
        head, foot = frame(0, 0, 0, 0)
        size = len(_stream(head, foot))
        return _stream(*frame(size - len(head) - len(foot), size, checksum, attempt))

    return _with_its_own_checksum(build)


def _stream(head: bytes, foot: bytes) -> bytes:
    """`head`, a DEFLATE stream that prints all of this, and `foot`."""
    first, again = _literal(len(head) + _UNIT), _repeat(len(head) + _UNIT)
    none, one, four, four_again = _literal(0), _literal(_UNIT), _literal(4 * _UNIT), _repeat(4 * _UNIT)
    end = next(block for size in count(1) if len(block := _packed(_references(len(foot) + size), final=True)) == size)
    last = _literal(len(end) + len(foot))
    return b"".join([
        head, first, head, first, again, one, again, one, one, four, again, one, one, four,
        four_again, four, four_again, four, four_again, four, four_again,
        four, four_again, none, none, last, four_again, none, none, last, end, foot, end, foot,
    ])  # fmt: skip


def _literal(size: int) -> bytes:
    return struct.pack("<BHH", 0, size, 0xFFFF ^ size)


def _repeat(size: int) -> bytes:
    """The last `size` bytes once more, in as many bits as make an instruction."""
    for references in (_references(size), *(_references(size, part) for part in range(3, size - 2))):
        missing = 8 * _UNIT - len(_block(references))
        if missing >= 0 and missing % _EMPTY_BITS == 0:
            return _packed(references, empty=missing // _EMPTY_BITS)
    raise ValueError(f"No repeat of {size} bytes is {_UNIT} bytes long.")


def _references(size: int, part: int = 0) -> str:
    """The bits of back references by `size` bytes that print as many: in one, or of a part and the rest."""
    distance = _coded(size, _DISTANCES, lambda code: f"{code:05b}")
    lengths = (part, size - part) if part else (size,)
    return "".join(_coded(length, _LENGTHS, lambda code: _symbol(_END + 1 + code)) + distance for length in lengths)


def _coded(value: int, table: list[tuple[int, int]], code: Callable[[int], str]) -> str:
    number = max(n for n, (least, _) in enumerate(table) if least <= value)
    least, bits = table[number]
    return code(number) + "".join(str(value - least >> bit & 1) for bit in range(bits))


def _symbol(symbol: int) -> str:
    return f"{symbol - _END:07b}" if symbol < 280 else f"{symbol - 280 + 0b11000000:08b}"


def _block(content: str, *, final: bool = False) -> str:
    """A block in the codes that every reader knows."""
    return f"{int(final)}10{content}{_symbol(_END)}"


def _packed(content: str, *, empty: int = 0, final: bool = False) -> bytes:
    bits = _block(content, final=final) + empty * _block("")
    return bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))


def _with_its_own_checksum(build: Callable[[int, int], bytes]) -> bytes:
    """The file among `build(checksum, attempt)` whose checksum is the one given. One attempt in three has one."""
    for attempt in count():
        base = zlib.crc32(build(0, attempt))
        # Bit by bit what must not differ between the checksum given and that of the file: x ^ crc(x) = 0.
        changes = [zlib.crc32(build(1 << bit, attempt)) ^ base ^ 1 << bit for bit in range(32)]
        checksum = _solved(changes, base)
        if checksum is not None:
            return build(checksum, attempt)
    raise AssertionError("unreachable")


def _solved(columns: list[int], wanted: int) -> int | None:
    """Which of the columns, as bits, make `wanted` when they are added without carry; None when none do."""
    basis: dict[int, tuple[int, int]] = {}  # by leading bit: a sum of columns, and of which

    def reduced(value: int, used: int) -> tuple[int, int]:
        while value and value.bit_length() in basis:
            other, others = basis[value.bit_length()]
            value, used = value ^ other, used ^ others
        return value, used

    for number, column in enumerate(columns):
        value, used = reduced(column, 1 << number)
        if value:
            basis[value.bit_length()] = value, used
    left, used = reduced(wanted, 0)
    return None if left else used
