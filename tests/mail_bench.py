"""A mailbox on the fake mail server (see channel_bench)."""

from __future__ import annotations

from pydantic import SecretStr

from appliance.channels.base import ChannelParts
from appliance.channels.mail.channel import MailChannel
from appliance.settings.channels import EmailSettings
from appliance.testing.fake_mail import ADDRESS, PASSWORD, SERVER, FakeMail
from tests.channel_bench import ChannelBench

OWNER, STRANGER = "sam@home.example", "eve@elsewhere.example"


class MailBench(ChannelBench):
    """One running appliance, as far as e-mail goes."""

    channel: MailChannel
    password = PASSWORD

    @property
    def mail(self) -> FakeMail:
        return self.fake  # type: ignore[no-any-return]

    def make(self, parts: ChannelParts) -> MailChannel:
        return MailChannel(
            EmailSettings(
                address=ADDRESS,
                password=SecretStr(self.password),
                imap_host="127.0.0.1",
                imap_port=self.mail.imap_port,
                smtp_host="127.0.0.1",
                smtp_port=self.mail.smtp_port,
                security="none",
                trusted_server=SERVER,
            ),
            parts,
        )

    async def pair(self, user: str = OWNER) -> None:
        await self.until(lambda: (part := self.health.get("email")) and part.detail == "Listening.")
        self.mail.write(user, await self.access.invite())
        await self.until(lambda: any("Paired" in text for text in self.texts(user)))

    def texts(self, user: str) -> list[str]:
        """What was written to somebody, files apart."""
        found = []
        for letter in self.mail.sent:
            body = letter.get_body(("plain",))
            if letter["To"] == user and body is not None and not list(letter.iter_attachments()):
                found.append(str(body.get_content()).replace("\r\n", "\n").strip())
        return found

    def replies(self, user: str = OWNER) -> list[str]:
        return [text for text in self.texts(user) if "Paired" not in text]
