"""The section `[checks]`: the owner's own mail, calendars, mentions and weather, which the agent may look at."""

from __future__ import annotations

from typing import Literal

from pydantic import SecretStr

from appliance.settings.base import Section, setting


class ChecksSettings(Section):
    mail_host: str = setting("", "IMAP server of your mail; empty: no mail is looked at.", "imap.example.org")
    mail_port: int = setting(993, "Its port.", ge=1, le=65535)
    mail_encryption: Literal["tls", "starttls", "none"] = setting(
        "tls", "How the connection is protected; none only for a bridge on this machine.", "starttls"
    )
    mail_user: str = setting("", "Name to log in with.", "sam@example.org")
    mail_password: SecretStr = setting(SecretStr(""), "Its password, best one made for this alone.", "app-password")
    mail_folder: str = setting("INBOX", "Folder that is looked at; nothing in it is ever changed.")
    calendars: dict[str, SecretStr] = setting(
        {},
        "Calendars by name: the address of an ICS file, or of a CalDAV calendar, which ends with /. A login stands"
        " before the host.",
        {"home": "https://sam:app-password@dav.example.org/calendars/sam/home/"},
    )
    mentions_url: str = setting("", "Your Mastodon or compatible server; empty: no mentions.", "https://social.example")
    mentions_token: SecretStr = setting(SecretStr(""), "Access token that may read notifications there.", "abc")
    weather_place: str = setting("", "What your place is called; empty: no weather.", "Taipei")
    weather_latitude: float = setting(0.0, "Where it lies, in degrees.", 25.03, ge=-90, le=90)
    weather_longitude: float = setting(0.0, "Where it lies, in degrees.", 121.57, ge=-180, le=180)
    weather_url: str = setting("https://api.open-meteo.com", "An Open-Meteo server.")
