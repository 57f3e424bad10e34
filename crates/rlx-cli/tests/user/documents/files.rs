//! The files that commands in the docs name: small ones of each kind, created once and linked into the folder of each command.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rlx_gguf::{GgufWriter, MetaValue, TensorType};
use rlx_ir::DType;
use rlx_models::weights::{StoredType, Tensor, save};
use tempfile::TempDir;

use crate::support::{command, root};

#[allow(dead_code)]
#[path = "../../support/tiny.rs"]
mod tiny;

/// Number of tokens of the tokenizer in crates/rlx-tokenizer/tests/goldens/byte_level.
const VOCAB: usize = 700;
const WIDE: usize = 64;
const FEED: usize = 128;

/// A folder with all of the files, and with an `rlx` in `bin` for which `minilm` is the small encoder.
pub fn workshop() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("bin")).unwrap();
    fs::write(
        at("bin/rlx"),
        format!(
            "#!/bin/sh\ncase \"$*\" in *--help*|*' --model '*) ;; embed*) shift; set -- embed --model minilm \"$@\" ;; esac\n\
             for word do shift; [ \"$word\" = minilm ] && word=./minilm; set -- \"$@\" \"$word\"; done\nexec {} \"$@\"\n",
            env!("CARGO_BIN_EXE_rlx")
        ),
    )
    .unwrap();
    fs::set_permissions(at("bin/rlx"), fs::Permissions::from_mode(0o755)).unwrap();
    let encoder = tiny::model_with(256);
    for (from, to) in [(encoder.path(), at("minilm")), (encoder.path(), at("my-model"))] {
        copy(from, &to);
    }
    for folder in ["examples/training", "examples/jax"] {
        copy(&root().join(folder), &at(folder));
    }
    for graph in ["hello", "softmax", "product"] {
        fs::copy(root().join(format!("examples/{graph}.rlx")), at(&format!("examples/{graph}.rlx"))).unwrap();
    }
    symlink(root().join("crates"), at("crates")).unwrap();
    fs::copy(root().join("README.md"), at("README.md")).unwrap();
    for entry in fs::read_dir(root().join("examples/jax")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, at(path.file_name().unwrap().to_str().unwrap())).unwrap();
        }
    }
    texts(dir.path());
    graphs(dir.path());
    language_models(dir.path());
    dir
}

/// Links the contents of the workshop into a folder that a command may write to.
pub fn link(workshop: &Path, to: &Path) {
    for entry in fs::read_dir(workshop).unwrap() {
        let path = entry.unwrap().path();
        symlink(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// Files that must exist before a command, because the command above it on the page writes them.
pub fn before(command: &str) -> Option<&'static str> {
    let rows = [
        ("rlx run gradient.mlir", "rlx transform grad pendulum.mlir --wrt 0,1 -o gradient.mlir"),
        ("rlx transform vmap gradient.mlir", "rlx transform grad pendulum.mlir --wrt 0,1 -o gradient.mlir"),
        ("--imatrix imatrix.gguf", "rlx imatrix model.gguf text.txt -o imatrix.gguf --window 16 --windows 4"),
        ("rlx inspect minilm.mlpackage", "rlx convert minilm -o minilm.mlpackage --precision f16"),
        ("rlx coreml lint minilm.mlpackage", "rlx convert minilm -o minilm.mlpackage --precision f16"),
        ("rlx inspect model.mlpackage", "rlx convert minilm -o model.mlpackage --precision f16"),
        ("rlx inspect qwen3.mlpackage", "rlx convert qwen3-q4_k_m.gguf -o qwen3.mlpackage --dim capacity=64"),
        ("rlx convert theirs.mlpackage", "rlx convert wide.rlx -o theirs.mlpackage -p w=random:0"),
        (
            "rlx run theirs.rlx",
            "rlx convert wide.rlx -o theirs.mlpackage -p w=random:0 && rlx convert theirs.mlpackage theirs.rlx",
        ),
        (
            "--kl-divergence base.logits",
            "rlx perplexity model-q4_k_m.gguf text.txt --window 64 --windows 2 --save-logits base.logits",
        ),
    ];
    rows.into_iter().find(|(part, _)| command.contains(part)).map(|(_, before)| before)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        // Outputs of training runs on this machine are not part of an example.
        match path.is_dir() {
            true if path.join("step.lock").exists() || target.to_str().unwrap().ends_with("-run") => {}
            true => copy(&path, &target),
            false => _ = fs::copy(&path, &target).unwrap(),
        }
    }
}

fn texts(dir: &Path) {
    let sentences = "The weather is lovely today.\nIt is sunny.\nhello world\n";
    fs::write(dir.join("sentences.txt"), sentences).unwrap();
    fs::write(dir.join("prompt.txt"), "Once upon a time").unwrap();
    let text =
        "And the king said unto them, Go ye into the land that is before you, and bring me word again. "
            .repeat(12);
    fs::write(dir.join("text.txt"), &text).unwrap();
    fs::write(dir.join("notes.txt"), text.repeat(2)).unwrap();
}

/// Graphs, and arrays for them.
fn graphs(dir: &Path) {
    let layer = "  %0 = input {name = \"x\"} : f32[3]\n  %1 = param {name = \"w\"} : f32[3]\n  %2 = param {name = \"b\"} : f32[3]\n  \
                 %3 = mul %0, %1 : f32[3]\n  %4 = add %3, %2 : f32[3]\n";
    let graph = |name: &str, rest: &str| {
        fs::write(dir.join(format!("{name}.rlx")), format!("graph \"{name}\" {{\n{layer}{rest}}}\n")).unwrap()
    };
    for name in ["layer", "model"] {
        graph(name, "  return %4\n");
    }
    graph(
        "loss",
        "  %5 = mul %4, %4 : f32[3]\n  %6 = reduce %5 {kind = sum, axes = [0]} : f32[]\n  return %6\n",
    );
    let two = "  %0 = input {name = \"x\"} : f32[n]\n  %1 = input {name = \"w\"} : f32[n]\n  %2 = mul %0, %1 : f32[n]\n  return %2\n";
    fs::write(dir.join("graph.rlx"), format!("graph \"graph\" {{\n{two}}}\n")).unwrap();
    let step = "  %0 = input {name = \"x\"} : f32[3]\n  %1 = input {name = \"y\"} : f32[3]\n  %2 = mul %0, %1 : f32[3]\n  return %2\n";
    fs::write(dir.join("step.rlx"), format!("graph \"step\" {{\n{step}}}\n")).unwrap();
    for name in ["a", "b", "prefill", "decode"] {
        let text = "  %0 = input {name = \"x\"} : f32[3]\n  %1 = input {name = \"cache\"} : f16[3]\n  \
                    %2 = param {name = \"w\"} : f32[3]\n  %3 = param {name = \"b\"} : f32[3]\n  %4 = mul %0, %2 : f32[3]\n  \
                    %5 = add %4, %3 : f32[3]\n  %6 = convert %5 {dtype = f16} : f16[3]\n  %7 = add %6, %1 : f16[3]\n  \
                    return %5, %7\n";
        fs::write(dir.join(format!("{name}.rlx")), format!("graph \"{name}\" {{\n{text}}}\n")).unwrap();
    }
    let wide = "  %0 = input {name = \"x\"} : f32[3]\n  %1 = param {name = \"w\"} : f32[3,500]\n  %2 = matmul %0, %1 : f32[500]\n  return %2\n";
    fs::write(dir.join("wide.rlx"), format!("graph \"wide\" {{\n{wide}}}\n")).unwrap();
    // As JAX writes it, without names.
    let plain = "module @model {\n  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {\n    \
                 %0 = stablehlo.multiply %arg0, %arg1 : tensor<3xf32>\n    return %0 : tensor<3xf32>\n  }\n}\n";
    fs::write(dir.join("model.mlir"), plain).unwrap();
    for (from, to) in [("step.rlx", "step.mlir"), ("layer.rlx", "layer.mlir"), ("loss.rlx", "loss.mlir")] {
        let output = command(dir, &["convert", from, to]).output().unwrap();
        assert!(output.status.success(), "{from}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let bytes: Vec<u8> = [0.5f32, -1.0, 0.25].iter().flat_map(|x| x.to_le_bytes()).collect();
    for name in ["x", "w", "b", "weights", "batch"] {
        rlx_models::npy::write(&dir.join(format!("{name}.npy")), DType::F32, &[3], &bytes).unwrap();
    }
    let stored = StoredType::from_tag("F32").unwrap();
    let tensors = ["w", "b"].map(|name| Tensor { name, stored, shape: &[3], bytes: &bytes });
    save(&dir.join("weights.safetensors"), &tensors, &Default::default()).unwrap();
}

/// A Llama with two layers as a folder, in GGUF, and quantized; and adapters for it.
fn language_models(dir: &Path) {
    let folder = dir.join("llama");
    fs::create_dir(&folder).unwrap();
    fs::copy(
        root().join("crates/rlx-tokenizer/tests/goldens/byte_level/tokenizer.json"),
        folder.join("tokenizer.json"),
    )
    .unwrap();
    let config = serde_json::json!({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": VOCAB, "hidden_size": WIDE, "intermediate_size": FEED,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 4096, "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": false, "torch_dtype": "float32",
    });
    fs::write(folder.join("config.json"), config.to_string()).unwrap();
    let template = "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\\n' }}{% endfor %}";
    fs::write(
        folder.join("tokenizer_config.json"),
        serde_json::json!({"chat_template": template}).to_string(),
    )
    .unwrap();
    let mut shapes = vec![
        ("model.embed_tokens.weight".to_string(), vec![VOCAB, WIDE]),
        ("lm_head.weight".into(), vec![VOCAB, WIDE]),
    ];
    shapes.push(("model.norm.weight".into(), vec![WIDE]));
    for layer in 0..2 {
        let name = |part: &str| format!("model.layers.{layer}.{part}.weight");
        for part in ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"] {
            shapes.push((name(part), vec![WIDE, WIDE]));
        }
        shapes.push((name("mlp.gate_proj"), vec![FEED, WIDE]));
        shapes.push((name("mlp.up_proj"), vec![FEED, WIDE]));
        shapes.push((name("mlp.down_proj"), vec![WIDE, FEED]));
        shapes.push((name("input_layernorm"), vec![WIDE]));
        shapes.push((name("post_attention_layernorm"), vec![WIDE]));
    }
    write(&folder.join("model.safetensors"), &shapes);
    for name in ["qwen3", "model"] {
        copy(&folder, &dir.join(name));
    }
    for (args, name) in [
        (&["llama", "-o", "model-f16.gguf", "--pre", "llama-bpe", "--quantize", "f16"][..], "model-f16.gguf"),
        (
            &["llama", "-o", "model-q4_k_m.gguf", "--pre", "llama-bpe", "--quantize", "q4_k_m"],
            "model-q4_k_m.gguf",
        ),
    ] {
        let output = command(dir, &[&["convert"], args].concat()).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for (from, to) in [
        ("model-f16.gguf", "model.gguf"),
        ("model-f16.gguf", "base.gguf"),
        ("model-q4_k_m.gguf", "qwen3-q4_k_m.gguf"),
        ("model-q4_k_m.gguf", "qwen3-0.6b-q4_k_m.gguf"),
        ("model-q4_k_m.gguf", "qwen3-iq3_m.gguf"),
    ] {
        fs::copy(dir.join(from), dir.join(to)).unwrap();
    }
    for adapter in ["adapter", "law", "poems"] {
        let folder = dir.join(adapter);
        fs::create_dir(&folder).unwrap();
        let config = serde_json::json!({"peft_type": "LORA", "r": 2, "lora_alpha": 4, "target_modules": ["q_proj"], "bias": "none", "task_type": "CAUSAL_LM"});
        fs::write(folder.join("adapter_config.json"), config.to_string()).unwrap();
        let name = |part: &str| format!("base_model.model.model.layers.0.self_attn.q_proj.{part}.weight");
        write(
            &folder.join("adapter_model.safetensors"),
            &[(name("lora_A"), vec![2, WIDE]), (name("lora_B"), vec![WIDE, 2])],
        );
        let mut writer = GgufWriter::new();
        for (key, value) in
            [("general.type", "adapter"), ("general.architecture", "llama"), ("adapter.type", "lora")]
        {
            writer.set(key, MetaValue::from(value));
        }
        writer.set("adapter.lora.alpha", MetaValue::F32(4.0));
        let f32 = TensorType::Plain(DType::F32);
        writer.tensor("blk.0.attn_q.weight.lora_a", f32, &[2, WIDE], numbers(2 * WIDE));
        writer.tensor("blk.0.attn_q.weight.lora_b", f32, &[WIDE, 2], numbers(2 * WIDE));
        let name = if adapter == "adapter" { "other" } else { adapter };
        writer.write(&dir.join(format!("{name}.gguf"))).unwrap();
    }
}

/// Numbers between −0.1 and 0.1.
fn numbers(count: usize) -> Vec<u8> {
    (0..count).flat_map(|i| (((i * 7919 + 13) % 2001) as f32 / 10_000.0 - 0.1).to_le_bytes()).collect()
}

fn write(path: &Path, shapes: &[(String, Vec<usize>)]) {
    let stored = StoredType::from_tag("F32").unwrap();
    let bytes: Vec<Vec<u8>> = shapes.iter().map(|(_, shape)| numbers(shape.iter().product())).collect();
    let tensors: Vec<Tensor<'_>> = shapes
        .iter()
        .zip(&bytes)
        .map(|((name, shape), bytes)| Tensor { name, stored, shape, bytes })
        .collect();
    save(path, &tensors, &Default::default()).unwrap();
}
