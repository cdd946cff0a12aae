"""A number on the fake WhatsApp (see channel_bench), called over a small server as the gateway's own would."""

from __future__ import annotations

from aiohttp import web
from pydantic import SecretStr

from appliance.channels.base import ChannelParts
from appliance.channels.whatsapp.channel import WhatsAppChannel
from appliance.gateway.webhooks import WebhookRequest
from appliance.settings.channels import WhatsAppSettings
from appliance.testing.fake_whatsapp import PHONE, SECRET, TOKEN, VERIFY, FakeWhatsApp
from tests.channel_bench import ChannelBench

OWNER, STRANGER = "85291234567", "85298765432"


class WhatsAppBench(ChannelBench):
    """One running appliance, as far as WhatsApp goes."""

    channel: WhatsAppChannel
    token = TOKEN

    @property
    def whatsapp(self) -> FakeWhatsApp:
        return self.fake  # type: ignore[no-any-return]

    def make(self, parts: ChannelParts) -> WhatsAppChannel:
        return WhatsAppChannel(
            WhatsAppSettings(
                access_token=SecretStr(self.token),
                phone_number_id=PHONE,
                app_secret=SecretStr(SECRET),
                verify_token=SecretStr(VERIFY),
                api_base=self.whatsapp.url,
                **self.settings,
            ),
            parts,
        )

    async def serve(self) -> None:
        """Begin to be called; a house that is down answers 503."""
        app = web.Application()
        app.router.add_post("/hooks/whatsapp", self._called)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.whatsapp.hook = f"http://127.0.0.1:{self._runner.addresses[0][1]}/hooks/whatsapp"

    async def unserve(self) -> None:
        await self._runner.cleanup()

    async def _called(self, request: web.Request) -> web.Response:
        if not self.running:
            return web.Response(status=503)
        headers = {name.lower(): value for name, value in request.headers.items()}
        answer = await self.channel.webhooks["whatsapp"](WebhookRequest("POST", headers, {}, await request.read()))
        return web.Response(status=answer.status, text=answer.text)

    async def pair(self, user: str = OWNER) -> None:
        await self.channel.opened()
        self.whatsapp.say(user, "text", {"body": await self.access.invite()})
        await self.until(lambda: self.access.check("whatsapp", user) and self.whatsapp.sent.get(user))

    def replies(self, user: str = OWNER) -> list[str]:
        """What arrived at a person, but for the greeting and files."""
        shown = [m.get("text", m.get("interactive", {})) for m in self.whatsapp.sent.get(user, [])]
        texts = [str(one["body"]["text"] if isinstance(one["body"], dict) else one["body"]) for one in shown if one]
        return [text for text in texts if "Paired" not in text]
