//! Any bytes as a safetensors file: reading never panics, and the reference reader accepts every file that is accepted
//! here, with the same tensors and bytes. (It accepts more: duplicate names and unknown fields.)

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use rlx_models::weights::Weights;
use safetensors::SafeTensors;

fuzz_target!(|data: &[u8]| {
    let Ok(ours) = Weights::from_bytes(data.to_vec(), Path::new("fuzz")) else { return };
    let theirs = SafeTensors::deserialize(data).expect("the reference reader refuses what we accept");
    assert_eq!(ours.len(), theirs.len());
    for tensor in ours.iter() {
        let their = theirs.tensor(tensor.name()).expect("the reference reader lacks a tensor");
        assert_eq!(tensor.shape(), their.shape());
        assert_eq!(tensor.stored_type().tag(), their.dtype().to_string());
        assert_eq!(tensor.bytes(), their.data());
        if let Ok(values) = tensor.to_f32() {
            assert_eq!(values.len(), tensor.len());
        }
    }
});
