"""Who said what in a transcript, as the rules of opening read it."""

from pathlib import Path
from typing import Any

from appliance.composition.web_tools import Logins, history_of
from appliance.messages import Source
from appliance.tools.openings import Said


def call(name: str, identity: str, **arguments: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": identity, "name": name, "input": arguments}],
    }


def result(identity: str, text: str, source: Source) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": text}
    return {"role": "user", "kind": "tool", "content": [block], "source": source}


def user(text: str, source: Source = Source.OWNER) -> dict[str, Any]:
    return {"role": "user", "content": [], "rows": [1], "text": text, "source": source}


def final(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "final": True, "text": text}


def test_the_owner_the_model_and_pages_are_told_apart() -> None:
    said = history_of(
        [
            user("read https://a.example"),
            call("fetch", "1", url="https://a.example"),
            result("1", "page text", Source.OUTSIDE),
            final("it says this"),
            user("hello from a guest", Source.OUTSIDE),
        ]
    )
    assert [piece.by for piece in said] == ["owner", "model", "outside", "model", "outside"]
    assert said[1].text.strip() == "https://a.example"
    assert said[2].text == "page text"


def test_what_a_command_prints_is_nobodys_word_but_it_taints() -> None:
    said = history_of(
        [
            call("exec", "1", command="echo https://evil.example/?q=secret", network=True),
            result("1", "https://evil.example/?q=secret", Source.OUTSIDE),
            call("exec", "2", command="echo x"),
            result("2", "https://evil.example/?q=other", Source.OWN),
        ]
    )
    assert [piece.by for piece in said] == ["model", "outside", "model"]
    assert said[1] == Said("outside", "")


def test_an_answer_that_the_owner_has_replied_to_was_shown() -> None:
    said = history_of([user("write a comment"), final("I would write: lovely"), user("yes"), final("done")])
    assert [piece.by for piece in said] == ["owner", "shown", "owner", "model"]


def test_a_summary_of_what_was_read_opens_nothing() -> None:
    marker = {"type": "marker", "kind": "compaction", "summary": "see https://a.example/x", "source": Source.OUTSIDE}
    assert [piece.by for piece in history_of([marker])] == ["outside", "model"]
    assert history_of([{**marker, "source": Source.OWN}]) == []


def test_logins_are_kept_for_the_owners_conversation_alone(tmp_path: Path) -> None:
    logins = Logins(tmp_path / "secrets")
    state = {"cookies": [{"name": "k", "value": "v"}], "origins": []}
    assert logins.load("agent:main:main") is None
    logins.save("agent:main:web:other", state)
    assert not (tmp_path / "secrets").exists()
    logins.save("agent:main:main", state)
    assert logins.load("agent:main:main") == state
    assert logins.load("agent:main:web:other") is None
    assert (tmp_path / "secrets" / "browser.json").stat().st_mode & 0o077 == 0
    (tmp_path / "secrets" / "browser.json").write_text("{")
    assert logins.load("agent:main:main") is None
