"""Whatever a page tries in a real Chromium, no packet reaches an address inside."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from appliance.errors import AddressError
from appliance.testing.names import FakeNames
from tests.attacks.test_ssrf import TARGETS
from tests.integration.browser.conftest import Forbidden, Hand, World

pytestmark = pytest.mark.chromium


async def _try_page(hand: Hand, world: World, script: str, seconds: float = 1.5) -> str:
    """Open a page that runs `script` (which sets `out` when it is through), wait, and return what is shown."""
    body = f"<title>t</title><p id=o>-</p><script>const out=t=>o.textContent+=' '+t;{script}</script>"
    await hand("open", url=world.page("evil.example/", body))
    first = hand.text
    await hand("wait", text=str(seconds))
    return f"{first}\n{hand.text}"


@pytest.mark.parametrize("target", [t for t in TARGETS if "rebind" not in t])
async def test_the_tool_opens_none_of_the_list(hand: Hand, target: str) -> None:
    with pytest.raises(AddressError):
        await hand("open", url=target)
    assert not hand.browser.open


async def test_a_page_reaches_nothing_inside_by_any_way(hand: Hand, world: World, forbidden: Forbidden) -> None:
    port = forbidden.port
    hosts = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0.0.0.0", "localhost."]
    ways = []
    for host in hosts:
        url = f"http://{host}:{port}/"
        ways.append(f"""
        fetch('{url}',{{mode:'no-cors'}}).then(()=>out('FETCHED'),()=>0);
        new Image().src='{url}';
        try{{new WebSocket('ws://{host}:{port}/').onopen=()=>out('SOCKET')}}catch(e){{}}
        try{{new EventSource('{url}')}}catch(e){{}}
        try{{navigator.sendBeacon('{url}','x')}}catch(e){{}}
        for (const tag of ['iframe','embed','script','video'])
          {{const e=document.createElement(tag);e.src='{url}';document.body.append(e)}}
        for (const rel of ['stylesheet','prefetch','preload','preconnect','dns-prefetch','manifest','icon'])
          {{const e=document.createElement('link');e.rel=rel;e.href='{url}';e.as='image';document.head.append(e)}}
        try{{new Worker(URL.createObjectURL(new Blob([`fetch('{url}',{{mode:'no-cors'}});new WebSocket('ws://{host}:{port}')`])))}}catch(e){{}}
        """)
    script = "window.addEventListener('load',()=>{" + "".join(ways) + "out('tried')})"
    text = await _try_page(hand, world, script, 4)
    assert "tried" in text
    assert "FETCHED" not in text
    assert "SOCKET" not in text
    assert forbidden.reached == 0


@pytest.mark.parametrize(
    "how", ["location", "form", "open", "meta", "click", "redirect", "frame-redirect", "js-redirect"]
)
async def test_no_way_of_going_somewhere_leads_inside(hand: Hand, world: World, forbidden: Forbidden, how: str) -> None:
    inside = f"http://127.0.0.1:{forbidden.port}/"
    hop = world.page("b.example/hop", status="302", location=inside)
    bodies = {
        "location": f"<script>setTimeout(()=>location='{inside}',50)</script>x",
        "form": f"<form action='{inside}' method=post></form><script>document.forms[0].submit()</script>",
        "open": f"<button onclick=\"window.open('{inside}')\">Go</button>",
        "meta": f"<meta http-equiv=refresh content='0;url={inside}'>x",
        "click": f"<a href='{inside}'>Go</a>",
        "redirect": f"<a href='{hop}'>Go</a>",
        "frame-redirect": f"<iframe src='{hop}'></iframe>",
        "js-redirect": f"<script>fetch('{hop}',{{mode:'no-cors'}})</script>x",
    }
    await hand("open", url=world.page("a.example/", bodies[how]))
    if ">Go<" in bodies[how]:
        await hand("click", ref=hand.ref("Go"))
    await hand("wait", text="1")
    assert forbidden.reached == 0


async def test_a_name_that_changes_its_answer_leads_nowhere(hand: Hand, world: World, forbidden: Forbidden) -> None:
    names = FakeNames({"evil.example": ["127.0.0.1"], "rebind.example": [["93.184.216.34"], ["127.0.0.1"]]})
    hand.browser.wall._resolve = names  # the wall of this test, before anything is asked
    url = f"http://rebind.example:{forbidden.port}/"
    script = f"const go=()=>fetch('{url}').then(()=>out('REACHED'),()=>0);for(let n=0;n<5;n++)setTimeout(go,n*150)"
    text = await _try_page(hand, world, script, 3)
    assert "REACHED" not in text
    assert names.asked.count("rebind.example") >= 2
    assert forbidden.reached == 0


async def test_no_packet_leaves_beside_the_proxy(hand: Hand, world: World) -> None:
    """WebRTC would speak UDP to any address; a listener on this machine hears nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.bind(("127.0.0.1", 0))
        heard.setblocking(False)
        port = heard.getsockname()[1]
        script = f"""const p=new RTCPeerConnection({{iceServers:[{{urls:'stun:127.0.0.1:{port}'}}]}});
        p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o));out('tried')"""
        assert "tried" in await _try_page(hand, world, script, 3)
        with pytest.raises(BlockingIOError):
            heard.recv(2048)


async def test_local_files_and_the_browsers_own_pages_stay_closed(hand: Hand, world: World) -> None:
    for target in ("file:///etc/passwd", "view-source:http://a.example/", "chrome://version", "data:text/html,hi"):
        await hand(
            "open", url=world.page("a.example/", f"<a href='{target}'>Go</a><iframe src='file:///etc/passwd'></iframe>")
        )
        await hand("click", ref=hand.ref("Go"))
        await hand("snapshot", full=True)
        assert "root:" not in hand.text
        window = await hand.browser.window(hand.session.value)
        assert all(tab.page.url.startswith(("http://a.example", "about:", "chrome-error:")) for tab in window.tabs), (
            target
        )


async def test_there_is_no_debugging_port(hand: Hand, world: World) -> None:
    await hand("open", url=world.page("a.example/", "x"))
    mine = [path for path in Path("/proc").iterdir() if path.name.isdigit() and _is_chromium(path)]
    assert mine
    sockets = {
        link for path in mine for fd in (path / "fd").iterdir() if (link := _link(fd)).startswith("socket:")
    }  # fmt: skip
    listening = {
        f"socket:[{line.split()[9]}]"
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text().splitlines()[1:]
        if line.split()[3] == "0A"
    }
    assert not sockets & listening
    assert not any(b"remote-debugging-port" in (path / "cmdline").read_bytes() for path in mine)


async def test_chromium_sees_nothing_of_our_environment(
    hand: Hand, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-canary-1")
    await hand("open", url=world.page("a.example/", "x"))
    seen = [_environ(path) for path in Path("/proc").iterdir() if path.name.isdigit() and _is_chromium(path)]
    assert any(b"appliance-browser-" in one for one in seen)
    assert not any(b"canary" in one for one in seen)


async def test_what_was_refused_is_told(hand: Hand, world: World) -> None:
    text = await _try_page(hand, world, "new Image().src='http://192.168.1.1/admin'", 0.5)
    assert "Not loaded: 192.168.1.1 is an address inside" in text


async def test_two_pages_at_once_are_no_trouble(hand: Hand, world: World) -> None:
    urls = [world.page(f"{name}.example/", f"<title>{name}</title>") for name in ("a", "b")]
    await asyncio.gather(*(hand("open", url=url) for url in urls))
    assert hand.browser.open


def _is_chromium(path: Path) -> bool:
    """A Chromium that this test started (the home folder tells), not another one on this machine."""
    try:
        return b"chrom" in (path / "cmdline").read_bytes() and b"appliance-browser-" in _environ(path)
    except OSError:
        return False


def _environ(path: Path) -> bytes:
    try:
        return (path / "environ").read_bytes()
    except OSError:
        return b""


def _link(fd: Path) -> str:
    try:
        return str(fd.readlink())
    except OSError:
        return ""
