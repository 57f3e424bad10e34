//! Weights that match the configuration, with every way of naming them, and weights that do not.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::config::tiny;
use super::*;
use crate::weights::{StoredType, Tensor, save};

/// The shapes of the tensors of [`tiny`], by name.
fn tensors() -> BTreeMap<String, Vec<usize>> {
    let mut all = vec![
        ("embeddings.word_embeddings.weight".to_string(), vec![10, 4]),
        ("embeddings.position_embeddings.weight".into(), vec![6, 4]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, 4]),
        ("embeddings.LayerNorm.weight".into(), vec![4]),
        ("embeddings.LayerNorm.bias".into(), vec![4]),
    ];
    let parts = [
        ("attention.self.query", 4, 4),
        ("attention.self.key", 4, 4),
        ("attention.self.value", 4, 4),
        ("attention.output.dense", 4, 4),
        ("intermediate.dense", 4, 8),
        ("output.dense", 8, 4),
    ];
    for (part, from, to) in parts {
        all.push((format!("encoder.layer.0.{part}.weight"), vec![to, from]));
        all.push((format!("encoder.layer.0.{part}.bias"), vec![to]));
    }
    for part in ["attention.output.LayerNorm", "output.LayerNorm"] {
        all.push((format!("encoder.layer.0.{part}.weight"), vec![4]));
        all.push((format!("encoder.layer.0.{part}.bias"), vec![4]));
    }
    all.into_iter().collect()
}

/// Makes a file of zeros of one type.
fn weights_of(tensors: &BTreeMap<String, Vec<usize>>, tag: &str) -> Weights {
    let stored = StoredType::from_tag(tag).unwrap();
    let size = |shape: &[usize]| shape.iter().product::<usize>() * stored.bits() as usize / 8;
    let bytes: Vec<_> = tensors.values().map(|s| vec![0; size(s)]).collect();
    let rows: Vec<_> = tensors
        .iter()
        .zip(&bytes)
        .map(|((name, shape), bytes)| Tensor { name, stored, shape, bytes })
        .collect();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.safetensors");
    save(&path, &rows, &BTreeMap::new()).unwrap();
    Weights::from_bytes(std::fs::read(&path).unwrap(), Path::new("w")).unwrap()
}

fn renamed(change: impl Fn(&str) -> String) -> BTreeMap<String, Vec<usize>> {
    tensors().into_iter().map(|(name, shape)| (change(&name), shape)).collect()
}

#[test]
fn every_spelling_is_found() {
    let plain = check(&tiny(), &weights_of(&tensors(), "F32")).unwrap();
    assert_eq!(plain.layers[0].output.weight, "encoder.layer.0.output.dense.weight");
    let prefixed = check(&tiny(), &weights_of(&renamed(|n| format!("bert.{n}")), "BF16")).unwrap();
    assert_eq!(prefixed.norm.scale, "bert.embeddings.LayerNorm.weight");
    let old = renamed(|n| {
        format!("bert.{n}")
            .replace("LayerNorm.weight", "LayerNorm.gamma")
            .replace("LayerNorm.bias", "LayerNorm.beta")
    });
    let old = check(&tiny(), &weights_of(&old, "F16")).unwrap();
    assert_eq!(old.layers[0].output_norm.shift, "bert.encoder.layer.0.output.LayerNorm.beta");
}

#[test]
fn parts_that_are_not_used_are_passed_over() {
    let mut all = renamed(|n| format!("bert.{n}"));
    for name in ["bert.pooler.dense.weight", "bert.embeddings.position_ids", "cls.predictions.bias"] {
        all.insert(name.into(), vec![1]);
    }
    assert!(check(&tiny(), &weights_of(&all, "F32")).is_ok());
}

#[test]
fn everything_wrong_is_listed_at_once() {
    let mut all = tensors();
    all.remove("embeddings.LayerNorm.bias");
    all.remove("encoder.layer.0.output.dense.bias");
    all.insert("encoder.layer.1.output.dense.bias".into(), vec![4]);
    all.insert("classifier.weight".into(), vec![1]);
    all.insert("strange\n".into(), vec![1]);
    all.insert("embeddings.word_embeddings.weight".into(), vec![11, 4]);
    let error = check(&tiny(), &weights_of(&all, "F32")).unwrap_err();
    let missing: Vec<_> = error.missing.iter().map(|(n, s)| (n.as_str(), s.as_slice())).collect();
    assert_eq!(
        missing,
        [
            ("embeddings.LayerNorm.bias", [4].as_slice()),
            ("encoder.layer.0.output.dense.bias", [4].as_slice())
        ]
    );
    assert_eq!(error.unexpected, ["classifier.weight", "encoder.layer.1.output.dense.bias", "strange\n"]);
    assert_eq!(
        error.wrong_shape,
        [("embeddings.word_embeddings.weight".to_string(), vec![10, 4], vec![11, 4])]
    );
    let text = error.to_string();
    for says in ["2 missing", "3 unexpected", "expected [10, 4], found [11, 4]", r#""strange\n""#] {
        assert!(text.contains(says), "{text}\nneeds {says}");
    }
}

#[test]
fn integers_are_not_weights() {
    let error = check(&tiny(), &weights_of(&tensors(), "I32")).unwrap_err();
    assert_eq!(error.wrong_type.len(), tensors().len());
    assert!(error.to_string().contains("not of a floating point type"), "{error}");
}

#[test]
fn no_weights_at_all_lists_what_is_needed() {
    let error = check(&tiny(), &weights_of(&BTreeMap::new(), "F32")).unwrap_err();
    assert_eq!(error.missing.len(), tensors().len());
}
