//! Saves the state of an optimizer to a file and loads it again.

mod support;

use rlx_files::weights::{self, StoredType};
use rlx_ir::{DType, Literal, Shape};
use rlx_optim::{Optimizer, Param, State, StateError};
use std::collections::BTreeMap;
use support::literal;

fn sample() -> (State, Vec<Param>) {
    let w = Param::new("layer.0.w", Shape::new(&[2, 3], DType::BF16));
    let b = Param::new("b", Shape::new(&[3], DType::F64));
    let values = [
        literal(&[2, 3], &[1.0, -2.0, 3.0, 0.5, 0.25, -0.0], DType::BF16),
        literal(&[3], &[1.0; 3], DType::F64),
    ];
    let state = State::new(Optimizer::adamw(), &[(w.clone(), &values[0]), (b.clone(), &values[1])]).unwrap();
    (state, vec![w, b])
}

#[test]
fn what_was_saved_is_restored_bit_for_bit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.safetensors");
    let (mut state, params) = sample();
    state.check(&params).unwrap();
    state.set_step(u64::MAX - 1);
    // Every type that a file can store, with every bit pattern of a byte, including NaNs with payloads.
    for dtype in DType::ALL.into_iter().filter(|d| *d != DType::C128) {
        let bytes: Vec<u8> = (0..=255u8).map(|b| if dtype == DType::Bool { b & 1 } else { b }).collect();
        let value = Literal::from_bytes(&Shape::new(&[256 / dtype.size()], dtype), &bytes).unwrap();
        state.set("any", dtype.name(), value).unwrap();
    }
    state.set("empty", "v", literal(&[0, 3], &[], DType::F32)).unwrap();
    state.set("scalar", "v", literal(&[], &[f64::NAN], DType::F32)).unwrap();
    state.save(&path).unwrap();
    let restored = State::load(&path).unwrap();
    assert!(restored == state);
    assert_eq!(restored.step(), u64::MAX - 1);
    assert_eq!(*restored.optimizer(), Optimizer::adamw());
    let first = std::fs::read(&path).unwrap();
    restored.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), first, "equal states give equal files");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside the file");
}

#[test]
fn every_shortened_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.safetensors");
    let (state, _) = sample();
    state.save(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(State::load(&path), Err(StateError::File(_))), "{length} of {} bytes", whole.len());
    }
    // A damaged byte gives an error or other values, but never a panic.
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&path, &bytes).unwrap();
        assert!(State::load(&path).is_err() || State::load(&path).unwrap() != state, "byte {at}");
    }
}

#[test]
fn foreign_and_newer_files_are_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.safetensors");
    assert!(matches!(State::load(&path), Err(StateError::File(_))));
    let bytes = 1.0f32.to_le_bytes();
    let stored = StoredType::of(DType::F32).unwrap();
    let written = |name: &str, about: &[(&str, &str)]| {
        let about: BTreeMap<String, String> =
            about.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let tensor = weights::Tensor { name, stored, shape: &[1], bytes: &bytes };
        weights::save(&path, &[tensor], &about).unwrap();
        State::load(&path)
    };
    let ours = |version, optimizer, step| {
        [("format", "rlx-optim.state"), ("version", version), ("optimizer", optimizer), ("step", step)]
    };
    let refused: [(Result<State, StateError>, &str); 6] = [
        (written("w.m", &[]), "its metadata has no `format`"),
        (written("w.m", &[("format", "pt")]), "its format is \"pt\""),
        (written("w.m", &ours("1", "adem", "0")), "there is no optimizer \"adem\""),
        (written("w.m", &ours("1", "adam", "-1")), "its step is \"-1\""),
        (written("w", &ours("1", "adam", "0")), "the tensor \"w\" is not a slot"),
        (written("w.", &ours("1", "adam", "0")), "names of slots must not be empty"),
    ];
    for (result, expected) in refused {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    assert!(matches!(written("w.m", &ours("2", "adam", "0")), Err(StateError::Version { found: 2, .. })));
    assert!(written("w.m", &ours("1", "adam", "0")).is_ok());
}

#[test]
fn state_of_other_parameters_is_refused() {
    let (mut state, mut params) = sample();
    params.push(Param::new("new", Shape::new(&[1], DType::F32)));
    let message = state.check(&params).unwrap_err().to_string();
    assert!(message.contains("the slot \"m\" of parameter \"new\": is missing"), "{message}");
    params.pop();
    state.set("b", "m", literal(&[4], &[0.0; 4], DType::F64)).unwrap();
    let message = state.check(&params).unwrap_err().to_string();
    assert!(message.contains("is f64[4], expected f64[3]"), "{message}");
    assert!(state.set("b", "a.b", literal(&[], &[0.0], DType::F32)).is_err());
    let complex = Literal::new(&[1], &[[0.0f64, 0.0]]).unwrap();
    assert!(state.set("b", "c", complex).is_err());
}
