"""From the text of a command to the words that would run, with a small POSIX grammar of our own.

Known here: blanks, single quotes, double quotes, backslash and `|`. Every other character that a shell would act on is
a refusal, so the words returned are exactly what a shell would pass on, and exactly what the runner passes as argv.
What this module does not understand never runs; it does not guess.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

MAX_BYTES = 8192
MAX_SEGMENTS = 16

_LIVE = {
    ";": "a command separator",
    "&": "a background or chaining operator",
    "<": "a redirection or process substitution",
    ">": "a redirection or process substitution",
    "(": "a subshell or function",
    ")": "a subshell or function",
    "{": "a group or brace expansion",
    "}": "a group or brace expansion",
    "$": "an expansion or substitution",
    "`": "a command substitution",
    "*": "a glob",
    "?": "a glob",
    "[": "a glob",
    "]": "a glob",
}
# Drawn as nothing, or as a blank that the shell does not split at: what a person reads is not what would run.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\ufffc\ufffd")
_RESERVED = frozenset(
    "if then else elif fi do done case esac while until for in function select coproc [[ ]] { } !".split()
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\+?=|\[)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOCALE = re.compile(r"[A-Za-z0-9_.@-]{0,40}")
_ZONE = re.compile(r"[A-Za-z0-9_+-]{1,40}(/[A-Za-z0-9_+-]{1,40}){0,2}")


class RefusedError(Exception):
    """The text cannot be judged as words; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One process of a pipeline: its argv after quote removal, and the few variables it may be given."""

    words: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Word:
    text: str = ""
    begun: bool = False
    bare_prefix: int = 0  # how many characters at the start were written without any quoting
    quoted: bool = False

    def add(self, character: str, *, quoted: bool) -> None:
        self.begun = True
        if quoted:
            self.quoted = True
        elif not self.quoted:
            self.bare_prefix += 1
        self.text += character


def check_text(command: str) -> None:
    """Given a command, raise RefusedError for text that cannot be shown to a person as what it is."""
    try:
        size = len(command.encode("utf-8"))
    except UnicodeEncodeError:
        raise RefusedError("The text is not valid UTF-8.") from None
    if size > MAX_BYTES:
        raise RefusedError(f"The command is {size} bytes long; the most is {MAX_BYTES}.")
    for character in command:
        if character == "\t" or " " <= character <= "~":
            continue
        if character in "\r\n":
            raise RefusedError("A line break would start a second command.")
        category = unicodedata.category(character)
        if category in ("Cc", "Cf", "Zl", "Zp") or character in _INVISIBLE or ord(character) & 0xFFFE == 0xFFFE:
            raise RefusedError(f"The invisible or control character U+{ord(character):04X} hides what would run.")
    if not command.strip(" \t"):
        raise RefusedError("The command is empty.")


def split(command: str) -> list[Segment]:
    """Given a command, return its pipeline segments; raise RefusedError for anything beyond the small grammar."""
    check_text(command)
    pipeline: list[list[_Word]] = [[]]
    word = _Word()
    position = 0
    while position < len(command):
        character = command[position]
        if character in " \t|":
            if word.begun:
                pipeline[-1].append(word)
                word = _Word()
            if character == "|":
                pipeline.append([])
            position += 1
        elif character == "'":
            position = _single_quoted(command, position, word)
        elif character == '"':
            position = _double_quoted(command, position, word)
        elif character == "\\":
            if position + 1 == len(command):
                raise RefusedError("The command ends in a lone backslash.")
            word.add(command[position + 1], quoted=True)
            position += 2
        else:
            _refuse_live(character, word)
            word.add(character, quoted=False)
            position += 1
    if word.begun:
        pipeline[-1].append(word)
    if len(pipeline) > MAX_SEGMENTS:
        raise RefusedError(f"A pipeline of {len(pipeline)} parts; the most is {MAX_SEGMENTS}.")
    return [_segment(words) for words in pipeline]


def safe_variable(name: str, value: str) -> bool:
    """True for the few variables that choose language, time zone or colour, with values that name no file."""
    if name in ("LANG", "NO_COLOR", "TERM") or re.fullmatch(r"LC_[A-Z]{2,16}", name):
        return _LOCALE.fullmatch(value) is not None and ".." not in value
    return name == "TZ" and _ZONE.fullmatch(value) is not None


def assignment(text: str) -> tuple[str, str] | None:
    """Given a word, return (name, value) when it has the form of an assignment, else None."""
    name, sign, value = text.partition("=")
    return (name, value) if sign and _NAME.fullmatch(name) else None


def _single_quoted(command: str, position: int, word: _Word) -> int:
    end = command.find("'", position + 1)
    if end < 0:
        raise RefusedError("A single quote is not closed.")
    word.add(command[position + 1 : end], quoted=True)
    return end + 1


def _double_quoted(command: str, position: int, word: _Word) -> int:
    word.add("", quoted=True)
    position += 1
    while position < len(command):
        character = command[position]
        if character == '"':
            return position + 1
        if character in "$`":
            raise RefusedError(f"Inside double quotes `{character}` is still {_LIVE[character]}.")
        if character == "\\" and command[position + 1 : position + 2] in ("$", "`", '"', "\\"):
            position += 1
            character = command[position]
        word.add(character, quoted=True)
        position += 1
    raise RefusedError("A double quote is not closed.")


def _refuse_live(character: str, word: _Word) -> None:
    if character in _LIVE:
        raise RefusedError(f"`{character}` outside quotes is {_LIVE[character]}.")
    if character == "#" and not word.begun:
        raise RefusedError("A comment can carry text that fools a reader.")
    if character == "~" and (not word.begun or re.fullmatch(r"[A-Za-z_]\w*=(.*:)?", word.text)):
        raise RefusedError("`~` at the start of a word expands to a home folder.")
    if unicodedata.category(character) == "Zs":
        raise RefusedError(f"U+{ord(character):04X} looks like a blank but does not separate words.")


def _segment(words: list[_Word]) -> Segment:
    if not words:
        raise RefusedError("A part of the pipeline is empty.")
    environment: list[tuple[str, str]] = []
    while words:
        first = words[0]
        match = _ASSIGNMENT.match(first.text)
        if match is None or match.end() > first.bare_prefix:
            break
        pair = assignment(first.text)
        if pair is None or not safe_variable(*pair):
            raise RefusedError(f"Setting {first.text.split('=')[0]} can change what a program loads or does.")
        environment.append(pair)
        words = words[1:]
    if not words:
        raise RefusedError("An assignment without a command.")
    name = words[0].text
    if name in _RESERVED:
        raise RefusedError(f"`{name}` is a reserved word of the shell.")
    if any(word.text == "!" and not word.quoted for word in words):
        raise RefusedError("`!` is a reserved word of the shell.")
    return Segment(tuple(word.text for word in words), tuple(environment))
