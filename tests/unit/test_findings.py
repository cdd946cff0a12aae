"""Whatever the doctor finds, and whatever the parts of the house report of themselves, is there in Chinese."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from appliance.doctor import CHECKS
from appliance.observability.health import State
from appliance.texts import TEXTS
from appliance.texts.sentences import in_language
from tests.sentences import modules, written

# Modules whose every text is part of a finding.
FINDING = (
    "doctor/", "skills/doctor.py", "mcp_client/doctor.py", "channels/discord/check.py", "channels/slack/check.py",
    "sandbox/check.py", "memory/report.py",
)  # fmt: skip
# What is the same in every language: commands, requests, names, queries.
SAME = re.compile(
    r"(sudo|chmod|timedatectl|apt-get|CONNECT|Bot|Bearer|PRAGMA|SELECT|CREATE|chat:write) .*"
    r"|appliance backup|local model|, search|timed out",
    re.DOTALL,
)
# Errors that become a part's detail or a finding, by who raises them.
RAISED: dict[str, tuple[str, ...]] = {
    "client.py": ("NotRunningError",),
    "database.py": ("StateError",),
    "browser/client.py": ("ToolError",),
    "skills/folder.py": ("SkillFormatError",),
    "skills/manifest.py": ("SkillFormatError",),
    "mcp_client/": ("LinkError",),
    "sandbox/engine.py": ("EngineError",),
    "sandbox/egress.py": ("SandboxError", "EngineError"),
    "sandbox/address.py": ("SandboxError",),
    "sandbox/tunnel.py": ("SandboxError",),
    "sandbox/container.py": ("SandboxError",),
    "sandbox/client.py": ("SandboxError", "_NoRunnerError"),
    "channels/connection.py": ("DeliveryError",),
    "channels/mail/": ("LoginError", "DeliveryError"),
    **{f"channels/{name}/api.py": ("TokenError", "IntentError", "SocketModeError", "DeliveryError", "ApplianceError")
       for name in ("discord", "slack", "telegram", "whatsapp")},
    **{f"local_models/{name}.py": ("LocalModelError", "FetchError", "_UnusableWheelError")
       for name in ("convert", "download", "embedding", "fetch", "installer", "node", "runtime")},
}  # fmt: skip
# Functions that return why something does not work.
REASONS = {
    "browser/chromium.py": ("missing", "own_sandbox"),
    "sandbox/engine.py": ("_reason",),
    "skills/folder.py": ("_reason",),
    "composition/mcp_servers.py": ("_standing",),
    "composition/web_tools.py": ("_health_of",),
}
NAMES = {"telegram", "discord", "slack", "whatsapp", "email"}
CHINESE = re.compile("[\u4e00-\u9fff：／。]")
VALUE = "x1"


def whole(tree: ast.AST) -> Iterator[ast.expr]:
    """Every expression of a module but docstrings and the pieces of f-strings."""
    pieces = {
        id(piece)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for piece in ast.walk(node)
        if piece is not node
    }
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in pieces | said:
            yield node


def reported(call: ast.Call, name: str) -> Iterator[ast.expr]:
    """What a call says of a part of the house, or raises about it."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if called == "set" and "health" in ast.unparse(call.func):
        yield from call.args[2:3]
    if name.startswith("local_models/") and called in ("say", "progress", "_progress"):
        yield from call.args[2:3]
    if name.startswith("local_models/supervisor") and "detail" in keywords:
        yield keywords["detail"]
    if any(name.startswith(room) and called in kinds for room, kinds in RAISED.items()):
        yield from [*call.args[:1], *([keywords["fix"]] if "fix" in keywords else [])]


def sentences() -> Iterator[tuple[str, str]]:
    """(module, text) of whatever may be shown of a finding or a part."""
    for name, tree in modules():
        nodes = list(whole(tree)) if name.startswith(FINDING) else []
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                nodes += reported(node, name)
            if isinstance(node, ast.FunctionDef) and node.name in REASONS.get(name, ()):
                nodes += [piece for piece in whole(node) if not isinstance(piece, ast.Constant) or piece.value]
        for text in (text.strip(" ;") for node in nodes for text in written(node)):
            if " " in text and re.search("[a-z]{2}", text.replace("{}", "")) and not SAME.fullmatch(text):
                yield name, text


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_every_finding_and_report_is_said_in_chinese_with_all_its_values(language: str) -> None:
    shown = [(name, text, in_language(text.replace("{}", VALUE), language)) for name, text in sentences()]
    assert len(shown) > 250
    assert sorted({(name, text) for name, text, said in shown if not CHINESE.search(said)}) == []
    assert [(name, said) for name, text, said in shown if said.count(VALUE) != text.count("{}")] == []


def test_every_check_state_and_part_has_a_name_in_each_language() -> None:
    assert {key.removeprefix("check_") for key in TEXTS if key.startswith("check_")} == set(CHECKS)
    assert {f"phase_{state}" for state in State} <= set(TEXTS)
    parts = {
        text
        for _, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("health.set") and node.args
        for text in written(node.args[0])
    }
    assert {key.removeprefix("part_") for key in TEXTS if key.startswith("part_")} == parts - NAMES
