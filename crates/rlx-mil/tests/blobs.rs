//! Weights files, byte for byte as coremltools writes them (`scripts/coreml_blob_goldens.py`).

use std::path::Path;

use rlx_mil::blob::{BlobFile, BlobSource, BlobType, Blobs};

/// The files with a single type, by the names of the methods that wrote them. coremltools does not write `bf16` and the two types of 8-bit
/// floats.
const FILES: [(&str, BlobType); 14] = [
    ("fp16", BlobType::F16),
    ("float", BlobType::F32),
    ("uint8", BlobType::U8),
    ("int8", BlobType::I8),
    ("int16", BlobType::I16),
    ("uint16", BlobType::U16),
    ("int4", BlobType::I4),
    ("uint1", BlobType::U1),
    ("uint2", BlobType::U2),
    ("uint4", BlobType::U4),
    ("uint3", BlobType::U3),
    ("uint6", BlobType::U6),
    ("int32", BlobType::I32),
    ("uint32", BlobType::U32),
];
const COUNTS: [u64; 9] = [1, 2, 3, 5, 8, 13, 0, 64, 65];

fn golden(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(format!("{name}.bin"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns the bits of an element, as the script computes them.
fn pattern(blob: u64, element: u64, bits: u32) -> u32 {
    ((element * 2_654_435_761 + blob * 40_503 + 12_345) as u32) >> (32 - bits)
}

/// Returns the elements of a blob as they are stored in a file.
fn elements(blob: u64, blob_type: BlobType, count: u64) -> Vec<u8> {
    let bits = blob_type.bits();
    let values = (0..count).map(|i| pattern(blob, i, bits));
    blob_type
        .pack(values.clone().map(|v| v as u8))
        .unwrap_or_else(|| values.flat_map(|v| v.to_le_bytes().into_iter().take(bits as usize / 8)).collect())
}

/// Compares the file with these blobs with the one that coremltools wrote, in both directions.
fn compare(name: &str, contents: &[(BlobType, u64)]) {
    let golden = golden(name);
    let mut blobs = Blobs::new();
    let mut found = BlobFile::open(&golden).unwrap().blobs();
    for (i, &(blob_type, count)) in contents.iter().enumerate() {
        let bytes = elements(i as u64, blob_type, count);
        let (at, blob) = found.next().expect("a blob").unwrap();
        assert_eq!((blob.blob_type, blob.elements()), (blob_type, count), "{name}, blob {i}");
        assert_eq!(blob.bytes, bytes, "{name}, blob {i}");
        let source = BlobSource::made(bytes.len() as u64, move |out| out.write_all(&bytes));
        assert_eq!(blobs.add(blob_type, count, source).unwrap(), at, "{name}, blob {i}");
    }
    assert!(found.next().is_none(), "{name}");
    let mut written = Vec::new();
    blobs.write_to(&mut written).unwrap();
    assert!(written == golden, "{name}: {} bytes, and the other has {}", written.len(), golden.len());
}

#[test]
fn files_are_those_of_coremltools() {
    for (name, blob_type) in FILES {
        compare(name, &COUNTS.map(|count| (blob_type, count)));
    }
    compare("all", &FILES.map(|(_, blob_type)| (blob_type, 7)));
    compare("none", &[]);
}

#[test]
fn types_that_coremltools_does_not_write_differ_in_their_code_only() {
    for (name, like, blob_type) in [
        ("fp16", BlobType::F16, BlobType::BF16),
        ("uint8", BlobType::U8, BlobType::F8E4M3FN),
        ("uint8", BlobType::U8, BlobType::F8E5M2),
    ] {
        let mut expected = golden(name);
        let mut blobs = Blobs::new();
        for (i, count) in COUNTS.iter().enumerate() {
            let at = blobs.add(blob_type, *count, elements(i as u64, like, *count)).unwrap() as usize;
            expected[at + 4..at + 8].copy_from_slice(&blob_type.code().to_le_bytes());
        }
        let mut written = Vec::new();
        blobs.write_to(&mut written).unwrap();
        assert!(written == expected, "{blob_type}");
    }
}
