//! Tensors of mapped files as parameters: what is in memory when.
#![cfg(all(target_os = "linux", feature = "cpu"))]

use rlx_files::weights::{StoredType, Tensor, Weights, save};
use rlx_ir::{Builder, DType, Shape};
use rlx_session::{Device, Session, StoredTensor};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const K: usize = 700;

/// Bytes of the mapped file that are in this process's memory.
fn resident(path: &Path) -> usize {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let of_file = &maps[maps.find(path.to_str().unwrap()).unwrap()..];
    let size = of_file.split_once("Rss:").unwrap().1.split_once(" kB").unwrap().0;
    size.trim().parse::<usize>().unwrap() << 10
}

/// Products read what was packed of the file and a bias the file itself: after packing, after runs, and when a parameter is read.
#[test]
fn what_is_packed_is_in_memory_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap().join("model.safetensors");
    let values: Vec<u8> = (0..K * K).flat_map(|i| (i as f32 * 0.7).sin().to_le_bytes()).collect();
    let stored = StoredType::from_tag("F32").unwrap();
    let tensor = |name, shape, bytes| Tensor { name, stored, shape, bytes };
    let bias = tensor("bias", &[K], &values[..4 * K]);
    save(&path, &[tensor("v", &[K, K], &values), bias, tensor("w", &[K, K], &values)], &BTreeMap::new())
        .unwrap();

    let f32s = |dims: &[usize]| Shape::new(dims, DType::F32);
    let b = Builder::new("layers");
    let (x, v, w) = (b.input("x", f32s(&[K, K])), b.param("v", f32s(&[K, K])), b.param("w", f32s(&[K, K])));
    let bias = b.param("bias", f32s(&[K])).broadcast_to(x.shape().dims());
    let graph = b.finish(&[&(x.matmul(&v).tanh() + bias).matmul(&w)]).unwrap();
    let mut compiled = Session::new(Device::Cpu).try_compile(graph).unwrap();
    let (mapped, read) = (Arc::new(Weights::open(&path).unwrap()), Arc::new(Weights::read(&path).unwrap()));
    let mut copied = compiled.clone();
    for name in ["v", "w", "bias"] {
        let stored = |weights: &Arc<Weights>| Arc::new(StoredTensor::new(weights.clone(), name).unwrap());
        compiled.set_param_shared(name, stored(&mapped)).unwrap();
        copied.set_param_shared(name, stored(&read)).unwrap();
    }
    let error = StoredTensor::new(mapped.clone(), "u").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("\"u\""), "{error}");
    // What is read beside a page comes along with it, where the system sees fit.
    let few = 256 << 10;
    assert_eq!(compiled.param("v").unwrap(), Some(&values[..]));
    assert!(resident(&path) >= values.len());
    compiled.try_prepack().unwrap();
    assert!(resident(&path) <= few, "{}", resident(&path));
    let x = vec![0.5; K * K];
    for _ in 0..2 {
        assert_eq!(compiled.try_run(&[("x", &x)]).unwrap(), copied.try_run(&[("x", &x)]).unwrap());
        assert!(resident(&path) <= few, "{}", resident(&path));
    }
    assert_eq!(compiled.param("w").unwrap(), Some(&values[..]));
}
