//! Packages compared with those of coremltools (`scripts/coreml_blob_goldens.py`), and invalid packages.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rlx_mil::blob::{BlobSource, BlobType, Blobs};
use rlx_mil::package::{MAX_MODEL_BYTES, Package, PackageError, WEIGHTS};
use serde_json::{Value, json};
use tempfile::TempDir;

const MODEL: &str = "Data/com.apple.CoreML/model.mlmodel";
const WEIGHT: &str = "Data/com.apple.CoreML/weights/weight.bin";

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name)
}

fn blobs<'a>() -> Blobs<'a> {
    let values: Vec<u8> = (0..16).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let mut blobs = Blobs::new();
    assert_eq!(blobs.add(BlobType::F32, 16, values).unwrap(), 64);
    blobs
}

fn manifest(package: &Path) -> Value {
    serde_json::from_slice(&fs::read(package.join("Manifest.json")).unwrap()).unwrap()
}

/// Returns the files of a folder, by their paths in it.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        match path.is_dir() {
            true => found.extend(files(&path).into_iter().map(|(inner, bytes)| (name.join(inner), bytes))),
            false => found.push((name, fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

/// Returns the text of a manifest with identifiers that only describe roles, and with its items in the order of their names.
fn anonymous(package: &Path) -> String {
    let mut text = fs::read_to_string(package.join("Manifest.json")).unwrap();
    let found = manifest(package);
    let items = found["itemInfoEntries"].as_object().unwrap();
    let mut blocks = Vec::new();
    for (id, item) in items {
        assert_eq!((id.len(), id.to_lowercase()), (36, id.clone()));
        let begin = text.find(&format!("        \"{id}\"")).unwrap();
        let end = begin + text[begin..].find("        }").unwrap() + 9;
        blocks.push(text[begin..end].replace(id, item["name"].as_str().unwrap()));
    }
    blocks.sort();
    let begin = text.find("        \"").unwrap();
    let end = text.find("\n    },").unwrap();
    text.replace_range(begin..end, &blocks.join(",\n"));
    let root = found["rootModelIdentifier"].as_str().unwrap();
    text.replace(root, items[root]["name"].as_str().unwrap())
}

#[test]
fn a_package_of_coremltools_opens_and_ours_is_the_same() {
    let theirs = golden("weights.mlpackage");
    let package = Package::open(&theirs).unwrap();
    assert_eq!(package.model(), fs::read(theirs.join(MODEL)).unwrap());
    assert_eq!(package.weight_files().collect::<Vec<_>>(), [WEIGHTS]);
    let blob = package.weights(WEIGHTS).unwrap().get(64).unwrap();
    assert_eq!(
        (blob.blob_type, blob.elements(), &blob.bytes[4..8]),
        (BlobType::F32, 16, &1f32.to_le_bytes()[..])
    );

    let dir = tempfile::tempdir().unwrap();
    let ours = dir.path().join("ours.mlpackage");
    Package::write(&ours, package.model(), &blobs()).unwrap();
    for name in [MODEL, WEIGHT] {
        assert_eq!(fs::read(ours.join(name)).unwrap(), fs::read(theirs.join(name)).unwrap(), "{name}");
    }
    assert_eq!(files(&ours).len(), 3);
    assert_eq!(anonymous(&ours), anonymous(&theirs));
}

#[test]
fn the_same_contents_give_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    Package::write(&path("a"), b"model", &blobs()).unwrap();
    Package::write(&path("b"), b"model", &blobs()).unwrap();
    assert_eq!(files(&path("a")), files(&path("b")));
    let id = |name: &str| manifest(&path(name))["rootModelIdentifier"].as_str().unwrap().to_string();
    Package::write(&path("c"), b"another", &blobs()).unwrap();
    Package::write(&path("d"), b"model", &Blobs::new()).unwrap();
    assert!(id("a") != id("c") && id("a") != id("d") && id("c") != id("d"));
    assert_eq!(id("a").as_bytes()[14], b'8');
}

#[test]
fn a_package_without_weights_has_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.mlpackage");
    Package::write(&path, b"model", &Blobs::new()).unwrap();
    assert_eq!(files(&path).len(), 2);
    let package = Package::open(&path).unwrap();
    assert_eq!((package.model(), package.weight_files().count()), (&b"model"[..], 0));
    let error = package.weights(WEIGHTS).unwrap_err().to_string();
    assert!(error.ends_with(&format!("it has no weights {WEIGHTS:?}; it has []")), "{error}");
    // coremltools lists an empty folder of weights, which version control does not keep.
    let theirs = copy("bare.mlpackage");
    let folder = theirs.path().join("Data/com.apple.CoreML/weights");
    let _ = fs::remove_dir(&folder);
    let error = Package::open(theirs.path()).unwrap_err();
    assert!(
        matches!(error, PackageError::Incomplete { .. }) && error.to_string().contains("weights"),
        "{error}"
    );
    fs::create_dir(&folder).unwrap();
    assert_eq!(Package::open(theirs.path()).unwrap().weight_files().count(), 0);
}

#[test]
fn packages_are_replaced_and_other_folders_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    fs::create_dir(&path).unwrap();
    Package::write(&path, b"old", &blobs()).unwrap();
    let old = Package::open(&path).unwrap();
    Package::write(&path, b"new", &Blobs::new()).unwrap();
    assert_eq!((files(&path).len(), Package::open(&path).unwrap().model()), (2, &b"new"[..]));
    assert_eq!(old.model(), b"old");
    // If a function fails when it is called the second time, the existing package remains.
    let calls = std::cell::Cell::new(0);
    let mut failing = Blobs::new();
    let source = BlobSource::made(1, |out| {
        calls.set(calls.get() + 1);
        if calls.get() > 1 { Err(std::io::ErrorKind::StorageFull.into()) } else { out.write_all(&[1]) }
    });
    failing.add(BlobType::U8, 1, source).unwrap();
    let error = Package::write(&path, b"third", &failing).unwrap_err();
    assert!(error.to_string().contains("no space left"), "{error}");
    assert_eq!(Package::open(&path).unwrap().model(), b"new");

    for manifest in [None, Some("{\"name\": \"an extension\"}")] {
        let folder = dir.path().join("folder");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("mine"), b"mine").unwrap();
        if let Some(text) = manifest {
            fs::write(folder.join("Manifest.json"), text).unwrap();
        }
        let error = Package::write(&folder, b"model", &Blobs::new()).unwrap_err();
        assert!(matches!(error, PackageError::InTheWay { .. }), "{error:?}");
        assert_eq!(fs::read(folder.join("mine")).unwrap(), b"mine");
    }
    let file = dir.path().join("file");
    fs::write(&file, b"mine").unwrap();
    let error = Package::write(&file, b"model", &Blobs::new()).unwrap_err();
    assert!(error.to_string().ends_with("this is a file, not a folder"), "{error}");
    // Zeros that are never accessed take no memory.
    let model = vec![0; MAX_MODEL_BYTES as usize + 1];
    let error = Package::write(&dir.path().join("y"), &model, &Blobs::new()).unwrap_err();
    assert!(matches!(error, PackageError::ModelTooLarge { bytes: 2_147_483_648, .. }), "{error:?}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
}

/// Returns a copy of a golden package that may be changed.
fn copy(name: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in files(&golden(name)) {
        let to = dir.path().join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, bytes).unwrap();
    }
    dir
}

/// Returns the error of opening a package after something in it was changed.
fn refused(change: impl FnOnce(&Path)) -> String {
    let package = copy("weights.mlpackage");
    change(package.path());
    let error = Package::open(package.path()).unwrap_err();
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    let text = format!("{error}{source}");
    text.replace(&package.path().display().to_string(), "P")
}

/// Returns the error of opening a package after its manifest was changed.
fn refused_manifest(change: impl FnOnce(&mut Value)) -> String {
    refused(|package| {
        let mut found = manifest(package);
        change(&mut found);
        fs::write(package.join("Manifest.json"), found.to_string()).unwrap();
    })
}

/// Returns the item that is the model.
fn model(manifest: &mut Value) -> &mut Value {
    let root = manifest["rootModelIdentifier"].as_str().unwrap().to_string();
    &mut manifest["itemInfoEntries"][root]
}

#[test]
fn what_is_wrong_with_a_package_is_said() {
    let item = r#"of item "model.mlmodel" leads outside of the package"#;
    for at in ["../model.mlmodel", "com.apple.CoreML/../../x", "/etc/passwd", "", "./x"] {
        let error = refused_manifest(|manifest| model(manifest)["path"] = json!(at));
        assert_eq!(error, format!("P: the path {at:?} {item}"));
    }
    let manifests: [(fn(&mut Value), &str); 7] = [
        (
            |m| m["fileFormatVersion"] = json!("2.0.0"),
            r#"P: its manifest has the version "2.0.0"; only 1.0.0"#,
        ),
        (|m| m["fileFormatVersion"] = Value::Null, "P/Manifest.json: not the expected JSON: invalid type"),
        (
            |m| m["rootModelIdentifier"] = json!("x"),
            r#"does not identify the model: rootModelIdentifier is "x", the"#,
        ),
        (|m| m["rootModelIdentifier"] = Value::Null, "rootModelIdentifier is missing, the items are [\""),
        (|m| m["itemInfoEntries"] = json!({}), "the items are []"),
        (
            |m| model(m)["path"] = json!("com.apple.CoreML/x"),
            r#"item "model.mlmodel" is missing at Data/com.apple.CoreML/x"#,
        ),
        (|m| model(m)["path"] = json!("com.apple.CoreML"), "this is a directory, not a regular file"),
    ];
    for (change, expected) in manifests {
        let error = refused_manifest(change);
        assert!(error.contains(expected), "{error}\n{expected}");
    }
    let folders: [(fn(&Path), &str); 5] = [
        (|p| fs::remove_file(p.join("Manifest.json")).unwrap(), "P: not a package: it has no Manifest.json"),
        (|p| fs::write(p.join("Manifest.json"), b"\xFF").unwrap(), "P/Manifest.json: not the expected JSON"),
        (
            |p| fs::write(p.join("Manifest.json"), vec![b' '; 2 << 20]).unwrap(),
            "P/Manifest.json: 2097152 bytes are too many; ",
        ),
        (|p| fs::remove_file(p.join(MODEL)).unwrap(), "the package is incomplete: item \"model.mlmodel\""),
        (
            |p| File::create(p.join(MODEL)).unwrap().set_len(MAX_MODEL_BYTES + 1).unwrap(),
            "P: the model has 2147483648 bytes, but protobuf messages have at most 2147483647",
        ),
    ];
    for (change, expected) in folders {
        let error = refused(change);
        assert!(error.contains(expected), "{error}\n{expected}");
    }
    for (path, expected) in [
        (golden("none.bin"), "this is a file, not a folder"),
        (golden("nothing"), "no such file"),
        (golden("none.bin/x"), "this is a file, not a folder"),
    ] {
        let error = Package::open(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\n{expected}");
    }
}

#[test]
fn weights_may_be_in_several_files_and_are_checked_when_they_are_asked_for() {
    let package = copy("weights.mlpackage");
    let folder = package.path().join("Data/com.apple.CoreML/weights");
    fs::rename(folder.join("weight.bin"), folder.join("0-weight.bin")).unwrap();
    fs::write(folder.join("1-weight.bin"), fs::read(golden("all.bin")).unwrap()).unwrap();
    fs::write(folder.join("bad.bin"), b"short").unwrap();
    fs::write(folder.join(".DS_Store"), b"x").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", folder.join("loop")).unwrap();
    // Unknown items are ignored.
    let mut found = manifest(package.path());
    found["itemInfoEntries"]["other"] = json!({"path": "com.apple.CoreML/weights/.DS_Store"});
    found["more"] = json!([1]);
    fs::write(package.path().join("Manifest.json"), found.to_string()).unwrap();
    let opened = Package::open(package.path()).unwrap();
    assert_eq!(opened.weight_files().count(), 3);
    let count = |name: &str| opened.weights(&format!("@model_path/weights/{name}")).map(|file| file.count());
    assert_eq!((count("0-weight.bin").unwrap(), count("1-weight.bin").unwrap()), (1, 14));
    let error = count("bad.bin").unwrap_err();
    assert!(error.to_string().ends_with(r#"weights "@model_path/weights/bad.bin""#), "{error}");
    assert!(error.source().unwrap().to_string().contains("has 5 bytes"));
    let error = opened.weights(WEIGHTS).unwrap_err().to_string();
    assert!(error.contains(r#"it has ["@model_path/weights/0-weight.bin", "#), "{error}");
    assert!(opened.weights("@model_path/../x.bin").is_err());
}
