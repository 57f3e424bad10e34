//! Emitted programs as folders.

use rlx_compile::{CompileOptions, Param, ParamValues, TextEmitter};
use rlx_ir::{Builder, DType, Graph, Literal, Shape};
use rlx_session::emit_to;
use std::sync::Arc;

fn layer() -> (Graph, ParamValues) {
    let b = Builder::new("layer");
    let x = b.input("x", Shape::new(&[2, 3], DType::F32));
    let w = b.param("w", Shape::new(&[3, 4], DType::F32));
    let graph = b.finish(&[&x.matmul(&w)]).unwrap();
    let value = Literal::new(&[3, 4], &[0.5f32; 12]).unwrap();
    (graph, ParamValues::from([("w".to_string(), Param::new(Arc::new(value)))]))
}

#[test]
fn a_folder_appears_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let into = dir.path().join("layer");
    let (graph, params) = layer();
    let options = CompileOptions::new();
    assert!(emit_to(&TextEmitter, &graph, &ParamValues::new(), &options, &into).is_err());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "a failure leaves nothing");
    emit_to(&TextEmitter, &graph, &params, &options, &into).unwrap();
    let program = std::fs::read_to_string(into.join("program.rlx")).unwrap();
    assert!(Graph::parse(&program).is_ok());
    assert_eq!(std::fs::read(into.join("params.bin")).unwrap().len(), 48);
    let before = std::fs::read(into.join("program.rlx")).unwrap();
    let error = emit_to(&TextEmitter, &graph, &params, &options, &into).unwrap_err().to_string();
    assert!(error.contains("layer is a folder with files in it: name a folder that is empty"), "{error}");
    assert_eq!(std::fs::read(into.join("program.rlx")).unwrap(), before, "existing files remain");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}
