"""Speech to text with faster-whisper, which is imported when a transcriber is loaded."""

from __future__ import annotations

import io
import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.errors import InputError
from appliance.local_models.errors import LocalModelError, StoppedError

MOST_SECONDS = 3600  # of sound in one message; a small file can hold days of silence
_RATE = 16_000  # samples a second, as the models want them


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was heard, the language it was taken for, and how many seconds it took to say."""

    text: str
    language: str
    seconds: float


class Transcriber:
    """Give it the folder of a Whisper model in CTranslate2's form. Raises LocalModelError when it cannot be loaded."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        try:
            from faster_whisper import WhisperModel
        except ImportError:
            raise LocalModelError(
                "The speech library is not installed.",
                fix="Install the extra: pip install 'home-agent-appliance[speech]'",
            ) from None
        try:
            self._model: Any = WhisperModel(
                str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise LocalModelError(f"The transcriber in {folder.name} cannot be loaded: {error}") from None

    def transcribe(self, data: bytes, *, language: str, cancelled: threading.Event) -> Spoken:
        """Write down what is said in a sound file of any usual form. An empty language is found out.

        Raises InputError for what is no sound, is too long, or a language the model does not know; StoppedError.
        """
        import numpy

        samples = numpy.concatenate([numpy.zeros(0, numpy.float32), *_samples(data, cancelled)])
        if not samples.size:
            return Spoken("", language, 0.0)
        try:
            pieces, found = self._model.transcribe(
                samples, language=language or None, vad_filter=True, condition_on_previous_text=False
            )
        except ValueError as error:
            raise InputError(f"The transcriber refuses it: {error}") from None
        words = []
        for piece in pieces:
            if cancelled.is_set():
                raise StoppedError("The request was cancelled.")
            words.append(piece.text.strip())
        return Spoken(" ".join(words), str(found.language), samples.size / _RATE)


def _samples(data: bytes, cancelled: threading.Event) -> Iterator[Any]:
    """The sound as arrays of floats, decoded piece by piece, so that its length is known before it fills the memory."""
    import av
    import numpy

    resampler = av.AudioResampler(format="s16", layout="mono", rate=_RATE)
    taken = 0
    try:
        with av.open(io.BytesIO(data), mode="r") as container:
            if not container.streams.audio:
                raise InputError("There is no sound in this file.")
            for frame in itertools.chain(container.decode(audio=0), [None]):
                for piece in resampler.resample(frame):
                    taken += piece.samples
                    if taken > MOST_SECONDS * _RATE:
                        raise InputError(f"It is longer than {MOST_SECONDS // 60} minutes.")
                    if cancelled.is_set():
                        raise StoppedError("The request was cancelled.")
                    yield piece.to_ndarray().reshape(-1).astype(numpy.float32) / 32768
    except (av.FFmpegError, ValueError) as error:
        raise InputError(f"The file is no sound that can be read: {type(error).__name__}.") from None
