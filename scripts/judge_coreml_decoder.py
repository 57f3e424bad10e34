"""Compares language models as packages, evaluated by coremltools, with `rlx generate`: 50 tokens, each the most likely one.

    pip install coremltools==9.0 'numpy<2.4' tokenizers
    cargo build --release -p rlx-cli
    python scripts/judge_coreml_decoder.py target/release/rlx [--tokens N] [--family NAME]

A small Qwen3 and a mixture-of-experts Qwen3 with random weights are written as checkpoints and as GGUF files in several formats. Each
becomes a package with one function for parts of the prompt and one for a single token. coremltools loads both functions unchanged,
including states, and infers their types. They are then evaluated with the tokens of `rlx generate`, and states are carried from run to
run. The most likely token must be the same unless two are almost equally likely, since the package computes in f16 and `rlx` rounds the
operands of products with blocks.
"""

import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import tokenizers

import coreml_values
from coreml_programs import close_inputs, loaded, opened

coreml_values.install()

CHUNK, CAPACITY = 16, 128
PROMPT = "A cat and a dog walk into a bar."
CONFIG = {
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 256, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "hidden_act": "silu", "tie_word_embeddings": True, "attention_bias": False,
    "torch_dtype": "float32", "bos_token_id": None, "eos_token_id": None,
}
EXPERTS = {
    "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "num_experts": 12, "num_experts_per_tok": 3, "moe_intermediate_size": 256,
    "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": [],
}
# The settings of a family, and the formats it is written in.
FAMILIES = {
    "qwen3": (CONFIG, ["f16", "bf16", "q8_0", "q4_0", "q4_k_m", "q5_k_m", "q6_k", "iq4_nl"]),
    "qwen3_moe": (CONFIG | EXPERTS, ["f16", "q8_0", "q4_0", "q4_k_m", "mxfp4_moe"]),
}


def checkpoint(folder, config):
    """A model with random weights whose tokens are bytes."""
    random = np.random.default_rng(5)
    width, inner, heads, kv, size = 256, 512, 4, 2, 64
    tensors = {"model.embed_tokens.weight": random.normal(0, 0.6, (256, width)), "model.norm.weight": 1 + random.normal(0, 0.1, width)}
    for i in range(config["num_hidden_layers"]):
        at = f"model.layers.{i}."
        matrices = {
            "self_attn.q_proj": (heads * size, width), "self_attn.k_proj": (kv * size, width), "self_attn.v_proj": (kv * size, width),
            "self_attn.o_proj": (width, heads * size),
        }
        count = config.get("num_experts", 0)
        hidden = config["moe_intermediate_size"] if count else inner
        for feed in [f"mlp.experts.{e}" for e in range(count)] or ["mlp"]:
            matrices |= {f"{feed}.gate_proj": (hidden, width), f"{feed}.up_proj": (hidden, width), f"{feed}.down_proj": (width, hidden)}
        if count:
            matrices["mlp.gate"] = (count, width)
        tensors |= {f"{at}{name}.weight": random.normal(0, 1.2 / np.sqrt(shape[1]), shape) for name, shape in matrices.items()}
        norms = {"input_layernorm": width, "post_attention_layernorm": width, "self_attn.q_norm": size, "self_attn.k_norm": size}
        tensors |= {f"{at}{name}.weight": 1 + random.normal(0, 0.1, n) for name, n in norms.items()}
    header, data = {}, b""
    for name, value in tensors.items():
        value = value.astype(np.float32)
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header).encode()
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    (folder / "config.json").write_text(json.dumps(config))
    vocabulary = {token: i for i, token in enumerate(sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer.encode(PROMPT).ids


class Decoder:
    """A package whose functions run in sequence, with the contents of its states."""

    def __init__(self, package):
        self.model, self.weights = opened(package)
        self.states, self.used = {}, 0
        program = loaded(self.model, self.weights)
        kinds = {name: {op.op_type for op in function.operations} for name, function in program.functions.items()}
        for name, found in kinds.items():
            assert {"read_state", "coreml_update_state", "slice_update"} <= found, (name, found)
        described = {function.name: function for function in self.model.description.functions}
        assert described.keys() == kinds.keys() == {"prefill", "decode"} and self.model.description.defaultFunctionName == "prefill"
        assert all(len(function.state) == 2 * CONFIG["num_hidden_layers"] for function in described.values())

    def closed(self, name, given):
        """A function as a program without inputs: states start with their contents, and their final contents become outputs."""
        model = copy.deepcopy(self.model)
        for other in [n for n in model.mlProgram.functions if n != name]:
            del model.mlProgram.functions[other]
        function = model.mlProgram.functions[name]
        (block,) = function.block_specializations.values()
        values, operations, held = {}, [], {}
        for item in function.inputs:
            state = item.type.WhichOneof("type") == "stateType"
            ty = item.type.stateType.wrappedType if state else item.type
            dims = [d.constant.size for d in ty.tensorType.dimensions]
            if state:
                held[item.name] = item.name
                values[item.name] = self.states.setdefault(item.name, np.zeros(dims, np.float16)).astype(np.float16)
            else:
                values[item.name] = np.asarray(given[item.name], np.int32).reshape(dims)
        for op in block.operations:
            if op.type == "write_state":
                held[op.inputs["input"].arguments[0].name] = op.inputs["data"].arguments[0].name
                continue
            if op.type == "read_state":
                name_of = held[op.inputs["input"].arguments[0].name]
                op.type = "identity"
                del op.inputs["input"]
                op.inputs["x"].arguments.add().name = name_of
            operations.append(op)
        del block.operations[:]
        block.operations.extend(operations)
        block.outputs.extend(held.values())
        close_inputs(function, values)
        del model.description.functions[:]
        model.description.defaultFunctionName = name
        return model, list(held)

    def run(self, name, tokens, size):
        """The logits after the given tokens."""
        given = {"tokens": list(tokens) + [0] * (size - len(tokens)), "start": [self.used], "rows": [[len(tokens) - 1]]}
        model, states = self.closed(name, given)
        program = loaded(model, self.weights)
        outputs = [var.val for var in program.functions[name].outputs]
        missing = [op.op_type for op in program.functions[name].operations if any(var.val is None for var in op.outputs) and not op.op_type.startswith("constexpr_")]
        assert all(value is not None for value in outputs), sorted(set(missing))
        self.states.update(zip(states, outputs[1:]))
        self.used += len(tokens)
        return np.asarray(outputs[0], np.float64).reshape(-1)


def judged(rlx, folder, kind, prompt, count):
    """Whether a package agrees with the model in this format."""
    gguf, package = folder.with_suffix(f".{kind}.gguf"), folder.with_suffix(f".{kind}.mlpackage")
    quantize = [] if kind == "f16" else ["--quantize", kind]
    subprocess.run([rlx, "convert", "-q", folder, "-o", gguf, "--pre", "qwen2", *quantize], check=True)
    subprocess.run([rlx, "convert", "-q", gguf, "-o", package, "--dim", f"capacity={CAPACITY}", "--dim", f"seq={CHUNK}"], check=True)
    told = subprocess.run(
        [rlx, "generate", gguf, "-p", PROMPT, "-n", str(count), "--temp", "0", "-q", "--json", "--logprobs", "1", "--ignore-end", "--cache-type", "f16"],
        check=True, capture_output=True).stdout
    wanted = json.loads(told)["tokens"]
    decoder = Decoder(package)
    for start in range(0, len(prompt), CHUNK):
        logits = decoder.run("prefill", prompt[start : start + CHUNK], CHUNK)
    same, close, off = 0, 0, 0
    for i, token in enumerate(wanted):
        best = int(logits.argmax())
        gap = logits[best] - logits[token]
        # Within 2 % of the spread of the logits, both tokens count as equally good.
        same, close = same + (best == token), close + (best != token and gap < 0.02 * np.ptp(logits))
        off += best != token and gap >= 0.02 * np.ptp(logits)
        if i + 1 < len(wanted):
            logits = decoder.run("decode", [token], 1)
    print(f"{folder.name} {kind:9} {same} of {len(wanted)} tokens the same, {close} as good as the most likely one, {off} worse", flush=True)
    return off == 0 and len(wanted) == count


def main():
    rlx = sys.argv[1]
    count = int(sys.argv[sys.argv.index("--tokens") + 1]) if "--tokens" in sys.argv else 50
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        named = sys.argv[sys.argv.index("--family") + 1] if "--family" in sys.argv else None
        for family, (config, formats) in FAMILIES.items():
            if named not in (None, family):
                continue
            prompt = checkpoint(scratch / family, config)
            for kind in formats:
                failed += not judged(rlx, scratch / family, kind, prompt, count)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
