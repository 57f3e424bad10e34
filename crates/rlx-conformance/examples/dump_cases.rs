//! Writes the cases that goldens are made for: `cargo run -p rlx-conformance --example dump_cases -- DIR [FAMILY…]`.
//!
//! `DIR/FAMILY.json` lists the cases: the name, the key (hexadecimal), the graph in its text form, and for each input
//! its name, shape and offset in `DIR/FAMILY.bin`, which holds the bytes of the elements.

use rlx_conformance::cases::FAMILIES;
use rlx_ir::{Literal, Shape};
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;

fn shape(shape: &Shape) -> Value {
    json!({ "dtype": shape.dtype().name(), "dims": shape.static_dims() })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().ok_or("usage: dump_cases DIR [FAMILY…]")?;
    let wanted: Vec<String> = args.collect();
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    for family in FAMILIES.iter().filter(|f| wanted.is_empty() || wanted.iter().any(|w| w == f.name)) {
        let mut data = Vec::new();
        let mut list = Vec::new();
        for case in family.cases() {
            let (graph, inputs) = (case.graph(), case.inputs());
            let mut place = |literal: &Literal| {
                let offset = data.len();
                data.extend_from_slice(literal.bytes());
                offset
            };
            let inputs_json: Vec<Value> = inputs
                .iter()
                .map(|(name, x)| json!({ "name": name, "shape": shape(x.shape()), "offset": place(x) }))
                .collect();
            list.push(json!({
                "name": case.name,
                "key": format!("{:016x}", case.key(&graph, &inputs)),
                "dtype": case.dtype.name(),
                "graph": graph.to_string(),
                "inputs": inputs_json,
                "outputs": graph.output_shapes().iter().map(shape).collect::<Vec<_>>(),
            }));
        }
        std::fs::write(directory.join(format!("{}.bin", family.name)), data)?;
        std::fs::write(directory.join(format!("{}.json", family.name)), serde_json::to_string(&list)?)?;
    }
    Ok(())
}
