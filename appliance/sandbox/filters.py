"""The nine filters that may run unasked: which options each may have, and that it reads standard input only.

Lists of what is allowed, never of what is forbidden: an option that is not here is refused, long options count in full
spelling only, short clusters are opened letter by letter, and a letter that takes a value ends its cluster.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from appliance.sandbox import jq
from appliance.sandbox.paths import forbidden, operand
from appliance.sandbox.verdicts import Ruling, allow, ask, deny, strictest

_ANY = r"(?s:.*)"
_NUMBER = r"\d{1,9}"
_COUNT = r"[-+]?\d{1,15}(b|kB|[kKMGT](iB|B)?)?"
_LIST = r"[0-9, -]{1,400}"
_CHARACTER = r"(?s:.)|\\0"
_KEY = r"\d{1,4}(\.\d{1,4})?[bdfgiMhnRrV]*(,\d{1,4}(\.\d{1,4})?[bdfgiMhnRrV]*)?"
_WHEN = r"always|never|auto"


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter's options.

    flags: short letters without a value. values: short letters or long names with the shape of their value. long: long
    names without a value. optional: long names whose value, if any, follows `=`. asked: options that a person may say
    yes to. number: shape of the old `-20` form. stops: options end at the first operand.
    """

    flags: str = ""
    values: dict[str, str] = field(default_factory=dict)
    long: frozenset[str] = frozenset()
    optional: dict[str, str] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()
    number: str = ""
    stops: bool = False


@dataclass(slots=True)
class Reading:
    """A command line taken apart: options given (by name), what is wrong with them, and the other words."""

    given: dict[str, str | None] = field(default_factory=dict)
    faults: list[Ruling] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HELP = _names("help version")
FILTERS: dict[str, Filter] = {
    "grep": Filter(
        flags="EFGPivclLnhHowxqsazybIUZT",
        values={
            "e": _ANY, "m": _NUMBER, "A": _NUMBER, "B": _NUMBER, "C": _NUMBER,
            "regexp": _ANY, "max-count": _NUMBER, "after-context": _NUMBER, "before-context": _NUMBER,
            "context": _NUMBER, "label": _ANY, "binary-files": "text|binary|without-match",
        },
        long=_names(
            "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match count "
            "files-with-matches files-without-match line-number no-filename with-filename only-matching word-regexp "
            "line-regexp quiet silent no-messages text null-data byte-offset line-buffered null initial-tab binary"
        ),
        optional={"color": _WHEN, "colour": _WHEN},
        asked=_names("r R recursive dereference-recursive include exclude exclude-dir V") | _HELP,
        number=_NUMBER,
    ),
    "cut": Filter(
        flags="nsz",
        values={
            "b": _LIST, "c": _LIST, "f": _LIST, "d": _CHARACTER, "bytes": _LIST, "characters": _LIST, "fields": _LIST,
            "delimiter": _CHARACTER, "output-delimiter": _ANY,
        },
        long=_names("only-delimited complement zero-terminated"),
        asked=_HELP,
    ),
    "sort": Filter(
        flags="bdfghiMnrRVuszcCm",
        values={
            "k": _KEY, "t": _CHARACTER, "key": _KEY, "field-separator": _CHARACTER,
            "sort": "general-numeric|human-numeric|month|numeric|random|version",
        },
        long=_names(
            "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort "
            "ignore-nonprinting month-sort numeric-sort reverse random-sort version-sort unique stable "
            "zero-terminated merge debug"
        ),
        optional={"check": "quiet|silent|diagnose-first"},
        asked=_names("S buffer-size parallel batch-size") | _HELP,
    ),
    "uniq": Filter(
        flags="cdDiuz",
        values={
            "f": _NUMBER, "s": _NUMBER, "w": _NUMBER,
            "skip-fields": _NUMBER, "skip-chars": _NUMBER, "check-chars": _NUMBER,
        },
        long=_names("count repeated ignore-case unique zero-terminated"),
        optional={"all-repeated": "none|prepend|separate", "group": "separate|prepend|append|both"},
        asked=_HELP,
        number=_NUMBER,
    ),
    "head": Filter(
        flags="qvz",
        values={"n": _COUNT, "c": _COUNT, "lines": _COUNT, "bytes": _COUNT},
        long=_names("quiet silent verbose zero-terminated"),
        asked=_HELP,
        number=_NUMBER,
    ),
    "tail": Filter(
        flags="qvz",
        values={"n": _COUNT, "c": _COUNT, "lines": _COUNT, "bytes": _COUNT},
        long=_names("quiet silent verbose zero-terminated"),
        asked=_HELP,
        number=_NUMBER,
    ),
    "tr": Filter(
        flags="cCdst",
        long=_names("complement delete squeeze-repeats truncate-set1"),
        asked=_HELP,
        stops=True,
    ),
    "wc": Filter(
        flags="cmlwL",
        values={"total": "auto|always|only|never"},
        long=_names("bytes chars lines words max-line-length"),
        asked=_HELP,
    ),
    "jq": Filter(
        flags="nrjasRcCMSe",
        values={"indent": "[0-8]"},
        long=_names(
            "null-input raw-input slurp compact-output raw-output join-output raw-output0 ascii-output color-output "
            "monochrome-output tab unbuffered sort-keys seq stream stream-errors args jsonargs binary"
        ),
        optional={"exit-status": r"\d{1,3}"},
        asked=_names("h V") | _HELP,
    ),
}  # fmt: skip


def judge(name: str, arguments: tuple[str, ...]) -> Ruling:
    """Given a filter's name and arguments, allow what reads standard input only; say why for the rest."""
    if name == "jq":
        reading = _read_jq(arguments)
    else:
        reading = read(FILTERS[name], arguments)
        reading.faults.extend(_OPERANDS[name](reading))
    fine = allow(f"{name} with literal arguments reads standard input only.")
    return strictest([*reading.faults, fine])


def read(spec: Filter, arguments: tuple[str, ...]) -> Reading:
    """Take a command line apart by the rules of getopt_long, refusing what is not in the filter's lists."""
    reading = Reading()
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            reading.operands.extend(words)
            break
        if word.startswith("--"):
            _long(spec, word, words, reading)
        elif word.startswith("-") and word != "-":
            _cluster(spec, word, words, reading)
        else:
            reading.operands.append(word)
            if spec.stops:
                reading.operands.extend(words)
                break
    return reading


def _long(spec: Filter, word: str, words: list[str], reading: Reading) -> None:
    name, sign, value = word[2:].partition("=")
    if name in spec.values:
        if not sign and not words:
            reading.faults.append(deny(f"--{name} needs a value."))
            return
        _value(f"--{name}", name, value if sign else words.pop(0), spec.values[name], reading)
    elif name in spec.optional:
        if sign:
            _value(f"--{name}", name, value, spec.optional[name], reading)
        reading.given.setdefault(name, None)
    elif name in spec.long and not sign:
        reading.given[name] = None
    elif name in spec.asked:
        reading.faults.append(_asked(word, value))
        if (
            name in ("buffer-size", "parallel", "batch-size", "include", "exclude", "exclude-dir")
            and not sign
            and words
        ):
            words.pop(0)
        reading.given[name] = value
    else:
        reading.faults.append(deny(f"--{name} is not among the options that only read standard input."))


def _cluster(spec: Filter, word: str, words: list[str], reading: Reading) -> None:
    if spec.number and re.fullmatch(spec.number, word[1:]):
        return
    letters = word[1:]
    for index, letter in enumerate(letters):
        rest = letters[index + 1 :]
        if letter in spec.values:
            if not rest and not words:
                reading.faults.append(deny(f"-{letter} needs a value."))
                return
            _value(f"-{letter}", letter, rest or words.pop(0), spec.values[letter], reading)
            return
        if letter in spec.asked:
            reading.given[letter] = None
            takes_value = letter == "S"
            reading.faults.append(_asked(f"-{letter}", rest if takes_value else ""))
            if takes_value:
                size = rest or (words.pop(0) if words else "")
                if not re.fullmatch(r"\d{1,15}[%bkKMGTPEZY]?", size):
                    reading.faults.append(deny(f"{size!r} is not a size for -{letter}."))
                return
        elif letter in spec.flags:
            reading.given[letter] = None
        else:
            reading.faults.append(deny(f"-{letter} is not among the options that only read standard input."))
            return


def _value(shown: str, name: str, value: str, shape: str, reading: Reading) -> None:
    reading.given[name] = value
    if not re.fullmatch(shape, value):
        reason = forbidden(value, inside_only=True) if "/" in value else ""
        reading.faults.append(deny(reason) if reason else ask(f"{value!r} is an unusual value for {shown}."))


def _asked(shown: str, value: str) -> Ruling:
    reason = forbidden(value, inside_only=True) if "/" in value else ""
    return deny(reason) if reason else ask(f"{shown} goes beyond a plain filter of standard input.")


def _files(words: list[str]) -> list[Ruling]:
    return [operand(word) for word in words if word != "-"]


def _grep(reading: Reading) -> list[Ruling]:
    operands = reading.operands
    walks = {"r", "R", "recursive", "dereference-recursive"} & reading.given.keys()
    pattern = reading.given.get("e") or reading.given.get("regexp") or ""
    if walks and pattern.startswith("/") and forbidden(pattern, inside_only=True):
        return [deny(f"{pattern} looks like the folder to walk rather than the pattern.")]
    if not {"e", "regexp"} & reading.given.keys():
        if not operands:
            return [ask("grep without a pattern.")]
        pattern, *operands = operands
        if operands and pattern.startswith("/") and forbidden(pattern, inside_only=True):
            return [deny(f"{pattern} looks like the file rather than the pattern; write -e before a pattern.")]
    return _files(operands)


def _uniq(reading: Reading) -> list[Ruling]:
    rulings = _files(reading.operands[:1])
    if len(reading.operands) > 1:
        rulings.append(deny(f"The second operand of uniq, {reading.operands[1]}, is a file that it overwrites."))
    return rulings


def _tr(reading: Reading) -> list[Ruling]:
    if len(reading.operands) > 2:
        return [deny("tr takes two sets at most.")]
    return [] if reading.operands else [ask("tr without a set.")]


def _cut(reading: Reading) -> list[Ruling]:
    rulings = _files(reading.operands)
    if not {"b", "c", "f", "bytes", "characters", "fields"} & reading.given.keys():
        rulings.append(ask("cut without a list of fields."))
    return rulings


def _read_jq(arguments: tuple[str, ...]) -> Reading:
    """jq reads its words in order: one before `--args` may be a file, one after it is a value."""
    arguments, faults = _named_values(arguments)
    turn = next((i for i, word in enumerate(arguments) if word in ("--args", "--jsonargs", "--")), len(arguments))
    before, after = arguments[:turn], arguments[turn:]
    reading = read(FILTERS["jq"], before)
    operands = list(reading.operands)
    later = read(FILTERS["jq"], after)
    reading.faults.extend([*faults, *later.faults])
    valued = after[:1] not in ((), ("--",))
    words = operands + later.operands
    if not words:
        reading.faults.append(ask("jq without a program."))
        return reading
    files = operands[1:] if valued else words[1:]
    # A file name that is not plain may be the program, if another release of jq reads the words in another order.
    for word in [words[0], *(name for name in files if not re.fullmatch(r"[\w./-]+", name))]:
        reason = jq.refuse(word) or (forbidden(word) if word.startswith(("/", "~", "..")) and word != ".." else "")
        if reason:
            reading.faults.append(deny(reason))
    reading.faults.extend(_files(files))
    return reading


def _named_values(arguments: tuple[str, ...]) -> tuple[tuple[str, ...], list[Ruling]]:
    """Take `--arg NAME VALUE` and `--argjson NAME VALUE` out of jq's arguments; return the rest and what is wrong."""
    rest: list[str] = []
    faults: list[Ruling] = []
    position = 0
    while position < len(arguments):
        word = arguments[position]
        if word == "--":
            rest.extend(arguments[position:])
            break
        if word in ("--arg", "--argjson"):
            name = arguments[position + 1 : position + 2]
            if len(arguments) < position + 3 or not re.fullmatch(r"[A-Za-z_]\w*", name[0], re.ASCII):
                faults.append(deny(f"{word} needs a name and a value."))
            position += 3
            continue
        if word == "--indent":
            rest.extend(arguments[position : position + 2])
            position += 2
            continue
        rest.append(word)
        position += 1
    return tuple(rest), faults


_OPERANDS: dict[str, Callable[[Reading], list[Ruling]]] = {
    "grep": _grep,
    "cut": _cut,
    "sort": lambda reading: _files(reading.operands),
    "uniq": _uniq,
    "head": lambda reading: _files(reading.operands),
    "tail": lambda reading: _files(reading.operands),
    "tr": _tr,
    "wc": lambda reading: _files(reading.operands),
}
