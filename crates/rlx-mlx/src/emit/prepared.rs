//! Arrays that are prepared from a single operand and shared by several steps: rounded activations, tables of rotations, masks of
//! caches.

use super::attention::KeysSeen;
use super::packed::Activations;
use super::rope::TurnTable;
use super::{ArrayType, Site, Step, attention, packed, rope};
use rlx_ir::Op;

/// A kind of prepared arrays that a step asks for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Preparation {
    /// Activations for products with packed weights. They replace the operand.
    Activations(Activations),
    /// The keys that queries see, according to how many are valid. They follow the operands.
    KeysSeen(KeysSeen),
    /// A table of cosines or sines, in the layout for multiplying the rotated elements. It follows the operands.
    TurnTable(TurnTable),
}

/// A request of a step, with the operand that the arrays are made from, if they are made from one.
pub(crate) struct Prepared {
    pub(crate) operand: Option<usize>,
    pub(crate) preparation: Preparation,
}

/// Returns the requests of the step of a node. Whether its weights are packed is already known.
pub(crate) fn prepared(site: &Site<'_>) -> Vec<Prepared> {
    match site.op {
        Op::DequantMatMul { .. } | Op::DequantGroupedMatMul { .. } => {
            packed::prepared(site).into_iter().collect()
        }
        Op::Attention { .. } => attention::prepared(site).into_iter().collect(),
        Op::Rope { .. } => rope::prepared(site),
        _ => Vec::new(),
    }
}

impl Preparation {
    /// Returns whether it replaces its operand.
    pub(crate) fn replaces(&self) -> bool {
        matches!(self, Preparation::Activations(_))
    }

    /// Returns the types of the arrays that it makes.
    pub(crate) fn results(&self, operand: Option<&ArrayType>) -> Vec<ArrayType> {
        match (self, operand) {
            (Preparation::Activations(activations), Some(x)) => vec![activations.result(x)],
            (Preparation::Activations(_), None) => Vec::new(),
            (Preparation::KeysSeen(keys), lengths) => keys.results(lengths),
            (Preparation::TurnTable(table), _) => vec![table.result()],
        }
    }

    /// Returns the step that makes the arrays.
    pub(crate) fn step(&self) -> Step {
        match self.clone() {
            Preparation::Activations(activations) => {
                Box::new(move |cx, x| Ok(vec![activations.made(cx, x[0])?]))
            }
            Preparation::TurnTable(table) => Box::new(move |cx, x| Ok(vec![table.made(cx, x[0])?])),
            Preparation::KeysSeen(keys) => Box::new(move |cx, x| Ok(keys.made(cx, x.first().copied())?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::emit::tests::mlx_for;
    use crate::plan::Plan;
    use rlx_ir::{Builder, DType, Op, QuantScheme, Shape};

    #[test]
    fn products_of_the_same_activations_share_their_rounding() {
        let Some(mlx) = mlx_for("products_of_the_same_activations_share_their_rounding") else { return };
        let builder = Builder::new("gate_and_up");
        let x = builder.input("x", Shape::new(&[1, 64], DType::F32));
        let product = |name: &str, round_x: bool| {
            let weights = builder.param(name, Shape::new(&[32, 68], DType::U8));
            x.apply(Op::DequantMatMul { scheme: QuantScheme::Q8_0, round_x }, &[&weights])
        };
        let outputs = [product("gate", true), product("up", true), product("plain", false)];
        let graph = builder.finish(&outputs.iter().collect::<Vec<_>>()).expect("a valid graph");
        let plan = Plan::new(&graph, mlx).expect("a plan");
        // Three products, but only one rounding.
        assert_eq!(plan.num_steps(), 4);
    }
}
