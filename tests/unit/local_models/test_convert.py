from __future__ import annotations

import pytest

from appliance.local_models.convert import gguf_name


@pytest.mark.parametrize(
    ("tensor", "name"),
    [
        ("embeddings.word_embeddings.weight", "token_embd.weight"),
        ("bert.embeddings.LayerNorm.bias", "token_embd_norm.bias"),
        ("encoder.layer.5.attention.self.query.bias", "blk.5.attn_q.bias"),
        ("encoder.layer.11.attention.output.LayerNorm.weight", "blk.11.attn_output_norm.weight"),
        ("encoder.layer.0.intermediate.dense.weight", "blk.0.ffn_up.weight"),
        ("encoder.layer.0.output.dense.weight", "blk.0.ffn_down.weight"),
        ("encoder.layer.0.output.LayerNorm.bias", "blk.0.layer_output_norm.bias"),
        ("embeddings.position_ids", None),
        ("pooler.dense.weight", None),
        ("cls.predictions.bias", None),
    ],
)
def test_each_tensor_of_bert_has_its_name_in_gguf(tensor: str, name: str | None) -> None:
    assert gguf_name(tensor) == name
