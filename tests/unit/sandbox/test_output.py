"""Docker's frames, the bounded share that is kept, and the mark behind a command's end."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from appliance.sandbox.output import KEEP, Frames, Kept, Stream

MARK = b"0123456789abcdef0123456789abcdef"


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


@given(st.binary(max_size=400), st.integers(0, 255), st.lists(st.integers(0, 1000), max_size=12))
def test_output_and_exit_code_are_found_however_the_stream_is_cut(output: bytes, code: int, cuts: list[int]) -> None:
    stream = Stream(MARK)
    for piece in pieces(output + MARK + b"%03d" % code + b"noise of a child", cuts):
        stream.feed(piece)
    assert stream.code == code
    assert stream.kept.parts() == (output, b"")


def test_beginnings_of_the_mark_are_output_when_no_mark_follows() -> None:
    stream = Stream(MARK)
    stream.feed(b"a" + MARK[:20])
    stream.feed(MARK[:31])
    assert not stream.ended
    stream.finish()
    assert stream.kept.parts()[0] == b"a" + MARK[:20] + MARK[:31]


def test_a_mark_without_its_three_digits_is_no_end() -> None:
    stream = Stream(MARK)
    stream.feed(MARK + b"00")
    assert not stream.ended
    stream.feed(b"7")
    assert stream.code == 7


def test_digits_that_are_none_are_never_a_success() -> None:
    stream = Stream(MARK)
    stream.feed(MARK + b"0 0")
    assert stream.code == 255


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=70)), max_size=9), st.lists(st.integers(0, 999)))
def test_frames_give_back_each_stream_however_the_bytes_arrive(
    written: list[tuple[int, bytes]], cuts: list[int]
) -> None:
    wire = b"".join(bytes([n, 0, 0, 0]) + len(data).to_bytes(4, "big") + data for n, data in written)
    frames, found = Frames(), {1: b"", 2: b""}
    for piece in pieces(wire, cuts):
        for number, data in frames.feed(piece):
            found[number] += bytes(data)
    for number in (1, 2):
        assert found[number] == b"".join(data for n, data in written if n == number)


@given(st.lists(st.integers(0, KEEP), max_size=8))
def test_what_is_kept_is_the_true_beginning_and_end(sizes: list[int]) -> None:
    whole = bytearray()
    kept = Kept()
    for number, size in enumerate(sizes):
        data = bytes([number % 256]) * (size // 2) + bytes(size - size // 2)
        whole += data
        kept.add(data)
    head, tail = kept.parts()
    assert kept.total == len(whole)
    if len(whole) <= KEEP:
        assert (head, tail) == (bytes(whole), b"")
    else:
        assert head == whole[: KEEP // 2]
        assert tail == whole[-KEEP // 2 :]


def test_a_gibibyte_is_kept_in_a_mebibyte() -> None:
    kept = Kept()
    block = b"y\n" * 32_768
    for _ in range(16_384):
        kept.add(block)
    assert kept.total == 1 << 30
    assert sum(map(len, kept.parts())) == KEEP
    assert len(kept._head) + len(kept._tail) <= 2 * KEEP
