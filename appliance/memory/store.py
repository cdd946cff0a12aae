"""Rows of the index: what one transaction does to chunks, words and vectors together.

A chunk and its words change in one transaction; its vector goes in the same one when its text changed, and comes back
behind (`wanted`). So a kill at any place leaves an index whose parts agree, at worst with vectors missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import msgspec

from appliance.memory.chunks import Chunk, Kind, Unit
from appliance.memory.languages import SCRIPTS, script_of, searchable
from appliance.memory.schema import ITEMS, SHELVES, TALK
from appliance.memory.scopes import Label, label_id

_encode = msgspec.json.encode


@dataclass(frozen=True, slots=True)
class Placed:
    """A chunk with the path that search shows and who may find it."""

    chunk: Chunk
    path: str
    label: Label


def rows(
    connection: apsw.Connection, sql: str, arguments: Sequence[Any] | dict[str, Any] = ()
) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return connection.execute(sql, arguments).fetchall()


def digest_of(text: str) -> bytes:
    """Identity of an embedded text."""
    return hashlib.sha256(text.encode(errors="replace")).digest()[:16]


def embedded_text(kind: Kind | str, units: Sequence[Unit], own: str, near: str) -> str:
    """The text that is embedded for a stored chunk."""
    text = own or "\n".join(unit for _, unit in units)
    return f"{text}\n{near}".strip() if kind == "turn" else f"{near}\n{text}".strip()


def file_id(connection: apsw.Connection, name: str) -> int:
    """The row of a file, made when it is new."""
    for (found,) in rows(connection, "SELECT id FROM files WHERE name=?", (name,)):
        return int(found)
    connection.execute("INSERT INTO files(name, stamp) VALUES (?, '')", (name,))
    return connection.last_insert_rowid()


def put(connection: apsw.Connection, file: int, placed: Iterable[Placed]) -> None:
    """Insert or update chunks by key. An unchanged text keeps its row, its words and its vector.

    A chunk's ordinal is its first line (times 100, for several of one line), so neighbours are found whoever wrote
    them when.
    """
    line, same = -1, 0
    for one in placed:
        first = one.chunk.units[0][0]
        line, same = (line, same + 1) if first == line else (first, 0)
        _put_one(connection, file, one, first * 100 + min(same, 99))


def keep_only(connection: apsw.Connection, file: int, keys: Iterable[str]) -> int:
    """Remove the chunks of a file whose key is not among `keys`; return how many."""
    kept = set(keys)
    gone = [
        (int(number), int(shelf))
        for number, key, shelf in rows(connection, "SELECT id, key, shelf FROM chunks WHERE file=?", (file,))
        if key not in kept
    ]
    for number, shelf in gone:
        _remove(connection, number, shelf)
    return len(gone)


def forget_file(connection: apsw.Connection, name: str) -> int:
    """Remove a file and its chunks; return how many chunks."""
    count = 0
    for (file,) in rows(connection, "SELECT id FROM files WHERE name=?", (name,)):
        count += keep_only(connection, int(file), ())
        connection.execute("DELETE FROM files WHERE id=?", (file,))
    return count


def hide_messages(connection: apsw.Connection, hidden: set[tuple[str, str]]) -> None:
    """Leave out of search the turns whose captured items were taken back, and only those."""
    have = {(str(session), str(message)) for session, message in connection.execute("SELECT * FROM hidden")}
    if have == hidden:
        return
    connection.execute("DELETE FROM hidden")
    connection.executemany("INSERT INTO hidden VALUES (?, ?)", sorted(hidden))
    connection.execute(
        "UPDATE chunks SET hidden = EXISTS ("
        "  SELECT 1 FROM hidden h JOIN json_each(chunks.messages) m ON m.value = h.message"
        "  JOIN scopes s ON s.id = chunks.scope WHERE s.session = h.session) WHERE kind = 'turn'"
    )


def _put_one(connection: apsw.Connection, file: int, one: Placed, ordinal: int) -> None:
    chunk = one.chunk
    scope = label_id(connection, one.label)
    shelf = ITEMS if chunk.kind == "item" else TALK
    units = _encode(chunk.units).decode()
    messages = _encode(chunk.messages).decode()
    digest = digest_of(embedded_text(chunk.kind, chunk.units, chunk.own, chunk.near))
    row = rows(connection, "SELECT id, digest, own, near, shelf FROM chunks WHERE file=? AND key=?", (file, chunk.key))
    place = (one.path, ordinal, scope, chunk.source.value, chunk.at, units, messages, chunk.sitting)
    if row and row[0][1] == digest and row[0][2] == chunk.own and row[0][3] == chunk.near:
        connection.execute(
            "UPDATE chunks SET path=?, ordinal=?, scope=?, source=?, at=?, units=?, messages=?, sitting=? WHERE id=?",
            (*place, row[0][0]),
        )
        connection.execute("UPDATE vectors SET scope=? WHERE chunk=?", (scope, row[0][0]))
        return
    if row:
        _remove(connection, int(row[0][0]), int(row[0][4]))
    hidden = any(
        connection.execute(
            "SELECT 1 FROM hidden WHERE session=? AND message=?", (one.label.session, message)
        ).fetchall()
        for message in chunk.messages
    )
    script = SCRIPTS.index(script_of(chunk.text))
    connection.execute(
        "INSERT INTO chunks(path, ordinal, scope, source, at, units, messages, sitting, file, key, shelf, kind,"
        " script, speaker, hidden, own, near, digest) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (*place, file, chunk.key, shelf, chunk.kind, script, chunk.speaker, hidden, chunk.own, chunk.near, digest),
    )
    number = connection.last_insert_rowid()
    connection.execute(
        f"INSERT INTO {SHELVES[shelf]}_words(rowid, own, near) VALUES (?, ?, ?)",  # noqa: S608 - a constant name
        (number, searchable(chunk.text), searchable(chunk.near)),
    )


def _remove(connection: apsw.Connection, number: int, shelf: int) -> None:
    connection.execute(f"DELETE FROM {SHELVES[shelf]}_words WHERE rowid=?", (number,))  # noqa: S608 - a constant name
    connection.execute("DELETE FROM vectors WHERE chunk=?", (number,))
    connection.execute("DELETE FROM chunks WHERE id=?", (number,))


def faults(connection: apsw.Connection) -> list[str]:
    """Compare the parts of the index by count; return what does not agree (empty: sound)."""
    found = []
    for shelf, name in enumerate(SHELVES):
        [(chunks,)] = connection.execute("SELECT count(*) FROM chunks WHERE shelf=?", (shelf,))
        [(words,)] = connection.execute(f"SELECT count(*) FROM {name}_words_docsize")  # noqa: S608 - a constant name
        if chunks != words:
            found.append(f"{name}: {chunks} chunks, {words} with words")
    [(lost,)] = connection.execute(
        "SELECT count(*) FROM vectors v LEFT JOIN chunks c ON c.id=v.chunk LEFT JOIN embeddings e ON e.id=v.embedding"
        " WHERE c.id IS NULL OR e.id IS NULL"
    )
    [(missing,)] = connection.execute(
        "SELECT count(*) FROM chunks c LEFT JOIN vectors v ON v.chunk=c.id WHERE NOT c.wanted AND v.chunk IS NULL"
    )
    if lost:
        found.append(f"{lost} vectors without their chunk or floats")
    if missing:
        found.append(f"{missing} chunks said to have a vector have none")
    return found


def repair_vectors(connection: apsw.Connection) -> None:
    """Drop vectors that belong to nothing, and want those that are missing."""
    connection.execute("DELETE FROM vectors WHERE chunk NOT IN (SELECT id FROM chunks)")
    connection.execute("DELETE FROM vectors WHERE embedding NOT IN (SELECT id FROM embeddings)")
    connection.execute("UPDATE chunks SET wanted = id NOT IN (SELECT chunk FROM vectors)")


def repair_words(connection: apsw.Connection) -> None:
    """Write the words of every chunk again, from the chunks."""
    for shelf, name in enumerate(SHELVES):
        connection.execute(f"INSERT INTO {name}_words({name}_words) VALUES ('delete-all')")  # noqa: S608
        for number, units, own, near in rows(
            connection, "SELECT id, units, own, near FROM chunks WHERE shelf=?", (shelf,)
        ):
            text = own or "\n".join(unit for _, unit in msgspec.json.decode(units))
            connection.execute(
                f"INSERT INTO {name}_words(rowid, own, near) VALUES (?, ?, ?)",  # noqa: S608
                (number, searchable(text), searchable(near)),
            )


def drop_unused_embeddings(connection: apsw.Connection) -> None:
    """Forget cached vectors whose text no chunk has any more."""
    connection.execute("DELETE FROM embeddings WHERE digest NOT IN (SELECT digest FROM chunks)")
