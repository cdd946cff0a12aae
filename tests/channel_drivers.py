"""Every chat platform behind one face, so that one suite says what a channel must do (tests/integration/channels).

A driver runs its strict fake and a bench on it, and acts as the people do.
"""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path
from typing import Any

from appliance.messages import Source
from appliance.testing.fake_discord import FakeDiscord
from appliance.testing.fake_mail import FakeMail
from appliance.testing.fake_slack import BOT, FakeSlack, buttons_of, direct
from appliance.testing.fake_telegram import FakeTelegram
from appliance.testing.fake_whatsapp import FakeWhatsApp
from tests import mail_bench, slack_bench
from tests.channel_driver import FENCED, Driver
from tests.discord_bench import DiscordBench
from tests.telegram_bench import Bench as TelegramBench
from tests.web_bench import WebBench
from tests.whatsapp_bench import OWNER, STRANGER, WhatsAppBench


class Telegram(Driver):
    name, limit, owner, stranger, recalls = "telegram", 4096, 11, 12, True
    bench: TelegramBench

    async def open(self, folder: Path) -> None:
        fake = FakeTelegram()
        await fake.start()
        self.bench = TelegramBench(fake, folder)
        await self.bench.start()

    async def close(self) -> None:
        await self.bench.stop()
        await self.bench.telegram.stop()

    async def pair(self) -> None:
        await self.bench.pair()

    async def say(self, text: str, user: Any = None) -> Any:
        return self.bench.telegram.people.say(user or self.owner, text)["update_id"]

    async def edit(self, said: Any, text: str) -> None:
        [message] = [one["message"] for one in self.bench.telegram.world.everything if one["update_id"] == said]
        self.bench.telegram.people.edit(self.owner, message["message_id"], text)

    async def repeat(self, said: Any) -> None:
        self.bench.telegram.people.repeat(said, new_id=True)

    async def send_file(self, name: str, data: bytes, *, claimed: int | None = None, gone: bool = False) -> None:
        people = self.bench.telegram.people
        people.send_file(self.owner, data, name=name, mime="text/plain", declared_size=claimed)
        if gone:
            self.bench.telegram.world.files.clear()

    async def press(self, label: str) -> None:
        for message in reversed(self._mine()):
            for row in message.get("reply_markup", {}).get("inline_keyboard", []):
                for button in row:
                    if button["text"] == label:
                        people = self.bench.telegram.people
                        people.press(self.owner, message["message_id"], button["callback_data"])
                        return
        raise AssertionError(f"no button {label}")

    def replies(self, user: Any = None) -> list[str]:
        return self.bench.replies(user or self.owner)

    def buttons(self) -> list[list[str]]:
        keyboards = [m.get("reply_markup", {}).get("inline_keyboard", []) for m in self._mine()]
        return [[button["text"] for row in rows for button in row] for rows in keyboards]

    def code(self) -> list[str]:
        found = []
        for message in self._mine():
            units = message["text"].encode("utf-16-le")
            found += [
                units[2 * e["offset"] : 2 * (e["offset"] + e["length"])].decode("utf-16-le")
                for e in message.get("entities", [])
                if e["type"] == "pre"
            ]
        return found

    def files(self) -> list[str]:
        seen = self.bench.telegram.world.visible(self.owner)
        return [m["document"]["file_name"] for m in seen if "document" in m and m["from"]["is_bot"]]

    def _mine(self) -> list[dict[str, Any]]:
        seen = self.bench.telegram.world.visible(self.owner)
        return [m for m in seen if m["from"]["is_bot"] and "text" in m and "Paired" not in m["text"]]


class Discord(Driver):
    name, limit, recalls = "discord", 2000, True
    owner, stranger = 111_111_111_111_111_111, 222_222_222_222_222_222
    bench: DiscordBench

    async def open(self, folder: Path) -> None:
        fake = FakeDiscord()
        await fake.start()
        self.bench = DiscordBench(fake, folder)
        await self.bench.start()

    async def close(self) -> None:
        await self.bench.stop()
        await self.bench.discord.stop()

    async def pair(self) -> None:
        await self.bench.pair()

    async def say(self, text: str, user: Any = None) -> Any:
        return await self.bench.discord.say(user or self.owner, text)

    async def edit(self, said: Any, text: str) -> None:
        await self.bench.discord.edit(self.owner, said, text)

    async def repeat(self, said: Any) -> None:
        await self.bench.discord.repeat(self._chat(), said)

    async def send_file(self, name: str, data: bytes, *, claimed: int | None = None, gone: bool = False) -> None:
        if not gone:
            self.bench.discord.world.files[name] = data
        url = f"http://127.0.0.1:{self.bench.discord.port}/cdn/{name}"
        file = {
            "id": "1",
            "filename": name,
            "size": len(data) if claimed is None else claimed,
            "url": url,
            "proxy_url": "",
            "content_type": "text/plain",
        }
        await self.bench.discord.say(self.owner, "", attachments=[file])

    async def press(self, label: str) -> None:
        for message in reversed(self._mine()):
            if any(b["label"] == label for row in message["components"] for b in row["components"]):
                await self.bench.discord.press(self.owner, self._chat(), int(message["id"]), label)
                return
        raise AssertionError(f"no button {label}")

    def replies(self, user: Any = None) -> list[str]:
        return self.bench.replies(self.bench.discord.world.direct_channel(user or self.owner))

    def buttons(self) -> list[list[str]]:
        return [[b["label"] for row in m["components"] for b in row["components"]] for m in self._mine()]

    def code(self) -> list[str]:
        return [found for text in self.replies() for found in FENCED.findall(text)]

    def files(self) -> list[str]:
        held = self.bench.discord.world.messages[self._chat()].values()
        return [file["filename"] for m in held if m["author"]["bot"] for file in m["attachments"]]

    def _chat(self) -> int:
        return self.bench.discord.world.direct_channel(self.owner)

    def _mine(self) -> list[dict[str, Any]]:
        held = self.bench.discord.world.messages[self._chat()]
        return [m for _, m in sorted(held.items()) if m["author"]["bot"] and "Paired" not in m["content"]]


class WhatsApp(Driver):
    name, limit, edits, owner, stranger, burst = "whatsapp", 4096, False, OWNER, STRANGER, 100
    bench: WhatsAppBench

    async def open(self, folder: Path) -> None:
        fake = FakeWhatsApp()
        await fake.start()
        self.bench = WhatsAppBench(fake, folder)
        await self.bench.serve()
        await self.bench.start()

    async def close(self) -> None:
        await self.bench.stop()
        await self.bench.whatsapp.stop()
        await self.bench.unserve()

    async def pair(self) -> None:
        await self.bench.pair()

    async def say(self, text: str, user: Any = None) -> Any:
        return self.bench.whatsapp.say(user or self.owner, "text", {"body": text})

    async def repeat(self, said: Any) -> None:
        self.bench.whatsapp.repeat(said)

    async def send_file(self, name: str, data: bytes, *, claimed: int | None = None, gone: bool = False) -> None:
        media = self.bench.whatsapp.add_media(data, "text/plain", name)
        held = {"id": media, "filename": name, "mime_type": "text/plain"}
        if gone:
            del self.bench.whatsapp.media[media]
        self.bench.whatsapp.say(self.owner, "document", held)

    async def press(self, label: str) -> None:
        for message in reversed(self._mine()):
            for identity, title in _choices(message):
                if title == label:
                    held = {"type": "button_reply", "button_reply": {"id": identity, "title": title}}
                    self.bench.whatsapp.say(self.owner, "interactive", held)
                    return
        raise AssertionError(f"no button {label}")

    def replies(self, user: Any = None) -> list[str]:
        return self.bench.replies(user or self.owner)

    def buttons(self) -> list[list[str]]:
        return [[title for _, title in _choices(message)] for message in self._mine()]

    def code(self) -> list[str]:
        return [found for text in self.replies() for found in FENCED.findall(text)]

    def files(self) -> list[str]:
        held = self.bench.whatsapp.sent.get(self.owner, [])
        return [m["document"]["filename"] for m in held if m["type"] == "document"]

    def _mine(self) -> list[dict[str, Any]]:
        held = self.bench.whatsapp.sent.get(self.owner, [])
        return [
            m for m in held if m["type"] == "interactive" or (m["type"] == "text" and "Paired" not in str(m["text"]))
        ]


def _choices(message: dict[str, Any]) -> list[tuple[str, str]]:
    action = message.get("interactive", {}).get("action", {})
    found = [one["reply"] for one in action.get("buttons", [])]
    found += [row for section in action.get("sections", []) for row in section["rows"]]
    return [(one["id"], one["title"]) for one in found]


class Slack(Driver):
    name, limit, recalls, owner, stranger = "slack", 3000, True, slack_bench.OWNER, slack_bench.STRANGER
    bench: slack_bench.SlackBench

    async def open(self, folder: Path) -> None:
        fake = FakeSlack()
        await fake.start()
        self.bench = slack_bench.SlackBench(fake, folder)
        await self.bench.start()

    async def close(self) -> None:
        await self.bench.stop()
        await self.bench.slack.stop()

    async def pair(self) -> None:
        await self.bench.pair()

    async def say(self, text: str, user: Any = None) -> Any:
        if text.startswith("/"):
            return await self.bench.slack.command(user or self.owner, text.removeprefix("/"))
        return await self.bench.slack.say(user or self.owner, text)

    async def edit(self, said: Any, text: str) -> None:
        await self.bench.slack.edit(self.owner, said, text)

    async def repeat(self, said: Any) -> None:
        await self.bench.slack.repeat(self.owner, said)

    async def send_file(self, name: str, data: bytes, *, claimed: int | None = None, gone: bool = False) -> None:
        file = self.bench.slack.add_file(name, data, "text/plain", claimed)
        if gone:
            del self.bench.slack.world.files[file["id"]]
        await self.bench.slack.say(self.owner, "", subtype="file_share", files=[file])

    async def press(self, label: str) -> None:
        for message in reversed(self._mine()):
            if any(one["text"]["text"] == label for one in buttons_of(message)):
                await self.bench.slack.press(self.owner, message["ts"], label)
                return
        raise AssertionError(f"no button {label}")

    def replies(self, user: Any = None) -> list[str]:
        return self.bench.replies(user or self.owner)

    def buttons(self) -> list[list[str]]:
        return [[one["text"]["text"] for one in buttons_of(message)] for message in self._mine()]

    def code(self) -> list[str]:
        return [found for text in self.replies() for found in FENCED.findall(text)]

    def files(self) -> list[str]:
        return [file["name"] for m in self._all() if m["user"] == BOT for file in m.get("files", [])]

    def _all(self) -> list[dict[str, Any]]:
        return [m for _, m in sorted(self.bench.slack.world.chats[direct(self.owner)].items())]

    def _mine(self) -> list[dict[str, Any]]:
        return [m for m in self._all() if m["user"] == BOT and m["text"] and "Paired" not in m["text"]]


class Mail(Driver):
    name, limit, edits, presses, cuts, fetches = "email", 4096, False, False, False, False
    owner, stranger, burst = mail_bench.OWNER, mail_bench.STRANGER, 100
    bench: mail_bench.MailBench

    async def open(self, folder: Path) -> None:
        fake = FakeMail()
        await fake.start()
        self.bench = mail_bench.MailBench(fake, folder)
        await self.bench.start()

    async def close(self) -> None:
        await self.bench.stop()
        await self.bench.mail.stop()

    async def pair(self) -> None:
        await self.bench.pair()

    async def say(self, text: str, user: Any = None) -> Any:
        return self.bench.mail.write(user or self.owner, text)

    async def repeat(self, said: Any) -> None:
        [raw] = [raw for raw in self.bench.mail.letters if said.encode() in raw]
        self.bench.mail.put(raw)  # the same letter, delivered twice

    async def send_file(self, name: str, data: bytes, *, claimed: int | None = None, gone: bool = False) -> None:
        letter = EmailMessage()
        letter["From"], letter["Subject"], letter["Message-ID"] = self.owner, "Re: talk", f"<{name}@home.example>"
        letter.set_content("look")
        letter.add_attachment(data, maintype="text", subtype="plain", filename=name)
        self.bench.mail.deliver(letter, self.owner)

    async def press(self, label: str) -> None:
        raise AssertionError("letters have no buttons")

    def replies(self, user: Any = None) -> list[str]:
        return self.bench.replies(user or self.owner)

    def buttons(self) -> list[list[str]]:
        return [[] for _ in self.replies()]

    def code(self) -> list[str]:
        return [found for text in self.replies() for found in FENCED.findall(text)]

    def files(self) -> list[str]:
        return [str(f.get_filename()) for letter in self.bench.mail.sent for f in letter.iter_attachments()]


class Web(Driver):
    name, limit, presses, cuts, strangers, fetches = "web", 4096, False, False, False, False
    placeholder, command, of_files, draws = "", "message", Source.OUTSIDE, True
    owner, stranger = "owner", "stranger"
    bench: WebBench

    async def open(self, folder: Path) -> None:
        self.bench = WebBench(folder)
        await self.bench.start()

    async def close(self) -> None:
        await self.bench.close()

    async def pair(self) -> None:
        """Whoever holds the token is the owner."""

    async def say(self, text: str, user: Any = None) -> Any:
        identity = f"m{len(self.bench.bodies)}"
        before = len(self.bench.front.heard)
        self.bench.post(identity, {"text": text})
        if self.bench.running:  # what is written first is sent first
            await self.bench.until(lambda: len(self.bench.front.heard) > before or not self._reachable)
        return identity

    async def repeat(self, said: Any) -> None:
        self.bench.post(said, self.bench.bodies[said])

    async def say_quickly(self, texts: list[str]) -> None:
        for text in texts:
            answer = await self.bench.client.post("/api/messages?wait=false", json={"text": text})
            assert answer.status_code == 202

    async def send_file(self, name: str, data: bytes, *, claimed: int | None = None, gone: bool = False) -> None:
        stored = await self.bench.client.post("/api/attachments", files={"file": (name, data, "text/plain")})
        given = (
            {"text": "", "attachments": [stored.json()["id"]]} if stored.status_code == 201 else {"text": stored.text}
        )
        self.bench.post(f"m{len(self.bench.bodies)}", given)

    async def press(self, label: str) -> None:
        raise AssertionError("the page has buttons of its own")

    def replies(self, user: Any = None) -> list[str]:
        return [text.strip() for text in self.bench.shown.values()]

    def buttons(self) -> list[list[str]]:
        return [[] for _ in self.replies()]

    def code(self) -> list[str]:
        return [found for text in self.replies() for found in FENCED.findall(text)]

    def files(self) -> list[str]:
        return self.bench.files

    async def down(self) -> None:
        self._reachable = False
        await self.bench.unserve()

    async def up(self) -> None:
        await self.bench.serve()
        self._reachable = True

    _reachable = True


DRIVERS: dict[str, type[Driver]] = {driver.name: driver for driver in (Telegram, Discord, WhatsApp, Slack, Mail, Web)}
