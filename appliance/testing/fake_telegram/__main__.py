"""Run the fake as a program until SIGTERM or SIGINT; the first line of its output is its address."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from appliance.testing.fake_telegram.server import TOKEN, FakeTelegram


async def _serve(arguments: argparse.Namespace) -> None:
    fake = FakeTelegram(arguments.token, book=arguments.book, port=arguments.port, host=arguments.host)
    stop = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    async with fake:
        sys.stdout.write(f"{fake.url}\n")
        sys.stdout.flush()
        await stop.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 lets the kernel choose")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--book", type=Path, help="write every call to this file, one JSON object a line")
    parser.add_argument("--token", default=TOKEN, help="the one token that is accepted")
    asyncio.run(_serve(parser.parse_args()))


main()
