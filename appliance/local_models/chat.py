"""The chat model: one llama.cpp context, used by one thread at a time.

The context keeps what it has read: the next request evaluates only what differs, so a turn costs its new words and not
the whole conversation.
"""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from appliance.errors import InputError
from appliance.local_models.catalogue import PICTURE_TOKENS, Sampling
from appliance.local_models.errors import ContextLengthError, LocalModelError, StoppedError
from appliance.local_models.pictures import picture_bytes
from appliance.local_models.prefix_cache import PrefixCache
from appliance.local_models.projector import Pictures, Projector, words_before_picture
from appliance.local_models.templates import CALL_CLOSE, CALL_OPEN, ChatTemplate
from appliance.local_models.tool_calls import HeldText, Toolbox

READ_TOKENS = 256  # evaluated at a time while reading a prompt; between two such steps a request can be cancelled
ROOM_FOR_ANSWER = 16  # a prompt that leaves less than this of the window is too long
MAX_CALLS = 8  # tool calls in one answer
Finish = Literal["stop", "length", "tool_calls"]


@dataclass(frozen=True, slots=True)
class ChatJob:
    """One request. `schema` asks for an answer in that JSON Schema; `max_tokens` 0 is what the window leaves; None for
    a way of picking words is the model's own."""

    messages: list[dict[str, Any]]
    toolbox: Toolbox
    max_tokens: int = 0
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    schema: dict[str, Any] | None = None


@dataclass(slots=True)
class Counts:
    """Tokens of a request; `cached` of the prompt's were not evaluated again."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of what is said."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call in OpenAI's form."""

    call: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """The end, and why."""

    finish: Finish
    counts: Counts


Piece = Text | Call | Done


@dataclass(slots=True)
class _Run:
    """What one request has got so far."""

    job: ChatJob
    prompt: list[int]
    pictures: Pictures
    limit: int
    cancelled: threading.Event
    counts: Counts = field(default_factory=Counts)

    def left(self) -> int:
        return self.limit - self.counts.completion


class ChatEngine:
    """A loaded chat model. Not thread-safe: the worker's one thread uses it.

    `window` is in tokens: what the file was trained for, or less when `context` says so.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        context: int = 0,
        threads: int = 0,
        prefix_bytes: int = 256 * 1024 * 1024,
        sampling: Sampling | None = None,
        projector: Path | None = None,
        picture_tokens: int = PICTURE_TOKENS,
    ) -> None:
        """Load the GGUF file, and the `projector` with which it sees; raise LocalModelError when they cannot be.

        `prefix_bytes`: memory for conversations that left the context and may come back. `picture_tokens`: most for a
        picture.
        """
        import os

        import llama_cpp

        self._api: Any = llama_cpp
        self.name = name
        self._sampling = sampling or Sampling()
        count = threads or os.cpu_count() or 1
        try:
            self._llama: Any = llama_cpp.Llama(
                str(path), n_ctx=context, n_batch=READ_TOKENS, n_ubatch=READ_TOKENS, n_threads=count,
                n_threads_batch=count, verbose=False,
            )  # fmt: skip
        except (ValueError, RuntimeError, OSError) as error:
            raise LocalModelError(
                f"{path.name} cannot be loaded: {error}",
                fix="Check the file with `appliance models verify`, and local.memory_limit_mb if it is set.",
            ) from error
        self.window: int = min(self._llama.n_ctx(), self._llama._model.n_ctx_train())
        metadata: dict[str, str] = self._llama.metadata
        self._vocabulary = self._llama._model.vocab
        self._add_bos = metadata.get("tokenizer.ggml.add_bos_token") == "true"
        self._template = ChatTemplate(
            metadata.get("tokenizer.chat_template", ""),
            bos=self._token_text(self._llama.token_bos()),
            eos=self._token_text(self._llama.token_eos()),
        )
        self._buffer = ctypes.create_string_buffer(512)
        self._projector = (
            Projector(projector, self._llama, threads=count, most_tokens=picture_tokens) if projector else None
        )
        self._prefixes = PrefixCache(llama_cpp, self._llama, prefix_bytes)
        self._guard = threading.Lock()
        self._closed = False

    @property
    def native_tools(self) -> bool:
        """Whether the model's own template knows tools."""
        return self._template.native_tools

    @property
    def sees(self) -> bool:
        """Whether it takes pictures."""
        return self._projector is not None

    def close(self) -> None:
        """Free the model's memory; a `measure` under way ends first."""
        with self._guard:
            self._closed = True
            if self._projector is not None:
                self._projector.close()
            self._llama.close()

    def measure(self, job: ChatJob) -> int:
        """Return the prompt's length in tokens, from any thread; raise ContextLengthError when it leaves no room."""
        with self._guard:
            if self._closed:
                raise LocalModelError("Another model takes over just now.", fix="Try again.")
            with contextlib.closing(Pictures()) as pictures:
                length = len(self._prompt(job, pictures)) + pictures.extra
        if self.window - length < ROOM_FOR_ANSWER:
            raise ContextLengthError(length, self.window)
        return length

    def _prompt(self, job: ChatJob, pictures: Pictures) -> list[int]:
        """The numbers of the request's prompt, its pictures put into `pictures`; raise InputError when it makes no
        conversation."""
        if not job.messages:
            raise InputError("messages is empty.")
        eyes = self._projector
        look = None if eyes is None else lambda part: eyes.prepare(picture_bytes(part), pictures)
        tokens = self._template.tokens(job.messages, job.toolbox.tools, self._tokenize, look)
        if self._add_bos and tokens[:1] != [self._llama.token_bos()]:
            tokens.insert(0, self._llama.token_bos())
        return tokens

    def answer(self, job: ChatJob, cancelled: threading.Event) -> Iterator[Piece]:
        """Yield the answer piece by piece and Done at the end.

        Raise ContextLengthError when the prompt leaves no room, StoppedError when `cancelled` is set.
        """
        with contextlib.closing(Pictures()) as pictures:
            prompt = self._prompt(job, pictures)
            length = len(prompt) + pictures.extra
            room = self.window - length
            if room < ROOM_FOR_ANSWER:
                raise ContextLengthError(length, self.window)
            run = _Run(job, prompt, pictures, min(job.max_tokens or room, room), cancelled)
            run.counts.prompt = length
            run.counts.cached = self._read(prompt, run)
            if job.schema is not None:
                yield from self._constrained(run, job.schema)
            elif job.toolbox.must_call:
                yield from self._calls(run, prompt, lead="")
            else:
                yield from self._free(run)

    def _free(self, run: _Run) -> Iterator[Piece]:
        """Free text that may turn into a tool call."""
        tools = run.job.toolbox.allowed
        held = HeldText([*run.job.stop, *([CALL_OPEN] if tools else [])], hold_all_of=("{", "```") if tools else ())
        shown = ""
        for piece in self._text(run, run.prompt):
            if ready := held.feed(piece):
                shown += ready
                yield Text(ready)
            if held.found:
                break
        if held.found == CALL_OPEN:
            yield from self._calls(run, run.prompt, lead=shown)
            return
        rest = held.rest()
        if held.holding and (call := run.job.toolbox.read(rest)):
            yield Call(call)
            yield Done("tool_calls", run.counts)
            return
        if rest:
            yield Text(rest)
        yield Done("length" if run.left() <= 0 and not held.found else "stop", run.counts)

    def _calls(self, run: _Run, prompt: list[int], *, lead: str) -> Iterator[Piece]:
        """One or more tool calls, each held to the tools' schemas by a grammar; `lead` is text already shown."""
        toolbox = run.job.toolbox
        said = f"{lead}{CALL_OPEN}\n"
        found = 0
        while found < MAX_CALLS:
            tokens = prompt + self._tokenize(said.encode(), True)
            text = "".join(self._text(run, tokens, grammar=self._grammar(toolbox)))
            call = toolbox.read(text)
            if call is None:
                # Cut off by the output limit in the middle of a call: half a call is none, and never shown.
                break
            found += 1
            yield Call(call)
            if not self._template.native_tools or run.left() <= 0:
                break
            said += f"{text.strip()}\n{CALL_CLOSE}"
            after = ""
            for piece in self._text(run, prompt + self._tokenize(said.encode(), True)):
                after += piece
                if CALL_OPEN in after or not CALL_OPEN.startswith(after.strip()):
                    break
            if after.strip() != CALL_OPEN:
                break
            said += f"\n{CALL_OPEN}\n"
        yield Done("tool_calls" if found else "length", run.counts)

    def _constrained(self, run: _Run, schema: dict[str, Any]) -> Iterator[Piece]:
        """An answer that fits `schema`."""
        try:
            grammar = self._api.LlamaGrammar.from_json_schema(json.dumps(schema))
        except (ValueError, KeyError, TypeError, AssertionError) as error:
            raise InputError(f"response_format has a schema that cannot be followed: {error}") from error
        for piece in self._text(run, run.prompt, grammar=grammar):
            yield Text(piece)
        yield Done("length" if run.left() <= 0 else "stop", run.counts)

    def _grammar(self, toolbox: Toolbox) -> Any:
        for strict in (True, False):
            try:
                return self._api.LlamaGrammar.from_json_schema(json.dumps(toolbox.call_schema(strict=strict)))
            except (ValueError, KeyError, TypeError, AssertionError, RecursionError):
                continue  # a schema with parts that no grammar can say: hold the call to its name and to JSON
        raise InputError("The tools' schemas cannot be read.")

    def _read(self, tokens: Sequence[int], run: _Run) -> int:
        """Evaluate all but the last token in steps; return how many were still known from before."""
        import numpy as np

        llama = self._llama
        wanted = np.asarray(tokens[:-1], dtype=np.intc)
        keep = self._prefixes.switch(wanted)
        if keep < llama.n_tokens:
            if keep and not llama._ctx.kv_cache_seq_rm(-1, keep, -1):
                keep = 0  # a model whose memory cannot be cut back
            if keep == 0:
                llama._ctx.kv_cache_clear()
                llama.reset()
            llama.n_tokens = keep
            llama._requires_eval = True
        while llama.n_tokens < len(wanted):
            if run.cancelled.is_set():
                raise StoppedError("The request was cancelled.")
            start = llama.n_tokens
            part = run.pictures.parts.get(tokens[start])
            if part is not None and self._projector is not None:
                self._projector.show(part, tokens[start], READ_TOKENS)
            else:
                step = tokens[start : min(start + READ_TOKENS, len(wanted))]
                llama.eval(list(step[: words_before_picture(step)]))
        return keep

    def _text(self, run: _Run, tokens: list[int], grammar: Any = None) -> Iterator[str]:
        """Generate after `tokens` until the model ends or the limit is reached; yield whole characters."""
        length = len(tokens) + run.pictures.extra
        if length >= self.window or run.left() <= 0:
            return
        self._read(tokens, run)
        job = run.job
        if job.seed is not None:
            self._llama.set_seed(job.seed)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        generated = self._llama.generate(tokens, grammar=grammar, **self._way(job, free=grammar is None))
        for token in generated:
            if run.cancelled.is_set():
                raise StoppedError("The request was cancelled.")
            if self._api.llama_vocab_is_eog(self._vocabulary, token):
                break
            run.counts.completion += 1
            length += 1
            if piece := decoder.decode(self._piece(token)):
                yield piece
            if run.left() <= 0 or length >= self.window:
                break
        if rest := decoder.decode(b"", final=True):
            yield rest

    def _way(self, job: ChatJob, *, free: bool) -> dict[str, float]:
        """How words are picked: the request's figures, else the model's own."""
        own = self._sampling
        penalty = own.repeat_penalty if job.repeat_penalty is None else job.repeat_penalty
        return {
            "temp": own.temperature if job.temperature is None else job.temperature,
            "top_p": own.top_p if job.top_p is None else job.top_p,
            "top_k": own.top_k if job.top_k is None else job.top_k,
            "min_p": own.min_p if job.min_p is None else job.min_p,
            "repeat_penalty": penalty if free else 1.0,  # JSON repeats its signs
        }

    def _tokenize(self, text: bytes, special: bool) -> list[int]:
        result: list[int] = self._llama._model.tokenize(text, False, special)
        return result

    def _piece(self, token: int) -> bytes:
        size = self._api.llama_token_to_piece(self._vocabulary, token, self._buffer, len(self._buffer), 0, False)
        return self._buffer.raw[: max(0, size)]

    def _token_text(self, token: int) -> str:
        return str(self._llama._model.token_get_text(token)) if token != -1 else ""
