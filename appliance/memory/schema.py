"""The tables of index.db. All of it is derived: the file can be deleted at any time and is made again."""

from __future__ import annotations

from appliance.database import Migration

SHELVES = ("talk", "items")  # captured items are a list of their own
TALK, ITEMS = 0, 1

TOKENIZER = "porter unicode61 remove_diacritics 2"

MIGRATIONS: list[Migration] = [
    (
        "index",
        f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE scopes(
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
    person TEXT NOT NULL, see TEXT NOT NULL, UNIQUE(kind, agent, session, person, see)) STRICT;
CREATE TABLE files(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL,
    offset INTEGER NOT NULL DEFAULT 0, lines INTEGER NOT NULL DEFAULT 0, session TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE chunks(
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files(id), key TEXT NOT NULL,
    path TEXT NOT NULL, ordinal INTEGER NOT NULL, scope INTEGER NOT NULL, shelf INTEGER NOT NULL, kind TEXT NOT NULL,
    source TEXT NOT NULL, at REAL NOT NULL, script INTEGER NOT NULL, speaker TEXT NOT NULL,
    hidden INTEGER NOT NULL DEFAULT 0,
    units TEXT NOT NULL, own TEXT NOT NULL, near TEXT NOT NULL, messages TEXT NOT NULL, digest BLOB NOT NULL,
    wanted INTEGER NOT NULL DEFAULT 1, UNIQUE(file, key)) STRICT;
CREATE INDEX chunks_place ON chunks(file, ordinal);
CREATE INDEX chunks_wanted ON chunks(id) WHERE wanted;
CREATE VIRTUAL TABLE talk_words USING fts5(
    own, near, content='', contentless_delete=1, tokenize='{TOKENIZER}');
CREATE VIRTUAL TABLE items_words USING fts5(
    own, near, content='', contentless_delete=1, tokenize='{TOKENIZER}');
CREATE VIRTUAL TABLE talk_terms USING fts5vocab('talk_words', 'row');
CREATE VIRTUAL TABLE items_terms USING fts5vocab('items_words', 'row');
CREATE TABLE models(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL) STRICT;
CREATE TABLE embeddings(
    id INTEGER PRIMARY KEY, model INTEGER NOT NULL, digest BLOB NOT NULL, raw BLOB NOT NULL,
    UNIQUE(model, digest)) STRICT;
CREATE TABLE vectors(
    chunk INTEGER PRIMARY KEY, shelf INTEGER NOT NULL, scope INTEGER NOT NULL, script INTEGER NOT NULL,
    embedding INTEGER NOT NULL, bits BLOB NOT NULL) STRICT;
CREATE INDEX vectors_items ON vectors(chunk) WHERE shelf = 1;
CREATE TABLE means(
    script INTEGER PRIMARY KEY, count INTEGER NOT NULL, passage BLOB NOT NULL, query BLOB NOT NULL) STRICT;
CREATE TABLE hidden(session TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY(session, message)) STRICT;
""",
    ),
    (
        # Words are written in their plain form from here on: every file is read again, vectors come from their cache.
        "plain forms",
        """
INSERT INTO talk_words(talk_words) VALUES ('delete-all');
INSERT INTO items_words(items_words) VALUES ('delete-all');
DELETE FROM vectors;
DELETE FROM chunks;
UPDATE files SET stamp = '', offset = 0, lines = 0;
""",
    ),
    (
        "what was said on a day",
        "CREATE INDEX chunks_at ON chunks(at) WHERE shelf = 0;",
    ),
    (
        # Transcripts are read again.
        "sittings of a conversation",
        "ALTER TABLE chunks ADD COLUMN sitting INTEGER NOT NULL DEFAULT 0;"
        "UPDATE files SET stamp = '', offset = 0, lines = 0;",
    ),
    (
        # Two parts of one size are merged at once: a question looks up each of its words in every part.
        "few parts of the full-text tables",
        "INSERT INTO talk_words(talk_words, rank) VALUES ('crisismerge', 2);"
        "INSERT INTO items_words(items_words, rank) VALUES ('crisismerge', 2);",
    ),
]
