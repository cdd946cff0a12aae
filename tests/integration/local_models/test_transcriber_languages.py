"""Which language a voice message is in, by a larger Whisper model that is fetched by command alone.

Not of the tier `local`: what that needs is fetched in CI, and this is 143 MiB more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from appliance.testing.local_service import LocalService, models_folder

from .conftest import running
from .test_transcriber import DATA, VOICE, heard

pytestmark = pytest.mark.timeout(1800)

JAPANESE = DATA / "voice-ja.ogg"  # "牛乳と卵とパンを買い物リストに追加して", in a voice of Kokoro-82M (Apache-2.0)
MULTILINGUAL = "whisper-base"
_FETCH = "FETCH_WHISPER_BASE"


@pytest.fixture
def multilingual() -> Iterator[LocalService]:
    pytest.importorskip("faster_whisper")
    if not (os.environ.get(_FETCH) or (models_folder() / MULTILINGUAL).is_dir()):
        pytest.skip(f"{MULTILINGUAL} is 143 MiB: {_FETCH}=1 fetches it")
    yield from running(chat="off", embedder="off", transcriber=MULTILINGUAL)


def test_the_language_is_found_out(multilingual: LocalService) -> None:
    answer = heard(multilingual, JAPANESE.read_bytes()).json()
    assert answer["language"] == "ja"
    assert "リストに追加して" in answer["text"]
    assert heard(multilingual, VOICE.read_bytes()).json()["language"] == "en"
