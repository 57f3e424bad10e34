//! The types that recipes choose for each tensor, compared with llama.cpp (`data/recipes.txt`, by
//! `scripts/judge_recipes.py`), and importance matrices.

use rlx_gguf::{GgufError, GgufWriter, ImportanceMatrix, MetaValue, QuantizeOptions, Recipe, TensorType};
use rlx_ir::DType;
use std::collections::BTreeMap;
use std::path::Path;

/// A model of the script, with the same fields.
struct Shape {
    name: &'static str,
    architecture: &'static str,
    layers: usize,
    heads: usize,
    kv_heads: usize,
    experts: usize,
    width: usize,
    tied: bool,
    joined: bool,
}

#[rustfmt::skip] // A row per model.
const MODELS: [Shape; 12] = [
    shape("llama", "llama", [16, 4, 4, 0, 256], false, false),
    shape("grouped", "llama", [12, 8, 2, 0, 256], true, false),
    shape("odd", "qwen3", [9, 6, 2, 0, 96], false, false),
    shape("odder", "qwen2", [5, 5, 1, 0, 40], true, false),
    shape("70b", "llama", [80, 8, 1, 0, 256], false, false),
    shape("qwen72b", "qwen2", [80, 4, 4, 0, 256], false, false),
    shape("mixtral", "llama", [17, 8, 2, 8, 256], false, false),
    shape("moe", "qwen3moe", [10, 4, 2, 4, 256], false, false),
    shape("moe2", "qwen2moe", [8, 4, 4, 2, 256], true, false),
    shape("phi", "phi3", [10, 4, 4, 0, 256], false, true),
    shape("falcon", "falcon", [20, 4, 1, 0, 256], false, true),
    shape("gpt2", "gpt2", [8, 4, 4, 0, 256], true, true),
];

const fn shape(
    name: &'static str,
    architecture: &'static str,
    [layers, heads, kv_heads, experts, width]: [usize; 5],
    tied: bool,
    joined: bool,
) -> Shape {
    Shape { name, architecture, layers, heads, kv_heads, experts, width, tied, joined }
}

impl Shape {
    /// Returns names and shapes, in the order in which the script writes them.
    fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let (width, kv) = (self.width, self.width / self.heads * self.kv_heads);
        let mut all: Vec<(String, Vec<usize>)> = Vec::new();
        let mut add = |name: String, shape: &[usize]| all.push((name, shape.to_vec()));
        add("token_embd.weight".into(), &[32, width]);
        add("output_norm.weight".into(), &[width]);
        if self.architecture == "gpt2" {
            add("position_embd.weight".into(), &[64, width]);
        }
        if !self.tied {
            add("output.weight".into(), &[32, width]);
        }
        for layer in 0..self.layers {
            let mut add = |part: &str, shape: &[usize]| add(format!("blk.{layer}.{part}.weight"), shape);
            add("attn_norm", &[width]);
            add("ffn_norm", &[width]);
            match self.joined {
                true => add("attn_qkv", &[width + 2 * kv, width]),
                false => [("attn_q", width), ("attn_k", kv), ("attn_v", kv)]
                    .into_iter()
                    .for_each(|(name, rows)| add(name, &[rows, width])),
            }
            add("attn_output", &[width, width]);
            if self.experts > 0 {
                add("ffn_gate_inp", &[self.experts, width]);
                add("ffn_gate_exps", &[self.experts, 32, width]);
                add("ffn_up_exps", &[self.experts, 32, width]);
                add("ffn_down_exps", &[self.experts, width, 256]);
                if self.architecture == "qwen2moe" {
                    ["ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"]
                        .into_iter()
                        .for_each(|name| add(name, &[width, width]));
                }
            } else {
                ["ffn_gate", "ffn_up", "ffn_down"].into_iter().for_each(|name| add(name, &[width, width]));
            }
        }
        all
    }

    fn writer(&self) -> GgufWriter<'static> {
        let mut writer = GgufWriter::new();
        let architecture = self.architecture;
        writer.set("general.architecture", architecture.into());
        for (key, number) in [
            ("block_count", self.layers),
            ("attention.head_count", self.heads),
            ("attention.head_count_kv", self.kv_heads),
            ("expert_count", self.experts),
        ] {
            writer.set(format!("{architecture}.{key}"), MetaValue::U32(number as u32));
        }
        for (name, shape) in self.tensors() {
            let kind = if shape.len() > 1 { DType::F16 } else { DType::F32 };
            let bytes = kind.size() * shape.iter().product::<usize>();
            writer.tensor_made(name, TensorType::Plain(kind), &shape, move || Ok(vec![0; bytes]));
        }
        writer
    }

    fn importance(&self) -> ImportanceMatrix {
        let mut matrix = ImportanceMatrix::default();
        for (name, shape) in self.tensors().into_iter().filter(|(_, shape)| shape.len() > 1) {
            let columns = shape[shape.len() - 1];
            let matrices: usize = shape.iter().rev().skip(2).product();
            matrix.add(&name, &vec![1.0; columns * matrices], &vec![1.0; matrices]);
        }
        matrix
    }
}

/// Returns the rest of a row of the goldens.
fn described(writer: &GgufWriter<'_>) -> String {
    let types: BTreeMap<&str, String> =
        writer.tensors().map(|(name, stored, _)| (name, stored.name().to_lowercase())).collect();
    let text: String = types.iter().map(|(name, kind)| format!("{name} {kind}\n")).collect();
    let fold = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let state = text.bytes().fold(0xcbf2_9ce4_8422_2325, fold);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    types.values().for_each(|kind| *counts.entry(kind).or_default() += 1);
    let counts: Vec<String> = counts.iter().map(|(kind, count)| format!("{kind}:{count}")).collect();
    format!("{state:016x} {}", counts.join(" "))
}

#[test]
fn recipes_give_each_tensor_the_type_that_llama_cpp_gives_it() {
    let goldens = include_str!("data/recipes.txt");
    assert!(goldens.lines().count() > 800);
    for row in goldens.lines() {
        let mut fields = row.splitn(4, ' ');
        let mut field = || fields.next().expect("four fields");
        let (name, recipe, weighted, expected) = (field(), field(), field() == "weighted", field());
        let model = MODELS.iter().find(|model| model.name == name).expect("a model of the table");
        let importance = weighted.then(|| model.importance());
        let options = QuantizeOptions::new(recipe.parse().expect("a recipe"));
        let found = match model.writer().quantized(&options, importance.as_ref()) {
            Ok(writer) => described(&writer),
            Err(GgufError::NoImportance { .. }) => "importance".into(),
            Err(other) => panic!("{row}: {other}"),
        };
        assert_eq!(found, expected, "{name} {recipe} {weighted}");
    }
}

#[test]
fn an_importance_matrix_is_read_in_both_forms() {
    let folder = tempfile::tempdir().expect("a folder");
    let (new, old) = (folder.path().join("new.gguf"), folder.path().join("old.dat"));
    let mut matrix = ImportanceMatrix::default();
    (matrix.chunks, matrix.chunk_size) = (2, 4);
    matrix.datasets.push("text.txt".into());
    matrix.add("blk.0.attn_q.weight", &[1.0, 4.0], &[1.0]);
    matrix.add("blk.0.attn_q.weight", &[9.0, 16.0], &[1.0]);
    matrix.add("blk.0.ffn_up_exps.weight", &[0.0, 0.0, 9.0, 0.25], &[0.0, 1.0]);
    matrix.to_gguf().write(&new).expect("written");
    let read = ImportanceMatrix::open(&new).expect("an importance matrix");
    assert_eq!(read, matrix);
    assert_eq!(read.weights("blk.0.attn_q.weight"), Some(vec![5.0, 10.0]));
    // Nothing is known about an expert that no token used.
    assert_eq!(read.weights("blk.0.ffn_up_exps.weight"), Some(vec![1.0, 1.0, 9.0, 0.25]));
    assert_eq!(read.unseen(), Some(("blk.0.ffn_up_exps.weight", 0)));

    let mut bytes = 1i32.to_le_bytes().to_vec();
    bytes.extend(1i32.to_le_bytes());
    bytes.extend(b"x");
    bytes.extend([3i32, 2].into_iter().flat_map(i32::to_le_bytes));
    bytes.extend([6f32, 9.0].into_iter().flat_map(f32::to_le_bytes));
    bytes.extend(7i32.to_le_bytes());
    bytes.extend(4i32.to_le_bytes());
    bytes.extend(b"wiki");
    std::fs::write(&old, &bytes).expect("written");
    let read = ImportanceMatrix::open(&old).expect("an importance matrix");
    assert_eq!((read.chunks, read.datasets.as_slice()), (7, &["wiki".to_string()][..]));
    assert_eq!(read.weights("x"), Some(vec![2.0, 3.0]));
    // The text after the entries may be missing, but nothing else.
    for cut in 0..bytes.len() - 12 {
        std::fs::write(&old, &bytes[..cut]).expect("written");
        assert!(ImportanceMatrix::open(&old).is_err(), "{cut}");
    }
}

#[test]
fn what_cannot_be_quantized_is_refused() {
    let model = &MODELS[6];
    let refused = |recipe, importance: Option<&ImportanceMatrix>| {
        let quantized = model.writer();
        match quantized.quantized(&QuantizeOptions::new(recipe), importance) {
            Ok(_) => panic!("it was not refused"),
            Err(error) => error.to_string(),
        }
    };
    assert!(refused(Recipe::IQ2_XXS, None).contains("needs an importance matrix"));
    let mut other = ImportanceMatrix::default();
    other.add("blk.3.attn_q.weight", &[1.0; 128], &[1.0]);
    let text = refused(Recipe::Q4_K_M, Some(&other));
    assert!(text.contains("has 128 numbers for tensor \"blk.3.attn_q.weight\", which needs 256"), "{text}");
    // Tensors that are already quantized are refused unless requested.
    let bytes = MODELS[2].writer().quantized(&QuantizeOptions::new(Recipe::Q8_0), None);
    let bytes = bytes.and_then(|writer| writer.to_bytes()).expect("written");
    let file = rlx_gguf::Gguf::from_bytes(bytes, Path::new("q8_0.gguf")).expect("sound");
    let mut options = QuantizeOptions::new(Recipe::Q4_0);
    let again = rlx_gguf::convert::from_gguf(&file).quantized(&options, None);
    assert!(matches!(again, Err(GgufError::Quantized { scheme: "q8_0", .. })));
    options.requantize = true;
    assert!(rlx_gguf::convert::from_gguf(&file).quantized(&options, None).is_ok());
}
