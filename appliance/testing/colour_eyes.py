"""Projectors that are small and yet see: they tell a picture's colour, in one word of the model that they belong to.

No model that sees can be had from a package registry, so tests of pictures make these eyes for the small chat model:
llama.cpp reads, cuts and encodes a real picture with them, and what reaches the model is the word " red", " green" or
" blue" by the picture's colour. What a trained model makes of a photograph they do not tell. There are two: of
SmolVLM's form, where each part of a picture takes as many positions as tokens, and of Qwen's, where it takes fewer.

numpy and gguf must be importable here (local_models.runtime.ensure).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

FEATURES = 64  # the encoder's width
COLOURS = {" red": (1, -1, -1), " green": (-1, 1, -1), " blue": (-1, -1, 1)}
_HALF_LINEAR = 20.0  # so far to the right GELU changes nothing


def write_tiled_eyes(model: Path, target: Path) -> None:
    """Given a chat model's GGUF file in which each of the three words is one token, write a projector of SmolVLM's
    form: 256 pixels a tile, one token each."""
    import numpy as np

    patch, merged = 32, 8
    words = _words_by_channel(model)
    project = np.zeros((len(words), FEATURES * merged**2), np.float32)
    for channel in range(3):
        project[:, channel::FEATURES] = words[:, channel : channel + 1] / merged**2
    writer = _begun(target, "idefics3", words, image_size=patch * merged, patch_size=patch)
    writer.add_uint32("clip.vision.projector.scale_factor", merged)
    writer.add_tensor("v.patch_embd.weight", _mean_of(patch))
    writer.add_tensor("v.position_embd.weight", np.zeros((merged**2, FEATURES), np.float32))
    writer.add_tensor("mm.model.fc.weight", project)
    _written(writer)


def write_few_places_eyes(model: Path, target: Path) -> None:
    """The same in Qwen's form, for a model that `write_few_places_model` wrote: 28 pixels a token."""
    import numpy as np

    words = _words_by_channel(model)
    out = np.zeros((len(words), FEATURES * 4), np.float32)
    for channel in range(3):
        out[:, channel::FEATURES] = words[:, channel : channel + 1] / 4
    lift = np.full(FEATURES * 4, _HALF_LINEAR, np.float32)
    writer = _begun(target, "qwen2vl_merger", words, image_size=560, patch_size=14)
    for name in ("weight", "weight.1"):  # of two frames, which in a picture are the same
        writer.add_tensor(f"v.patch_embd.{name}", _mean_of(14) / 2)
    writer.add_tensor("mm.0.weight", np.eye(FEATURES * 4, dtype=np.float32))
    writer.add_tensor("mm.0.bias", lift)
    writer.add_tensor("mm.2.weight", out)
    writer.add_tensor("mm.2.bias", -(out @ lift))
    _written(writer)


def write_few_places_model(model: Path, target: Path) -> None:
    """Write the chat model (of Llama's form) once more in the form of Qwen2-VL, whose positions have several axes."""
    import gguf
    import numpy as np

    reader = gguf.GGUFReader(str(model))
    writer = gguf.GGUFWriter(str(target), "qwen2vl")
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name != "general.architecture":
            kind, *inner = field.types
            writer.add_key_value(name.replace("llama.", "qwen2vl."), field.contents(), kind, *inner[:1])
    writer.add_array("qwen2vl.rope.dimension_sections", [16, 8, 8, 0])
    heads = {
        "attn_q": reader.fields["llama.attention.head_count"].contents(),
        "attn_k": reader.fields["llama.attention.head_count_kv"].contents(),
    }
    for tensor in reader.tensors:
        part, data = tensor.name.split(".")[-2], tensor.data
        if part in heads:  # Llama's form has the two halves of a head row by row in turns
            rows = data.reshape(heads[part], -1, 2, data.shape[1]).swapaxes(1, 2)
            data = np.ascontiguousarray(rows.reshape(data.shape))
        writer.add_tensor(tensor.name, data, raw_dtype=tensor.tensor_type)
        if part in ("attn_q", "attn_k", "attn_v"):
            writer.add_tensor(tensor.name.replace("weight", "bias"), np.zeros(len(data), np.float32))
    _finish(writer)


def _words_by_channel(model: Path) -> Any:
    """The matrix that makes a colour (red, green and blue from -1 to 1) the embedding of its word."""
    import gguf
    import numpy as np

    reader = gguf.GGUFReader(str(model))
    vocabulary = reader.fields["tokenizer.ggml.tokens"].contents()
    table = next(one for one in reader.tensors if one.name == "token_embd.weight")
    meanings = gguf.quants.dequantize(table.data, table.tensor_type)
    words = np.stack([meanings[vocabulary.index(word.replace(" ", "\u0120"))] for word in COLOURS], axis=1)
    return (words @ np.linalg.inv(np.array(list(COLOURS.values()), float).T)).astype(np.float32)


def _mean_of(patch: int) -> Any:
    """A convolution whose first three features are a patch's mean in red, green and blue."""
    import numpy as np

    weights = np.zeros((FEATURES, 3, patch, patch), np.float32)
    for channel in range(3):
        weights[channel, channel] = 1 / patch**2
    return weights


def _begun(target: Path, kind: str, words: Any, **sizes: int) -> Any:
    import gguf

    writer = gguf.GGUFWriter(str(target), "clip")
    writer.add_string("clip.projector_type", kind)
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", True)
    sizes |= {"embedding_length": FEATURES, "feed_forward_length": 2 * FEATURES, "block_count": 1}
    for key, value in {**sizes, "attention.head_count": 1, "projection_dim": len(words)}.items():
        writer.add_uint32(f"clip.vision.{key}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    for key in ("image_mean", "image_std"):
        writer.add_array(f"clip.vision.{key}", [0.5, 0.5, 0.5])
    return writer


def _written(writer: Any) -> None:
    """Add the one layer, which changes nothing, and write the file."""
    import numpy as np

    attention = dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_out"), (FEATURES, FEATURES))
    forward = {"ffn_up": (2 * FEATURES, FEATURES), "ffn_down": (FEATURES, 2 * FEATURES)}
    for name, shape in (attention | forward).items():
        writer.add_tensor(f"v.blk.0.{name}.weight", np.zeros(shape, np.float32))
        writer.add_tensor(f"v.blk.0.{name}.bias", np.zeros(shape[0], np.float32))
    for name in ("ln1", "ln2"):
        writer.add_tensor(f"v.blk.0.{name}.weight", np.ones(FEATURES, np.float32))
        writer.add_tensor(f"v.blk.0.{name}.bias", np.zeros(FEATURES, np.float32))
    _finish(writer)


def _finish(writer: Any) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
