//! Tensors of mapped files as parameters: which parts are in memory, and when.
#![cfg(all(target_os = "linux", feature = "cpu"))]

use rlx_files::weights::{StoredType, Tensor, Weights, save};
use rlx_ir::{Builder, DType, QuantScheme, Shape};
use rlx_session::{Device, Session, StoredTensor};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const K: usize = 700;

/// Returns how many bytes of the mapped file are in this process's memory.
fn resident(path: &Path) -> usize {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let of_file = &maps[maps.find(path.to_str().unwrap()).unwrap()..];
    let size = of_file.split_once("Rss:").unwrap().1.split_once(" kB").unwrap().0;
    size.trim().parse::<usize>().unwrap() << 10
}

/// Products read packed forms, and a bias reads the file: after packing, after runs, and when a parameter is read.
#[test]
fn what_is_packed_is_in_memory_once() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().canonicalize().unwrap();
    // The bias is in a separate file, because the system maps more pages than are read.
    let [path, beside] = ["model.safetensors", "bias.safetensors"].map(|name| folder.join(name));
    let values: Vec<u8> = (0..K * K).flat_map(|i| (i as f32 * 0.7).sin().to_le_bytes()).collect();
    let stored = StoredType::from_tag("F32").unwrap();
    let tensor = |name, shape, bytes| Tensor { name, stored, shape, bytes };
    let matrices = [tensor("v", &[K, K], &values), tensor("w", &[K, K], &values)];
    save(&path, &matrices, &BTreeMap::new()).unwrap();
    save(&beside, &[tensor("bias", &[K], &values[..4 * K])], &BTreeMap::new()).unwrap();

    let f32s = |dims: &[usize]| Shape::new(dims, DType::F32);
    let b = Builder::new("layers");
    let (x, v, w) = (b.input("x", f32s(&[K, K])), b.param("v", f32s(&[K, K])), b.param("w", f32s(&[K, K])));
    let bias = b.param("bias", f32s(&[K])).broadcast_to(x.shape().dims());
    let graph = b.finish(&[&(x.matmul(&v).tanh() + bias).matmul(&w)]).unwrap();
    let mut compiled = Session::new(Device::Cpu).try_compile(graph).unwrap();
    let mut copied = compiled.clone();
    let (mapped, read) = (Arc::new(Weights::open(&path).unwrap()), Arc::new(Weights::read(&path).unwrap()));
    let bias = Arc::new(Weights::open(&beside).unwrap());
    for session in [&mut compiled, &mut copied] {
        let stored = StoredTensor::new(bias.clone(), "bias").unwrap();
        session.set_param_shared("bias", Arc::new(stored)).unwrap();
    }
    for name in ["v", "w"] {
        let stored = |weights: &Arc<Weights>| Arc::new(StoredTensor::new(weights.clone(), name).unwrap());
        compiled.set_param_shared(name, stored(&mapped)).unwrap();
        copied.set_param_shared(name, stored(&read)).unwrap();
    }
    let error = StoredTensor::new(mapped.clone(), "u").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("\"u\""), "{error}");
    // Pages at the ends of tensors stay in memory.
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

/// A table that is used in products and in lookups of a few rows, as language models use their token embeddings.
#[test]
fn rows_are_looked_up_in_what_has_left_memory() {
    const ROWS: usize = 32768;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap().join("model.safetensors");
    // Rows that look random, so that all differ: 2^-7 and 32 integers per block.
    let mixed = |x: u64, by: u64| (x ^ x >> 31).wrapping_mul(by);
    let bits = |i| mixed(mixed(i, 0x9e37_79b9_7f4a_7c15), 0xbf58_476d_1ce4_e5b9) >> 40;
    let byte = |i: u64| if i % 34 < 2 { [0, 0x20][i as usize % 34] } else { bits(i) as u8 };
    let blocks: Vec<u8> = (0..ROWS as u64 * 8 * 34).map(byte).collect();
    let scheme = QuantScheme::Q8_0;
    let row_bytes = blocks.len() / ROWS;
    let stored = StoredType::from_tag("U8").unwrap();
    let tensor = Tensor { name: "table", stored, shape: &[ROWS, row_bytes], bytes: &blocks };
    save(&path, &[tensor], &BTreeMap::new()).unwrap();

    let b = Builder::new("tokens");
    let table = b.param("table", Shape::new(&[ROWS, row_bytes], DType::U8));
    let ids = b.input("ids", Shape::new(&[2], DType::I32));
    let rows = table.embedding(&ids).dequantize_blocks(scheme);
    let graph = b.finish(&[&rows.rounded_dequant_matmul(&table, scheme)]).unwrap();
    let mut compiled = Session::new(Device::Cpu).try_compile(graph).unwrap();
    let weights = Arc::new(Weights::open(&path).unwrap());
    let table = Arc::new(StoredTensor::new(weights, "table").unwrap());
    compiled.set_param_shared("table", table).unwrap();
    assert_eq!(compiled.param("table").unwrap(), Some(&blocks[..]));
    assert!(resident(&path) >= blocks.len());
    let ids: Vec<u8> = [7i32, 20_000].iter().flat_map(|id| id.to_le_bytes()).collect();
    // The first run reads the original blocks, and packs nothing.
    let first = compiled.run_typed(&[("ids", &ids, DType::I32)]).unwrap();
    for _ in 0..2 {
        let found = compiled.run_typed(&[("ids", &ids, DType::I32)]).unwrap();
        assert_eq!(found, first);
        let products: &[f32] = bytemuck::cast_slice(&found[0].0);
        // A row has a larger product with itself than with any other.
        let best = |row: &[f32]| (0..ROWS).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
        assert_eq!([best(&products[..ROWS]), best(&products[ROWS..])], [7, 20_000]);
        // The system maps up to 2 MiB around a row, and releases it with the row. Pages at the ends of the table stay.
        assert!(resident(&path) <= 256 << 10, "{}", resident(&path));
    }
}
