//! Graphs with weights that stay packed; those with blocks also have a state, which programs have from iOS 18 on.

use rlx_compile::{Param, ParamValues};
use rlx_coreml::{GraphFunction, Opset, WeightCompression, WeightFormat, WeightOptions};
use rlx_ir::{Builder, DType, Graph, Literal, QuantScheme, Shape};
use std::sync::Arc;

use super::floats;

/// A function, with the values of its inputs and parameters.
pub struct KeptExample {
    /// The first opset that supports it.
    pub since: Opset,
    /// How its parameters are stored.
    pub weights: WeightOptions,
    /// The function.
    pub function: GraphFunction,
    /// The values of its inputs, including states.
    pub inputs: Vec<(String, Literal)>,
    /// The values of its parameters.
    pub params: Vec<(String, Literal)>,
}

impl KeptExample {
    /// Returns the parameters for conversions.
    pub fn values(&self) -> ParamValues {
        let value = |(name, value): &(String, Literal)| (name.clone(), Param::new(Arc::new(value.clone())));
        self.params.iter().map(value).collect()
    }
}

/// Returns products with packed weights, summed over all runs, with levels in a table and with integer levels; and products with weights
/// that become palettes, integers with a scale per channel, and mostly zeros.
pub fn kept() -> Vec<KeptExample> {
    let blocks = [QuantScheme::IQ4_NL, QuantScheme::Q4_0].map(of);
    let others =
        [WeightFormat::Palette(6), WeightFormat::Int8].map(|format| becoming(Opset::Ios16, format.into()));
    let sparse = |format| WeightCompression { sparsity: Some(0.0), format };
    let sparse = [
        becoming(Opset::Ios16, sparse(None)),
        becoming(Opset::Ios18, sparse(Some(WeightFormat::Palette(4)))),
        becoming(Opset::Ios18, sparse(Some(WeightFormat::Int8))),
        becoming(Opset::Ios18, sparse(Some(WeightFormat::Blocks(QuantScheme::Q6_K)))),
    ];
    blocks.into_iter().chain(others).chain(sparse).collect()
}

fn becoming(since: Opset, compression: WeightCompression) -> KeptExample {
    let b = Builder::new("becoming");
    let x = b.input("x", Shape::new(&[2, 256], DType::F32));
    let w = b.param("w", Shape::new(&[8, 256], DType::F32));
    let graph = b.finish(&[&x.matmul(&w.transpose_last())]).unwrap();
    let mut numbers = floats(1, &[8, 256]).as_slice::<f32>().unwrap().to_vec();
    if compression.sparsity.is_some() {
        numbers.iter_mut().enumerate().filter(|(i, _)| i % 4 > 0).for_each(|(_, x)| *x = 0.0);
    }
    KeptExample {
        since,
        weights: WeightOptions { quantize: compression, ..WeightOptions::default() },
        function: GraphFunction { name: "main".into(), graph, states: Vec::new() },
        inputs: vec![("x".into(), floats(2, &[2, 256]))],
        params: vec![("w".into(), Literal::new(&[8, 256], &numbers).unwrap())],
    }
}

fn of(scheme: QuantScheme) -> KeptExample {
    let numbers = floats(1, &[8, 64]);
    let blocks = scheme.quantize(numbers.as_slice().unwrap(), None).unwrap();
    let packed = Shape::new(&[8, blocks.len() / 8], DType::U8);
    let b = Builder::new("kept");
    let x = b.input("x", Shape::new(&[2, 64], DType::F32));
    let total = b.input("total", Shape::new(&[2, 8], DType::F16));
    let w = b.param("w", packed.clone());
    let next = &total + &x.dequant_matmul(&w, scheme).convert(DType::F16);
    let graph: Graph = b.finish(&[&next, &next.convert(DType::F32)]).unwrap();
    let function = GraphFunction { name: "main".into(), graph, states: vec![("total".into(), 0)] };
    let before = Literal::from_bytes(&Shape::new(&[2, 8], DType::F16), &[0x3c; 32]).unwrap();
    let params = vec![("w".to_string(), Literal::from_bytes(&packed, &blocks).unwrap())];
    KeptExample {
        since: Opset::Ios18,
        weights: WeightOptions::default(),
        function,
        inputs: vec![("x".into(), floats(2, &[2, 64])), ("total".into(), before)],
        params,
    }
}
