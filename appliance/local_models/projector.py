"""The eyes of a chat model: llama.cpp's multimodal library with the projector file that belongs to the model.

In a prompt a picture is a row of numbers like the words are: tokens where the model's makers put words around it, and
for each part of the picture one negative number of its own, as often as the part takes places. So what is known of a
conversation's beginning is told by comparing numbers, pictures included, and one that was read is not read again.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from appliance.errors import InputError
from appliance.local_models.errors import LocalModelError

_NUMBERS = 2**31 - 2  # of negative ones in a C int


@dataclass(frozen=True, slots=True)
class PicturePart:
    """What llama.cpp holds of a part of a picture; `places` of the context's positions, `tokens` of its room."""

    chunk: Any
    places: int
    tokens: int


@dataclass(slots=True)
class Pictures:
    """The pictures of one prompt, by the numbers that stand for their parts. `close` frees what llama.cpp holds."""

    parts: dict[int, PicturePart] = field(default_factory=dict)
    extra: int = 0  # room beyond the places: some models put a whole picture at few positions
    held: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        self.held.close()


class Projector:
    """Load it for a model of llama-cpp-python. Any thread may call `prepare`, only the model's calls `show`."""

    def __init__(self, path: Path, llama: Any, *, threads: int, most_tokens: int) -> None:
        """A picture is looked at with `most_tokens` at most, the words around it not counted.

        Raise LocalModelError when the file cannot be loaded, or llama.cpp was built without it.
        """
        try:
            from llama_cpp import mtmd_cpp
            from llama_cpp._logger import llama_log_callback
        except (ImportError, OSError, RuntimeError) as error:
            raise LocalModelError(
                "llama.cpp was built without pictures here.",
                fix="Delete STATE/models/runtime and the wheel in ~/.cache/appliance/wheels: it is built anew.",
            ) from error
        self._api: Any = mtmd_cpp
        self._llama = llama
        for quiet in (mtmd_cpp.mtmd_log_set, mtmd_cpp.mtmd_helper_log_set):
            quiet(llama_log_callback, None)  # it says every step of every picture otherwise
        params = mtmd_cpp.mtmd_context_params_default()
        params.use_gpu = False
        params.print_timings = False
        params.n_threads = threads
        params.image_max_tokens = most_tokens
        self._context: Any = mtmd_cpp.mtmd_init_from_file(str(path).encode(), llama.model, params)
        if not self._context or not mtmd_cpp.mtmd_support_vision(self._context):
            self.close()
            raise LocalModelError(
                f"{path.name} cannot be loaded as this model's projector.",
                fix="Take the mmproj file that was made for the model.",
            )

    def close(self) -> None:
        """Free its memory; before the model's."""
        if self._context:
            self._api.mtmd_free(self._context)
            self._context = None

    def prepare(self, data: bytes, pictures: Pictures) -> list[int]:
        """Given a JPEG or PNG, cut it to the model's size, put its parts into `pictures`, and return its numbers.

        Raise InputError for a file that cannot be read.
        """
        api = self._api
        buffer = (ctypes.c_uint8 * len(data)).from_buffer_copy(data)
        bitmap = api.mtmd_helper_bitmap_init_from_buf(self._context, buffer, len(data), False)
        if not bitmap:
            raise InputError("A picture cannot be read.", fix="Send a JPEG, PNG, GIF or WebP.")
        chunks = api.mtmd_input_chunks_init()
        pictures.held.callback(api.mtmd_input_chunks_free, chunks)
        marker = api.mtmd_default_marker()
        text = api.mtmd_input_text(marker, len(marker), False, True)
        try:
            bitmaps = (api.mtmd_bitmap_p_ctypes * 1)(bitmap)
            if api.mtmd_tokenize(self._context, chunks, ctypes.byref(text), bitmaps, 1) != 0:
                raise InputError("The model cannot take this picture.")
        finally:
            api.mtmd_bitmap_free(bitmap)
        return self._numbers(chunks, hashlib.sha256(data).digest(), pictures)

    def _numbers(self, chunks: Any, digest: bytes, pictures: Pictures) -> list[int]:
        api = self._api
        numbers: list[int] = []
        for index in range(api.mtmd_input_chunks_size(chunks)):
            chunk = api.mtmd_input_chunks_get(chunks, index)
            if api.mtmd_input_chunk_get_type(chunk) == api.MTMD_INPUT_CHUNK_TYPE_TEXT:
                count = ctypes.c_size_t()
                words = api.mtmd_input_chunk_get_tokens_text(chunk, ctypes.byref(count))
                numbers += [word for word in words[: count.value] if word >= 0]  # below 0: the model lacks it
                continue
            name = hashlib.sha256(digest + index.to_bytes(4, "big")).digest()
            number = -1 - int.from_bytes(name[:4], "big") % _NUMBERS
            places, tokens = api.mtmd_input_chunk_get_n_pos(chunk), api.mtmd_input_chunk_get_n_tokens(chunk)
            pictures.parts[number] = PicturePart(chunk, places, tokens)
            pictures.extra += tokens - places
            numbers += [number] * places
        return numbers

    def show(self, part: PicturePart, number: int, batch: int) -> None:
        """Let the model see a part of a picture at the end of its context. Raise LocalModelError when it cannot."""
        api, llama = self._api, self._llama
        start, after = llama.n_tokens, api.llama_cpp.llama_pos(0)
        llama._ctx.kv_cache_seq_rm(-1, start, -1)
        failed = api.mtmd_helper_eval_chunk_single(
            self._context, llama._ctx.ctx, part.chunk, start, 0, batch, False, ctypes.byref(after)
        )
        if failed:
            raise LocalModelError(f"The model could not look at a picture (llama.cpp says {failed}).")
        llama.input_ids[start : after.value] = number
        llama.n_tokens = after.value
        llama._requires_eval = True


def words_before_picture(numbers: Iterable[int]) -> int:
    """How many numbers from the first on belong to the words before a picture."""
    count = 0
    for number in numbers:
        if number < 0:
            break
        count += 1
    return count
