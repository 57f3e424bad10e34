"""Makes GGUF files from the checkpoints of scripts/llm_checkpoints.py, with llama.cpp's results for them.

    pip install torch transformers gguf
    CMAKE_ARGS=-DGGML_NATIVE=ON pip install --no-binary llama-cpp-python llama-cpp-python
    python scripts/llm_gguf.py LLAMA_CPP CHECKPOINTS FOLDER [--formats f16,q8_0,q4_k_m] [NAME ...]

LLAMA_CPP is a folder with llama.cpp's sources, whose converter writes FOLDER/NAME-FORMAT.gguf (f32, f16, bf16); its library quantizes the f32
file to other formats. FOLDER/NAME-FORMAT.safetensors contains `tokens`, `logits` and `greedy` as in CHECKPOINTS/NAME/expected.safetensors,
computed by llama.cpp with an f32 cache, on one thread, one token at a time; and `exact`, the logits of the same model with all numbers
unpacked to f32, so that operands of products are not rounded, to measure the errors of both implementations. `margins` has the difference
between each token of the greedy text and the next best one, and `errors` the largest error of a logit there.
`cargo run -p rlx-llm --example compare -- FOLDER/*.gguf` compares.
"""

import ctypes
import json
import sys
from pathlib import Path

import numpy as np

ARGUMENTS = [a for a in sys.argv[1:] if not a.startswith("--")]
FORMATS = next((sys.argv[i + 1].split(",") for i, a in enumerate(sys.argv) if a == "--formats"), ["f32", "f16", "q8_0", "q4_0", "q4_k_m"])
if "--formats" in sys.argv:
    ARGUMENTS.remove(",".join(FORMATS))
LLAMA_CPP, CHECKPOINTS, FOLDER = map(Path, ARGUMENTS[:3])
sys.path[:0] = [str(LLAMA_CPP), str(LLAMA_CPP / "gguf-py")]

import conversion  # noqa: E402
import gguf  # noqa: E402
import llama_cpp  # noqa: E402
import torch  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402

CONVERTED = {"f32": gguf.LlamaFileType.ALL_F32, "f16": gguf.LlamaFileType.MOSTLY_F16, "bf16": gguf.LlamaFileType.MOSTLY_BF16}
# llama_ftype of the recipes by their common names.
RECIPES = {"q4_0": 2, "q4_1": 3, "q8_0": 7, "q5_0": 8, "q5_1": 9, "q2_k": 10, "q3_k_s": 11, "q3_k_m": 12, "q3_k_l": 13, "q4_k_s": 14, "q4_k_m": 15,
           "q5_k_s": 16, "q5_k_m": 17, "q6_k": 18, "iq4_nl": 25, "iq4_xs": 30, "tq1_0": 36, "tq2_0": 37, "mxfp4_moe": 38}

QUIET = llama_cpp.llama_log_callback(lambda level, text, _: sys.stderr.write(text.decode()) if level == 4 else None)


def convert(name, form, out):
    """The checkpoint, converted by llama.cpp's converter without a tokenizer."""
    folder = CHECKPOINTS / name
    hparams = conversion.ModelBase.load_hparams(folder, False)
    hparams.setdefault("n_ctx", hparams.get("n_positions"))
    base = conversion.get_model_class(hparams["architectures"][0])

    class Model(base):
        model_arch = base.model_arch
        no_mtp = True  # There are no layers that predict further tokens.

        def set_vocab(self):
            self.gguf_writer.add_tokenizer_model("none")
            self.gguf_writer.add_vocab_size(hparams["vocab_size"])

    if name.startswith("gemma3"):  # It cuts the embeddings to the tokens that there are.
        (folder / "tokenizer.json").write_text(json.dumps(
            {"model": {"vocab": {f"t{i}": i for i in range(hparams["vocab_size"])}}, "added_tokens": []}))
    with torch.inference_mode():
        Model(folder, CONVERTED[form], out, eager=True, model_name=name, hparams=hparams).write()
    (folder / "tokenizer.json").unlink(missing_ok=True)


def quantize(source, recipe, out):
    params = llama_cpp.llama_model_quantize_default_params()
    params.nthread, params.ftype = 1, RECIPES[recipe]
    params.allow_requantize = True  # Experts that came in MXFP4.
    if llama_cpp.llama_model_quantize(str(source).encode(), str(out).encode(), ctypes.byref(params)):
        sys.exit(f"{out}: llama.cpp does not quantize it")


def unpack(source, out):
    """The same model with the numbers of all blocks as f32."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(out, reader.fields["general.architecture"].contents())
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name not in ("general.architecture", "general.file_type"):
            kinds = field.types
            writer.add_key_value(field.name, field.contents(), kinds[0], kinds[-1] if kinds[0] == gguf.GGUFValueType.ARRAY else None)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Judge:
    """A model in llama.cpp, with an f32 cache."""

    def __init__(self, path, context):
        model = llama_cpp.llama_model_default_params()
        model.use_mmap = True
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), model)
        if not self.model:
            sys.exit(f"{path}: llama.cpp does not load it")
        self.vocab = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = context
        params.n_threads = params.n_threads_batch = 1
        params.type_k = params.type_v = 0  # GGML_TYPE_F32
        params.flash_attn_type = 0
        self.params = params
        self.reset()

    def reset(self):
        self.context = llama_cpp.llama_init_from_model(self.model, self.params)

    def next(self, token):
        """The logits after this additional token."""
        batch = llama_cpp.llama_batch_get_one((ctypes.c_int32 * 1)(token), 1)
        if llama_cpp.llama_decode(self.context, batch):
            sys.exit("llama_decode failed")
        return np.ctypeslib.as_array(llama_cpp.llama_get_logits(self.context), (self.vocab,)).copy()


def judge(path, checkpoint, given=None):
    """What llama.cpp computes, and the logits from which each token of the greedy text was chosen, or would be chosen for a given text."""
    expected = load_file(checkpoint / "expected.safetensors")
    tokens, greedy = expected["tokens"], expected["greedy"]
    model = Judge(path, tokens.shape[1] + len(greedy) + 32)
    logits = []
    for sequence in tokens[::-1]:
        model.reset()
        logits.insert(0, [model.next(int(token)) for token in sequence])
    text, steps = [], []
    after = logits[0][-1]
    for i in range(len(greedy)):
        steps.append(after)
        text.append(int(after.argmax()) if given is None else int(given[i]))
        after = model.next(text[-1])
    return dict(tokens=tokens, logits=np.array(logits, np.float32), greedy=np.array(text, np.int32)), np.array(steps, np.float32)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    llama_cpp.llama_log_set(QUIET, None)
    for name in ARGUMENTS[3:] or sorted(p.name for p in CHECKPOINTS.iterdir()):
        for form in FORMATS:
            out = FOLDER / f"{name}-{form}.gguf"
            if form in CONVERTED:
                convert(name, form, out)
            else:
                source = FOLDER / f"{name}-f32.gguf"
                if not source.exists():
                    convert(name, "f32", source)
                quantize(source, form, out)
            seen, steps = judge(out, CHECKPOINTS / name)
            best = np.sort(steps, -1)
            seen["margins"] = best[:, -1] - best[:, -2]
            seen["errors"] = np.zeros_like(seen["margins"])
            if form != "f32" or any(tensor.tensor_type == gguf.GGMLQuantizationType.MXFP4 for tensor in gguf.GGUFReader(out).tensors):
                unpacked = out.with_suffix(".f32")
                unpack(out, unpacked)
                exact, exact_steps = judge(unpacked, CHECKPOINTS / name, seen["greedy"])
                seen["exact"] = exact["logits"]
                seen["errors"] = np.abs(steps - exact_steps).max(-1)
                unpacked.unlink()
            save_file(seen, FOLDER / f"{name}-{form}.safetensors")
            print(name, form, out.stat().st_size, f"logits of {seen['logits'].std():.2f}", flush=True)


if __name__ == "__main__":
    main()
