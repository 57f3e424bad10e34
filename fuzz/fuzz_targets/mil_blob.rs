//! Any bytes as a weight file of ML Programs: reading never panics, and the records read back the same after they are written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rlx_mil::blob::{BlobFile, Blobs};

fuzz_target!(|data: &[u8]| {
    let Ok(file) = BlobFile::open(data) else { return };
    let listed =
        file.blobs().flatten().inspect(|(at, blob)| assert_eq!(file.get(*at).expect("listed"), *blob));
    let mut found: Vec<_> = listed.map(|(_, blob)| blob).collect();
    // Records that the list may miss, and offsets that must not have records.
    let offsets = (0..data.len() as u64).step_by(32).chain([u64::MAX, u64::MAX - 63]);
    found.extend(offsets.filter_map(|at| file.get(at).ok()));
    let mut blobs = Blobs::new();
    let mut offsets = Vec::new();
    for blob in &found {
        if let Some(elements) = blob.blob_type.unpack(blob.bytes) {
            assert!(elements.count() as u64 >= blob.elements());
        }
        offsets.push(
            blobs.add(blob.blob_type, blob.elements(), blob.bytes).expect("what was read can be written"),
        );
    }
    let mut written = Vec::new();
    blobs.write_to(&mut written).expect("written");
    assert_eq!(written.len() as u64, blobs.file_bytes());
    let again = BlobFile::open(&written).expect("what was written can be read");
    assert_eq!(again.blobs().filter(Result::is_ok).count(), blobs.len());
    for (blob, at) in found.iter().zip(offsets) {
        assert_eq!(again.get(at).expect("what was written can be read"), *blob);
    }
});
