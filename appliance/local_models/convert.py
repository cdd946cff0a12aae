"""Write a BERT sentence embedder (safetensors and vocabulary, as Sentence Transformers ships it) out as GGUF.

llama.cpp then embeds with it: mean pooling, the same vectors as the original up to half precision.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from appliance.local_models.errors import LocalModelError

# safetensors names of one layer, and what GGUF calls them
LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
TOP = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.LayerNorm": "token_embd_norm",
}
DTYPES = {"F32": "<f4", "F16": "<f2"}


def gguf_name(name: str) -> str | None:
    """Given a BERT tensor name, return its name in GGUF; None for tensors that an embedder does not use."""
    name = name.removeprefix("bert.")
    stem, _, suffix = name.rpartition(".")
    if suffix not in ("weight", "bias"):
        return None
    if stem in TOP:
        return f"{TOP[stem]}.{suffix}"
    parts = stem.split(".", 3)
    if len(parts) == 4 and parts[:2] == ["encoder", "layer"] and parts[3] in LAYER:
        return f"blk.{parts[2]}.{LAYER[parts[3]]}.{suffix}"
    return None


def read_safetensors(path: Path) -> dict[str, Any]:
    """Return the tensors of a safetensors file as arrays; raise LocalModelError when it is not one."""
    import numpy as np

    raw = np.memmap(path, dtype=np.uint8, mode="r")
    length = int.from_bytes(bytes(raw[:8]), "little")
    if length > len(raw) - 8:
        raise LocalModelError(f"{path.name} is not a whole safetensors file.", fix="Fetch it again.")
    header = json.loads(bytes(raw[8 : 8 + length]))
    tensors = {}
    for name, item in header.items():
        if name == "__metadata__" or item["dtype"] not in DTYPES:
            continue  # position ids and the like are whole numbers, and not part of the model
        start, end = (8 + length + offset for offset in item["data_offsets"])
        if end > len(raw):
            raise LocalModelError(f"{path.name} is cut short.", fix="Fetch it again.")
        tensors[name] = raw[start:end].view(DTYPES[item["dtype"]]).reshape(item["shape"])
    return tensors


def bert_to_gguf(source: Path, target: Path, *, name: str) -> None:
    """Convert the model in the folder of `source` (with config.json and vocab.txt beside it) into `target`.

    Raise LocalModelError when it is not a BERT model that llama.cpp can run.
    """
    import gguf
    import numpy as np

    config = json.loads((source.parent / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "bert" or config.get("position_embedding_type", "absolute") != "absolute":
        raise LocalModelError(f"{source.name} is not a BERT model with absolute positions.")
    logging.getLogger("gguf").setLevel(logging.WARNING)
    writer = gguf.GGUFWriter(target, "bert")
    writer.add_name(name)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    _add_vocabulary(writer, source.parent, config)
    for tensor, values in read_safetensors(source).items():
        renamed = gguf_name(tensor)
        if renamed is None:
            continue
        # llama.cpp multiplies matrices in half precision and wants vectors and norms whole.
        half = values.ndim == 2 and renamed not in ("position_embd.weight", "token_types.weight")
        writer.add_tensor(renamed, np.ascontiguousarray(values, dtype=np.float16 if half else np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: Any, folder: Path, config: dict[str, Any]) -> None:
    import gguf

    words = (folder / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    if len(words) != config["vocab_size"]:
        raise LocalModelError(f"The vocabulary has {len(words)} words where the model has {config['vocab_size']}.")
    tokens, kinds = [], []
    for word in words:
        special = word.startswith("[") and word.endswith("]") and len(word) > 2
        kinds.append(gguf.TokenType.CONTROL if special else gguf.TokenType.NORMAL)
        # llama.cpp marks where a word begins, WordPiece marks where one goes on.
        if special:
            tokens.append(word)
        else:
            tokens.append(word[2:] if word.startswith("##") else f"\u2581{word}")
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_type_count(config["type_vocab_size"])
    for key, word in (("unk", "[UNK]"), ("sep", "[SEP]"), ("pad", "[PAD]"), ("mask", "[MASK]")):
        getattr(writer, f"add_{key}_token_id")(words.index(word))
    writer.add_bos_token_id(words.index("[CLS]"))
    writer.add_eos_token_id(words.index("[SEP]"))
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)
