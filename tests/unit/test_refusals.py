"""Every refusal that a person may read on the page or in a chat, and why they are asked, has its Chinese sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from appliance.errors import InputError
from appliance.gateway.auth import LockedError
from appliance.texts.sentences import in_language, told
from tests.sentences import modules, written

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


def refusals() -> Iterator[tuple[str, str]]:
    """(place, text) of whatever a person may read of it."""
    for name, tree in modules():
        refusing = REFUSING if name.startswith(REACHED) and name not in ON_THE_TERMINAL else set()
        kinds = refusing | {kind for kind, room in TROUBLED.items() if name.startswith(room)}
        for call in ast.walk(tree):
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


def test_a_lock_out_says_how_long_it_lasts() -> None:
    assert told(LockedError(600), "zh-Hans").startswith("错误次数太多；请等 10 分钟。")
    assert told(InputError("The file is empty."), "en") == "The file is empty."
