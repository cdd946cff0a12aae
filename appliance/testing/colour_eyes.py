"""A projector that is small and yet sees: it tells a picture's colour, in one word of the model that it belongs to.

No model that sees can be had from a package registry, so tests of pictures make these eyes for the small chat model:
llama.cpp reads, cuts and encodes a real picture with them, and what reaches the model is the word " red", " green" or
" blue" by the picture's colour. What a trained model makes of a photograph they do not tell.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

SIDE, PATCH, MERGE, FEATURES = (
    256,
    32,
    8,
    64,
)  # pixels of a tile and a patch, patches merged a side, width of the encoder
COLOURS = {" red": (1, -1, -1), " green": (-1, 1, -1), " blue": (-1, -1, 1)}


def write_colour_eyes(model: Path, target: Path) -> None:
    """Given a chat model's GGUF file in which each of the three words is one token, write its projector to `target`.

    numpy and gguf must be importable (local_models.runtime.ensure).
    """
    import gguf
    import numpy as np

    reader = gguf.GGUFReader(str(model))
    vocabulary = reader.fields["tokenizer.ggml.tokens"].contents()
    tokens = {word: vocabulary.index(word.replace(" ", "\u0120")) for word in COLOURS}
    words = next(one for one in reader.tensors if one.name == "token_embd.weight")
    meanings = gguf.quants.dequantize(words.data, words.tensor_type)
    width = meanings.shape[1]
    wanted = np.stack([meanings[tokens[word]] for word in COLOURS], axis=1)
    by_channel = wanted @ np.linalg.inv(np.array(list(COLOURS.values()), float).T)
    project = np.zeros((width, FEATURES * MERGE * MERGE), np.float32)
    patch = np.zeros((FEATURES, 3, PATCH, PATCH), np.float32)
    for channel in range(3):
        patch[channel, channel] = 1 / PATCH**2  # the patch's mean
        project[:, channel::FEATURES] = by_channel[:, channel : channel + 1] / MERGE**2
    writer = gguf.GGUFWriter(str(target), "clip")
    _describe(writer, width)
    writer.add_tensor("v.patch_embd.weight", patch)
    writer.add_tensor("v.position_embd.weight", np.zeros(((SIDE // PATCH) ** 2, FEATURES), np.float32))
    writer.add_tensor("mm.model.fc.weight", project)
    for name in ("attn_q", "attn_k", "attn_v", "attn_out", "ffn_up", "ffn_down"):  # a layer that changes nothing
        writer.add_tensor(f"v.blk.0.{name}.weight", np.zeros((FEATURES, FEATURES), np.float32))
    for name in ("ln1", "ln2"):
        writer.add_tensor(f"v.blk.0.{name}.weight", np.ones(FEATURES, np.float32))
        writer.add_tensor(f"v.blk.0.{name}.bias", np.zeros(FEATURES, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: Any, width: int) -> None:
    writer.add_string("clip.projector_type", "idefics3")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", True)
    for key, value in {
        "image_size": SIDE, "patch_size": PATCH, "embedding_length": FEATURES, "feed_forward_length": FEATURES,
        "block_count": 1, "attention.head_count": 1, "projection_dim": width, "projector.scale_factor": MERGE,
    }.items():  # fmt: skip
        writer.add_uint32(f"clip.vision.{key}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    for key in ("image_mean", "image_std"):
        writer.add_array(f"clip.vision.{key}", [0.5, 0.5, 0.5])
