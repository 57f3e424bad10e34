//! Files written by the Python package `gguf`, and what it reads from them (`scripts/gguf_goldens.py`).

use rlx_files::weights::Weights;
use rlx_gguf::{
    Array, Gguf, GgufWriter, MetaValue, QuantizeOptions, Recipe, TensorType, TensorView, convert,
};
use rlx_ir::QuantScheme;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn fnv(items: impl Iterator<Item = u64>) -> u64 {
    items.fold(0xCBF2_9CE4_8422_2325, |state, item| (state ^ item).wrapping_mul(0x100_0000_01B3))
}

fn shown(value: &MetaValue<'_>) -> String {
    match value {
        MetaValue::F32(v) => format!("{:08x}", v.to_bits()),
        MetaValue::F64(v) => format!("{:016x}", v.to_bits()),
        MetaValue::Bool(v) => v.to_string(),
        MetaValue::Text(_) => format!("\"{}\"", value.as_str().expect("UTF-8")),
        MetaValue::Array(array) => {
            let items: Vec<String> = array.iter().map(|item| shown(&item)).collect();
            format!("[{}]", items.join(","))
        }
        number => number.as_int().expect("a whole number").to_string(),
    }
}

fn tensor_line(tensor: &TensorView<'_>) -> String {
    let hash = match tensor.to_f32() {
        Ok(values) => fnv(values.iter().map(|v| v.to_bits().into())),
        Err(_) => fnv(tensor.bytes().iter().map(|&b| b.into())),
    };
    let dims: Vec<String> = tensor.shape().iter().map(ToString::to_string).collect();
    format!("tensor {} {} [{}] {hash:016x}", tensor.name(), tensor.stored_type(), dims.join(","))
}

/// Describes a file as the goldens do.
fn described(file: &Gguf) -> String {
    let mut text = String::new();
    for (key, value) in file.metadata().filter(|(key, _)| !key.starts_with("split.")) {
        let kind = match value.as_array() {
            Some(array) => array.element(),
            None => value.value_type(),
        };
        let _ = writeln!(text, "key {key} {kind} {}", shown(&value));
    }
    for tensor in file.tensors() {
        let _ = writeln!(text, "{}", tensor_line(&tensor));
    }
    text
}

fn golden(name: &str) -> String {
    std::fs::read_to_string(data(name)).expect("the golden")
}

#[test]
fn files_of_every_version_and_byte_order_hold_what_the_package_says() {
    for (name, version, big_endian) in
        [("all", 3, false), ("big", 3, true), ("version1", 1, false), ("version2", 2, false)]
    {
        for open in [Gguf::open, Gguf::read] {
            let file = open(&data(&format!("{name}.gguf"))).expect("a sound file");
            assert_eq!((file.version(), file.is_big_endian()), (version, big_endian), "{name}");
            assert_eq!(described(&file), golden(&format!("{name}.txt")), "{name}");
        }
    }
}

#[test]
fn any_part_opens_the_whole_model() {
    for part in 1..=3 {
        let file = Gguf::open(&data(&format!("split-0000{part}-of-00003.gguf"))).expect("three parts");
        assert_eq!(file.paths().len(), 3);
        assert_eq!(described(&file), golden("all.txt"));
        assert_eq!(file.tensor("blk.0.q5_1").expect("in the last part").shape(), [4, 64]);
        assert!(file.tensor("blk.0").is_none());
    }
}

/// The package and this crate write the same bytes.
#[test]
fn what_is_written_again_is_the_same_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("again.gguf");
    for name in ["all", "big", "version1", "version2"] {
        let file = Gguf::open(&data(&format!("{name}.gguf"))).expect("a sound file");
        let mut writer = GgufWriter::new();
        file.metadata().for_each(|(key, value)| writer.set(key, value));
        for tensor in file.tensors() {
            writer.tensor(tensor.name(), tensor.stored_type(), tensor.shape(), tensor.bytes());
        }
        writer.write(&path).expect("written");
        let again = Gguf::open(&path).expect("a sound file");
        assert_eq!(described(&again), described(&file), "{name}");
        assert_eq!((again.version(), again.is_big_endian()), (3, false));
        let bytes = |path: &Path| std::fs::read(path).expect("the file");
        if name == "all" {
            assert!(bytes(&path) == bytes(&data("all.gguf")));
        }
    }
}

#[test]
fn metadata_that_a_program_makes_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("made.gguf");
    let mut writer = GgufWriter::new();
    writer.set("general.architecture", "golden".into());
    writer.set("general.architecture", "made".into());
    writer.set("general.alignment", MetaValue::U32(64));
    let words = Array::new(rlx_gguf::MetaType::Text, ["a", "bc"].map(MetaValue::from));
    let rows = [words.clone(), Array::new(rlx_gguf::MetaType::U8, [MetaValue::U8(9), MetaValue::U16(9)])];
    writer.set("rows", MetaValue::Array(Array::new(rlx_gguf::MetaType::Array, rows.map(MetaValue::Array))));
    let f32_type = rlx_gguf::TensorType::Plain(rlx_ir::DType::F32);
    writer.tensor("x", f32_type, &[1, 3], vec![0; 12]);
    writer.tensor("empty", f32_type, &[0, 3], vec![]);
    writer.tensor("scalar", f32_type, &[], vec![0; 4]);
    writer.write(&path).expect("written");
    let file = Gguf::open(&path).expect("a sound file");
    assert_eq!(file.alignment(), 64);
    assert_eq!(file.get("general.architecture").expect("set").as_str(), Some("made"));
    assert_eq!(shown(&file.get("rows").expect("set")), r#"[["a","bc"],[9]]"#);
    assert_eq!(file.tensor("empty").expect("there").shape(), [0, 3]);
    assert_eq!(file.tensor("scalar").expect("there").to_f32().expect("f32"), [0.0]);
}

#[test]
fn what_the_format_has_no_way_to_say_is_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("refused.gguf");
    let plain = rlx_gguf::TensorType::Plain;
    let refused = |fill: &dyn Fn(&mut GgufWriter<'static>)| {
        let mut writer = GgufWriter::new();
        fill(&mut writer);
        let text = writer.write(&path).expect_err("refused").to_string();
        assert!(!path.exists());
        text
    };
    let long = "n".repeat(64);
    for (text, part) in [
        (refused(&|w| w.set("", MetaValue::U8(0))), "keys must have 1 to 65535 bytes"),
        (refused(&|w| w.set("general.alignment", MetaValue::U32(3))), "a u32 power of two"),
        (
            refused(&|w| w.tensor(long.clone(), plain(rlx_ir::DType::F32), &[0], vec![])),
            "names must have 1 to 63 bytes",
        ),
        (
            refused(&|w| w.tensor("x", plain(rlx_ir::DType::C64), &[1], vec![0; 8])),
            "does not have the type c64",
        ),
        (
            refused(&|w| w.tensor("x", plain(rlx_ir::DType::F32), &[2], vec![0; 4])),
            "needs 8 bytes, but got 4",
        ),
        (
            refused(&|w| w.tensor("x", plain(rlx_ir::DType::F32), &[1; 5], vec![0; 4])),
            "more than 4 dimensions",
        ),
        (
            refused(&|w| {
                w.tensor("x", rlx_gguf::TensorType::Blocks(rlx_ir::QuantScheme::Q4_K), &[2, 128], vec![])
            }),
            "rows of 128 values are not a whole number of q4_K blocks of 256",
        ),
        (
            refused(&|w| {
                w.tensor("x", plain(rlx_ir::DType::F32), &[0], vec![]);
                w.tensor("x", plain(rlx_ir::DType::F32), &[0], vec![]);
            }),
            "its name is used twice",
        ),
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn tensors_go_to_safetensors_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (between, back) = (folder.path().join("a.safetensors"), folder.path().join("a.gguf"));
    let file = Gguf::open(&data("all.gguf")).expect("a sound file");
    convert::to_safetensors(&file, &between).expect("written");
    let weights = Weights::open(&between).expect("safetensors");
    assert_eq!(weights.metadata()["a.text"], "Füße, 象");
    convert::from_safetensors(&weights).expect("types that both have").write(&back).expect("written");
    let again = Gguf::open(&back).expect("a sound file");
    for tensor in file.tensors() {
        let other = again.tensor(tensor.name()).expect("the same name");
        assert_eq!(other.shape(), tensor.shape());
        match (tensor.to_f32(), other.to_f32()) {
            (Ok(values), Ok(others)) => assert_eq!(values, others, "{}", tensor.name()),
            _ => assert_eq!(tensor.bytes(), other.bytes()),
        }
    }
}

/// The package quantizes these formats in the same way as this crate, so the file contains its results.
#[test]
fn matrices_are_quantized_on_the_way_and_nothing_else_is() {
    let file = Gguf::open(&data("all.gguf")).expect("a sound file");
    let quantized = |recipe, file| {
        let options = QuantizeOptions::new(recipe);
        let plain: Vec<&str> = ["token_embd.weight", "half", "double"].to_vec();
        let mut writer = GgufWriter::new();
        for tensor in Gguf::tensors(file).filter(|tensor| plain.contains(&tensor.name())) {
            writer.tensor(tensor.name(), tensor.stored_type(), tensor.shape(), tensor.bytes());
        }
        let bytes = writer.quantized(&options, None).expect("a recipe").to_bytes().expect("finite");
        Gguf::from_bytes(bytes, Path::new("done.gguf")).expect("sound")
    };
    let done = quantized(Recipe::Q8_0, &file);
    let tensor = |name: &str| done.tensor(name).expect("there");
    assert_eq!(tensor("token_embd.weight").bytes(), file.tensor("blk.0.q8_0").expect("there").bytes());
    for name in ["half", "double"] {
        assert_eq!(tensor(name).bytes(), file.tensor(name).expect("there").bytes(), "{name}");
    }
    assert_eq!(done.get("general.file_type").and_then(|v| v.as_u64()), Some(7));
    // Rows of 64 are too short for blocks of 256.
    let done = quantized(Recipe::Q4_K_M, &file);
    let stored = done.tensor("token_embd.weight").expect("there").stored_type();
    assert_eq!(stored, TensorType::Blocks(QuantScheme::Q8_0));
}
