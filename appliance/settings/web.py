"""The section `[web]`: what the agent may reach, and how much of it."""

from __future__ import annotations

import re

from pydantic import SecretStr, field_validator

from appliance.settings.base import Section, setting

_HOST = re.compile(r"[\w.-]+(:\d{1,5})?|\[[0-9a-f:.]+\](:\d{1,5})?|[0-9a-f:.]+", re.IGNORECASE)


class WebSettings(Section):
    enabled: bool = setting(True, "Whether the agent may read the web (fetch, search, browser).")
    allowed_hosts: list[str] = setting(
        [], "Services in your own network that may be opened, as name or name:port.", ["homeassistant.local:8123"]
    )
    open_sites: list[str] = setting(
        [], "Sites that a conversation holding text from outside may open freely.", ["wikipedia.org"]
    )
    proxy: str = setting(
        "", "The way out for fetch (compose sets it): `appliance web-proxy`, which judges addresses.", "http://web:3129"
    )
    search_url: str = setting("", "A SearXNG server with JSON switched on; empty: no search.", "http://searxng:8080")
    fetch_chars: int = setting(20_000, "Longest piece of a page in one answer of fetch.", ge=1_000, le=200_000)
    cache_minutes: float = setting(15.0, "How long a page that was read is kept.", ge=0)
    timeout_seconds: float = setting(30.0, "How long fetching one page may take, redirects included.", gt=0, le=600)
    max_mb: float = setting(5.0, "Largest page or document that is fetched, in MB.", gt=0, le=100)
    browser: bool = setting(True, "Whether the agent may use a browser, where Playwright and Chromium are installed.")
    browser_executable: str = setting("", "Path of Chromium; empty looks for it.", "/usr/bin/chromium")
    browser_url: str = setting(
        "", "A browser service that runs elsewhere (compose sets it): unix:/path or http://host:port.", "unix:/b/socket"
    )
    browser_token: SecretStr = setting(SecretStr(""), "Token of that service.", "s3cret-s3cret-s3cret")
    browser_idle_minutes: float = setting(10.0, "A session's browser window is closed after this.", gt=0)
    browser_keep_logins: bool = setting(False, "Keep cookies of the owner's browser window between uses.", True)

    @field_validator("allowed_hosts", "open_sites")
    @classmethod
    def _hosts(cls, value: list[str]) -> list[str]:
        for entry in value:
            if not _HOST.fullmatch(entry):
                raise ValueError(f"{entry!r} is not a host name, with or without a port; leave out http:// and paths")
        return value
