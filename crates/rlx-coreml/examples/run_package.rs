//! Runs a function of a package on given values, with the evaluator:
//! `cargo run -p rlx-coreml --example run_package -- PACKAGE FOLDER [--function NAME] [--steps N]`.
//!
//! The folder has one file of bytes per input, `NAME.in`, and `NAME.dims` with its sizes if the package does not fix them; states start as
//! zeros. Each output is written to `NAME.out`, and each state to `NAME.state`. With `--steps N`, the function runs for the folders
//! `FOLDER/0`, `FOLDER/1`, …, and states are passed from one to the next.

use rlx_coreml::{ImportedGraph, ImportedModel};
use rlx_ir::{Literal, Shape, eval};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

struct Arguments {
    package: PathBuf,
    folder: PathBuf,
    function: Option<String>,
    steps: Option<usize>,
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let (mut places, mut function, mut steps) = (Vec::new(), None, None);
    let mut given = std::env::args().skip(1);
    while let Some(arg) = given.next() {
        match arg.as_str() {
            "--function" => function = given.next(),
            "--steps" => steps = given.next().map(|n| n.parse()).transpose()?,
            _ => places.push(PathBuf::from(arg)),
        }
    }
    let [package, folder] = <[PathBuf; 2]>::try_from(places).map_err(|_| "give a package and a folder")?;
    Ok(Arguments { package, folder, function, steps })
}

/// Returns the sizes in files.
fn sizes(folder: &Path) -> Result<BTreeMap<String, Vec<usize>>, Box<dyn Error>> {
    let mut sizes = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let (Some("dims"), Some(name)) =
            (path.extension().and_then(|x| x.to_str()), path.file_stem().and_then(|x| x.to_str()))
        {
            let text = fs::read_to_string(&path)?;
            let dims: Result<Vec<usize>, _> = text.split_whitespace().map(str::parse).collect();
            sizes.insert(name.to_string(), dims?);
        }
    }
    Ok(sizes)
}

type Named = BTreeMap<String, Literal>;

fn step(
    read: &ImportedGraph<'_>,
    params: &Named,
    states: &mut Named,
    folder: &Path,
) -> Result<(), Box<dyn Error>> {
    let mut inputs = Named::new();
    for (name, shape) in &read.inputs {
        inputs
            .insert(name.clone(), Literal::from_bytes(shape, &fs::read(folder.join(format!("{name}.in")))?)?);
    }
    let all = params.iter().chain(&inputs).chain(&*states);
    let values: Vec<(&str, &Literal)> = all.map(|(name, value)| (name.as_str(), value)).collect();
    let results = eval(&read.graph, &values)?;
    for ((name, _), value) in read.outputs.iter().zip(&results) {
        fs::write(folder.join(format!("{name}.out")), value.bytes())?;
    }
    for state in &read.states {
        if let Some(value) = state.output.and_then(|at| results.get(at)) {
            fs::write(folder.join(format!("{}.state", state.name)), value.bytes())?;
            states.insert(state.name.clone(), value.clone());
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { package, folder, function, steps } = arguments()?;
    let folders: Vec<PathBuf> = match steps {
        Some(steps) => (0..steps).map(|n| folder.join(n.to_string())).collect(),
        None => vec![folder],
    };
    let model = ImportedModel::open(&package)?;
    let function = function.unwrap_or_else(|| model.default_function().into());
    let sizes = folders.first().map(|first| sizes(first)).transpose()?.unwrap_or_default();
    let read = match sizes.is_empty() {
        true => model.function(&function)?,
        false => model.function_at(&function, &sizes)?,
    };
    let mut params = Named::new();
    let shapes: BTreeMap<&str, &Shape> = read.graph.named_params().collect();
    for (name, bytes) in &read.params {
        if let Some(shape) = shapes.get(name.as_str()) {
            params.insert(name.clone(), Literal::from_bytes(shape, bytes)?);
        }
    }
    let mut states = Named::new();
    for state in &read.states {
        let bytes = vec![0; state.shape.num_bytes().ok_or("a state of unknown size")?];
        states.insert(state.name.clone(), Literal::from_bytes(&state.shape, &bytes)?);
    }
    folders.iter().try_for_each(|folder| step(&read, &params, &mut states, folder))
}
