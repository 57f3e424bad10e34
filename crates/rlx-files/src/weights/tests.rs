//! Files on disk: opening, shards, saving, and how the reference reader reads what we write.

use std::fs;

use super::*;
use crate::files::FileError;

fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn tag(name: &str) -> StoredType {
    StoredType::from_tag(name).unwrap()
}

fn write(path: &Path, tensors: &[(&str, &[f32])]) {
    let bytes: Vec<_> = tensors.iter().map(|(_, v)| f32s(v)).collect();
    let shapes: Vec<_> = tensors.iter().map(|(_, v)| [v.len()]).collect();
    let rows: Vec<_> = (0..tensors.len())
        .map(|i| Tensor { name: tensors[i].0, stored: tag("F32"), shape: &shapes[i], bytes: &bytes[i] })
        .collect();
    save(path, &rows, &BTreeMap::new()).unwrap();
}

#[test]
fn what_is_saved_opens_again_mapped_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.safetensors");
    write(&path, &[("b", &[1.0, f32::NAN, -0.0]), ("a", &[]), ("ünï\n", &[2.5])]);
    for weights in [Weights::open(&path), Weights::read(&path), Weights::open(dir.path())] {
        let weights = weights.unwrap();
        assert_eq!(weights.iter().map(|t| t.name()).collect::<Vec<_>>(), ["a", "b", "ünï\n"]);
        let b = weights.tensor("b").unwrap();
        assert_eq!((b.shape(), b.len(), b.dtype().unwrap()), ([3].as_slice(), 3, rlx_ir::DType::F32));
        assert_eq!(b.bytes(), f32s(&[1.0, f32::NAN, -0.0]));
        assert!(weights.get("a").unwrap().is_empty());
        let error = weights.tensor("c").unwrap_err();
        assert!(error.to_string().contains("\"c\""), "{error}");
    }
}

#[test]
fn the_reference_reader_reads_what_we_save() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m");
    let (wide, narrow) = (f32s(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), [7u8, 8, 9]);
    let rows = [
        Tensor { name: "narrow", stored: tag("U8"), shape: &[3], bytes: &narrow },
        Tensor { name: "wide", stored: tag("F32"), shape: &[2, 3], bytes: &wide },
        Tensor { name: "scalar", stored: tag("BF16"), shape: &[], bytes: &[0x80, 0x3f] },
    ];
    save(&path, &rows, &BTreeMap::from([("format".into(), "rlx".into())])).unwrap();
    let bytes = fs::read(&path).unwrap();
    let (header, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(header % 8, 0);
    assert_eq!(metadata.metadata().as_ref().unwrap()["format"], "rlx");
    assert_eq!(metadata.offset_keys(), ["wide", "scalar", "narrow"]);
    let theirs = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(theirs.tensor("wide").unwrap().data(), wide);
    assert_eq!(theirs.tensor("wide").unwrap().shape(), [2, 3]);
}

#[test]
fn we_read_what_the_reference_writer_writes() {
    let values = f32s(&[0.5, -1.5]);
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![2, 1], &values).unwrap();
    let bytes = safetensors::serialize([("x.y", view)], None).unwrap();
    let weights = Weights::from_bytes(bytes, Path::new("memory")).unwrap();
    assert_eq!(weights.tensor("x.y").unwrap().to_f32().unwrap().as_ref(), [0.5, -1.5]);
}

#[test]
fn what_cannot_be_saved_is_refused_before_a_byte_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m");
    let good = Tensor { name: "a", stored: tag("F32"), shape: &[1], bytes: &[0; 4] };
    let rows: [(&[Tensor<'_>], &str); 5] = [
        (&[good, good], "used twice"),
        (&[Tensor { name: "__metadata__", ..good }], "reserves"),
        (&[Tensor { shape: &[2], ..good }], "needs 8 bytes, but got 4"),
        (&[Tensor { shape: &[usize::MAX, 2], ..good }], "64 bits"),
        (&[Tensor { stored: tag("F4"), shape: &[7], ..good }], "byte"),
    ];
    for (tensors, says) in rows {
        let error = save(&path, tensors, &BTreeMap::new()).unwrap_err().to_string();
        assert!(error.contains(says), "{error} needs {says}");
        assert!(!path.exists());
    }
}

#[test]
fn hostile_paths_have_errors_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    assert!(matches!(Weights::open(&at("none")), Err(WeightsError::File(FileError::Missing { .. }))));
    assert!(matches!(Weights::open(dir.path()), Err(WeightsError::NoWeights { hint: "", .. })));
    fs::write(at("pytorch_model.bin"), b"").unwrap();
    let error = Weights::open(dir.path()).unwrap_err();
    assert!(error.to_string().contains("save the model again"), "{error}");
    fs::write(at("empty.safetensors"), b"").unwrap();
    for open in [Weights::open, Weights::read] {
        let error = open(&at("empty.safetensors")).unwrap_err();
        assert!(error.to_string().ends_with("empty.safetensors: it is empty"), "{error}");
    }
}

#[test]
fn a_file_that_was_shortened_does_not_open() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.safetensors");
    write(&path, &[("a", &[1.0; 1000])]);
    let len = fs::metadata(&path).unwrap().len();
    fs::File::options().write(true).open(&path).unwrap().set_len(len - 1).unwrap();
    let error = Weights::open(&path).unwrap_err();
    assert!(
        matches!(error, WeightsError::Header { problem: HeaderError::DataTruncated { .. }, .. }),
        "{error}"
    );
}

fn index(dir: &Path, rows: &[(&str, &str)]) -> PathBuf {
    let map: BTreeMap<_, _> = rows.iter().copied().collect();
    let path = dir.join("model.safetensors.index.json");
    let json = serde_json::json!({"metadata": {"total_size": 8}, "weight_map": map});
    fs::write(&path, json.to_string()).unwrap();
    path
}

#[test]
fn shards_are_one_set_of_weights() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("1.safetensors"), &[("a", &[1.0]), ("b", &[2.0])]);
    write(&dir.path().join("2.safetensors"), &[("c", &[3.0])]);
    index(dir.path(), &[("a", "1.safetensors"), ("b", "1.safetensors"), ("c", "2.safetensors")]);
    let weights = Weights::open(dir.path()).unwrap();
    assert_eq!((weights.len(), weights.paths().len()), (3, 2));
    assert_eq!(weights.tensor("c").unwrap().to_f32().unwrap().as_ref(), [3.0]);
}

#[test]
fn an_index_that_lies_is_an_error_that_lists_the_lies() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("1.safetensors"), &[("a", &[1.0]), ("b", &[2.0])]);
    write(&dir.path().join("2.safetensors"), &[("a", &[3.0])]);
    let says = |rows: &[(&str, &str)]| Weights::open(&index(dir.path(), rows)).unwrap_err().to_string();
    let text = says(&[("a", "1.safetensors"), ("z", "1.safetensors")]);
    assert!(text.contains("\"z\" is not in") && text.contains("\"b\" in"), "{text}");
    let text = says(&[("a", "1.safetensors"), ("b", "1.safetensors"), ("c", "2.safetensors")]);
    assert!(text.contains("another file also has"), "{text}");
    let text = says(&[("a", "missing.safetensors")]);
    assert!(text.contains("no such file"), "{text}");
    for file in ["../1.safetensors", "/etc/passwd", "x/../1.safetensors", "", ".", "..", "./1.safetensors"] {
        let error = Weights::open(&index(dir.path(), &[("a", file)])).unwrap_err();
        assert!(matches!(error, WeightsError::ShardName { .. }), "{file}: {error}");
    }
    let path = dir.path().join("bad.json");
    fs::write(&path, "{\"weight_map\": 3}").unwrap();
    assert!(matches!(Weights::open(&path), Err(WeightsError::File(FileError::Json { .. }))));
}

/// Returns how many bytes of the mapped file are in this process's memory.
#[cfg(target_os = "linux")]
fn resident(path: &Path) -> usize {
    let maps = fs::read_to_string("/proc/self/smaps").unwrap();
    let mut lines = maps.lines().skip_while(|line| !line.ends_with(path.to_str().unwrap()));
    let size = lines.find_map(|line| line.strip_prefix("Rss:")).unwrap();
    size.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

#[cfg(target_os = "linux")]
#[test]
fn a_released_tensor_leaves_memory_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap().join("model.safetensors");
    let values: Vec<f32> = (0..1 << 20).map(|i| i as f32).collect();
    write(&path, &[("a", &values), ("b", &values), ("none", &[])]);
    let mapped = Weights::open(&path).unwrap();
    let sums = |weights: &Weights| {
        ["a", "b"].map(|name| weights.tensor(name).unwrap().to_f32().unwrap().iter().sum::<f32>())
    };
    let before = sums(&mapped);
    let (all, one) = (resident(&path), values.len() * 4);
    assert!(all >= 2 * one, "{all}");
    for name in ["none", "nowhere"] {
        mapped.release(name);
    }
    assert_eq!(resident(&path), all);
    mapped.release("a");
    // A page that two tensors share is dropped as well; the rest of the neighboring tensor stays.
    assert!((one - (64 << 10)..all - one + (64 << 10)).contains(&resident(&path)), "{}", resident(&path));
    mapped.release("b");
    assert!(resident(&path) <= 64 << 10, "{}", resident(&path));
    assert_eq!(sums(&mapped), before);
    assert_eq!(resident(&path), all);
    let owned = Weights::read(&path).unwrap();
    owned.release("a");
    assert_eq!(sums(&owned), before);
}
