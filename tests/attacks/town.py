# ruff: noqa: E501 - what a page runs is written on long lines
"""A network of its own, in which every way of a page to every string of the list is tried with a real Chromium.

    unshare --net --mount --fork python -m tests.attacks.town 1     every string; 8: each eighth of them

Here is the house: the wall's proxy with this system's real resolver, and Chromium. Over there, behind one wire, is the
rest of the world: a name server that changes its answers, a public site, and every private address of the list with a
listener on the ports that matter. What crosses the wire is written down; so is whoever is reached on this side.
Prints one JSON object: {"crossed": [...], "reached": [...], "asked": {...}, "tried": n, "left": [...], "heard": true}.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from appliance.browser.session import Browser, Window
from appliance.clock import SystemClock
from appliance.network.proxy import WallProxy
from appliance.network.wall import Wall
from tests.attacks.test_ssrf import TARGETS
from tests.faults.name_server import ADDRESS, UNKNOWN, answer, question

SITE, OTHER = "93.184.216.34", "93.184.216.35"  # a public site, and one that is only redirected from
BLOCKED_V4 = (
    "10.0.0.1 172.16.0.1 172.17.0.1 192.168.0.1 100.64.0.1 169.254.169.254 100.100.100.200 198.18.0.1 168.63.129.16"
).split()
BLOCKED_V6 = ["fd00:ec2::254", "fc00::1"]
PORTS = (80, 443, 3000, 6379, 8080, 9090, 18789)
HERE, THERE = "10.99.0.2", "10.99.0.1"
CHANGING = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1"]


def run(line: str) -> None:
    subprocess.run(line.split(), check=True)


# over there -----------------------------------------------------------------------------------------------------


class Names(asyncio.DatagramProtocol):
    """A name server. `rebind…` is public the first time it is asked for and private from then on, for no second."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        name, kind = question(data)
        found = self.answer(name) if kind == ADDRESS else []
        code = 0 if found or kind != ADDRESS else UNKNOWN
        self.transport.sendto(answer(data, *found, code=code), addr)  # type: ignore[attr-defined]

    def answer(self, name: str) -> list[str]:
        times = self.asked[name] = self.asked.get(name, 0) + 1
        if name.startswith("rebind"):
            return [SITE] if times == 1 else [CHANGING[times % len(CHANGING)]]
        if name.startswith("both"):
            return [SITE, CHANGING[times % len(CHANGING)]]
        if name == "127.0.0.1.nip.io":
            return ["127.0.0.1"]
        if name in ("metadata.google.internal", "host.docker.internal", "gateway", "prometheus", "grafana"):
            return ["10.0.0.1"]
        return [SITE] if name == "evil.example" else [OTHER] if name == "hop.example" else []


class World:
    """The public site and all that must not be reached, and the book of what came over the wire."""

    def __init__(self) -> None:
        self.page = b""
        self.names = Names()
        self.crossed: set[str] = set()

    async def live(self) -> None:
        for address in (SITE, OTHER, *BLOCKED_V4):
            run(f"ip addr add {address}/32 dev lo")
        for address in BLOCKED_V6:
            run(f"ip -6 addr add {address}/128 dev lo")
        loop = asyncio.get_running_loop()
        await loop.create_datagram_endpoint(lambda: self.names, local_addr=(THERE, 53))
        for port in PORTS:
            await asyncio.start_server(self.serve, None, port)
        await asyncio.start_server(self.control, THERE, 9)
        tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
        tap.bind(("wire", 0))
        tap.setblocking(False)
        loop.add_reader(tap, self.hear, tap)
        print("ready", flush=True)
        await asyncio.Event().wait()

    def hear(self, tap: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError):
            while frame := tap.recvfrom(2048):
                data, kind = frame[0], frame[0][12:14]
                if frame[1][2] == socket.PACKET_OUTGOING:
                    continue
                if kind == b"\x08\x00":
                    protocol, target = data[23], socket.inet_ntoa(data[30:34])
                    port = struct.unpack(">H", data[36:38])[0] if protocol in (6, 17) else 0
                    if (target, port) not in ((THERE, 53), (THERE, 9)):
                        self.crossed.add(f"{target}:{port}/{protocol}")
                elif kind == b"\x86\xdd" and data[20] in (6, 17):
                    self.crossed.add(f"[{socket.inet_ntop(socket.AF_INET6, data[38:54])}]/{data[20]}")

    async def control(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """From the house: `book`, or the next page with its length before it."""
        head = (await reader.readline()).decode().split()
        if head[0] == "page":
            self.page = await reader.readexactly(int(head[1]))
        writer.write(json.dumps({"crossed": sorted(self.crossed), "asked": self.names.asked}).encode())
        writer.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path, more, status = head.split(" ")[1], "", "200 OK"
            body = self.page if path == "/" else b"REACHED"
            if path.startswith("/to?"):
                status, body = "302 Found", b""
                with contextlib.suppress(ValueError):  # a form that put its own words there
                    more = f"Location: {bytes.fromhex(path[4:].partition('&')[0]).decode('latin-1')}\r\n"
            writer.write(
                f"HTTP/1.1 {status}\r\n{more}Content-Type: text/html; charset=utf-8\r\nAccess-Control-Allow-Origin: *\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode("latin-1")
                + body
            )
            await writer.drain()
        writer.close()


# here -----------------------------------------------------------------------------------------------------------

# Every way in which a page can ask for an address by itself. `U` is the address, `R` one that redirects there.
WAYS = """
for (const u of [U, R]) {
  const quiet = f => { try { const p = f(); if (p && p.catch) p.catch(()=>0) } catch (e) {} };
  quiet(() => fetch(u, {mode: 'no-cors'}));
  quiet(() => fetch(u, {mode: 'no-cors', method: 'POST', body: 'x', keepalive: true}));
  quiet(() => { const x = new XMLHttpRequest(); x.open('GET', u); x.send() });
  quiet(() => navigator.sendBeacon(u, 'x'));
  quiet(() => new EventSource(u));
  quiet(() => new WebSocket(u.replace(/^http/, 'ws')));
  quiet(() => new Worker(URL.createObjectURL(new Blob(
     [`fetch(${JSON.stringify(u)},{mode:'no-cors'}).catch(()=>0);try{new WebSocket(${JSON.stringify(u)}.replace(/^http/,'ws'))}catch(e){}`]))));
  for (const [tag, name] of [['img','src'],['script','src'],['iframe','src'],['embed','src'],['object','data'],['video','src'],
      ['audio','src'],['track','src'],['input','src'],['frame','src']])
    quiet(() => { const e = document.createElement(tag); if (tag == 'input') e.type = 'image'; e[name] = u; document.body.append(e) });
  for (const rel of ['stylesheet','prefetch','preload','preconnect','dns-prefetch','manifest','icon','modulepreload','prerender'])
    quiet(() => { const e = document.createElement('link'); e.rel = rel; e.href = u; e.as = 'image'; document.head.append(e) });
  quiet(() => { const s = document.createElement('style'); s.textContent =
     `@import url("${u}");@font-face{font-family:f;src:url("${u}")}body{font-family:f;background:url("${u}")}`; document.head.append(s) });
  const frame = html => quiet(() => { const e = document.createElement('iframe'); e.srcdoc = html; document.body.append(e) });
  const q = JSON.stringify(u).replace(/</g, '\\\\u003c'), a = u.replace(/&/g, '&amp;').replace(/"/g, '&quot;');
  frame(`<script>location = ${q}</` + `script>`);
  frame(`<script>location.replace(${q})</` + `script>`);
  frame(`<meta http-equiv=refresh content="0;url=${a}">`);
  frame(`<form action="${a}"><input name=x value=y></form><script>document.forms[0].submit()</` + `script>`);
  frame(`<form action="${a}" method=post></form><script>document.forms[0].submit()</` + `script>`);
  frame(`<a href="${a}" id=l>go</a><script>l.click()</` + `script>`);
  frame(`<a href="${a}" id=l download=x>go</a><script>l.click()</` + `script>`);
  frame(`<a href="/" ping="${a}" id=l>go</a><script>l.click()</` + `script>`);
}
"""

TOP = [
    "location = U",
    "location = R",
    "open(U); open(R)",
    "document.body.innerHTML = '<form id=f method=post>'; f.action = U; f.submit()",
]


def told(text: bytes = b"book\n") -> dict[str, object]:
    with socket.create_connection((THERE, 9), 5) as wire:
        wire.sendall(text)
        return dict(json.loads(b"".join(iter(lambda: wire.recv(65_536), b""))))


def page(target: str, script: str) -> None:
    """Let the site show a page that tries `script` on a target."""
    known = f"const U={json.dumps(target)},R='http://hop.example/to?{target.encode().hex()}'"
    script = f"{known};{script};document.title='tried'".replace("</script", "<\\/script")
    body = f"<!doctype html><title>t</title><body><script>{script}</script>".encode()
    told(b"page %d\n" % len(body) + body)


def variants(every: int) -> list[str]:
    """Each so-manieth of the list, and names that change their answer, each of them fresh."""
    changing = [f"http://{kind}{n}.example/" for kind in ("rebind", "both") for n in range(8 // every + 1)]
    return [*[t for t in TARGETS if "rebind" not in t][::every], *changing]


async def try_all(browser: Browser, targets: list[str]) -> list[str]:
    """Each target by everything that a page does by itself, then as the page itself; return what was not tried."""
    from playwright.async_api import Error

    left = []
    for target in targets:
        window = await browser.window(target)  # also a Chromium that all this was too much for is begun anew
        try:
            if not await tried(window, target):
                left.append(target)
        except Error as error:
            left.append(f"{target}: {error.message[:80]}")
        await browser.close(target)
    await asyncio.sleep(1.5)
    return left


async def tried(window: Window, target: str) -> bool:
    """Whether the page came to its end; where it was led away as a whole, nobody can tell."""
    from playwright.async_api import Error

    page(target, WAYS)
    tab = window.tab.page
    await tab.goto("http://evil.example/", wait_until="commit")
    with contextlib.suppress(Error):
        await tab.wait_for_function("document.title == 'tried'", timeout=30_000)
    through = await tab.title() == "tried"
    await asyncio.sleep(0.5)
    for way in TOP:
        page(target, f"setTimeout(() => {{ {way} }}, 0)")
        tab = await window.context.new_page()
        with contextlib.suppress(Error):  # led away in the middle of it
            await tab.goto("http://evil.example/", wait_until="commit", timeout=5_000)
        await asyncio.sleep(0.1)
        for one in window.context.pages[1:]:
            with contextlib.suppress(Error):
                await one.close()
    return through


async def house(every: int) -> None:
    reached: list[str] = []
    targets = variants(every)

    async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append(str(writer.get_extra_info("sockname")))
        writer.close()

    for port in PORTS:
        await asyncio.start_server(met, None, port)
    proxy = WallProxy(Wall())
    browser = Browser(Wall(), SystemClock(), await proxy.start())
    try:
        left = await try_all(browser, targets)
    finally:
        await browser.stop()
        await proxy.stop()
    book = told()
    for address in ("10.0.0.1", "127.0.0.1"):  # that whoever listens does hear
        socket.create_connection((address, 80), 5).close()
    await asyncio.sleep(0.2)
    heard = "10.0.0.1:80/6" in str(told()["crossed"]) and reached.pop().startswith("('127.0.0.1', 80")
    print(json.dumps({**book, "heard": heard, "reached": reached, "tried": len(targets), "left": left}))


def main() -> None:
    if sys.argv[1:] == ["world"]:
        sys.stdin.readline()  # until the wire is there
        for line in ("lo up", "wire up"):
            run(f"ip link set {line}")
        run(f"ip addr add {THERE}/24 dev wire")
        run("ip -6 addr add fd99::1/64 dev wire nodad")
        asyncio.run(World().live())
        return
    run("ip link set lo up")
    run("ip link add home type veth peer name wire")
    world = subprocess.Popen(
        ["unshare", "--net", sys.executable, "-m", "tests.attacks.town", "world"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert world.stdin is not None
        assert world.stdout is not None
        ours, theirs = Path("/proc/self/ns/net"), Path(f"/proc/{world.pid}/ns/net")
        while theirs.readlink() == ours.readlink():
            pass  # unshare has not happened yet
        run(f"ip link set wire netns {world.pid}")
        world.stdin.write("go\n")
        world.stdin.flush()
        assert world.stdout.readline() == "ready\n"
        run("ip link set home up")
        run(f"ip addr add {HERE}/24 dev home")
        run("ip -6 addr add fd99::2/64 dev home nodad")
        run(f"ip route add default via {THERE}")
        run("ip -6 route add default via fd99::1")
        with tempfile.TemporaryDirectory() as folder:
            names = Path(folder, "resolv.conf")
            names.write_text(f"nameserver {THERE}\noptions timeout:1 attempts:1\n")
            run(f"mount --bind {names} /etc/resolv.conf")
            asyncio.run(house(int(sys.argv[1])))
            run("umount /etc/resolv.conf")
    finally:
        world.kill()
        world.wait()


if __name__ == "__main__":
    main()
