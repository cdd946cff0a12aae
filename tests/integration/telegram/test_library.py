"""aiogram as it is loaded here: its types are built when they are used, and every one of them can be."""

from __future__ import annotations

import json
import subprocess
import sys

_IN_A_PROCESS_OF_ITS_OWN = """
import json
from pydantic import BaseModel
from appliance.channels.telegram import library
before = BaseModel.__dict__["model_rebuild"]
library.load()
library.load()
import aiogram.methods, aiogram.types
models = [
    found
    for module in (aiogram.types, aiogram.methods)
    for name in module.__all__
    if isinstance(found := getattr(module, name), type) and issubclass(found, BaseModel)
]
at_once = sum(model.__pydantic_complete__ for model in models)
update = {"update_id": 1, "message": {"message_id": 2, "date": 1, "chat": {"id": 3, "type": "private"}, "text": "嗨"}}
text = aiogram.types.Update.model_validate(update).message.text
after_use = sum(model.__pydantic_complete__ for model in models)
unbuilt = [model.__name__ for model in models if not model.model_rebuild() and not model.__pydantic_complete__]
print(json.dumps({
    "models": len(models), "at_once": at_once, "text": text, "after_use": after_use, "unbuilt": unbuilt,
    "restored": BaseModel.__dict__["model_rebuild"] is before,
}))
"""


def test_types_are_built_when_used_and_each_one_can_be() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IN_A_PROCESS_OF_ITS_OWN], capture_output=True, text=True, check=True, timeout=90
    )
    found = json.loads(done.stdout)
    assert found["models"] > 400
    assert found["text"] == "嗨"
    assert found["unbuilt"] == []
    assert found["restored"]
    assert found["after_use"] < found["models"] / 4
