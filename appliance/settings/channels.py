"""Settings of the chat platforms, one section each."""

from __future__ import annotations

from typing import Literal

from pydantic import SecretStr, field_validator, model_validator

from appliance.settings.base import Section, setting


class TelegramSettings(Section):
    bot_token: SecretStr = setting(SecretStr(""), "Token from BotFather.", "123456:ABC")
    api_base: str = setting("https://api.telegram.org", "Address of the Bot API.")
    groups: list[int] = setting([], "Group chat ids in which the agent answers when mentioned.", [-1001234567890])
    members: list[int] = setting([], "User ids that are household members without pairing.", [123456789])
    drafts: bool = setting(
        True, "Show an answer being written as a draft with Telegram's stop button, in private chats.", False
    )
    ack_reaction: str = setting("👀", "Emoji under a message while it is worked on; empty: none.", "")
    webhook_url: str = setting(
        "",
        "Address under which Telegram reaches /hooks/telegram; empty: polling.",
        "https://agent.example.com/hooks/telegram",
    )

    @field_validator("webhook_url")
    @classmethod
    def _reachable(cls, value: str) -> str:
        if value and not (value.startswith("https://") and value.endswith("/hooks/telegram")):
            raise ValueError("Telegram calls https only, and the address ends in /hooks/telegram")
        return value


class DiscordSettings(Section):
    bot_token: SecretStr = setting(SecretStr(""), "Token of the Discord application.", "abc.def")
    api_base: str = setting("https://discord.com/api/v10", "Address of the Discord API.")
    channels: list[int] = setting(
        [], "Ids of server channels in which the agent answers when mentioned.", [1234567890123456789]
    )
    members: list[int] = setting([], "User ids that are household members without pairing.", [1234567890123456789])


class WhatsAppSettings(Section):
    access_token: SecretStr = setting(SecretStr(""), "Permanent token of the system user at Meta.", "EAAG...")
    phone_number_id: str = setting("", "Id of the phone number (not the number itself).", "106540352242922")
    app_secret: SecretStr = setting(SecretStr(""), "App secret; calls are proved with it.", "abc123")
    verify_token: SecretStr = setting(
        SecretStr(""), "A word of your own that Meta repeats when the webhook is set.", "w-1"
    )
    api_base: str = setting("https://graph.facebook.com/v23.0", "Address of the Graph API with its version.")
    members: list[int] = setting([], "Phone numbers that are household members without pairing.", [85291234567])

    @model_validator(mode="after")
    def _whole(self) -> WhatsAppSettings:
        needed = (self.phone_number_id, self.app_secret.get_secret_value(), self.verify_token.get_secret_value())
        if self.access_token.get_secret_value() and not all(needed):
            raise ValueError("with access_token also phone_number_id, app_secret and verify_token are needed")
        return self


class SlackSettings(Section):
    bot_token: SecretStr = setting(SecretStr(""), "Bot token of the Slack app.", "xoxb-1-abc")
    app_token: SecretStr = setting(SecretStr(""), "App-level token of it, for socket mode.", "xapp-1-abc")
    api_base: str = setting("https://slack.com/api", "Address of Slack's Web API.")
    channels: list[str] = setting([], "Ids of channels in which the agent answers when mentioned.", ["C0123ABCD"])
    members: list[str] = setting([], "User ids that are household members without pairing.", ["U0123ABCD"])
    ack_reaction: str = setting("eyes", "Emoji, by name, under a message while it is worked on; empty: none.", "")

    @model_validator(mode="after")
    def _whole(self) -> SlackSettings:
        if bool(self.bot_token.get_secret_value()) != bool(self.app_token.get_secret_value()):
            raise ValueError("bot_token and app_token are needed together: one to write, one to hear")
        return self


class EmailSettings(Section):
    address: str = setting("", "The agent's own mailbox; whoever writes to it talks to the agent.", "agent@example.com")
    user: str = setting("", "Login name, where it is not the address.", "agent")
    password: SecretStr = setting(SecretStr(""), "Password of the mailbox.", "abcd efgh ijkl mnop")
    imap_host: str = setting("", "Server for letters that come.", "imap.example.com")
    imap_port: int = setting(993, "Its port.", ge=1, le=65535)
    smtp_host: str = setting("", "Server for letters that go.", "smtp.example.com")
    smtp_port: int = setting(465, "Its port.", ge=1, le=65535)
    security: Literal["tls", "starttls", "none"] = setting("tls", "How both are secured; `none` only on this machine.")
    folder: str = setting("INBOX", "Folder in which letters are looked for.")
    trusted_server: str = setting(
        "",
        "Name at the head of your mail server's Authentication-Results; without it nobody is believed.",
        "mx.google.com",
    )
    members: list[str] = setting([], "Addresses that are household members without pairing.", ["kim@example.com"])

    @model_validator(mode="after")
    def _whole(self) -> EmailSettings:
        if self.password.get_secret_value():
            missing = [n for n in ("address", "imap_host", "smtp_host", "trusted_server") if not getattr(self, n)]
            if missing:
                raise ValueError(f"with password also {', '.join(missing)} must be set")
            if self.security == "none" and not {self.imap_host, self.smtp_host} <= {"127.0.0.1", "localhost", "::1"}:
                raise ValueError("a password goes to another machine only with security tls or starttls")
        return self


class SpeechSettings(Section):
    url: str = setting(
        "", "Server in your house with /v1/audio/transcriptions (whisper.cpp, Speaches).", "http://192.168.1.20:8000"
    )
    model: str = setting("whisper-1", "Model name there.", "Systran/faster-whisper-small")
    language: str = setting("", "Language of what is spoken; empty: the server finds out.", "zh")
    timeout_seconds: float = setting(120.0, "How long one voice message may take.", gt=0, le=1800)


class NoticesSettings(Section):
    ntfy_url: str = setting(
        "", "An ntfy topic that what you are told is pushed to as well.", "https://ntfy.sh/my-secret-topic"
    )
    ntfy_token: SecretStr = setting(SecretStr(""), "Access token of that topic.", "tk_abc")
    webhook_url: str = setting(
        "",
        'An address that gets what you are told as JSON: {"text": ...}.',
        "http://homeassistant.local:8123/api/webhook/x",
    )
