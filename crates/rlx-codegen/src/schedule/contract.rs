//! `contract`: rounds a product once, together with the sum that it is added to.
//!
//! *Obligation*: only floats change, because the product is no longer rounded separately. The sum is unchanged if the
//! products are exact, and otherwise within the bounds of a sum of products. The step is only worthwhile on machines
//! that have the instruction.

use super::uses::uses;
use super::{Done, Scheduled};
use crate::kernel::{Block, Definition, Kernel, ScalarId, Stmt};
use crate::monoid::binary;
use rlx_ir::{BinaryOp, DType, Symbol};
use std::collections::HashMap;

impl Scheduled {
    pub fn contract(&mut self, axis: &Symbol) -> Done {
        self.change(axis, |s, mut stmt, _| {
            let read = uses(std::slice::from_ref(&stmt));
            let once = |scalar: &ScalarId| read.get(scalar) == Some(&1);
            let mut contracted = 0;
            stmt.blocks_mut().for_each(|block| contracted += contract_in(&s.kernel, block, &once));
            match contracted {
                0 => Err(format!("the loop of `{axis}` adds no product of f32 or f64 to anything")),
                _ => Ok(vec![stmt]),
            }
        })
    }
}

/// Contracts sums in a block and in nested blocks. Returns the number of sums that were contracted.
fn contract_in(kernel: &Kernel, block: &mut Block, once: &dyn Fn(&ScalarId) -> bool) -> usize {
    let mut products: HashMap<ScalarId, [ScalarId; 2]> = HashMap::new();
    let mut gone = Vec::new();
    for stmt in block.iter_mut() {
        let Stmt::Let { scalar, value } = stmt else { continue };
        let Some((op, [a, b])) = binary(value) else { continue };
        let is_wide = matches!(kernel.dtype(*scalar), DType::F32 | DType::F64);
        match op {
            BinaryOp::Mul if is_wide && once(scalar) => {
                products.insert(*scalar, [a, b]);
            }
            BinaryOp::Add if a != b => {
                let found = [(a, b), (b, a)].into_iter().find_map(|(p, c)| Some((p, products.get(&p)?, c)));
                if let Some((product, &[a, b], c)) = found {
                    gone.push(product);
                    *value = Definition::Fma([a, b, c]);
                }
            }
            _ => {}
        }
    }
    block.retain(|stmt| !matches!(stmt, Stmt::Let { scalar, .. } if gone.contains(scalar)));
    let inner = block.iter_mut().flat_map(Stmt::blocks_mut).map(|inner| contract_in(kernel, inner, once));
    gone.len() + inner.sum::<usize>()
}
