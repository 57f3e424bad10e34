//! A training run continues from a checkpoint, or refuses it with an error. An input is a whole file or, if it begins with
//! 0xff, edits of a valid one: positions and bytes, and finally a length.

#![no_main]

use std::collections::BTreeMap;
use std::fs;

use libfuzzer_sys::fuzz_target;
use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_train::{Checkpoints, Optimizer, TrainConfig, TrainingSession};

fn graph() -> Graph {
    let b = Builder::new("line");
    let (x, w) = (b.input("x", Shape::new(&[2], DType::F32)), b.param("W", Shape::new(&[2], DType::F32)));
    let error = &x * &w;
    b.finish(&[&(&error * &error).mean(&[0], false)]).expect("a valid graph")
}

thread_local! {
    static STATE: (tempfile::TempDir, std::cell::RefCell<TrainingSession>, Vec<u8>) = {
        let dir = tempfile::tempdir().expect("a folder");
        let init = [("W".to_string(), vec![1.0f32, 2.0])].into_iter().collect();
        let config = TrainConfig { lr: 0.1, optimizer: Optimizer::adamw() };
        let mut session = TrainingSession::new(graph(), &["W"], init, config);
        session.step(&[("x", &[0.5, 0.25])]);
        let path = Checkpoints::new(dir.path(), 1, "config").save(&session, &BTreeMap::new()).expect("saved");
        let good = fs::read(&path).expect("read");
        fs::remove_file(path).expect("removed");
        (dir, session.into(), good)
    };
}

fuzz_target!(|data: &[u8]| {
    STATE.with(|(dir, session, good)| {
        let bytes = match data.split_first() {
            Some((0xff, edits)) => edited(good, edits),
            _ => data.to_vec(),
        };
        let path = dir.path().join("step-0000000007.safetensors");
        fs::write(&path, bytes).expect("written");
        let _ = Checkpoints::new(dir.path(), 1, "config").resume(&mut session.borrow_mut());
    });
});

fn edited(good: &[u8], edits: &[u8]) -> Vec<u8> {
    let (mut bytes, mut edits) = (good.to_vec(), edits.chunks_exact(3));
    for edit in edits.by_ref() {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % bytes.len();
        bytes[at] = edit[2];
    }
    if let [length, ..] = edits.remainder() {
        bytes.truncate(bytes.len() - usize::from(*length).min(bytes.len()));
    }
    bytes
}
