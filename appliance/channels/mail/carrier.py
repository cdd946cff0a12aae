"""Delivery's way to a mailbox: one letter an answer, at most once; what was sent cannot be changed."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import mimetypes
import smtplib
import ssl
from collections.abc import Callable, Sequence
from email import policy
from email.message import EmailMessage
from email.utils import formatdate
from typing import Any

from appliance.channels.outgoing import content_of, file_of
from appliance.channels.rendering import tidy
from appliance.channels.tables import without_tables
from appliance.errors import DeliveryError
from appliance.gateway.delivery import Carrier
from appliance.messages import Attachment, Button
from appliance.settings.channels import EmailSettings

Place = dict[str, Any]
Part = dict[str, Any]
UPLOAD_BYTES = 15 * 1024 * 1024  # what most servers take, once it is written in letters
_SECONDS = 60.0


class MailCarrier(Carrier):
    """A place is {"chat": address, "subject"?, "message"?: the id of the answered letter, "references"?}."""

    name = "email"
    edits = False
    nonces = False

    def __init__(self, settings: EmailSettings, *, outcome: Callable[[str], None] = lambda outcome: None) -> None:
        self._settings = settings
        self._outcome = outcome

    def split(self, text: str) -> list[Part]:
        """The whole answer is one letter."""
        return [{"text": without_tables(tidy(text)).strip() or "…"}]

    async def send(self, place: Place, part: Part, nonce: str, buttons: Sequence[Button] = ()) -> str:
        letter = self._letter(place, nonce)
        letter.set_content(part["text"] + "\n", cte="quoted-printable")
        return await self._post(letter)

    async def send_file(self, place: Place, attachment: Attachment) -> str:
        path, name, size = await file_of(attachment)
        if size > UPLOAD_BYTES:
            raise DeliveryError(f"{name} is larger than the 15 MB that go into a letter.", permanent=True)
        data = await content_of(path, name)
        letter = self._letter(place, f"file-{hashlib.sha256(data).hexdigest()[:12]}-{name}")
        letter.set_content(name + "\n")
        kind = attachment.media_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
        main, _, sub = kind.partition("/")
        letter.add_attachment(data, maintype=main, subtype=sub or "octet-stream", filename=name)
        return await self._post(letter)

    def _letter(self, place: Place, nonce: str) -> EmailMessage:
        letter = EmailMessage()
        letter["From"] = self._settings.address
        letter["To"] = str(place["chat"])
        subject = str(place.get("subject") or "Home agent appliance").replace("\n", " ").replace("\r", " ")
        letter["Subject"] = (
            subject if subject.lower().startswith("re:") or not place.get("message") else f"Re: {subject}"
        )
        letter["Date"] = formatdate(localtime=False)
        made = hashlib.sha256(f"{place['chat']}:{place.get('message', '')}:{nonce}".encode()).hexdigest()[:32]
        letter["Message-ID"] = f"<{made}@{self._settings.address.rpartition('@')[2]}>"
        letter["Auto-Submitted"] = "auto-replied"  # so that no other robot answers
        if place.get("message"):
            letter["In-Reply-To"] = str(place["message"])
            letter["References"] = " ".join([*place.get("references", ()), str(place["message"])])
        return letter

    async def _post(self, letter: EmailMessage) -> str:
        try:
            await asyncio.to_thread(_hand_over, self._settings, letter)
        except DeliveryError as trouble:
            self._outcome("refused" if trouble.permanent else "network")
            raise
        self._outcome("ok")
        return str(letter["Message-ID"])


def _hand_over(settings: EmailSettings, letter: EmailMessage) -> None:
    """Give a letter to the server. Raises DeliveryError; `ambiguous` once the letter itself was on its way."""
    try:
        server = _connected(settings)
    except smtplib.SMTPAuthenticationError:
        raise DeliveryError("The mail server does not accept user and password.", retry_after=300.0) from None
    except (OSError, smtplib.SMTPException) as error:
        raise DeliveryError(f"The mail server cannot be reached: {type(error).__name__}.") from None
    try:
        for command, argument in ((server.mail, settings.address), (server.rcpt, str(letter["To"]))):
            code, words = command(argument)
            if code >= 300:
                raise _refused(code, words)
        try:
            code, words = server.data(letter.as_bytes(policy=policy.SMTP))
        except smtplib.SMTPDataError as error:  # refused before the letter itself
            raise _refused(error.smtp_code, error.smtp_error) from None
        except (OSError, smtplib.SMTPException) as error:
            raise DeliveryError(f"The mail server went away: {type(error).__name__}.", ambiguous=True) from None
        if code >= 300:
            raise _refused(code, words)
    except (OSError, smtplib.SMTPException) as error:
        raise DeliveryError(f"The mail server went away: {type(error).__name__}.") from None
    finally:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            server.quit()


def _connected(settings: EmailSettings) -> smtplib.SMTP:
    if settings.security == "tls":
        context = ssl.create_default_context()
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            settings.smtp_host, settings.smtp_port, timeout=_SECONDS, context=context
        )
    else:
        server = smtplib.SMTP(settings.smtp_host, settings.smtp_port, timeout=_SECONDS)
        if settings.security == "starttls":
            server.starttls(context=ssl.create_default_context())
    server.login(settings.user or settings.address, settings.password.get_secret_value())
    return server


def _refused(code: int, words: bytes | str) -> DeliveryError:
    said = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    return DeliveryError(f"The mail server refused the letter: {said[:200]} ({code}).", permanent=code >= 500)
