"""Where Chromium is, whether it can be used here, and how it is started so that it has one way out."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from appliance.errors import ToolError

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# What Chromium makes for each of its renderers: namespaces of its own, and an empty root in them.
_NAMESPACES = ("--user", "--map-root-user", "--pid", "--net", "--fork", "--root=/")
_ARGUMENTS = (
    "--disable-quic",  # UDP would pass the proxy by
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its name before
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--no-pings",
    "--disable-features=DnsOverHttps,Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider",
)


def executable(setting: str) -> str:
    """The path of Chromium: the setting, else what is installed, or "" for none."""
    if setting:
        return setting if os.access(setting, os.X_OK) else ""
    return next((found for name in _NAMES if (found := shutil.which(name))), "")


def missing(setting: str) -> str:
    """Why there is no browser here, with what to do about it, or ""."""
    if importlib.util.find_spec("playwright") is None:
        return "Playwright is not installed. Install the extra: home-agent-appliance[browser]"
    if not executable(setting):
        if setting:
            return f"web.browser_executable is {setting}, which is no program that can be run."
        return "Chromium is not installed. Install it (apt-get install chromium) or set web.browser_executable"
    return ""


@functools.cache
def own_sandbox() -> str:
    """Why Chromium cannot keep its own sandbox here, or "" when it does: what it needs is tried once."""
    if os.getuid() == 0:
        return "the browser runs as root"
    unshare = shutil.which("unshare")
    if unshare is None:
        return "the program unshare is missing, so that it cannot be tried"
    try:
        done = subprocess.run([unshare, *_NAMESPACES, "true"], capture_output=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"namespaces cannot be made: {error}"
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        return f"this system or its container forbids user namespaces ({said[-1] if said else done.returncode})"
    return ""


async def launch(playwright: Any, setting: str, proxy: str, home: Path) -> Any:
    """Start Chromium with `proxy` as its only way out and nothing of this process's environment.

    It is driven over a pipe, so no debugging port exists. Raises ToolError when it does not start.
    """
    from playwright.async_api import Error  # a large library, loaded with the first page

    try:
        return await playwright.chromium.launch(
            executable_path=executable(setting),
            headless=True,
            chromium_sandbox=not own_sandbox(),
            proxy={"server": proxy},
            # No name is looked up but the proxy's own; it looks up the rest.
            args=[*_ARGUMENTS, f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {urlsplit(proxy).hostname}"],
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "TMPDIR": str(home)},
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=30_000,
        )
    except Error as error:
        reason = error.message.splitlines()[0] if error.message else "no reason given"
        raise ToolError(f"Chromium does not start: {reason}", fix="`appliance doctor` says what it needs.") from error
