//! Any bytes as an .npy file are refused with an error, or are an array that reads back the same after it is written.

#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use rlx_models::npy;

thread_local! {
    static DIR: tempfile::TempDir = tempfile::tempdir().expect("a folder");
}

fuzz_target!(|data: &[u8]| {
    DIR.with(|dir| {
        let path = dir.path().join("x.npy");
        fs::write(&path, data).expect("written");
        let Ok(array) = npy::read(&path) else { return };
        let elements: usize = array.shape.iter().product();
        assert_eq!(array.bytes.len(), elements * array.dtype.size());
        npy::write(&path, array.dtype, &array.shape, &array.bytes).expect("what was read can be written");
        let again = npy::read(&path).expect("what was written can be read");
        assert_eq!((again.dtype, again.shape, again.bytes), (array.dtype, array.shape, array.bytes));
    });
});
