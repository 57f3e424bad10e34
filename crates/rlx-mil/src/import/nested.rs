//! Reads blocks inside operations: branches and loops. Values that such a block reads from outside are inputs of its graph, after its own
//! inputs.

use super::args::{Args, Item, MISSING, Read, Unread};
use super::blocks::{Blocks, Values};
use crate::message::{self, BindingKind};
use rlx_ir::{Builder, Graph, Op, Shape, SubGraph, Tensor};
use std::collections::{BTreeSet, HashMap};

/// Maximum nesting of operations.
const MOST_NESTED: usize = 32;

impl Blocks<'_, '_> {
    /// Reads a block inside an operation as a graph. Its last inputs are the values from outside that it reads; `finish` determines its
    /// outputs.
    fn inner(
        &mut self,
        block: &message::Block,
        given: &[(String, Shape)],
        outside: &[(String, Tensor)],
        values: &Values<'_>,
        finish: fn(Tensor) -> Tensor,
    ) -> Result<Graph, Unread> {
        if values.depth >= MOST_NESTED {
            return Err(format!("blocks are nested more than {MOST_NESTED} levels deep").into());
        }
        let builder = Builder::new("block");
        let mut items = HashMap::new();
        for (name, shape) in given {
            items.insert(name.clone(), Item::Tensor(builder.input(name, shape.clone()), None));
        }
        for (name, tensor) in outside {
            items.insert(name.clone(), Item::Tensor(builder.input(name, tensor.shape()), None));
        }
        // Constants are also known inside.
        let mut read = BTreeSet::new();
        names_of(block, &mut read);
        for name in read {
            match values.items.get(name) {
                Some(Item::Tensor(_, Some(literal))) => {
                    let constant = builder.constant(literal.clone());
                    items.entry(name.into()).or_insert(Item::Tensor(constant, Some(literal.clone())));
                }
                Some(item @ (Item::Text(_) | Item::Stored(_))) => {
                    items.entry(name.into()).or_insert(item.clone());
                }
                Some(Item::Tensor(..)) | None => {}
            }
        }
        let mut inside = Values { builder: &builder, items, depth: values.depth + 1 };
        let outputs = self.block(block, &mut inside);
        drop(inside);
        let is_complete = outputs.is_some();
        let outputs: Vec<Tensor> = outputs.into_iter().flatten().map(finish).collect();
        let mut graph =
            builder.finish(&outputs.iter().collect::<Vec<_>>()).map_err(|e| Unread(e.to_string()))?;
        if !is_complete {
            return Err(MISSING.into());
        }
        graph.remove_dead();
        Ok(graph)
    }

    /// Returns the tensors from outside that blocks read.
    fn outside(&mut self, blocks: &[message::Block], values: &mut Values<'_>) -> Vec<(String, Tensor)> {
        let mut read = BTreeSet::new();
        blocks.iter().for_each(|block| names_of(block, &mut read));
        let mut tensor = |name: &str| match self.value(name, values) {
            Ok(Item::Tensor(tensor, None)) => Some((name.to_string(), tensor)),
            _ => None,
        };
        read.into_iter().filter_map(&mut tensor).collect()
    }

    pub(super) fn cond(
        &mut self,
        operation: &message::Operation,
        args: &Args<'_>,
        values: &mut Values<'_>,
    ) -> Read {
        let [then, other] = &operation.blocks[..] else { return Err("a choice must have two blocks".into()) };
        let outside = self.outside(&operation.blocks, values);
        let then_branch = SubGraph::new(self.inner(then, &[], &outside, values, |x| x)?);
        let else_branch = SubGraph::new(self.inner(other, &[], &outside, values, |x| x)?);
        let pred = args.x("pred")?.reshape(&[]);
        let given: Vec<&Tensor> = outside.iter().map(|(_, tensor)| tensor).collect();
        Ok(pred.apply_many(Op::If { then_branch, else_branch }, &given))
    }

    /// Reads a loop. Values that it reads from outside are carried along.
    pub(super) fn while_loop(
        &mut self,
        operation: &message::Operation,
        args: &Args<'_>,
        values: &mut Values<'_>,
    ) -> Read {
        let [test, step] = &operation.blocks[..] else { return Err("a loop must have two blocks".into()) };
        let start = args.list("loop_vars")?;
        let outside = self.outside(&operation.blocks, values);
        let given = |block: &message::Block| -> Result<Vec<(String, Shape)>, Unread> {
            if block.inputs.len() != start.len() {
                return Err("a block of a loop does not match the carried values".into());
            }
            Ok(block.inputs.iter().zip(&start).map(|(input, x)| (input.name.clone(), x.shape())).collect())
        };
        let cond = self.inner(test, &given(test)?, &outside, values, |x| x.reshape(&[]))?;
        let mut body = self.inner(step, &given(step)?, &outside, values, |x| x)?;
        let mut outputs = body.outputs().to_vec();
        let inputs: Vec<rlx_ir::NodeId> = body.inputs().map(|node| node.id()).collect();
        outputs.extend(&inputs[start.len()..]);
        body.set_outputs(outputs);
        let op = Op::While { cond: SubGraph::new(cond), body: SubGraph::new(body) };
        let carried: Vec<&Tensor> =
            start.iter().copied().chain(outside.iter().map(|(_, tensor)| tensor)).collect();
        let [first, rest @ ..] = &carried[..] else { return Err("a loop has no carried values".into()) };
        let mut results = first.apply_many(op, rest);
        results.truncate(start.len());
        Ok(results)
    }
}

/// Collects the names that the operations of a block read.
fn names_of<'a>(block: &'a message::Block, names: &mut BTreeSet<&'a str>) {
    names.extend(block.outputs.iter().map(String::as_str));
    for operation in &block.operations {
        for argument in operation.inputs.values() {
            for binding in &argument.arguments {
                if let Some(BindingKind::Name(name)) = &binding.binding {
                    names.insert(name);
                }
            }
        }
        operation.blocks.iter().for_each(|block| names_of(block, names));
    }
}
