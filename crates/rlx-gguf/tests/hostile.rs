//! Malformed files, one test for each class of failures in readers of this format.
//!
//! Each file is refused with an error that says where and why, in time and memory bounded by the length of the file.
//! Files that only look malformed are read.

use rlx_gguf::{Gguf, GgufError, TensorType};
use rlx_ir::{DType, QuantScheme};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

/// A file under construction, any part of which can be wrong.
#[derive(Clone)]
struct Made {
    magic: [u8; 4],
    version: u32,
    big_endian: bool,
    tensor_count: Option<u64>,
    key_count: Option<u64>,
    keys: Vec<Vec<u8>>,
    tensors: Vec<Vec<u8>>,
    alignment: usize,
    data: Vec<u8>,
}

impl Default for Made {
    fn default() -> Self {
        Made {
            magic: *b"GGUF",
            version: 3,
            big_endian: false,
            tensor_count: None,
            key_count: None,
            keys: Vec::new(),
            tensors: Vec::new(),
            alignment: 32,
            data: Vec::new(),
        }
    }
}

fn text(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text].concat()
}

fn key(name: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    [&text(name.as_bytes())[..], &kind.to_le_bytes(), value].concat()
}

fn array(kind: u32, count: u64, elements: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &count.to_le_bytes(), elements].concat()
}

fn tensor_of(name: &[u8], rank: u32, dims: &[u64], kind: u32, offset: u64) -> Vec<u8> {
    let dims: Vec<u8> = dims.iter().flat_map(|d| d.to_le_bytes()).collect();
    [&text(name)[..], &rank.to_le_bytes(), &dims, &kind.to_le_bytes(), &offset.to_le_bytes()].concat()
}

/// An f32 tensor.
fn tensor(name: &str, dims: &[u64], offset: u64) -> Vec<u8> {
    tensor_of(name.as_bytes(), dims.len() as u32, dims, 0, offset)
}

impl Made {
    fn bytes(&self) -> Vec<u8> {
        let version = if self.big_endian { self.version.to_be_bytes() } else { self.version.to_le_bytes() };
        let count = |stated: Option<u64>, list: &[Vec<u8>]| stated.unwrap_or(list.len() as u64).to_le_bytes();
        let mut out = [&self.magic[..], &version].concat();
        out.extend(count(self.tensor_count, &self.tensors));
        out.extend(count(self.key_count, &self.keys));
        out.extend(self.keys.concat());
        out.extend(self.tensors.concat());
        out.resize(out.len().next_multiple_of(self.alignment), 0);
        out.extend(&self.data);
        out
    }

    fn with_keys(keys: &[Vec<u8>]) -> Made {
        Made { keys: keys.to_vec(), ..Made::default() }
    }

    fn with_tensors(tensors: &[Vec<u8>], data: usize) -> Made {
        Made { tensors: tensors.to_vec(), data: vec![0; data], ..Made::default() }
    }
}

/// Makes a file with at least one of everything.
fn sound() -> Vec<u8> {
    let words: Vec<u8> = [text(b"the"), text(b"of")].concat();
    let keys = [
        key("general.architecture", 8, &text(b"made")),
        key("words", 9, &array(8, 2, &words)),
        key("nested", 9, &array(9, 1, &array(4, 1, &[7, 0, 0, 0]))),
        key("yes", 7, &[1]),
        key("f64", 12, &1.5f64.to_le_bytes()),
    ];
    let tensors = [tensor("x", &[3, 2], 0), tensor_of(b"q", 2, &[32, 2], 8, 32)];
    Made { keys: keys.to_vec(), tensors: tensors.to_vec(), data: vec![0; 32 + 68], ..Made::default() }.bytes()
}

fn read(bytes: &[u8]) -> Result<Gguf, GgufError> {
    let start = Instant::now();
    let result = Gguf::from_bytes(bytes.to_vec(), Path::new("made.gguf"));
    let took = start.elapsed();
    assert!(took < Duration::from_millis(50), "{took:?}");
    result
}

/// Formats an error and its causes on one line.
fn told(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", told(source)),
        None => error.to_string(),
    }
}

#[track_caller]
fn refused(bytes: &[u8], part: &str) {
    let text = told(&read(bytes).expect_err(part));
    assert!(text.starts_with("made.gguf: ") && text.contains(part), "{text}");
}

fn checked(keys: &[Vec<u8>]) -> Result<(), String> {
    read(&Made::with_keys(keys).bytes()).expect("a sound file").check().map_err(|e| told(&e))
}

#[track_caller]
fn disagrees(keys: &[Vec<u8>], part: &str) {
    let text = checked(keys).expect_err(part);
    assert!(text.starts_with("made.gguf: ") && text.contains(part), "{text}");
}

fn u32_key(name: &str, value: u32) -> Vec<u8> {
    key(name, 4, &value.to_le_bytes())
}

#[test]
fn class_1_other_files() {
    refused(b"", "it is empty");
    refused(b"GGUF", "4 bytes are needed");
    refused(b"{\"a\": 1}", "at byte 0: a GGUF file begins with the letters GGUF");
    refused(b"ggmlxxxxxxxx", "from before GGUF: convert the model again");
    refused(b"FUGG\0\0\0\x03", "its bytes are swapped");
    refused(&Made { magic: *b"gguf", ..Made::default() }.bytes(), "begins with the letters GGUF");
}

#[test]
fn class_2_versions() {
    for version in [0, 4, u32::MAX] {
        refused(
            &Made { version, ..Made::default() }.bytes(),
            &format!("at byte 4: version {version} is not supported, only 1 to 3 are"),
        );
    }
}

#[test]
fn class_3_big_endian() {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3u32.to_be_bytes());
    bytes.extend(1u64.to_be_bytes());
    bytes.extend(0u64.to_be_bytes());
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 1, b'q']);
    bytes.extend(1u32.to_be_bytes());
    bytes.extend(32u64.to_be_bytes());
    bytes.extend(8u32.to_be_bytes());
    bytes.extend(0u64.to_be_bytes());
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    bytes.extend(half::f16::from_f32(0.5).to_be_bytes());
    bytes.extend([254; 32]);
    let file = read(&bytes).expect("a sound file");
    assert!(file.is_big_endian());
    assert_eq!(file.tensor("q").expect("there").to_f32().expect("blocks"), [-1.0; 32]);
}

#[test]
fn classes_4_and_5_counts() {
    for count in [u64::MAX, 1 << 63, u64::MAX / 24 + 1, u64::MAX / 32 + 1, 1 << 61, 100] {
        refused(
            &Made { tensor_count: Some(count), ..Made::default() }.bytes(),
            &format!("{count} tensors do not fit"),
        );
        refused(
            &Made { key_count: Some(count), ..Made::default() }.bytes(),
            &format!("{count} keys do not fit"),
        );
    }
    // As many as there is room for, but more than are supported.
    let many = Made { key_count: Some(70_000), data: vec![0; 2_000_000], ..Made::default() };
    refused(&many.bytes(), "70000 keys are too many; at most 65536 are supported");
    let many = Made { tensor_count: Some(140_000), data: vec![0; 5_000_000], ..Made::default() };
    refused(&many.bytes(), "140000 tensors are too many; at most 131072 are supported");
}

#[test]
fn class_6_truncated_anywhere() {
    let whole = sound();
    read(&whole).expect("a sound file");
    for len in 0..whole.len() {
        let text = told(&read(&whole[..len]).expect_err("cut off"));
        assert!(
            text.contains("left")
                || text.contains("room")
                || (len == 0 && text.contains("it is empty"))
                || text.contains("truncated"),
            "{len}: {text}"
        );
    }
}

#[test]
fn class_7_keys() {
    let with_length = |len: u64| [&len.to_le_bytes()[..], b"k"].concat();
    for len in [u64::MAX, 1 << 63, 65_536, 0] {
        let made =
            Made { key_count: Some(1), keys: vec![with_length(len)], data: vec![0; 99], ..Made::default() };
        refused(&made.bytes(), &format!("a key has {len} bytes; keys must have 1 to 65535"));
    }
    let long = Made::with_keys(&[key(&"k".repeat(65_536), 0, &[1])]);
    refused(&long.bytes(), "a key has 65536 bytes");
    read(&Made::with_keys(&[key(&"k".repeat(65_535), 0, &[1])]).bytes()).expect("the longest key");
    let past_the_end = Made { key_count: Some(1), keys: vec![with_length(500)], ..Made::default() };
    refused(&past_the_end.bytes(), "500 bytes are needed");
    let not_text = [&text(b"k\xff")[..], &[0, 0, 0, 0, 1]].concat();
    refused(&Made::with_keys(&[not_text]).bytes(), "not UTF-8");
    refused(
        &Made::with_keys(&[key("k", 0, &[1]), key("k", 0, &[2])]).bytes(),
        "key \"k\" at byte 46: it occurs twice",
    );
}

#[test]
fn class_8_types_of_values() {
    for kind in [13, 255, u32::MAX] {
        refused(
            &Made::with_keys(&[key("k", kind, &[0; 16])]).bytes(),
            &format!("unknown value type {kind}; the format has"),
        );
        let elements = array(kind, 1, &[0; 16]);
        refused(&Made::with_keys(&[key("k", 9, &elements)]).bytes(), &format!("unknown value type {kind}"));
    }
    refused(&Made::with_keys(&[key("k", 7, &[2])]).bytes(), "key \"k\" at byte 37: a bool is 2");
    refused(&Made::with_keys(&[key("k", 9, &array(7, 3, &[0, 1, 2]))]).bytes(), "a bool is 2");
    let deep: Vec<u8> = (0..100_000).flat_map(|_| array(9, 1, &[])).collect();
    refused(&Made::with_keys(&[key("k", 9, &deep)]).bytes(), "more than 8 deep");
}

#[test]
fn class_9_arrays() {
    for (kind, count) in
        [(10, u64::MAX / 8 + 1), (10, 1 << 61), (4, u64::MAX), (8, u64::MAX / 8), (9, 1 << 60), (0, 1 << 40)]
    {
        let made = Made { data: vec![0; 64], ..Made::with_keys(&[key("k", 9, &array(kind, count, &[]))]) };
        refused(&made.bytes(), &format!("{count} elements do not fit: the rest of the file has room for"));
    }
    let words = [text(b"a"), (1u64 << 62).to_le_bytes().to_vec()].concat();
    refused(
        &Made::with_keys(&[key("k", 9, &array(8, 2, &words))]).bytes(),
        "4611686018427387904 bytes are needed",
    );
}

#[test]
fn class_10_alignment() {
    for number in [0, 1, 3, 13, 1 << 31] {
        refused(
            &Made::with_keys(&[u32_key("general.alignment", number)]).bytes(),
            &format!("the alignment is {number}; it must be a u32"),
        );
    }
    refused(
        &Made::with_keys(&[key("general.alignment", 5, &[32, 0, 0, 0])]).bytes(),
        "the alignment is type i32",
    );
    refused(
        &Made::with_keys(&[key("general.alignment", 8, &text(b"32"))]).bytes(),
        "the alignment is type text",
    );
    let twice = [u32_key("general.alignment", 32), u32_key("general.alignment", 64)];
    refused(&Made::with_keys(&twice).bytes(), "key \"general.alignment\"");
    let keys = vec![u32_key("general.alignment", 256)];
    let made = Made { keys, alignment: 256, ..Made::with_tensors(&[tensor("x", &[1], 0)], 4) };
    read(&made.bytes()).expect("an alignment of 256");
}

#[test]
fn class_11_names_of_tensors() {
    for len in [0, 64, 65, 1 << 20] {
        let made = Made::with_tensors(&[tensor(&"n".repeat(len), &[1], 0)], 4);
        refused(&made.bytes(), &format!("a name has {len} bytes; names of tensors must have 1 to 63"));
    }
    read(&Made::with_tensors(&[tensor(&"n".repeat(63), &[1], 0)], 4).bytes()).expect("the longest name");
    refused(&Made::with_tensors(&[tensor("a\0b", &[1], 0)], 4).bytes(), "a name contains a NUL; rename");
    for name in ["../../etc/passwd", "/etc/passwd", "a\\..\\b"] {
        refused(&Made::with_tensors(&[tensor(name, &[1], 0)], 4).bytes(), "a name is a path");
    }
    let twice = [tensor("x", &[1], 0), tensor("x", &[1], 32)];
    refused(&Made::with_tensors(&twice, 36).bytes(), "tensor \"x\"");
}

#[test]
fn class_12_dimensions() {
    for rank in [5, u32::MAX] {
        let made = Made::with_tensors(&[tensor_of(b"x", rank, &[1; 5], 0, 0)], 4);
        refused(
            &made.bytes(),
            &format!("tensor \"x\" at byte 33: it has {rank} dimensions; a tensor can have at most 4"),
        );
    }
}

#[test]
fn classes_13_and_14_sizes() {
    let empty = read(&Made::with_tensors(&[tensor("x", &[0, 7], 0)], 0).bytes()).expect("an empty tensor");
    let x = empty.tensor("x").expect("there");
    assert_eq!((x.shape(), x.len(), x.bytes().len()), (&[7, 0][..], 0, 0));
    let largest = i64::MAX as u64;
    for dims in [
        &[largest, 2][..],
        &[largest],
        &[1 << 32, 1 << 32],
        &[1 << 32, 1 << 32, 1],
        &[(1 << 32) + 1, 1 << 32],
        &[1 << 31, 1 << 32],
        &[u64::MAX],
        &[u64::MAX, u64::MAX, u64::MAX, u64::MAX],
        &[0, u64::MAX, 3],
        // The number of elements fits, but the number of bytes does not.
        &[1 << 62],
        &[1 << 61, 2],
    ] {
        refused(
            &Made::with_tensors(&[tensor("x", dims, 0)], 64).bytes(),
            "has more bytes than 63 bits can count",
        );
    }
    let blocks = Made::with_tensors(&[tensor_of(b"x", 2, &[1 << 61, 4], 8, 0)], 64);
    refused(&blocks.bytes(), "has more bytes than 63 bits can count");
    refused(
        &Made::with_tensors(&[tensor("x", &[1 << 40], 0)], 64).bytes(),
        "of 64 bytes of data: the file is truncated",
    );
}

#[test]
fn class_15_rows_of_part_blocks() {
    for (dims, kind) in [(&[33, 32][..], 8), (&[16, 2], 2), (&[128, 2], 12), (&[], 8)] {
        let made = Made::with_tensors(&[tensor_of(b"x", dims.len() as u32, dims, kind, 0)], 9999);
        refused(&made.bytes(), "are not a whole number of");
    }
}

#[test]
fn class_16_types_of_tensors() {
    for kind in [4, 5, 31, 32, 33, 36, 37, 38] {
        let made = Made::with_tensors(&[tensor_of(b"x", 1, &[32], kind, 0)], 999);
        refused(&made.bytes(), "was removed from ggml; convert the model again");
    }
    for kind in [43, 64, u32::MAX] {
        let made = Made::with_tensors(&[tensor_of(b"x", 1, &[32], kind, 0)], 999);
        refused(&made.bytes(), &format!("type {kind} is not known"));
    }
    for &scheme in QuantScheme::ALL {
        let dims = [scheme.block_len() as u64];
        let info = tensor_of(b"x", 1, &dims, scheme.ggml_type(), 0);
        let file = read(&Made::with_tensors(&[info], scheme.block_bytes()).bytes()).expect("every format");
        let x = file.tensor("x").expect("there");
        assert_eq!(x.stored_type(), TensorType::Blocks(scheme));
        assert_eq!(x.to_f32().expect("blocks").len(), scheme.block_len());
    }
}

#[test]
fn class_17_offsets() {
    let two =
        |second: u64| Made::with_tensors(&[tensor("a", &[16], 0), tensor("b", &[16], second)], 128).bytes();
    read(&two(64)).expect("one after the other");
    for offset in [1, 4, 65, u64::MAX] {
        refused(&two(offset), &format!("offset {offset}, which is not a multiple of the alignment 32"));
    }
    refused(
        &two(32),
        "tensor \"b\" at byte 82: its data is at offset 32, before the end of the previous tensor's data at 64",
    );
    refused(&two(0), "before the end of the previous tensor's data");
    refused(&two(96), "its data is bytes 96 to 160 of 128 bytes of data");
    refused(&two(u64::MAX - 31), "truncated");
    let falling = [tensor("a", &[8], 64), tensor("b", &[8], 0)];
    refused(&Made::with_tensors(&falling, 128).bytes(), "before the end of the previous tensor's data");
}

#[test]
fn class_18_data() {
    refused(&Made::with_tensors(&[tensor("x", &[8], 0)], 31).bytes(), "bytes 0 to 32 of 31 bytes of data");
    let half = 1u64 << 61;
    let tensors: Vec<Vec<u8>> =
        (0..9).map(|i| tensor(&format!("x{i}"), &[half - 8], (4 * (half - 8)).wrapping_mul(i))).collect();
    refused(&Made::with_tensors(&tensors, 64).bytes(), "truncated");
    let quarter = 1u64 << 58;
    let tensors: Vec<Vec<u8>> =
        (0..40).map(|i| tensor(&format!("x{i}"), &[quarter], (4 * quarter).wrapping_mul(i))).collect();
    refused(&Made::with_tensors(&tensors, 64).bytes(), "truncated");
}

fn list(name: &str, kind: u32, count: u64, bytes_each: usize) -> Vec<u8> {
    key(name, 9, &array(kind, count, &vec![0; bytes_each * count as usize]))
}

#[test]
fn classes_19_and_20_tokenizers() {
    let tokens = list("tokenizer.ggml.tokens", 8, 3, 8);
    let right = [
        tokens.clone(),
        list("tokenizer.ggml.scores", 6, 3, 4),
        list("tokenizer.ggml.token_type", 5, 3, 4),
        u32_key("tokenizer.ggml.eos_token_id", 2),
        u32_key("tokenizer.ggml.padding_token_id", u32::MAX),
    ];
    assert_eq!(checked(&right), Ok(()));
    disagrees(&[tokens.clone(), list("tokenizer.ggml.scores", 6, 2, 4)], "it has 2 entries for 3 tokens");
    disagrees(&[tokens.clone(), list("tokenizer.ggml.token_type", 5, 4, 4)], "it has 4 entries for 3 tokens");
    disagrees(
        &[tokens.clone(), u32_key("tokenizer.ggml.bos_token_id", 3)],
        "\"tokenizer.ggml.bos_token_id\": token 3 does not exist; there are 3",
    );
    disagrees(&[tokens.clone(), key("tokenizer.ggml.eot_token_id", 5, &(-2i32).to_le_bytes())], "token -2");
    disagrees(&[u32_key("tokenizer.ggml.tokens", 3)], "it is not a list");
    let architecture = key("general.architecture", 8, &text(b"a"));
    disagrees(&[architecture, tokens.clone(), u32_key("a.vocab_size", 2)], "it is 2, but there are 3 tokens");
    let rows = Made {
        keys: vec![key("general.architecture", 8, &text(b"a")), tokens],
        ..Made::with_tensors(&[tensor("token_embd.weight", &[4, 2], 0)], 32)
    };
    let text = told(&read(&rows.bytes()).expect("sound").check().expect_err("more tokens than rows"));
    assert!(text.contains("3 tokens, but token_embd.weight has 2 rows"), "{text}");
}

#[test]
fn class_21_sizes_of_models() {
    let with = |more: &[Vec<u8>]| [&[key("general.architecture", 8, &text(b"a"))], more].concat();
    let heads = u32_key("a.attention.head_count", 8);
    assert_eq!(checked(&with(&[heads.clone(), u32_key("a.attention.head_count_kv", 2)])), Ok(()));
    // A model without attention.
    assert_eq!(checked(&with(&[u32_key("a.attention.head_count", 0)])), Ok(()));
    disagrees(&with(&[u32_key("a.embedding_length", 0)]), "it is 0, not an integer from 1");
    disagrees(
        &with(&[heads.clone(), u32_key("a.attention.head_count_kv", 3)]),
        "3 key-value heads do not divide 8 heads",
    );
    let width = u32_key("a.embedding_length", 64);
    disagrees(
        &with(&[heads, width, u32_key("a.rope.dimension_count", 9)]),
        "9 rotary dimensions are more than the head size of 8",
    );
    disagrees(
        &with(&[u32_key("a.expert_count", 4), u32_key("a.expert_used_count", 5)]),
        "5 is more than the 4 experts",
    );
    disagrees(&with(&[u32_key("a.block_count", 1 << 31)]), "it is 2147483648");
    disagrees(
        &with(&[key("a.context_length", 10, &(1u64 << 63).to_le_bytes())]),
        "it is 9223372036854775808",
    );
    disagrees(&with(&[key("a.block_count", 6, &1f32.to_le_bytes())]), "it is f32, not an integer");
}

#[test]
fn class_22_scales_that_are_no_numbers() {
    let mut made = Made::with_tensors(&[tensor_of(b"x", 1, &[64], 8, 0)], 68);
    made.data = vec![1; 68];
    made.data[..2].copy_from_slice(&half::f16::NAN.to_le_bytes());
    made.data[34..36].copy_from_slice(&half::f16::INFINITY.to_le_bytes());
    let values = read(&made.bytes()).expect("sound").tensor("x").expect("there").to_f32().expect("blocks");
    assert!(values[..32].iter().all(|v| v.is_nan()) && values[32..].iter().all(|v| *v == f32::INFINITY));
}

/// Makes one part of a model that consists of two.
fn part(number: u16, count: u16, total: i32, name: &str, tensor_name: &str) -> Vec<u8> {
    let keys = [
        key("general.name", 8, &text(name.as_bytes())),
        key("split.no", 2, &number.to_le_bytes()),
        key("split.count", 2, &count.to_le_bytes()),
        key("split.tensors.count", 5, &total.to_le_bytes()),
    ];
    Made { keys: keys.to_vec(), ..Made::with_tensors(&[tensor(tensor_name, &[2], 0)], 8) }.bytes()
}

#[test]
fn class_23_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = folder.path().join("m-00001-of-00002.gguf");
    let second = folder.path().join("m-00002-of-00002.gguf");
    let opened = |a: Vec<u8>, b: Option<Vec<u8>>| {
        std::fs::write(&first, a).expect("written");
        match b {
            Some(b) => std::fs::write(&second, b).expect("written"),
            None => std::fs::remove_file(&second).unwrap_or(()),
        }
        Gguf::open(&first).map_err(|e| told(&e))
    };
    let one = || part(0, 2, 2, "m", "a");
    assert_eq!(opened(one(), Some(part(1, 2, 2, "m", "b"))).expect("two parts").len(), 2);
    for (second, told) in [
        (None, "m-00002-of-00002.gguf: no such file"),
        (Some(part(1, 2, 2, "other", "b")), "general.name is \"other\", but \"m\" in the first part"),
        (Some(one()), "its name says part 2 of 2, but its metadata say part 1 of 2"),
        (Some(part(1, 3, 2, "m", "b")), "its metadata say part 2 of 3"),
        (Some(part(1, 2, 2, "m", "a")), "it has the tensor \"a\", but so does"),
        (Some(part(65535, 2, 2, "m", "b")), "its metadata say part 65536 of 2"),
        (Some(Made::default().bytes()), "but not split.no"),
    ] {
        let text = opened(one(), second).expect_err(told);
        assert!(text.contains(told) || text.contains("part 0"), "{told}: {text}");
    }
    let text = opened(part(0, 2, 3, "m", "a"), Some(part(1, 2, 3, "m", "b"))).expect_err("three tensors");
    assert!(text.contains("split.tensors.count is 3, but the parts have 2 tensors"), "{text}");
    let renamed = folder.path().join("model.gguf");
    std::fs::write(&renamed, one()).expect("written");
    let text = told(&Gguf::open(&renamed).expect_err("no name of a part"));
    assert!(text.contains("its name does not end in -00001-of-00002.gguf"), "{text}");
    refused(&one(), "this is one of 2 parts of a model");
}

#[test]
#[cfg(unix)]
fn class_24_no_regular_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink(at("nothing"), at("link.gguf")).expect("a link");
    assert!(std::process::Command::new("mkfifo").arg(at("fifo.gguf")).status().expect("mkfifo").success());
    for (path, part) in [
        (at("link.gguf"), "a link to something that does not exist"),
        (at("fifo.gguf"), "a FIFO"),
        (folder.path().to_path_buf(), "a directory"),
        (at("nothing.gguf"), "no such file"),
    ] {
        let text = told(&Gguf::open(&path).expect_err(part));
        assert!(text.contains(part), "{text}");
    }
    // A copy does not change with its file.
    let path = at("copied.gguf");
    std::fs::write(&path, sound()).expect("written");
    let copied = Gguf::read(&path).expect("sound");
    std::fs::write(&path, b"").expect("cut");
    assert_eq!(copied.tensor("x").expect("there").to_f32().expect("f32"), [0.0; 6]);
}

#[test]
fn class_25_templates() {
    let template = |len: usize| [key("tokenizer.chat_template", 8, &text(&vec![b'x'; len]))];
    assert_eq!(checked(&template(1 << 20)), Ok(()));
    disagrees(&template((1 << 20) + 1), "but at most 1048576 are supported");
}

/// Random changes of valid files, and changes of their numbers to values near a limit.
#[test]
fn class_27_mutations() {
    let whole = sound();
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let limits = [0, 1, 31, 1 << 31, 1 << 32, 1 << 61, 1 << 63, u64::MAX, u64::MAX - 31];
    let mut sound = 0;
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] = random(256) as u8,
                1 => bytes[at] ^= 1 << random(8),
                _ => {
                    let number = limits[random(limits.len())].to_le_bytes();
                    let end = bytes.len().min(at + 8);
                    bytes[at..end].copy_from_slice(&number[..end - at]);
                }
            }
        }
        if let Ok(file) = read(&bytes) {
            sound += 1;
            let _ = file.check();
            let values: usize = file.tensors().filter_map(|t| t.to_f32().ok()).map(|v| v.len()).sum();
            assert!(values <= 4 * bytes.len());
            file.metadata()
                .for_each(|(_, value)| assert!(value.as_array().is_none_or(|a| a.iter().count() == a.len())));
        }
    }
    assert!((1_000..19_000).contains(&sound), "{sound} of 20000 were sound");
}

#[test]
fn plain_types_are_read() {
    let kinds =
        [DType::F32, DType::F16, DType::I8, DType::I16, DType::I32, DType::I64, DType::F64, DType::BF16];
    for dtype in kinds {
        let kind = TensorType::Plain(dtype);
        let made =
            Made::with_tensors(&[tensor_of(b"x", 1, &[3], kind.id().expect("known"), 0)], 3 * dtype.size());
        let file = read(&made.bytes()).expect("sound");
        let x = file.tensor("x").expect("there");
        assert_eq!(x.stored_type(), kind);
        let told = x.to_f32().map_err(|e| e.to_string());
        let integer = [DType::I8, DType::I16, DType::I32, DType::I64].contains(&dtype);
        assert!(if integer {
            told.expect_err("integers").contains("cannot be converted to f32")
        } else {
            told.is_ok_and(|v| v == [0.0; 3])
        });
    }
}
