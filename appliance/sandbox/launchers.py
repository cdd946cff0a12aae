"""Programs whose work is to run other programs: wrappers, shells and interpreters.

A wrapper is opened and its inner command judged. A shell line, a program read from standard input and an inline program
that reaches for processes, files or the network are never offered: nobody can vouch for what they would do. A script
file may be asked about, because its content can be shown and bound by hash.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from appliance.sandbox.paths import forbidden
from appliance.sandbox.verdicts import Ruling, ask, deny
from appliance.sandbox.words import assignment, safe_variable

SHELLS = frozenset(
    "sh bash dash zsh ksh ksh93 mksh pdksh lksh ash fish csh tcsh rbash rzsh rksh yash rc es elvish nu xonsh osh oil "
    "ion "
    "pwsh powershell busybox-sh sash bash-static zsh-static hush posh".split()
)
INTERPRETERS = frozenset(
    "python pypy perl ruby jruby node nodejs deno bun php lua luajit R Rscript tclsh wish expect julia groovy scala "
    "kotlin "
    "guile sbcl clisp ghci runghc runhaskell erl escript elixir iex irb ipython jshell osascript raku ocaml swift "
    "racket "
    "gosh chicken csi micropython qjs js d8 gjs octave maxima gnuplot bc dc".split()
)
_CALCULATORS = frozenset({"bc", "dc"})
_VERSIONED = re.compile(r"^([A-Za-z]+?)[-.]?\d[\d.]*(-?[a-z]*)?$")
_ANY_SHELL_LINE = re.compile(r"[-+][A-Za-z]*[cis][A-Za-z]*")
_SCRIPT_FLAGS = re.compile(r"-[exuvnafbmhBEPT]+")
_BARE_LONG = frozenset({"--norc", "--noprofile", "--posix", "--verbose", "--no-rcs", "--restricted"})
# Words of an inline program that reach beyond arithmetic and text. A person cannot weigh these at a glance.
_REACHING = re.compile(
    r"exec|system|popen|spawn|subprocess|fork|socket|pty|eval|compile|__|getattr|import_module|importlib|ctypes|cffi"
    r"|environ|getenv|process\b|\bENV\b|%ENV|open|file|unlink|remove|rmtree|rename|chmod|read|write|require|child_|qx"
    r"|`|http|url|fetch|request|net\b|IO\b|os\b|sys\b|shutil|pathlib|base64|decode|chr\(|\\x|\\u|pickle|marshal|load"
    r"|kill|signal|mmap|/etc|/dev|/proc|/root|\.ssh|passwd|while|loop|dofile|shell|globals|vars|builtins|runpy|code\b",
    re.IGNORECASE,
)
_SERVER_MODULES = re.compile(
    r"http\.server|SimpleHTTPServer|http|ftplib|smtpd|smtplib|telnetlib|pty|pdb|code|codeop|asyncio|idlelib.*|timeit"
    r"|cProfile|profile|trace|runpy|webbrowser|xmlrpc.*|socketserver|pyftpdlib|doctest|wsgiref.*|turtledemo|bdb"
)
_INLINE_LETTERS = {"python": "c", "pypy": "c", "php": "rBRE", "Rscript": "e", "expect": "c", "groovy": "e", "tclsh": ""}
_PLAIN_LETTERS = {
    "python": "bBdEIOPqsSuvx", "pypy": "bBdEIOPqsSuvx", "perl": "wWTtUuc", "ruby": "wWvc", "node": "c", "lua": "vEW",
    "php": "nqlw", "bc": "lqsw", "dc": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Opened:
    """A wrapper's inner command, or why the wrapper itself is refused or only asked about (`words` empty)."""

    words: tuple[str, ...] = ()
    ruling: Ruling | None = None


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """Options of a wrapper: plain flags, options with a value, and how many words stand before the command."""

    flags: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    before: int = 0
    number: bool = False


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


WRAPPERS: dict[str, _Wrapper] = {
    "env": _Wrapper(flags=_set("-i - -0 -v --ignore-environment --null --debug"), values=_set("-u --unset")),
    "nice": _Wrapper(values=_set("-n --adjustment"), number=True),
    "timeout": _Wrapper(
        flags=_set("-v --verbose --foreground --preserve-status"), values=_set("-k -s --kill-after --signal"), before=1
    ),
    "nohup": _Wrapper(),
    "stdbuf": _Wrapper(values=_set("-i -o -e --input --output --error")),
    "time": _Wrapper(flags=_set("-p -v --portability --verbose"), values=_set("-f --format")),
    "command": _Wrapper(flags=_set("-p")),
    "busybox": _Wrapper(),
    "toybox": _Wrapper(),
    "setsid": _Wrapper(flags=_set("-w --wait")),
    "ionice": _Wrapper(flags=_set("-t --ignore"), values=_set("-c -n --class --classdata")),
    "taskset": _Wrapper(before=1),
    "chrt": _Wrapper(flags=_set("-o -b -i --other --batch --idle"), before=1),
}


def base_name(program: str) -> str:
    return program.rstrip("/").rpartition("/")[2]


def family(name: str) -> str:
    """A program's name without its version: python3.11 is python, lua5.4 is lua; other names are unchanged."""
    match = _VERSIONED.match(name)
    return match.group(1) if match and match.group(1) in SHELLS | INTERPRETERS | {"gawk", "mawk"} else name


def is_shell(program: str) -> bool:
    return family(base_name(program).lower()) in SHELLS


def is_interpreter(program: str) -> bool:
    name = base_name(program)
    return family(name) in INTERPRETERS or family(name.lower()) in INTERPRETERS


def is_wrapper(program: str) -> bool:
    return base_name(program) in WRAPPERS


def is_awk(program: str) -> bool:
    return family(base_name(program)) in ("awk", "gawk", "mawk", "nawk", "original-awk", "goawk")


def open_wrapper(words: tuple[str, ...]) -> Opened:
    """Given a wrapper's words, return the command inside it, or the ruling on the wrapper alone."""
    name = base_name(words[0])
    spec = WRAPPERS[name]
    rest = list(words[1:])
    if name == "command" and rest[:1] and re.fullmatch("-p?[vV]+", rest[0]):
        return Opened(ruling=ask("Tells where a program is."))
    while rest and (rest[0].startswith("-") and rest[0] not in ("--",)):
        option = rest.pop(0)
        known = _wrapper_option(spec, option, rest)
        if not known:
            return Opened(ruling=deny(f"{option} of {name} can change what is run, or is unknown."))
    if rest and rest[0] == "--":
        rest.pop(0)
    if name == "env":
        while rest and "=" in rest[0]:
            pair = assignment(rest.pop(0))
            if pair is None or not safe_variable(*pair):
                return Opened(ruling=deny("env sets a variable that can change what a program loads or does."))
    for _ in range(spec.before):
        if not rest or not re.fullmatch(r"[0-9][0-9a-fA-Fx.,smhd-]*|inf(inity)?", rest[0]):
            return Opened(ruling=deny(f"{name} needs its number before the command."))
        rest.pop(0)
    if not rest:
        if name in ("env", "setsid", "nohup", "time", "timeout", "command", "taskset", "chrt", "stdbuf"):
            why = "env alone prints the environment." if name == "env" else f"{name} without a command."
            return Opened(ruling=deny(why))
        return Opened(ruling=ask(f"{name} alone only tells about itself."))
    return Opened(words=tuple(rest))


def _wrapper_option(spec: _Wrapper, option: str, rest: list[str]) -> bool:
    name, sign, _ = option.partition("=")
    if option in spec.flags:
        return True
    if name in spec.values and (sign or not name.startswith("--")):
        if not sign:
            if not rest:
                return False
            rest.pop(0)
        return name.startswith("--") or not sign
    if option in spec.values:
        return bool(rest) and bool(rest.pop(0) or True)
    if option[:2] in spec.values and not option.startswith("--") and len(option) > 2:
        return True
    if spec.number and re.fullmatch(r"--?[0-9]{1,2}", option):
        return True
    flags = "".join(flag[1] for flag in spec.flags if len(flag) == 2)
    return re.fullmatch(f"-[{flags}]+", option) is not None if flags else False


def judge_shell(words: tuple[str, ...]) -> Ruling:
    """A shell may be asked about with a script file and harmless flags; never with a line, or standard input."""
    name = base_name(words[0])
    if words[1:] in (("--version",), ("--help",)):
        return ask("Only tells about itself.")
    if any(re.fullmatch("-[A-Za-z]*c", word) for word in words[1:]):
        return deny(f"{name} -c: a shell line as one argument, which nobody can judge by its words.")
    for word in words[1:]:
        if word in _BARE_LONG or (_SCRIPT_FLAGS.fullmatch(word) and not _ANY_SHELL_LINE.fullmatch(word)):
            continue
        if word.startswith(("-", "+")):
            return deny(f"{name} {word}: a shell with this option runs a line or a start-up file that nobody approved.")
        return _script(name, word)
    return deny(f"{name} without a script runs whatever it is fed.")


def shell_line_inside(words: tuple[str, ...]) -> bool:
    """True when a later word is a shell followed by `-c` or the like, whatever launches it."""
    return any(
        is_shell(word) and _ANY_SHELL_LINE.fullmatch(following) is not None
        for word, following in itertools.pairwise(words[1:])
    )


def judge_interpreter(words: tuple[str, ...]) -> Ruling:
    """A script file is asked about; inline text is shown whole when it only computes, else refused."""
    program = base_name(words[0])
    name = family(program) if family(program) in INTERPRETERS else family(program.lower())
    rest = list(words[1:])
    if not rest and name not in _CALCULATORS:
        return deny(f"{program} without a script runs whatever it is fed.")
    if name in ("deno", "bun"):
        return _subcommand_runtime(name, rest)
    while rest:
        word = rest.pop(0)
        if word in ("--version", "-V", "--help", "-h") and not rest:
            return ask("Only tells about itself.")
        if word == "--":
            return _script(name, rest[0]) if rest else deny(f"{name} reads its program from standard input.")
        if word == "-" or not word.startswith("-"):
            return _script(name, word)
        if word.startswith("--"):
            return _long_option(name, word, rest)
        if name in ("python", "pypy") and re.fullmatch(r"-[bBdEIOPqsSuvx]*m.*", word):
            module = word.partition("m")[2] or (rest[0] if rest else "")
            return deny(f"The module {module} serves, connects or runs code.") if (
                not module or _SERVER_MODULES.fullmatch(module)
            ) else ask(f"Runs the module {module}.")  # fmt: skip
        ruling = _interpreter_letters(name, word, rest)
        if ruling is not None:
            return ruling
    if name in _CALCULATORS:
        return ask("Not approved in advance.")
    return deny(f"{program} reads its program from standard input.")


def _long_option(name: str, word: str, rest: list[str]) -> Ruling:
    option, sign, value = word.partition("=")
    if option in ("--eval", "--print", "--execute", "--run"):
        return _inline(name, value if sign else " ".join(rest))
    if option in ("--test", "--check", "--syntax", "--trace-warnings", "--no-warnings"):
        operands = [text for text in rest if not text.startswith("-")]
        return _script(name, operands[0]) if operands else ask(f"{name} {option}.")
    return deny(f"{option} of {name} can load or run other code.")


def _interpreter_letters(name: str, word: str, rest: list[str]) -> Ruling | None:
    inline = _INLINE_LETTERS.get(name, "eEpf" if name == "node" else "eE")
    if name == "node":
        inline = "ep"
    plain = _PLAIN_LETTERS.get(name, "")
    for index, letter in enumerate(word[1:], start=1):
        if letter in inline:
            text = word[index + 1 :] or (rest[0] if rest else "")
            return _inline(name, " ".join([text, *rest]))
        if name in ("perl", "ruby") and letter in "npalsi0":
            continue
        if letter not in plain:
            return deny(f"-{letter} of {name} can load or run other code, or is unknown.")
    return None


def _inline(name: str, text: str) -> Ruling:
    match = _REACHING.search(text)
    if match or not text.strip():
        what = f"`{match.group()}`" if match else "nothing"
        return deny(f"An inline {name} program with {what}: put it into a script, which can be shown and bound.")
    return ask(f"An inline {name} program, shown whole.")


def _subcommand_runtime(name: str, rest: list[str]) -> Ruling:
    verb = rest[0]
    if verb in ("run", "test", "fmt", "lint", "check", "install", "build", "task", "add") and not any(
        word.startswith(("-e", "--eval", "--allow-run", "-A", "--allow-all")) for word in rest
    ):
        return ask(f"Runs {name} {verb}.")
    if not verb.startswith("-") and re.search(r"\.[cm]?[jt]sx?$", verb):
        return _script(name, verb)
    return deny(f"{name} {verb} runs code that nobody approved.")


def _script(name: str, path: str) -> Ruling:
    if path == "-" or path.startswith("/dev/"):
        return deny(f"{name} reads its program from standard input.")
    reason = forbidden(path)
    return deny(reason) if reason else ask(f"Runs the file {path}; its content is bound by hash when approved.")
