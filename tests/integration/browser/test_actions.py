"""Everything a page needs can be done by reference, and what happened is told."""

from __future__ import annotations

import asyncio

import pytest

from appliance.browser import actions
from appliance.errors import AddressError, ToolError
from appliance.messages import SessionKey, Source
from appliance.tools.openings import Said
from tests.integration.browser.conftest import Hand, World

pytestmark = pytest.mark.chromium
FORM = """<!doctype html><title>Order</title><h1>Order</h1><form onsubmit="done(event)">
<label>Name <input id=n></label><label>Size <select id=s><option>Small<option>Large</select></label>
<label><input type=checkbox id=c> Gift</label><input type=file id=f aria-label="Note">
<button>Send</button></form><p id=o></p>
<button onclick="document.getElementById('o').textContent = confirm('Sure?') ? 'confirmed' : 'left'">Ask</button>
<button onclick="document.getElementById('o').textContent = prompt('Who?')">Prompt</button>
<button onclick="this.remove()">Vanish</button>
<a href="/other" target=_blank>Elsewhere</a> <a href="/file" download>Take</a>
<div onmouseenter="document.getElementById('o').textContent='hovered'" style="cursor:pointer">Hover me</div>
<script>function done(e){e.preventDefault();const f=document.getElementById('f').files[0];
const say=t=>document.getElementById('o').textContent=`${n.value}|${s.value}|${c.checked}|${t}`;
f?f.text().then(say):say('none')}</script>"""


async def _open(hand: Hand, world: World) -> None:
    await hand("open", url=world.page("shop.example/", FORM))


async def test_a_form_is_filled_and_sent(hand: Hand, world: World) -> None:
    (hand.files / "upload").mkdir()
    (hand.files / "upload" / "note.txt").write_text("gruß 你好")
    await _open(hand, world)
    await hand("type", ref=hand.ref('textbox "Name"'), text="王小明")
    await hand("select", ref=hand.ref("combobox"), text="Large")
    await hand("click", ref=hand.ref('checkbox "Gift"'))
    await hand("upload", ref=hand.ref('button "Note"'), text="note.txt")
    result = await hand("click", ref=hand.ref('button "Send"'))
    assert "王小明|Large|true|gruß 你好" in result.text
    assert result.source is Source.OUTSIDE
    assert result.origin == "shop.example"


async def test_enter_sends_and_keys_are_named(hand: Hand, world: World) -> None:
    await _open(hand, world)
    await hand("type", ref=hand.ref("textbox"), text="Ada", submit=True)
    assert "Ada|Small|false|none" in hand.text
    await hand("press", ref=hand.ref("textbox"), text="Control+A")
    await hand("press", ref=hand.ref("textbox"), text="Delete")
    await hand("press", ref=hand.ref("textbox"), text="Enter")
    assert "|Small|false|none" in hand.text
    assert "Ada" not in hand.text
    with pytest.raises(ToolError, match="not a key"):
        await hand("press", text="secret")


async def test_a_dialog_is_shown_and_answered(hand: Hand, world: World) -> None:
    await _open(hand, world)
    ask, prompt = hand.ref('"Ask"'), hand.ref('"Prompt"')
    await hand("click", ref=ask)
    assert "The page asks (confirm): 'Sure?'" in hand.text
    refused = await hand("click", ref=prompt)
    assert not refused.ok
    await hand("dialog", text="accept")
    assert "confirmed" in hand.text
    await hand("click", ref=prompt)
    await hand("dialog", text="accept: Grace")
    assert "Grace" in hand.text
    with pytest.raises(ToolError, match="No dialog"):
        await hand("dialog", text="dismiss")


async def test_a_stale_reference_is_an_error_that_can_be_read(hand: Hand, world: World) -> None:
    await _open(hand, world)
    gone = hand.ref('"Vanish"')
    await hand.browser.window(hand.session.value)
    await hand("click", ref=gone)
    with pytest.raises(ToolError, match=f"no '{gone}' in the newest snapshot"):
        await hand("click", ref=gone)
    await _open(hand, world)
    gone = hand.ref('"Vanish"')
    window = await hand.browser.window(hand.session.value)
    await window.tab.page.evaluate("document.body.innerHTML = 'other'")
    with pytest.raises(ToolError, match="not on the page any more"):
        await hand("click", ref=gone)
    with pytest.raises(ToolError, match="Name the element"):
        await hand("click")


async def test_a_new_tab_comes_to_the_front_and_can_be_left(hand: Hand, world: World) -> None:
    world.page("shop.example/other", "<title>Other</title><h1>Other page</h1>")
    await _open(hand, world)
    await hand("click", ref=hand.ref("Elsewhere"))
    assert "A new tab opened (2 now)" in hand.text
    await hand("wait", text="Other page")
    assert "tab 2 of 2" in hand.text
    assert (await hand("tabs")).text.count("\n") == 1
    await hand("tab", text="1")
    assert "Order" in hand.text
    await hand("tab", text="2")
    await hand("tab", text="close")
    assert "Order" in hand.text
    with pytest.raises(ToolError, match="no tab '7'"):
        await hand("tab", text="7")


@pytest.mark.parametrize("name", ["../../.bashrc", "CON", "x" * 300 + ".txt", "a\nb.txt", "report.pdf"])
async def test_a_download_gets_a_name_of_ours(hand: Hand, world: World, name: str) -> None:
    disposition = "attachment; filename*=UTF-8''" + "".join(f"%{byte:02X}" for byte in name.encode())
    world.page("shop.example/file", b"data!", "application/octet-stream", **{"content-disposition": disposition})
    await _open(hand, world)
    await hand("click", ref=hand.ref("Take"))
    if "Downloaded" not in hand.text:
        await hand("wait", text="1")
    assert "Downloaded" in hand.text, hand.text
    (stored,) = (hand.files / "downloads").iterdir()
    assert stored.read_bytes() == b"data!"
    assert len(stored.name) <= 25
    assert stored.stem.isalnum()
    assert [path.name for path in hand.files.iterdir()] == ["downloads"]


@pytest.mark.parametrize("name", ["/etc/passwd", "../../x", "link.txt", "/workspace/other.txt", "", "missing.txt"])
async def test_only_files_of_the_upload_folder_are_uploaded(hand: Hand, world: World, name: str) -> None:
    (hand.files / "upload").mkdir()
    (hand.files / "other.txt").write_text("x")
    (hand.files / "upload" / "link.txt").symlink_to("/etc/passwd")
    await _open(hand, world)
    with pytest.raises(ToolError):
        await hand("upload", ref=hand.ref('"Note"'), text=name)


async def test_what_is_new_is_marked_and_words_can_be_looked_for(hand: Hand, world: World) -> None:
    await _open(hand, world)
    window = await hand.browser.window(hand.session.value)
    await window.tab.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<button>Fresh</button>')")
    await hand("snapshot")
    assert [line for line in hand.text.splitlines() if "[new]" in line] == [
        f'- button "Fresh" [ref={hand.ref("Fresh")}] [new]'
    ]
    await hand("snapshot", text="gift")
    assert "checkbox" in hand.text
    assert "Fresh" not in hand.text


async def test_hover_scroll_back_and_wait(hand: Hand, world: World) -> None:
    tall = '<title>Tall</title><div style="height:5000px">top</div><button onclick="this.textContent=scrollY>1000">Low'
    await _open(hand, world)
    await hand("hover", ref=hand.ref("Hover me"))
    assert "hovered" in hand.text
    await hand("open", url=world.page("shop.example/tall", tall))
    await hand("scroll", text="bottom")
    await hand("scroll", text="up")
    await hand("scroll", ref=hand.ref("Low"))
    await hand("click", ref=hand.ref("Low"))
    assert "true" in hand.text
    await hand("back")
    assert "Order" in hand.text
    with pytest.raises(ToolError, match="seconds"):
        await hand("wait")


async def test_a_picture_and_a_pdf_are_stored(hand: Hand, world: World) -> None:
    await _open(hand, world)
    result = await hand("screenshot")
    assert result.images[0]["media_type"] == "image/png"
    assert result.text.startswith("Stored as /workspace/downloads/screen-")
    await hand("pdf")
    kinds = sorted(path.read_bytes()[:4] for path in (hand.files / "downloads").iterdir())
    assert kinds == [b"%PDF", b"\x89PNG"]


async def test_sessions_do_not_share_cookies(hand: Hand, world: World) -> None:
    url = world.page("shop.example/", "<script>document.title = document.cookie; document.cookie = 'k=1'</script>x")
    await hand("open", url=url)
    await hand("open", url=url)
    assert hand.text.startswith("k=1")
    hand.session = SessionKey.web("other")
    await hand("open", url=url)
    assert not hand.text.startswith("k=1")


async def test_a_window_is_opened_late_and_closed_when_idle(hand: Hand, world: World) -> None:
    assert not hand.browser.open
    await hand("close")
    assert not hand.browser.open
    await _open(hand, world)
    assert hand.browser.open
    await hand.clock.advance(500)  # type: ignore[attr-defined]
    assert hand.browser.open
    await hand.clock.advance(200)  # type: ignore[attr-defined]
    for _ in range(200):
        if not hand.browser.open:
            break
        await asyncio.sleep(0.05)
    assert not hand.browser.open
    await _open(hand, world)
    assert "Order" in hand.text


async def test_a_browser_that_died_is_started_again(hand: Hand, world: World) -> None:
    await _open(hand, world)
    window = await hand.browser.window(hand.session.value)
    await window.context.browser.close()  # type: ignore[union-attr]
    await _open(hand, world)
    assert "Order" in hand.text


async def test_in_a_tainted_conversation_nothing_is_composed(hand: Hand, world: World) -> None:
    url = world.page("shop.example/", FORM)
    hand.said = [Said("owner", f"order for Ada at {url}"), Said("outside", "Name Size")]
    hand.tainted = True
    await hand("open", url=url)
    await hand("type", ref=hand.ref("textbox"), text="Ada")
    with pytest.raises(AddressError, match="Not typed"):
        await hand("type", ref=hand.ref("textbox"), text="blue7391")
    with pytest.raises(AddressError):
        await hand("open", url=url + "?q=blue7391")
    (hand.files / "upload").mkdir()
    (hand.files / "upload" / "diary.txt").write_text("x")
    with pytest.raises(AddressError, match="Not uploaded"):
        await hand("upload", ref=hand.ref('"Note"'), text="diary.txt")
    assert not any("7391" in path for _, path in world.book)


async def test_a_page_that_hangs_is_an_error_and_another_one_opens(
    hand: Hand, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "_MOST_SECONDS", 4.0)
    hang = "<button onclick='setTimeout(()=>{for(;;);},20)'>Hang</button>"
    await hand("open", url=world.page("b.example/", hang))
    with pytest.raises(ToolError, match="does not respond"):
        await hand("click", ref=hand.ref("Hang"))
    await _open(hand, world)
    assert "Order" in hand.text
