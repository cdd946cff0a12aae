"""Every refusal that a person may read on the page or in a chat, and why they are asked, has its Chinese sentences."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import appliance
from appliance.errors import InputError, NoAgentError
from appliance.gateway.auth import LockedError
from appliance.texts.refusals import REFUSALS, in_language, told

ROOT = Path(appliance.__file__).parent
REFUSING = {
    "InputError", "NotFoundError", "TooLargeError", "AccessError", "StateError", "BudgetError", "BudgetExceededError",
    "UnpricedModelError",
}  # fmt: skip
# What the page and chats reach. Not among them is what is said on the terminal alone: the start, and files that only
# the command line reads.
REACHED = (
    "agent", "automation", "channels", "errors.py", "gateway", "local_models/catalogue.py", "memory", "observability",
    "roles.py",
    "sandbox/approvals.py", "settings/page.py", "skills", "spending",
    *(f"composition/{name}.py" for name in ("execution", "first_run", "local_offers", "mcp_servers", "people")),
)  # fmt: skip
ON_THE_TERMINAL = (
    "gateway/server.py", "spending/reconcile.py", "agent/transcript.py",
    "composition/agents.py",
)  # fmt: skip
# Elsewhere: why a command is asked about, why no model answered, why a message was given up.
CARRIERS = tuple(f"channels/{name}/carrier.py" for name in ("discord", "mail", "slack", "telegram", "whatsapp"))
TROUBLED: dict[str, tuple[str, ...]] = {
    "ask": ("sandbox/",),
    "ModelError": ("models/",),
    "DeliveryError": ("gateway/delivery.py", "channels/outgoing.py", *CARRIERS),
}
HAN = re.compile("[\u4e00-\u9fff]")
VALUE = "x1"


def written(node: ast.expr) -> list[str]:
    """The texts that an expression can be, `{}` for each value in them; none for what comes from elsewhere."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return ["".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)]
        case ast.IfExp(body=one, orelse=other):
            return written(one) + written(other)
        case _:
            return []


def refusals() -> Iterator[tuple[str, str]]:
    """(place, text) of whatever a person may read of it."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        refusing = REFUSING if name.startswith(REACHED) and name not in ON_THE_TERMINAL else set()
        kinds = refusing | {kind for kind, room in TROUBLED.items() if name.startswith(room)}
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in kinds:
                named = {keyword.arg: keyword.value for keyword in call.keywords}
                if call.func.id == "DeliveryError" and "permanent" not in named:
                    continue  # it is tried again, and nobody is told
                given = [*call.args[:1], *([named["fix"]] if "fix" in named else [])]
                for text in (text for one in given for text in written(one)):
                    yield f"{name}:{call.lineno}", text


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_every_refusal_is_said_in_chinese_with_all_its_values(language: str) -> None:
    found = [
        (place, text)
        for place, text in refusals()
        if re.search("[a-z]{2}", text.replace("{}", "")) and not text.startswith("/")  # no value alone, no command
    ]
    shown = [(place, text, in_language(text.replace("{}", VALUE), language)) for place, text in found]
    assert len(shown) > 200
    assert [(place, text) for place, text, said in shown if not HAN.search(said)] == []
    assert [(place, said) for place, text, said in shown if said.count(VALUE) != text.count("{}")] == []


def test_every_entry_is_the_form_of_something_that_is_written_in_the_code() -> None:
    texts = {
        text
        for path in ROOT.rglob("*.py")
        if "texts" not in path.relative_to(ROOT).parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.expr)
        for text in written(node)
    }
    assert [entry[0] for entry in REFUSALS if entry[0] not in texts] == []


def test_entries_hold_the_same_values_and_their_own_characters() -> None:
    simplified = set("们这说时对会发过没问来国开为么样经动长电话头车书买卖")
    traditional = set("們這說時對會發過沒問來國開為麼樣經動長電話頭車書買賣")
    for english, hant, hans in REFUSALS:
        count = english.count("{}")
        for text in (hant, hans):
            fields = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
            assert fields == {str(number) for number in range(count)}, english
        assert not simplified & set(hant), english
        assert not traditional & set(hans), english
    assert len({entry[0] for entry in REFUSALS}) == len(REFUSALS)


def test_values_that_are_phrases_of_ours_are_said_in_the_language_too() -> None:
    text = "This call could pass today's limit: $1.00 of $2.00 is spent, $0.50 held by calls under way."
    assert in_language(text, "zh-Hant") == "這次呼叫可能超過今天的上限：$2.00 已用 $1.00，進行中的呼叫預留 $0.50。"
    assert in_language("This request was already used.", "zh-Hans") == "这项请求已经用过。"


def test_errors_that_fill_their_own_text_are_known_and_english_stays_as_it_is() -> None:
    assert told(NoAgentError("x"), "zh-Hant") == "沒有 'x' 這個助理。 `appliance agents` 會列出。"
    assert told(LockedError(600), "zh-Hans").startswith("错误次数太多；请等 10 分钟。")
    assert told(InputError("The file is empty."), "en") == "The file is empty."
    assert in_language("Nobody has written this.", "zh-Hans") == "Nobody has written this."


@pytest.mark.timeout(20)
def test_what_somebody_wrote_into_a_refusal_costs_no_time_however_long_or_nested_it_is() -> None:
    for made_up in (" refused the call ( ", " refused the call (y)", " must be at least  and at most "):
        assert in_language(f"There is no job 'x{made_up * 3_000}'.", "zh-Hans").startswith("没有 'x")
