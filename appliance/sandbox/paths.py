"""What a word may name on disk, judged by its spelling alone.

Nothing here looks at the disk: a policy that answers differently when a file exists would be an oracle for whoever
writes the commands, and the file may be another one by the time the command runs. Links are the runner's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.sandbox.verdicts import Ruling, ask, deny

WORKSPACE = "/workspace"
TRUSTED_FOLDERS = ("/usr/bin", "/bin")
_STANDARD_STREAMS = frozenset({"/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/null", "/dev/fd/0", "/dev/fd/1"})
# Read or written, these hold secrets, other processes, devices or the machine's own settings.
_MACHINE = ("/etc", "/root", "/proc", "/sys", "/dev", "/run", "/boot", "/home")
_MACHINE_DEEP = ("/var/run", "/var/lib", "/var/spool", "/var/log", "/var/backups", "/private/etc")
_PROGRAM_FOLDERS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/nix", "/snap", "/var")
_SECRET_NAMES = re.compile(
    r"\.(ssh|gnupg|aws|azure|docker|kube|netrc|pgpass|npmrc|pypirc|git-credentials|password-store|vault-token"
    r"|config/gcloud|env(\.\w+)?|bash_history|zsh_history|python_history|mysql_history|psql_history)"
    r"|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|shadow-?|gshadow-?|sudoers|authorized_keys|known_hosts|credentials(\.\w+)?"
    r"|.*\.(pem|key|p12|pfx|kdbx|jks)|docker\.sock|containerd\.sock",
    re.IGNORECASE,
)
_START_UP_NAMES = re.compile(
    r"\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|cshrc|kshrc|inputrc|vimrc|exrc"
    r"|gitconfig|jq|xinitrc|pythonrc|pam_environment)|sitecustomize\.py|usercustomize\.py",
    re.IGNORECASE,
)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(:[a-z0-9]+)?//|[a-z]+::")


def is_url(text: str) -> bool:
    """True for text with a scheme: its slashes are an address, not a path."""
    return _URL.match(text) is not None


def normal(path: str) -> str:
    """The path with doubled slashes and `.` parts removed; `..` stays visible. "/" for the root."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def under(path: str, folder: str) -> bool:
    """True when a normal path is the folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def forbidden(path: str, *, inside_only: bool = False, writes: bool = False) -> str:
    """Given a path as written, return why no one should be asked about it, or "" when a person may be.

    `inside_only`: every path outside the work folder is refused. `writes`: the program changes what it names.
    """
    if path.startswith("~"):
        return f"{path} names a home folder."
    plain = normal(path)
    parts = plain.strip("/").split("/")
    if ".." in parts:
        return f"{path} can lead out of the work folder."
    for part in parts:
        if _SECRET_NAMES.fullmatch(part):
            return f"{path} is where credentials are kept."
        if writes and _START_UP_NAMES.fullmatch(part):
            return f"{path} is run when a program starts."
    if not plain.startswith("/") or under(plain, WORKSPACE) or plain in _STANDARD_STREAMS:
        return ""
    if plain == "/" or any(under(plain, folder) for folder in (*_MACHINE, *_MACHINE_DEEP)):
        return f"{path} belongs to the machine, not to the work folder."
    if inside_only:
        return f"{path} is outside the work folder."
    if writes and any(under(plain, folder) for folder in _PROGRAM_FOLDERS):
        return f"{path} is a folder of programs."
    return ""


def operand(path: str) -> Ruling:
    """Judge a file operand of a filter, which promised to read standard input only."""
    reason = forbidden(path, inside_only=True)
    return deny(reason) if reason else ask(f"{path} is a file, and this filter is approved for standard input only.")


def candidates(word: str) -> Iterator[str]:
    """Every part of a word that a program might take as a path: whole, after `=`, `@`, `:`, `,`, inside an option."""
    if is_url(word):
        return
    yield word
    if any(blank in word for blank in " \t"):
        return
    if word.startswith("-"):
        inner = re.search(r"[/~]|\.\.?/", word)
        if inner:
            yield word[inner.start() :]
    pieces = re.split("[=@:,;]", word)
    if len(pieces) > 1:
        yield from (piece for piece in pieces if piece)


def judge_words(words: tuple[str, ...], *, writes: bool = False) -> str:
    """Why one of these words names something out of bounds, or ""."""
    for word in words:
        for candidate in candidates(word):
            reason = forbidden(candidate, writes=writes)
            if reason:
                return reason
    return ""
