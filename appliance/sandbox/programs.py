"""What each program that is not a plain filter may do: refused outright, or put to a person."""

from __future__ import annotations

import re
from collections.abc import Callable

from appliance.sandbox import awk, launchers, never, sed, transfer
from appliance.sandbox.addresses import refuse_host, refuse_url
from appliance.sandbox.paths import forbidden, is_url, judge_words, normal
from appliance.sandbox.verdicts import Ruling, ask, deny, strictest

_ORDINARY = ask("Not approved in advance.")
_WRITERS = frozenset(
    "rm rmdir mv cp ln chmod chown chgrp install truncate touch mkdir dd rsync scp tar sed split csplit patch unzip "
    "zip gzip "
    "gunzip bzip2 xz zstd unlink fallocate mktemp cpio 7z unrar make wget curl convert ffmpeg tee sponge link".split()
)
# Long options that, in one program or another, name a program to run or code to load; matched by their first letters,
# because GNU programs accept them shortened.
_RUNNING_OPTION = re.compile(
    r"--?(exec|command|cmd$|cmd=|pager|editor|rsh|shell|sh-|script-shell|to-command|use-compress|compress-prog|checkpoint"
    r"|open-files-in|open-files|plugin|fplugin|preload|load|eval|require|hook|pre$|pre=|preproc|pre-|post-|upload-pack"
    r"|receive-pack|proxy-?c|filt|unzip-command|on-|run$|run=|wrapper|init-file|rcfile|browser|viewer|html|formatter"
    r"|extcmd|ext-diff|info-script|new-volume|rmt-|remote-shell|ask-?pass|use-askpass|config=|config-file|module-path"
    r"|hostname-bin|agent|engine$|engine=|provider|library-path|as-user|priv|user-data|debugger|callback)",
    re.IGNORECASE,
)
_DATABASE_REACHING = re.compile(
    r"\\!|\\copy|\\[og]|(^|\s)\.(sh|sy|im|ou|on|re|lo|ex|op|tr|cd|ar|ba|sa|cl)\w*|load_extension|writefile|readfile"
    r"|edit\(|PROGRAM|system|outfile|load_file|-init|\|",
    re.IGNORECASE,
)
_SED_NAMES = ("sed", "gsed", "ssed")
_ROOTS = frozenset({"", "/", ".", "~", "/workspace"})


def judge(words: tuple[str, ...], depth: int = 0) -> Ruling:
    """Given the words of one process that is not a plain filter, return ask or deny, with the reason."""
    program = words[0]
    reason = _refuse_name(program)
    if reason:
        return deny(reason)
    name = launchers.base_name(program)
    why = never.reason(name)
    if why:
        return deny(f"{name} {why}.")
    if depth > 4:
        return deny("Too many wrappers around one command.")
    if launchers.is_wrapper(program):
        return _wrapped(words, depth)
    rulings = [_boundaries(name, words)]
    if launchers.is_shell(program):
        rulings.append(launchers.judge_shell(words))
    elif launchers.is_awk(name):
        rulings.append(_awk(words))
    elif launchers.is_interpreter(program):
        rulings.append(launchers.judge_interpreter(words))
    else:
        rulings.append(_RULES.get(name, _other)(words))
    return strictest(rulings)


def inner(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command inside any wrappers: what "always" would have to remember. () when a wrapper holds none."""
    for _ in range(6):
        if not launchers.is_wrapper(words[0]):
            return words
        words = launchers.open_wrapper(words).words
        if not words:
            return ()
    return ()


def _refuse_name(program: str) -> str:
    if not program:
        return "The name of the program is empty."
    if program != ":" and not re.fullmatch(r"[A-Za-z0-9_./\[][A-Za-z0-9_.+/@\[-]*", program):
        return f"{program!r} is not a plain name of a program."
    if program.isdecimal():
        return f"{program} is a number, not a program."
    if program.endswith("/") or program in ("..", "/"):
        return f"{program} is a folder, not a program."
    if "/" in program:
        parts = program.split("/")
        if ".." in parts or re.match(r"/+(proc|dev|sys|etc|root|home|run|boot)(/|$)", program):
            return f"{program} reaches a program by a roundabout path."
    return ""


def _boundaries(name: str, words: tuple[str, ...]) -> Ruling:
    """What holds for every program: no forbidden path, no address inside, no shell line further on."""
    arguments = words[1:]
    if launchers.shell_line_inside(words):
        return deny("A shell line inside the arguments is text that nobody can judge.")
    # The first words of sed and awk are program text; their own rules tell it from the files.
    own = launchers.is_awk(name) or name in _SED_NAMES
    reason = "" if own else judge_words(arguments, writes=name in _WRITERS)
    if reason:
        return deny(reason)
    for word in arguments:
        if is_url(word) and re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", word):
            reason = refuse_url(word)
            if reason:
                return deny(reason)
    return _ORDINARY


def _wrapped(words: tuple[str, ...], depth: int) -> Ruling:
    opened = launchers.open_wrapper(words)
    if opened.ruling is not None:
        return opened.ruling
    from appliance.sandbox import filters  # here: a filter inside a wrapper is judged, but never better than ask

    program = opened.words[0]
    name = launchers.base_name(program)
    wrapper = launchers.base_name(words[0])
    judged = filters.judge(name, opened.words[1:]) if program in filters.FILTERS else judge(opened.words, depth + 1)
    return strictest([judged, ask(f"{wrapper} runs {name}: {judged.why}")])


_AWK_SAFE_OPTION = re.compile(r"-[Fv].*|--(posix|traditional|re-interval|version|help|(field-separator|assign)=.*)")


def _awk(words: tuple[str, ...]) -> Ruling:
    rest = list(words[1:])
    while rest and rest[0].startswith("-") and rest[0] != "--":
        option = rest.pop(0)
        if not _AWK_SAFE_OPTION.fullmatch(option):
            return deny(f"awk {option} loads a program from elsewhere or writes a file.")
        if option in ("-F", "-v") and rest:
            rest.pop(0)
    if rest[:1] == ["--"]:
        rest.pop(0)
    if not rest:
        return _ORDINARY
    reason = awk.refuse(rest[0]) or judge_words(tuple(rest[1:]))
    # gawk reads options behind the program too, where they would load other programs.
    if any(re.match(r"-[fiElode]|--[a-z]", word) for word in rest[1:]):
        reason = reason or "awk loads a program from elsewhere."
    return deny(reason) if reason else _ORDINARY


def _sed(words: tuple[str, ...]) -> Ruling:
    scripts: list[str] = []
    operands: list[str] = []
    rest = list(words[1:])
    while rest:
        word = rest.pop(0)
        if word in ("-e", "--expression"):
            scripts.append(rest.pop(0) if rest else "")
        elif word.startswith("--expression="):
            scripts.append(word.partition("=")[2])
        elif word.startswith("--"):
            if word.partition("=")[0] not in (
                "--quiet", "--silent", "--regexp-extended", "--in-place", "--line-length", "--posix", "--separate",
                "--sandbox", "--unbuffered", "--null-data", "--zero-terminated", "--debug", "--version", "--help", "--",
            ):  # fmt: skip
                return deny(f"sed {word} reads its script from a file, or is not known in full spelling.")
        elif word.startswith("-") and len(word) > 1:
            match = re.fullmatch(r"-([nErsuz]*)(e(.*)|i(.*)|l\d*)?", word)
            if not match:
                return deny(f"sed {word} reads its script from a file, or is not known.")
            if (match[2] or "").startswith("e"):
                scripts.append(match[3] or (rest.pop(0) if rest else ""))
            elif "/" in (match[4] or "") or "*" in (match[4] or ""):
                return deny(f"sed {word} would write its backups elsewhere.")
        else:
            operands.append(word)
    if not scripts:
        if not operands:
            return _ORDINARY
        scripts.append(operands.pop(0))
    reason = next((found for script in scripts if (found := sed.refuse(script))), "")
    reason = reason or judge_words(tuple(operands), writes=True)
    return deny(reason) if reason else ask("Edits text; with -i it edits files in place.")


def _find(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        if re.match(r"-(exec|ok|delete|fprint|fls|files0-from)", word):
            return deny(f"find {word} runs, deletes or writes what nobody has seen.")
    for word in words[1:]:
        if word.startswith(("-", "(", ")", "!")):
            break
        if forbidden(word, inside_only=True):
            return deny(f"find would walk {word}, outside the work folder.")
    return ask("Walks the work folder.")


def _fd(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        if re.match(r"-[A-Za-z]*[xX]|--(e.*|list-details|base-directory|search-path)", word):
            return deny(f"{words[0]} {word} can run a program or leave the work folder.")
    return _ORDINARY


def _rm(words: tuple[str, ...]) -> Ruling:
    operands: list[str] = []
    recursive = False
    for index, word in enumerate(words[1:], start=1):
        if word == "--":
            operands.extend(words[index + 1 :])
            break
        if re.match("--n", word):
            return deny("rm without its guard for the root.")
        if word.startswith("-"):
            recursive = recursive or re.match("-[A-Za-z]*[rR]|--r", word) is not None
        else:
            operands.append(word)
    for path in operands:
        plain = normal(path)
        if plain in _ROOTS or ".." in plain.split("/") or (recursive and plain in (".git",)):
            return deny(f"rm of {path or 'nothing'} would take the whole folder.")
    return ask(f"Deletes {', '.join(operands)}." if operands else "Deletes nothing.")


def _mode(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        if re.fullmatch(r"0?[2467]\d{3}", word) or re.search(r"[ugoa]*[+=][rwxXt]*s", word):
            return deny("Set-user and set-group bits raise privileges.")
        if normal(word) in _ROOTS and words[0] != "chmod":
            return deny(f"{words[0]} of the whole folder.")
    return _ORDINARY


def _dd(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        name, _, value = word.partition("=")
        if name in ("of", "if") and normal(value).startswith("/") and forbidden(value, inside_only=True):
            return deny(f"dd would use {value}, outside the work folder.")
    return _ORDINARY


def _kill(words: tuple[str, ...]) -> Ruling:
    targets = [word for word in words[1:] if re.fullmatch(r"-?\d+", word)]
    if any(word.startswith("-") for word in targets[1:]) or {"0", "1", "-1"} & set(targets):
        return deny("kill of every process, or of the first one.")
    return _ORDINARY


def _test(words: tuple[str, ...]) -> Ruling:
    if any(word in ("-v", "-R") or "[" in word or "$" in word or "`" in word for word in words[1:]):
        return deny("Shells run text inside this test although it is quoted.")
    return _ORDINARY


def _printf(words: tuple[str, ...]) -> Ruling:
    return (
        deny("printf -v sets a variable, and runs text in its index.")
        if words[1:2] and words[1][:2] == "-v"
        else _ORDINARY
    )


def _tee(words: tuple[str, ...]) -> Ruling:
    files = [word for word in words[1:] if not word.startswith("-") or "o" in word]
    return deny(f"tee writes {files[0]}, which equals an output redirection.") if files else _ORDINARY


def _man(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        if re.match(r"-[A-Za-z]*[PHCMTXZplEm]|--", word):
            return deny(f"man {word} can run another program.")
    return _ORDINARY


def _ps(words: tuple[str, ...]) -> Ruling:
    if any(re.fullmatch("[A-Za-z]*e[A-Za-z]*", word) for word in words[1:]) or any("E" in word for word in words[1:]):
        return deny("ps with `e` prints the environment of every process.")
    return _ORDINARY


def _openssl(words: tuple[str, ...]) -> Ruling:
    if words[1:2] and words[1] in ("s_client", "s_server", "s_time", "engine", "ocsp", "tsget"):
        return deny(f"openssl {words[1]} opens sockets or loads code.")
    return _other(words)


def _ip(words: tuple[str, ...]) -> Ruling:
    if set(words[1:]) & {
        "netns",
        "add",
        "del",
        "set",
        "replace",
        "flush",
        "vrf",
        "change",
        "append",
        "exec",
        "-b",
        "-batch",
    }:
        return deny("ip would change the network or enter another one.")
    return _ORDINARY


def _build(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        if re.match(r"(SHELL|MAKEFLAGS|CC|CXX|LD|AR|PAGER|EDITOR)=|--(ev|eval)|-E", word):
            return deny(f"{words[0]} {word} chooses what is run.")
    return _other(words)


def _packages(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        if re.match(
            r"-o|-c|--option|--config-file|--script-shell|--call|--node-options|--root|--pre-inv|--post-inv", word
        ):
            return deny(f"{words[0]} {word} can run other programs.")
    return _other(words)


def _database(words: tuple[str, ...]) -> Ruling:
    text = " ".join(words[1:])
    if _DATABASE_REACHING.search(text):
        return deny("This database command can run programs or reach other files.")
    return _other(words)


def _host_operands(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        if not word.startswith("-") and "=" not in word and "://" not in word and re.search(r"[.:]|localhost", word):
            reason = refuse_host(word.partition("/")[0], shown=word)
            if reason:
                return deny(reason)
    return _other(words)


def _gpg(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        if re.search(
            r"-(program|photo-viewer|export-secret|secret|homedir|options|passphrase|keyserver)|^--(exp.*sec|exec)",
            word,
        ):
            return deny(f"gpg {word} can run a program or give away a key.")
    return _other(words)


def _other(words: tuple[str, ...]) -> Ruling:
    """A program without a rule of its own: asked about, unless an option names another program to run."""
    for word in words[1:]:
        if _RUNNING_OPTION.match(word):
            return deny(f"{word} can make {words[0]} run another program.")
        if word.startswith("|"):
            return deny(f"{word} would be run as a program.")
    return _ORDINARY


def _machine_facts(words: tuple[str, ...]) -> Ruling:
    """date, hostname, domainname: shown to whoever asks, set by nobody."""
    name = launchers.base_name(words[0])
    for word in words[1:]:
        if name != "date" and not word.startswith("-"):
            return deny(f"{name} {word} changes the machine's name.")
        # `date` also takes a bare number, and its long option in any shortened form.
        if name == "date" and re.match(r"-[a-zA-Z]*s|--se|\d", word) and not re.match(r"-[dr]", word):
            return deny(f"date {word} sets the machine's clock.")
        if name != "date" and re.match(r"-[A-Za-z]*[Fb]|--(fi|bo)", word):
            return deny(f"{name} {word} changes the machine's name.")
    return _other(words)


def _zip(words: tuple[str, ...]) -> Ruling:
    for word in words[1:]:
        if re.match(r"-[A-Za-z]*TT|--(u|unz)|-[A-Za-z]*T", word):
            return deny(f"zip {word} runs a test program.")
    return _ORDINARY


_RULES: dict[str, Callable[[tuple[str, ...]], Ruling]] = {
    **dict.fromkeys(_SED_NAMES, _sed),
    **dict.fromkeys(("find", "gfind", "bfs"), _find),
    **dict.fromkeys(("fd", "fdfind"), _fd),
    **dict.fromkeys(("chmod", "chown", "chgrp", "install"), _mode),
    **dict.fromkeys(("curl", "wget"), lambda words: transfer.judge_fetch(launchers.base_name(words[0]), words)),
    **dict.fromkeys(("ssh", "scp", "sftp", "slogin"), lambda words: transfer.judge_ssh(launchers.base_name(words[0]),
    words)), **dict.fromkeys(("tar", "bsdtar", "gtar"), transfer.judge_tar),
    **dict.fromkeys(("make", "gmake", "ninja", "cmake", "bmake"), _build),
    **dict.fromkeys(("apt", "apt-get", "dpkg", "npm", "npx", "yarn", "pnpm", "rpm", "dnf", "yum"), _packages),
    **dict.fromkeys(("sqlite3", "psql", "mysql", "mariadb"), _database),
    **dict.fromkeys(("ping", "dig", "host", "nslookup", "traceroute", "http", "https", "xh", "aria2c", "axel"),
    _host_operands), **dict.fromkeys(("gpg", "gpg2"), _gpg),
    **dict.fromkeys(("test", "["), _test),
    "git": transfer.judge_git,
    "rsync": transfer.judge_rsync,
    "rm": _rm,
    "dd": _dd,
    "kill": _kill,
    "printf": _printf,
    "tee": _tee,
    "man": _man,
    "ps": _ps,
    **dict.fromkeys(("date", "hostname", "domainname", "nisdomainname", "ypdomainname"), _machine_facts),
    "openssl": _openssl,
    "ip": _ip,
    "zip": _zip,
}  # fmt: skip
