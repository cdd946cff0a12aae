"""What the code can say: the texts that expressions stand for, to hold against the sentences in other languages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import appliance

ROOT = Path(appliance.__file__).parent


def written(node: ast.expr) -> list[str]:
    """The texts that an expression can be, `{}` for each value in them; none for what comes from elsewhere."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return ["".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)]
        case ast.IfExp(body=one, orelse=other):
            return written(one) + written(other)
        case ast.BoolOp(values=several):
            return [text for one in several for text in written(one)]
        case ast.BinOp(left=one, op=ast.Add(), right=other):
            return written(one) + written(other)
        case _:
            return []


def modules() -> Iterator[tuple[str, ast.Module]]:
    """(path below the package, tree) of every module that is not a table of texts."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith("texts/"):
            yield name, ast.parse(path.read_text(encoding="utf-8"))
