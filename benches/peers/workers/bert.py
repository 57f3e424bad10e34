"""MiniLM for the peers in Python: the encoder with mean pooling and normalization in PyTorch, and its tokens."""

import json
import os

import numpy as np


def tokens(case, data):
    """The ids [batch, seq] of a case. The driver wrote them, and every worker gets the same."""
    ids = np.fromfile(os.path.join(data, f"ids-{case['batch']}x{case['seq']}.i32"), np.int32)
    return ids.reshape(case["batch"], case["seq"])


def model_folder(data):
    with open(os.path.join(data, "data.json")) as file:
        return json.load(file)["model"]


def sentence_module(folder, attention):
    """The model in PyTorch: takes token ids, mask and types, and returns one vector of length 1 per text."""
    import torch
    from transformers import AutoModel

    class Sentence(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = AutoModel.from_pretrained(folder, attn_implementation=attention, add_pooling_layer=False)

        def forward(self, input_ids, attention_mask, token_type_ids):
            hidden = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
            pooled = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(pooled, p=2, dim=1)

    return Sentence().eval()


def export(folder, path):
    """Writes the model as ONNX, opset 17, with symbolic batch and length."""
    import torch

    ids = torch.ones((2, 16), dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "seq"} for name in names}
    torch.onnx.export(
        sentence_module(folder, "eager"), (ids, ids, ids * 0), path, input_names=names, output_names=["embedding"],
        dynamic_axes={**axes, "embedding": {0: "batch"}}, opset_version=17, dynamo=False,
    )
