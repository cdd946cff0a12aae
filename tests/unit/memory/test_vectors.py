"""The vector functions are the same with sqlite-vec and without, and a broken extension is found out."""

from __future__ import annotations

import random

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.memory import vectors
from appliance.memory.vectors import cosine_distance, floats, load_functions, mean, packed, sign_bits, subtract


def connection() -> apsw.Connection:
    return apsw.Connection(":memory:")


def without_extension(monkeypatch: pytest.MonkeyPatch) -> apsw.Connection:
    monkeypatch.setattr(vectors, "extension_path", lambda: "/nonexistent/vec0")
    made = connection()
    assert "cannot be loaded" in load_functions(made)
    return made


def test_both_kinds_of_functions_give_the_same_results(monkeypatch: pytest.MonkeyPatch) -> None:
    real = connection()
    assert load_functions(real) == ""
    plain = without_extension(monkeypatch)
    source = random.Random(7)
    a, b = (packed([source.gauss(0, 1) for _ in range(384)]) for _ in range(2))
    sql = """SELECT vec_quantize_binary(vec_sub(?1, ?2)), vec_distance_cosine(?1, ?2),
        vec_distance_hamming(vec_bit(vec_quantize_binary(?1)), vec_bit(vec_quantize_binary(?2)))"""
    [(bits, cosine, hamming)] = real.execute(sql, (a, b)).fetchall()
    [(same_bits, same_cosine, same_hamming)] = plain.execute(sql, (a, b)).fetchall()
    assert bits == same_bits
    assert hamming == same_hamming
    assert cosine == pytest.approx(same_cosine, abs=1e-5)


def test_an_extension_that_registers_nothing_is_found_out_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_load_extension", lambda _: "")
    made = connection()
    assert "registered nothing" in load_functions(made)
    assert made.execute("SELECT vec_distance_cosine(?, ?)", (packed([1, 0]), packed([1, 0]))).fetchall()[0][0] < 1e-6


def test_an_extension_that_computes_wrongly_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def lying(target: apsw.Connection) -> str:
        for name, count in (("vec_sub", 2), ("vec_quantize_binary", 1), ("vec_bit", 1), ("vec_distance_hamming", 2)):
            target.create_scalar_function(name, lambda *_: b"", count)
        target.create_scalar_function("vec_distance_cosine", lambda *_: 0.0, 2)
        return ""

    monkeypatch.setattr(vectors, "_load_extension", lying)
    assert "computes wrongly" in load_functions(connection())


@given(st.lists(st.floats(-10, 10, width=32), min_size=8, max_size=8))
def test_a_stored_vector_has_length_one_or_is_zero(values: list[float]) -> None:
    length = sum(value * value for value in floats(packed(values)))
    assert length == pytest.approx(1.0, abs=1e-4) or not any(values) or length == 0.0


def test_means_and_differences() -> None:
    one, two = packed([1.0, 0.0]), packed([0.0, 1.0])
    assert list(floats(mean([one, two]))) == [0.5, 0.5]
    assert mean([]) == b""
    assert list(floats(subtract(one, two))) == [1.0, -1.0]
    assert cosine_distance(one, packed([0.0, 0.0])) == 1.0
    assert sign_bits(packed([1, -1, 1, 1, -1, -1, -1, 1])) == bytes([0b10001101])
