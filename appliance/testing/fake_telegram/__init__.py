"""A strict Telegram Bot API on loopback, with a book of what it saw.

In a test use `FakeTelegram`; as a program: `python -m appliance.testing.fake_telegram --port N --book FILE`, then act
on it by `POST /control/say {"user": 5, "text": "hello"}` and read `GET /control/book`, `GET /control/messages/5`.
"""

from appliance.testing.fake_telegram.server import TOKEN, FakeTelegram
from appliance.testing.fake_telegram.state import Call, Fault

__all__ = ["TOKEN", "Call", "FakeTelegram", "Fault"]
