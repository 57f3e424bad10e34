//! Any bytes as a GGUF file: reading never panics, and a valid file reads back the same after it is written.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use rlx_gguf::{Gguf, GgufWriter, MetaValue};

/// Reads a value completely.
fn walk(value: &MetaValue<'_>) {
    let Some(array) = value.as_array() else { return };
    assert_eq!(array.iter().inspect(walk).count(), array.len());
}

fn again(file: &Gguf) -> Vec<u8> {
    let mut writer = GgufWriter::new();
    for (key, value) in file.metadata() {
        walk(&value);
        writer.set(key, value);
    }
    for tensor in file.tensors() {
        writer.tensor(tensor.name(), tensor.stored_type(), tensor.shape(), tensor.bytes());
    }
    writer.to_bytes().expect("what was read cannot be written")
}

fuzz_target!(|data: &[u8]| {
    let Ok(file) = Gguf::from_bytes(data.to_vec(), Path::new("fuzz")) else { return };
    let _ = file.check();
    for tensor in file.tensors() {
        if let Ok(values) = tensor.to_f32() {
            assert_eq!(values.len(), tensor.len());
        }
        assert_eq!(file.tensor(tensor.name()).expect("found by its name").bytes(), tensor.bytes());
    }
    let first = again(&file);
    let second = Gguf::from_bytes(first.clone(), Path::new("again")).expect("what was written is not sound");
    assert_eq!(second.len(), file.len());
    assert_eq!(again(&second), first);
});
