"""Programs that fetch, send or pack: curl, wget, git, ssh, scp, rsync, tar. Many options of theirs run programs."""

from __future__ import annotations

import re

from appliance.sandbox.addresses import refuse_host, refuse_url
from appliance.sandbox.paths import is_url
from appliance.sandbox.verdicts import Ruling, ask, deny


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# name: (short flags, short with value, long flags, long with value); everything else is refused.
_FETCH: dict[str, tuple[str, str, frozenset[str], frozenset[str]]] = {
    "curl": (
        "sSLkfiIvgGOJR0123456#a",
        "XHAeomrdcyYzCu",
        _set(
            "silent show-error location insecure fail fail-with-body include head verbose globoff get remote-name "
            "remote-header-name compressed http1.0 http1.1 http2 http3 ipv4 ipv6 no-progress-meter progress-bar "
            "tlsv1.2 tlsv1.3 "
            "create-dirs no-buffer version help retry-connrefused remote-time"
        ),
        _set(
            "request header user-agent referer output max-time connect-timeout retry retry-delay retry-max-time range "
            "data "
            "data-raw data-urlencode json url max-redirs limit-rate output-dir max-filesize user continue-at write-out"
        ),
    ),
    "wget": (
        "qScvNdnrkpLH46",
        "OTtUPlw",
        _set(
            "quiet spider continue verbose no-verbose server-response timestamping no-check-certificate no-clobber "
            "no-cache inet4-only inet6-only version help content-disposition recursive page-requisites no-parent"
        ),
        _set(
            "output-document timeout tries user-agent header directory-prefix level wait quota max-redirect "
            "connect-timeout read-timeout dns-timeout limit-rate referer method"
        ),
    ),
}
_FROM_FILE = _set("d H data header data-urlencode json write-out w u user")


def judge_fetch(name: str, words: tuple[str, ...]) -> Ruling:
    """curl and wget: plain options only, to an address that looks public."""
    short, valued, long, long_valued = _FETCH[name]
    rest = list(words[1:])
    while rest:
        word = rest.pop(0)
        option, value, known = "", "", True
        if word.startswith("--") and len(word) > 2:
            option, sign, value = word[2:].partition("=")
            known = option in long or option in long_valued
            if option in long_valued and not sign:
                value = rest.pop(0) if rest else ""
        elif word.startswith("-") and len(word) > 1:
            option, value, known = _short(word[1:], short, valued, rest)
        else:
            reason = _address(word)
            if reason:
                return deny(reason)
            continue
        if not known:
            return deny(f"{name}: the option -{option} can read files, run programs or change where it connects.")
        if option in _FROM_FILE and re.match(r"@|[^=]*@", value) and option not in ("u", "user", "H", "header"):
            return deny(f"{name} would send or use a file: {value}.")
        if option in ("H", "header") and value.startswith("@"):
            return deny(f"{name} would read headers from a file: {value}.")
        if option == "url" and (reason := _address(value)):
            return deny(reason)
    return ask("Needs the network.")


def _short(letters: str, flags: str, valued: str, rest: list[str]) -> tuple[str, str, bool]:
    for index, letter in enumerate(letters):
        if letter in valued:
            return letter, letters[index + 1 :] or (rest.pop(0) if rest else ""), True
        if letter not in flags:
            return letter, "", False
    return letters[-1], "", True


def _address(word: str) -> str:
    if "://" in word:
        return refuse_url(word, transports=False)
    if re.match(
        r"(file|dict|gopher|ldaps?|smb|telnet|scp|sftp|tftp|pop3|imap|mqtt|rtsp|data|jar|netdoc):", word, re.IGNORECASE
    ):
        return f"{word}: not a scheme that commands may open."
    return refuse_host(re.split(r"[/?#\\]", word, maxsplit=1)[0], shown=word)


_GIT_PLAIN = _set("--no-pager --no-replace-objects --literal-pathspecs --bare --version --help -P --no-optional-locks")
_GIT_DENIED = {
    "config": "can set programs that git runs later",
    "filter-branch": "runs a shell line on each commit",
    "credential": "gives away credentials",
    "daemon": "serves the network",
    "instaweb": "serves the network",
    "http-backend": "serves the network",
    "shell": "is a shell",
    "upload-pack": "serves a repository",
    "receive-pack": "serves a repository",
    "send-email": "sends mail and runs programs",
    "imap-send": "sends mail",
    "mergetool": "runs other programs",
    "difftool": "runs other programs",
    "for-each-repo": "runs commands elsewhere",
    "hook": "runs hooks",
    "var": "prints the environment",
    "web--browse": "starts a browser",
    "help": "starts a pager or browser",
    "svn": "runs other programs",
    "p4": "runs other programs",
    "cvsserver": "serves a repository",
    "maintenance": "schedules later commands",
    "fsmonitor--daemon": "stays behind",
}
_GIT_RUNS = re.compile(
    r"--(o|op|ope|open.*|ext-d.*|textconv.*|exec.*|exe|upload-p.*|upload|receive-p.*|extcmd.*|ext|strategy-option.*|tool.*"
    r"|template.*|config.*|conf|gpg-sign.*|recurse-submodules=.*exec.*|output.*|outp.*|server-option.*|edit|sep.*git-dir.*"
    r"|no-index|reference.*|shell.*|smtp.*|pager.*|paginate)(=.*)?"
)
_GIT_RUNS_SHORT = {
    "grep": "O", "rebase": "xi", "clone": "uc", "fetch": "u", "ls-remote": "u", "difftool": "xt", "archive": "o",
    "submodule": "", "commit": "ec", "add": "ie", "bisect": "", "log": "", "push": "", "pull": "",
}  # fmt: skip


def judge_git(words: tuple[str, ...]) -> Ruling:
    """git: global options from a list, no subcommand or option that runs another program, public-looking remotes."""
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-C", "--git-dir", "--work-tree") and rest:
            rest.pop(0)
        elif option not in _GIT_PLAIN and not option.startswith(("--git-dir=", "--work-tree=")):
            return deny(f"git {option} can make git run other programs.")
    if not rest:
        return ask("Not approved in advance.")
    verb, *arguments = rest
    if verb == "config" and arguments[:1] in (["--get"], ["get"]) and len(arguments) == 2:
        return ask("Reads one git setting.")
    if verb in _GIT_DENIED:
        return deny(f"git {verb} {_GIT_DENIED[verb]}.")
    if (verb, *arguments[:1]) in (("bisect", "run"), ("submodule", "foreach"), ("stash", "-p"), ("remote", "add-exec")):
        return deny(f"git {verb} {arguments[0]} runs a shell line.")
    return _git_arguments(verb, arguments)


def _git_arguments(verb: str, arguments: list[str]) -> Ruling:
    short = _GIT_RUNS_SHORT.get(verb, "")
    for word in arguments:
        if word == "--":
            break
        if _GIT_RUNS.fullmatch(word) or (short and re.fullmatch(f"-[A-Za-z]*[{short}].*", word)):
            return deny(f"git {verb} {word} can run another program or write a file.")
        if is_url(word) or "::" in word[:20]:
            reason = refuse_url(word)
            if reason:
                return deny(reason)
    return ask("Not approved in advance.")


def judge_ssh(name: str, words: tuple[str, ...]) -> Ruling:
    """ssh, scp, sftp: plain options only; every other one can run programs, forward ports or read other settings."""
    rest = list(words[1:])
    operands: list[str] = []
    while rest:
        word = rest.pop(0)
        if len(operands) > 1 and name == "ssh" and not word.startswith("-o"):
            operands.append(word)  # the remote command; before it, ssh still reads options behind the host
        elif word.startswith("-"):
            if re.fullmatch(r"-[pPl]", word):
                if rest:
                    rest.pop(0)
            elif not re.fullmatch(r"-[vqCT46rp]+|-[pPl][\w.-]+", word):
                return deny(f"{name} {word} can run a program, forward a port or use other settings.")
        else:
            operands.append(word)
    if not operands:
        return deny(f"{name} without a host.")
    for word in operands[:1] if name == "ssh" else operands:
        host = word.partition(":")[0] if name != "ssh" else word
        if (":" in word or name == "ssh") and (reason := refuse_host(host.rpartition("@")[2], shown=word)):
            return deny(reason)
    return ask("Connects to another machine.")


_RSYNC_LETTERS = re.compile(r"-[avrltpgoDnzhuxHAXSPqRcdmkLWyi0-9]+")
_RSYNC_LONG = _set(
    "--archive --verbose --recursive --links --times --perms --group --owner --dry-run --compress --human-readable "
    "--update "
    "--delete --delete-after --delete-before --delete-during --exclude --include --progress --partial --stats "
    "--checksum "
    "--size-only --ignore-existing --existing --max-size --min-size --bwlimit --timeout --itemize-changes --quiet "
    "--relative "
    "--dirs --no-perms --no-owner --no-group --numeric-ids --inplace --whole-file --info --version --help --mkpath"
)


def judge_rsync(words: tuple[str, ...]) -> Ruling:
    """rsync: options from a list; `-e`, `--rsh`, `--rsync-path` and the rest run programs or serve."""
    for word in words[1:]:
        if word.startswith("--"):
            if word.partition("=")[0] not in _RSYNC_LONG and word != "--":
                return deny(f"rsync {word} can run a program or read other files.")
        elif word.startswith("-") and len(word) > 1 and not _RSYNC_LETTERS.fullmatch(word):
            return deny(f"rsync {word} can run a program.")
        elif word.startswith("rsync://") and (reason := refuse_url(word)):
            return deny(reason)
    return ask("Copies files.")


_TAR_LONG = _set(
    "--create --extract --get --list --append --update --diff --compare --concatenate --file --verbose --gzip "
    "--gunzip --xz "
    "--bzip2 --zstd --auto-compress --directory --exclude --strip-components --wildcards --no-same-owner "
    "--keep-old-files "
    "--no-same-permissions --to-stdout --preserve-permissions --numeric-owner --totals --exclude-vcs --sort --mtime "
    "--owner "
    "--group --mode --transform --keep-newer-files --skip-old-files --touch --dereference --version --help "
    "--no-recursion"
)


def judge_tar(words: tuple[str, ...]) -> Ruling:
    """tar: letters and long options from a list; checkpoints, compressors and volume scripts run programs."""
    rest = list(words[1:])
    if rest and not rest[0].startswith("-"):
        # The old form: every letter takes its value from a later word.
        if not re.fullmatch(r"[ctxruAdvzjJmOkpahUWfC]+", rest[0]):
            return deny(f"tar {rest[0]} can run a program or leave the work folder.")
        rest[0] = "-" + rest[0]
    for index, word in enumerate(rest):
        option, _, value = word.partition("=")
        if word.startswith("--"):
            if len(word) > 2 and option not in _TAR_LONG:
                return deny(f"tar {option} can run a program, or is not known here in full spelling.")
            if option == "--transform" and re.search(r"/[a-z]*e[a-z]*$", value):
                return deny(f"tar {word} can run a program.")
            remote = value if option == "--file" else ""
        elif word.startswith("-") and len(word) > 1:
            letters = re.fullmatch(r"-([ctxruAdvzjJmOkpahUW]*)([fC]*)(.*)", word)
            if not letters or (letters[3] and (not letters[2] or letters[3].startswith(tuple("IFPKNTgMGSL")))):
                return deny(f"tar {word} can run a program or leave the work folder.")
            following = rest[index + 1] if index + 1 < len(rest) else ""
            remote = (letters[3] or following) if "f" in letters[2] else ""
        else:
            continue
        if ":" in remote:
            return deny(f"tar would connect to another machine for {remote}.")
    return ask("Packs or unpacks files.")
