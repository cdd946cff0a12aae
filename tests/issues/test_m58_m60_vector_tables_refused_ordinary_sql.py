"""M58, M60: a vector table did not take LIMIT as the number of neighbours, and refused to replace a row it had.

Vectors lie in ordinary tables here, so both kinds of fault cannot occur; these tests keep it so.
"""

from __future__ import annotations

from pathlib import Path

import apsw

from appliance.memory.vectors import packed
from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.memory_house import House


async def test_two_neighbours_asked_for_in_a_join_are_two_rows(tmp_path: Path) -> None:
    house = House(tmp_path, FakeEmbedder())
    house.index.open()
    house.say(*((f"message {n}", "ok") for n in range(10)))
    await house.ready()
    query = packed(FakeEmbedder().vector("message 3"))
    sql = """SELECT c.id FROM vectors v JOIN chunks c ON c.id = v.chunk JOIN embeddings e ON e.id = v.embedding
        ORDER BY vec_distance_cosine(e.raw, ?) LIMIT 2"""
    assert len(house.index.read(lambda c: c.execute(sql, (query,)).fetchall())) == 2
    kinds = house.index.read(lambda c: c.execute("SELECT sql FROM sqlite_schema WHERE name='vectors'").fetchall())
    assert "VIRTUAL" not in str(kinds[0][0])
    house.index.close()


async def test_embedding_a_chunk_twice_leaves_one_vector_the_newer(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    house = House(tmp_path, embedder)
    house.index.open()
    house.say(("message seven", "ok"))
    await house.ready()

    def as_after_a_crash(connection: apsw.Connection) -> None:
        """The chunk is wanted again though its vector is there, and the cached floats are of no use."""
        connection.execute("UPDATE chunks SET wanted=1")
        connection.execute("UPDATE embeddings SET digest = x'00'")

    await house.index.write(as_after_a_crash)
    assert house.filler is not None
    assert await house.filler.fill() == 1
    assert house.count("SELECT count(*) FROM vectors") == 1
    [(raw,)] = house.index.read(
        lambda c: c.execute(
            "SELECT e.raw FROM vectors v JOIN embeddings e ON e.id=v.embedding WHERE e.digest != x'00'"
        ).fetchall()
    )
    assert len(bytes(raw)) == 4 * embedder.dimensions  # type: ignore[arg-type]
    assert await house.index.check() == []
    house.index.close()
