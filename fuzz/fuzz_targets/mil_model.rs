//! Any bytes as the model of a CoreML package: describing, linting and reading its functions as graphs never panics and asks for no memory without
//! bound; a graph that is read is one that the verifier has nothing against.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rlx_coreml::{decode, describe, lint};
use rlx_mil::blob::{BlobFile, Blobs, BlobType};
use rlx_mil::import::function_at;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A file of weights with some numbers of each type.
fn weights() -> &'static [u8] {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(|| {
        let bytes: Vec<u8> = (0..64u32).flat_map(|i| (i as f32 * 0.37).sin().to_le_bytes()).collect();
        let mut blobs = Blobs::new();
        for (kind, elements) in [
            (BlobType::F32, 64),
            (BlobType::F16, 128),
            (BlobType::I32, 64),
            (BlobType::U8, 256),
            (BlobType::I8, 256),
            (BlobType::U4, 512),
        ] {
            blobs.add(kind, elements, &bytes).expect("it is as long");
        }
        let mut file = Vec::new();
        blobs.write_to(&mut file).expect("written");
        file
    })
}

fuzz_target!(|data: &[u8]| {
    let Ok(model) = decode(data) else { return };
    let file = BlobFile::open(weights()).expect("it is sound");
    describe(&model, &[("weights", file)]);
    lint(&model);
    let records = |_: &str, record: u64| file.get(record).map(|blob| blob.bytes).map_err(|e| e.to_string());
    for (name, function) in model.ml_program.iter().flat_map(|program| &program.functions) {
        if let Ok(read) = function_at(function, name, &BTreeMap::new(), &records) {
            rlx_ir::verify::verify(&read.graph).expect("what was read is sound");
        }
    }
});
