"""A model with the shapes of Qwen3-0.6B and random weights: its GGUF file, and what PyTorch computes from such a file."""

import numpy as np

LAYERS, WIDTH, FFN, HEADS, KV_HEADS, HEAD, VOCAB = 28, 1024, 3072, 16, 8, 128, 151936
THETA, EPSILON, CONTEXT = 1e6, 1e-6, 40960
# Tokens of the prompt whose results are compared.
CHECKED = 32

# GGUF's name: transformers' name and the shape, [out, in].
OF_LAYER = {
    "attn_norm": ("input_layernorm", [WIDTH]),
    "attn_q": ("self_attn.q_proj", [HEADS * HEAD, WIDTH]),
    "attn_k": ("self_attn.k_proj", [KV_HEADS * HEAD, WIDTH]),
    "attn_v": ("self_attn.v_proj", [KV_HEADS * HEAD, WIDTH]),
    "attn_q_norm": ("self_attn.q_norm", [HEAD]),
    "attn_k_norm": ("self_attn.k_norm", [HEAD]),
    "attn_output": ("self_attn.o_proj", [WIDTH, HEADS * HEAD]),
    "ffn_norm": ("post_attention_layernorm", [WIDTH]),
    "ffn_gate": ("mlp.gate_proj", [FFN, WIDTH]),
    "ffn_up": ("mlp.up_proj", [FFN, WIDTH]),
    "ffn_down": ("mlp.down_proj", [WIDTH, FFN]),
}


def tensors():
    """For each tensor, the names in GGUF and transformers, and the shape."""
    yield "token_embd.weight", "model.embed_tokens.weight", [VOCAB, WIDTH]
    yield "output_norm.weight", "model.norm.weight", [WIDTH]
    for layer in range(LAYERS):
        for name, (theirs, shape) in OF_LAYER.items():
            yield f"blk.{layer}.{name}.weight", f"model.layers.{layer}.{theirs}.weight", shape


def token(i):
    """Token i of all prompts. The choice of tokens does not affect the time."""
    return i * 2_654_435_761 % 2**32 % VOCAB


def write(path):
    import gguf

    writer = gguf.GGUFWriter(path, "qwen3")
    writer.add_name("Qwen3-0.6B's shapes, random weights")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_block_count(LAYERS)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(FFN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_rope_freq_base(THETA)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_tokenizer_model("none")
    writer.add_vocab_size(VOCAB)
    random = np.random.default_rng(0)
    for name, _, shape in tensors():
        draw = random.standard_normal(shape, np.float32)
        writer.add_tensor(name, 1 + 0.1 * draw if len(shape) == 1 else (draw * np.float32(0.03)).astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def reference(path, out):
    """The logits after a short prompt."""
    import gguf
    import torch
    import transformers

    config = transformers.Qwen3Config(
        vocab_size=VOCAB, hidden_size=WIDTH, intermediate_size=FFN, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        num_key_value_heads=KV_HEADS, head_dim=HEAD, rms_norm_eps=EPSILON, max_position_embeddings=CONTEXT, tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": THETA},
    )
    model = transformers.Qwen3ForCausalLM(config).eval()
    found = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    unpacked = lambda tensor: torch.from_numpy(gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32))
    weights = {theirs: unpacked(found[name]) for name, theirs, _ in tensors()}
    weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    model.load_state_dict(weights)
    with torch.inference_mode():
        logits = model(torch.tensor([[token(i) for i in range(CHECKED)]])).logits[0, -1]
    logits.numpy().tofile(out)
