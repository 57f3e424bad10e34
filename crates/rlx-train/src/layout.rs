//! How a graph uses a matrix: which of its axes products sum over.

use rlx_ir::{Graph, NodeId, Op};
use rlx_optim::Layout;
use std::collections::HashMap;

/// The layout of a matrix by the first product that reads it, directly or as its transpose; `None` where no product does.
pub(crate) fn of(graph: &Graph, name: &str) -> Option<Layout> {
    // Where rows and columns of the matrix are axes of a value.
    let mut axes: HashMap<NodeId, [usize; 2]> = HashMap::new();
    for node in graph.nodes() {
        let id = node.id();
        if let Op::Param { name: own } | Op::Input { name: own } = node.op() {
            if own == name && node.shape().rank() == 2 {
                axes.insert(id, [0, 1]);
            }
            continue;
        }
        for (operand, input) in node.inputs().iter().enumerate() {
            let Some(&[rows, columns]) = axes.get(input) else { continue };
            let summed: &[usize] = match node.op() {
                Op::Transpose { perm } => {
                    let place = |axis: usize| perm.iter().position(|&from| from == axis);
                    if let (Some(rows), Some(columns)) = (place(rows), place(columns)) {
                        axes.insert(id, [rows, columns]);
                    }
                    continue;
                }
                Op::Convert { .. } => {
                    axes.insert(id, [rows, columns]);
                    continue;
                }
                Op::Matmul {} if operand == 0 => &[1],
                Op::Matmul {} => &[0],
                Op::DotGeneral { lhs_contract, .. } if operand == 0 => lhs_contract,
                Op::DotGeneral { rhs_contract, .. } => rhs_contract,
                _ => continue,
            };
            match (summed.contains(&rows), summed.contains(&columns)) {
                (true, false) => return Some(Layout::InOut),
                (false, true) => return Some(Layout::OutIn),
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::{Builder, DType, Shape, Tensor};

    #[test]
    fn a_matrix_lies_as_its_products_read_it() {
        let layout = |make: &dyn Fn(&Tensor, &Tensor) -> Tensor| {
            let b = Builder::new("g");
            let x = b.input("x", Shape::new(&[3, 3], DType::F32));
            let w = b.param("w", Shape::new(&[3, 3], DType::F32));
            of(&b.finish(&[&make(&x, &w)]).unwrap(), "w")
        };
        assert_eq!(layout(&|x, w| x.matmul(w)), Some(Layout::InOut));
        assert_eq!(layout(&|x, w| w.matmul(x)), Some(Layout::OutIn));
        assert_eq!(layout(&|x, w| x.matmul(&w.transpose_last())), Some(Layout::OutIn));
        assert_eq!(layout(&|x, w| x.matmul(&w.transpose_last().transpose_last())), Some(Layout::InOut));
        let dot = |contract: usize| {
            layout(&move |x, w| {
                let op = Op::DotGeneral {
                    lhs_batch: vec![],
                    rhs_batch: vec![],
                    lhs_contract: vec![1],
                    rhs_contract: vec![contract],
                    dtype: None,
                };
                x.apply(op, &[w])
            })
        };
        assert_eq!((dot(0), dot(1)), (Some(Layout::InOut), Some(Layout::OutIn)));
        assert_eq!(layout(&|x, w| x * w), None);
    }
}
