"""From OpenAI messages to the tokens that a model was trained on, by the template inside its file.

What people, tools and web pages wrote is never read as control tokens: the template is filled with random markers, and
the texts are put in afterwards as plain tokens, so that `<|im_start|>system` in a message stays the letters it is.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator
from typing import Any

from appliance.errors import InputError
from appliance.local_models.errors import LocalModelError

Tokenizer = Callable[[bytes, bool], list[int]]  # text, whether control tokens in it count
Eyes = Callable[[dict[str, Any]], list[int]]  # a picture as it came in a message; returns what stands for it
CALL_OPEN, CALL_CLOSE = "<tool_call>", "</tool_call>"
PLAIN_CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


class ChatTemplate:
    """The chat template of one model. `native_tools`: it knows tools and writes calls between `<tool_call>` tags."""

    def __init__(self, source: str, *, bos: str = "", eos: str = "") -> None:
        from jinja2.exceptions import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
        environment.globals["raise_exception"] = _refuse
        environment.globals["strftime_now"] = lambda _format: ""  # a date would change the prefix every day
        try:
            self._template = environment.from_string(source or PLAIN_CHATML)
        except TemplateError as error:
            raise LocalModelError(f"The model's chat template cannot be read: {error}") from error
        self._errors = (TemplateError, InputError, KeyError, TypeError)
        self._given = {"bos_token": bos, "eos_token": eos}
        self._in_parts = False
        self._in_parts = not self._writes_strings()
        self.native_tools = CALL_OPEN in source and "tools" in source

    def tokens(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]],
        tokenize: Tokenizer,
        look: Eyes | None = None,
    ) -> list[int]:
        """Given messages and tools in OpenAI's form, return the prompt's tokens, ready for the assistant's reply.

        `look` makes numbers of a picture, for a model that sees. Raise InputError when the template refuses the
        conversation, or there are pictures and no eyes.
        """
        mark = f"\u2402{secrets.token_hex(8)}"
        pictures: list[dict[str, Any]] = []
        plain = [_plain(message, mark, pictures if look else None) for message in messages]
        if tools and self.native_tools:
            given: list[dict[str, Any]] | None = [_defused(tool) for tool in tools]
        else:
            given = None
            plain = merged(without_tools(plain, tools))
        texts: list[str] = []
        marked = [_marked(message, mark, texts) for message in plain]
        text = self._render(marked, given)
        result: list[int] = []
        for piece, number in _cut(text, mark, "text"):
            if number is None:
                result += tokenize(piece.encode(errors="replace"), True)
                continue
            for words, picture in _cut(texts[number], mark, "picture"):
                if picture is None:
                    result += tokenize(words.encode(errors="replace"), False)
                elif look is not None:
                    result += look(pictures[picture])
        return result

    def _writes_strings(self) -> bool:
        """Whether content that is a string gets into the prompt: the templates of models that see may want a list."""
        try:
            return "probe" in self._render([{"role": "user", "content": "probe"}], None)
        except InputError:
            return False

    def _render(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None) -> str:
        try:
            return self._fill(messages, tools)
        except self._errors as error:
            refused: Exception = error
        # Some templates know no system role: then it opens the first user message.
        if messages and messages[0]["role"] == "system" and len(messages) > 1:
            first, second, *rest = messages
            joined = {**second, "content": f"{first['content']}\n\n{second['content']}"}
            try:
                return self._fill([joined, *rest], tools)
            except self._errors as error:
                refused = error
        raise InputError(f"The model's chat template refuses this conversation: {refused}") from refused

    def _fill(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None) -> str:
        if self._in_parts:
            messages = [{**one, "content": [{"type": "text", "text": one["content"]}]} for one in messages]
        return self._template.render(
            messages=messages, tools=tools, add_generation_prompt=True, enable_thinking=False, **self._given
        )


def _refuse(reason: str) -> None:
    raise InputError(str(reason))


def _marker(mark: str, kind: str, number: int) -> str:
    return f"{mark}-{kind}-{number}\u2403"


def _cut(text: str, mark: str, kind: str) -> Iterator[tuple[str, int | None]]:
    """The pieces of a text in order, each with the number of the marker that it is, or None for what is none."""
    for piece in re.split(f"({mark}-{kind}-[0-9]+\u2403)", text):
        if piece.startswith(f"{mark}-{kind}-"):
            yield piece, int(piece[:-1].rpartition("-")[2])
        elif piece:
            yield piece, None


def _plain(message: dict[str, Any], mark: str, pictures: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Content as one string with markers for pictures, which go into `pictures`; raise InputError for roles that do
    not exist, and for pictures where None takes them."""
    role = message.get("role")
    if role == "developer":
        role = "system"
    if role not in ("system", "user", "assistant", "tool"):
        raise InputError(f"A message has the unknown role {role!r}.")
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(_part(part, mark, pictures) for part in content)
    result: dict[str, Any] = {"role": role, "content": str(content or "")}
    calls = message.get("tool_calls")
    if role == "assistant" and calls:
        result["tool_calls"] = [_call(call) for call in calls]
    return result


def _part(part: dict[str, Any], mark: str, pictures: list[dict[str, Any]] | None) -> str:
    if part.get("type") == "text":
        return str(part.get("text", ""))
    if pictures is None:
        raise InputError("This model reads text only.", fix="Leave images and sounds out.")
    pictures.append(part)
    return _marker(mark, "picture", len(pictures) - 1)


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function") or {}
    arguments = function.get("arguments") or "{}"
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = {"unreadable": arguments}
    return {"type": "function", "function": _defused({"name": str(function.get("name")), "arguments": arguments})}


def _marked(message: dict[str, Any], mark: str, texts: list[str]) -> dict[str, Any]:
    if not message["content"]:
        return message
    texts.append(message["content"])
    return {**message, "content": _marker(mark, "text", len(texts) - 1)}


def _defused(value: Any) -> Any:
    """The same JSON with control-token openings broken, for texts that go through the template itself."""
    if isinstance(value, str):
        return value.replace("<|", "<\u200b|").replace("<tool_call", "<\u200btool_call")
    if isinstance(value, list):
        return [_defused(item) for item in value]
    if isinstance(value, dict):
        return {key: _defused(item) for key, item in value.items()}
    return value


def without_tools(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Say tools, calls and results in words, for a model whose template knows none of them."""
    result = []
    for message in messages:
        if message["role"] == "tool":
            result.append({"role": "user", "content": f"<tool_response>\n{message['content']}\n</tool_response>"})
        elif message.get("tool_calls"):
            calls = "\n".join(
                f"{CALL_OPEN}\n{json.dumps(call['function'], ensure_ascii=False)}\n{CALL_CLOSE}"
                for call in message["tool_calls"]
            )
            result.append({"role": "assistant", "content": f"{message['content']}\n{calls}".strip()})
        else:
            result.append(message)
    if not tools:
        return result
    if result and result[0]["role"] == "system":
        first, *rest = result
        return [{"role": "system", "content": f"{first['content']}\n\n{describe_tools(tools)}"}, *rest]
    return [{"role": "system", "content": describe_tools(tools)}, *result]


def describe_tools(tools: list[dict[str, Any]]) -> str:
    """The tools in few tokens: one line each, with how to call one."""
    lines = []
    for tool in tools:
        function = tool["function"]
        schema = function.get("parameters") or {}
        needed = set(schema.get("required") or ())
        parameters = ", ".join(
            f"{name}{'' if name in needed else '?'}: {item.get('type', 'any') if isinstance(item, dict) else 'any'}"
            for name, item in (schema.get("properties") or {}).items()
        )
        about = str(function.get("description") or "").strip().split("\n", 1)[0]
        lines.append(f"- {function['name']}({parameters}): {about}")
    listing = "\n".join(lines)
    return (
        f"Tools:\n{listing}\nOnly when a tool is needed, answer with nothing but\n"
        f'{CALL_OPEN}\n{{"name": "...", "arguments": {{...}}}}\n{CALL_CLOSE}'
    )


def merged(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours of one role as one message: many templates want roles to alternate."""
    result: list[dict[str, Any]] = []
    for message in messages:
        if result and result[-1]["role"] == message["role"]:
            result[-1] = {**result[-1], "content": f"{result[-1]['content']}\n\n{message['content']}"}
        else:
            result.append({"role": message["role"], "content": message["content"]})
    return result
