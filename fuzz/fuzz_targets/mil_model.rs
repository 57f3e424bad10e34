//! Any bytes as the model of a CoreML package: describing, linting and importing it never panics or takes unbounded
//! memory. The verifier accepts every graph that is read. Valid programs are also mutated as programs, and not only as
//! bytes.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use prost::Message;
use rlx_coreml::{decode, describe, lint};
use rlx_fuzz::programs::{Draw, change};
use rlx_mil::blob::BlobFile;
use rlx_mil::import::function_at;
use rlx_mil::message::Model;
use std::collections::BTreeMap;

#[path = "../../crates/rlx-coreml/examples/graphs/operations.rs"]
mod operations;

/// Arbitrary bytes for weights.
static BYTES: [u8; 1 << 16] = {
    let mut bytes = [0; 1 << 16];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = (at * 37 + at / 256) as u8;
        at += 1;
    }
    bytes
};

/// A weight file without records.
const EMPTY: [u8; 64] = {
    let mut bytes = [0; 64];
    bytes[4] = 2;
    bytes
};

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut draw = Draw::new(seed);
    if draw.below(8) > 0
        && let Ok(mut model) = Model::decode(&data[..size])
    {
        for _ in 0..=draw.below(3) {
            change(&mut model, &operations::OPERATIONS, &mut draw);
        }
        let bytes = model.encode_to_vec();
        if bytes.len() <= max_size {
            data[..bytes.len()].copy_from_slice(&bytes);
            return bytes.len();
        }
    }
    fuzzer_mutate(data, size, max_size)
});

fuzz_target!(|data: &[u8]| {
    let Ok(model) = decode(data) else { return };
    describe(&model, &[("weights", BlobFile::open(&EMPTY).expect("it is sound"))]);
    lint(&model);
    // The record at an offset has as many bytes as the offset says, so that seeds can have records of any length.
    let records = |_: &str, record: u64| {
        usize::try_from(record).ok().and_then(|n| BYTES.get(..n)).ok_or_else(|| "too far".to_string())
    };
    for (name, function) in model.ml_program.iter().flat_map(|program| &program.functions) {
        if let Ok(read) = function_at(function, name, &BTreeMap::new(), &records) {
            rlx_ir::verify::verify(&read.graph).expect("what was read is sound");
        }
    }
});
