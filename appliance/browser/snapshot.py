"""A page as a model reads it: the accessibility tree with references, made short. Pure functions over text.

Playwright's own snapshot is a YAML list with two spaces a level; what comes out is one too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field

FULL_CHARS, EFFICIENT_CHARS = 40_000, 8_000
_REF = re.compile(r" \[ref=(\w+)\]")
_NOISE = re.compile(r" \[(?:cursor=pointer|active)\]")
_USABLE = frozenset(
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider"
    " spinbutton switch tab textbox treeitem".split()
)
_WRAPPERS = frozenset("generic group none presentation paragraph listitem row rowgroup cell strong emphasis".split())
_TEXT_CUTS = (300, 120, 40)  # characters of a line, one step after another until the page fits
_URL_CUT = 200


@dataclass(slots=True)
class Node:
    """One line of the tree and what stands below it. `head` is role, name and marks; `text` follows a colon."""

    head: str
    text: str = ""
    children: list[Node] = field(default_factory=list)

    @property
    def role(self) -> str:
        return self.head.partition(" ")[0]

    @property
    def ref(self) -> str:
        found = _REF.search(self.head)
        return found[1] if found else ""

    @property
    def usable(self) -> bool:
        named = self.role == "generic" and '"' in self.head  # a summary, and other things that are named to be used
        return self.role in _USABLE or named or "[cursor=pointer]" in self.head

    @property
    def bare(self) -> bool:
        """A wrapper that says nothing itself."""
        return self.role in _WRAPPERS and '"' not in self.head and not self.text


def parse(raw: str) -> list[Node]:
    """Given Playwright's snapshot, return its tree."""
    roots: list[Node] = []
    open_nodes: list[tuple[int, Node]] = []
    for line in raw.splitlines():
        body = line.lstrip(" ")
        if not body.startswith("- "):
            if open_nodes and body:
                open_nodes[-1][1].text += " " + body
            continue
        depth = len(line) - len(body)
        node = _node(body[2:])
        while open_nodes and open_nodes[-1][0] >= depth:
            open_nodes.pop()
        (open_nodes[-1][1].children if open_nodes else roots).append(node)
        open_nodes.append((depth, node))
    return roots


def _node(body: str) -> Node:
    if body.startswith("'"):  # a head with a colon in its name is quoted as a whole
        end = re.search(r"'(?:: |:?$)", body[1:])
        if end:
            return Node(body[1 : end.start() + 1].replace("''", "'"), body[end.end() + 1 :].strip())
    cut = _end_of_head(body)
    return Node(body[:cut], body[cut + 1 :].strip())


def _end_of_head(body: str) -> int:
    """Where the colon after role, name and marks stands (names may hold colons), or the end."""
    quoted = False
    for index, character in enumerate(body):
        if character == '"' and body[index - 1] != "\\":
            quoted = not quoted
        elif character == ":" and not quoted and index > 0:
            return index
    return len(body)


def refs(nodes: list[Node]) -> set[str]:
    """Every reference of a tree."""
    return {node.ref for node in walk(nodes) if node.ref}


def walk(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from walk(node.children)


def shortened(nodes: list[Node]) -> list[Node]:
    """The efficient form: wrappers are gone, and only what can be used keeps its reference."""
    kept: list[Node] = []
    for node in nodes:
        children = shortened(node.children)
        clickable = node.usable and not (node.bare and any(child.usable for child in walk(node.children)))
        if node.bare and not clickable:
            kept.extend(children)
            continue
        head = node.head if clickable or node.role == "iframe" else _REF.sub("", node.head)
        text = node.text
        if node.role == "paragraph" and not children:
            head = "text"
        if node.role in ("listitem", "cell", "row", "paragraph") and not text and _repeats(node.head, children):
            children = []  # its name was made of its children's texts
        kept.append(Node(_NOISE.sub("", head), text, children))
    return kept


def _repeats(head: str, children: list[Node]) -> bool:
    return '"' in head and all(not child.usable for child in walk(children))


def matching(nodes: list[Node], query: str) -> list[Node]:
    """The nodes in which a word of the query stands, with what is above and below them."""
    words = query.casefold().split()
    kept: list[Node] = []
    for node in nodes:
        line = f"{node.head} {node.text}".casefold()
        if any(word in line for word in words):
            kept.append(node)
            continue
        children = matching(node.children, query)
        if children:
            kept.append(Node(node.head, node.text, children))
    return kept


def signature(node: Node) -> str:
    """What makes a line the same line in a later snapshot."""
    return f"{_NOISE.sub('', _REF.sub('', node.head))}: {node.text}"


def signatures(nodes: list[Node]) -> set[str]:
    return {signature(node) for node in walk(nodes)}


def lines(nodes: list[Node], known: Set[str] | None = None, cut: int = 0) -> list[str]:
    """The tree as lines. What is usable and not among the `known` signatures gets a [new] mark; `cut` shortens."""
    out: list[str] = []
    _write(nodes, known, cut, 0, out)
    return out


def _write(nodes: list[Node], known: Set[str] | None, cut: int, depth: int, out: list[str]) -> None:
    for node in nodes:
        head = node.head
        if known is not None and node.ref and signature(node) not in known:
            head = _REF.sub(lambda found: f"{found[0]} [new]", head)
        text = _cut(node.text, _URL_CUT if node.head == "/url" else cut) if cut else node.text
        if cut and len(head) > cut + 60:
            head = _cut_name(head, cut)
        if ": " in head or " #" in head or head.endswith(":"):
            head = "'" + head.replace("'", "''") + "'"
        colon = ":" if node.children or text else ""
        out.append(f"{'  ' * depth}- {head}{colon}{' ' + text if text else ''}")
        _write(node.children, known, cut, depth + 1, out)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return text[:most].rstrip("\\") + ('…"' if text.startswith('"') else "…")


def _cut_name(head: str, most: int) -> str:
    """A head whose quoted name is shortened; marks after it stay."""
    start, end = head.find('"'), head.rfind('"')
    if start < 0 or end - start <= most:
        return head
    return head[: start + 1 + most].rstrip("\\") + "…" + head[end:]


def render(nodes: list[Node], known: Set[str] | None, *, full: bool, query: str = "") -> str:
    """The snapshot as text within its cap; says what was left out."""
    tree = nodes if full else shortened(nodes)
    if query:
        tree = matching(tree, query)
        if not tree:
            return f"(nothing on the page holds {query!r})"
    most = FULL_CHARS if full else EFFICIENT_CHARS
    shown: list[str] = []
    for cut in (0,) if full else _TEXT_CUTS:
        shown = lines(tree, known, cut)
        if sum(len(line) + 1 for line in shown) <= most:
            return "\n".join(shown) or "(an empty page)"
    room, count = most - 120, 0
    for count, line in enumerate(shown):  # noqa: B007 - how many fit is what is wanted
        room -= len(line) + 1
        if room < 0:
            break
    hint = "narrow it with text=<words>" + ("" if full else " or see more with full=true")
    return "\n".join(shown[:count]) + f"\n# {len(shown) - count} more lines are left out; {hint}"
