//! Planned programs walked by the evaluator: places, branches and loops give what the evaluator gives for the whole graph, whether
//! results may overwrite operands or not.

use rlx_compile::memory::{Class, Kernels, Needs, PlanError, plan_bound};
use rlx_compile::program::{Copied, Region};
use rlx_compile::{Bound, Call, Place, Program, Storage};
use rlx_exec::{Device, walk};
use rlx_ir::{Builder, CompareOp, DType, Graph, Literal, Node, Op, ScanOperands, Shape, Tensor, eval};
use std::sync::Arc;

/// Kernels whose results may overwrite any operand, or none.
struct Anything {
    in_place: bool,
}

impl Kernels for Anything {
    type Error = PlanError;

    fn prepare(&mut self, class: Class<'_>) -> Result<Needs, PlanError> {
        let operands = if self.in_place { class.node.inputs().len() } else { 0 };
        // Scratch memory that is not used shows whether something else is placed there.
        Ok(Needs { scratch_bytes: 100, in_place: (0..operands).collect() })
    }
}

/// The evaluator as a device: it computes one node at a time, on bytes.
struct Evaluator<'p> {
    program: &'p Program,
    inputs: Vec<Vec<u8>>,
    arena: Vec<u8>,
    outputs: Vec<Vec<u8>>,
}

impl Evaluator<'_> {
    fn read(&self, Region { storage, offset }: Region, bytes: usize) -> Vec<u8> {
        let part = |whole: &[u8], at: usize| whole[at..at + bytes].to_vec();
        match storage {
            Storage::Input(i) => part(&self.inputs[i], offset),
            Storage::Arena(at) => part(&self.arena, at + offset),
            Storage::Output(i) => part(&self.outputs[i], offset),
            Storage::Constant(graph, id) => match self.program.graphs[graph].lowered_graph().node(id).op() {
                Op::Constant { value } => part(value.bytes(), offset),
                op => panic!("{}", op.mnemonic()),
            },
            Storage::Param(_) => panic!("there are no parameters"),
        }
    }

    fn write(&mut self, Region { storage, offset }: Region, bytes: &[u8]) {
        let (whole, at) = match storage {
            Storage::Input(i) => (&mut self.inputs[i], offset),
            Storage::Arena(at) => (&mut self.arena, at + offset),
            Storage::Output(i) => (&mut self.outputs[i], offset),
            _ => panic!("{storage:?} is written"),
        };
        whole[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

impl Device for Evaluator<'_> {
    type Error = String;

    fn call(&mut self, call: &Call, variables: &[usize]) -> Result<(), String> {
        let (bound, node) = (self.program.graph_of(call), self.program.node_of(call));
        let mut alone = Graph::new("one");
        let mut operands = Vec::new();
        for (&input, buffer) in node.inputs().iter().zip(self.program.operands_of(call)) {
            let shape = bound.class_graph().shape(input).clone();
            let bytes = self.read(buffer.place.at(variables), buffer.bytes);
            operands.push(Literal::from_bytes(&shape, &bytes).map_err(|e| e.to_string())?);
            alone.input(format!("x{}", operands.len()), shape);
        }
        let inputs = alone.inputs().map(Node::id).collect();
        let made = alone.push(node.op().clone(), inputs, node.results().to_vec());
        let outputs = match node.results().len() {
            1 => vec![made],
            many => (0..many).map(|index| alone.try_add(Op::Output { index }, vec![made]).unwrap()).collect(),
        };
        alone.set_outputs(outputs);
        let names: Vec<String> = (1..=operands.len()).map(|i| format!("x{i}")).collect();
        let named: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&operands).collect();
        let results = eval(&alone, &named).map_err(|e| e.to_string())?;
        for (buffer, value) in self.program.results_of(call).iter().zip(&results) {
            self.write(buffer.place.at(variables), value.bytes());
        }
        Ok(())
    }

    fn copy(&mut self, Copied { from, to, bytes, .. }: &Copied, variables: &[usize]) -> Result<(), String> {
        let value = self.read(from.at(variables), *bytes);
        self.write(to.at(variables), &value);
        Ok(())
    }

    fn boolean(&mut self, place: &Place, variables: &[usize]) -> Result<bool, String> {
        Ok(self.read(place.at(variables), 1) == [1])
    }

    fn index(&mut self, place: &Place, variables: &[usize]) -> Result<i32, String> {
        let bytes = self.read(place.at(variables), 4);
        Ok(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

/// Checks that the planned program of a graph computes what the evaluator computes.
fn check(graph: &Graph, inputs: &[Literal]) {
    let names: Vec<&str> = graph.inputs().filter_map(Node::name).collect();
    let named: Vec<(&str, &Literal)> = names.into_iter().zip(inputs).collect();
    let expected: Vec<Vec<u8>> =
        eval(graph, &named).expect("it is evaluated").iter().map(|value| value.bytes().to_vec()).collect();
    for in_place in [false, true] {
        let bound = Bound::unclassified(&Arc::new(graph.clone()));
        let program = plan_bound(&bound, &mut Anything { in_place }).expect("it is planned");
        let outputs = (0..program.outputs.len()).map(|i| program.output_shape(i).num_bytes().unwrap_or(0));
        let mut device = Evaluator {
            program: &program,
            inputs: inputs.iter().map(|value| value.bytes().to_vec()).collect(),
            arena: vec![0xaa; program.arena_bytes],
            outputs: outputs.map(|bytes| vec![0xaa; bytes]).collect(),
        };
        let mut variables = vec![usize::MAX; program.variables];
        walk(&program.actions, &mut variables, &mut device).expect("it runs");
        assert_eq!(device.outputs, expected, "in place: {in_place}\n{}", graph);
    }
}

/// Whole numbers, so that all sums and products are exact.
fn numbers(sizes: &[usize], from: i32) -> Literal {
    let count: usize = sizes.iter().product();
    let values: Vec<f32> = (0..count as i32).map(|i| (from + 3 * i - i * i % 5) as f32).collect();
    Literal::new(sizes, &values).expect("numbers")
}

fn vector(b: &Builder, name: &str) -> Tensor {
    b.input(name, Shape::new(&[4], DType::F32))
}

#[test]
fn loops_carry_their_values_in_every_way() {
    for length in 0..5 {
        for reverse in [false, true] {
            let b = Builder::new("scan");
            let (c, same, sum) = (vector(&b, "c"), vector(&b, "same"), vector(&b, "sum"));
            let (p, q) = (vector(&b, "p"), vector(&b, "q"));
            let xs = b.input("xs", Shape::new(&[length, 4], DType::F32));
            let operands = ScanOperands { consts: &[c], carry: &[same, sum, p, q], xs: &[xs] };
            // One value stays, one is summed up, and two change places; the slices are of two kinds.
            let out = b.scan(operands, length, reverse, &|_, t| {
                let [c, same, sum, p, q, x] = t else { panic!("six") };
                let next = &(sum * 2.0) + x;
                vec![same.clone(), next, q + c, p.clone(), x + same, sum.clone()]
            });
            let graph = b.finish(&out.iter().collect::<Vec<_>>()).expect("a valid graph");
            let mut inputs: Vec<Literal> = (0..5).map(|i| numbers(&[4], 10 * i)).collect();
            inputs.push(numbers(&[length, 4], 7));
            check(&graph, &inputs);
        }
    }
}

#[test]
fn loops_end_when_their_condition_says_so() {
    for steps in 0..5i32 {
        let b = Builder::new("while");
        let (n, p, q) = (b.input("n", Shape::scalar(DType::I32)), vector(&b, "p"), vector(&b, "q"));
        let out = b.while_loop(
            &[n, p, q],
            &|b, t| vec![t[0].compare(CompareOp::Gt, &b.int(0, DType::I32))],
            &|b, t| vec![&t[0] - b.int(1, DType::I32), &t[2] + &t[1], t[1].clone()],
        );
        let graph = b.finish(&out.iter().collect::<Vec<_>>()).expect("a valid graph");
        let n = Literal::new(&[], &[steps]).expect("a number");
        check(&graph, &[n, numbers(&[4], 1), numbers(&[4], 2)]);
    }
}

#[test]
fn branches_are_chosen_and_an_index_outside_takes_the_last() {
    for chosen in [-1, 0, 1, 2, 3, i32::MAX] {
        let b = Builder::new("case");
        let (index, x) = (b.input("index", Shape::scalar(DType::I32)), vector(&b, "x"));
        let two = |_: &Builder, t: &[Tensor]| vec![&t[0] * 2.0, t[0].clone()];
        let three = |_: &Builder, t: &[Tensor]| vec![&t[0] * 3.0, &t[0] + 1.0];
        let passed = |_: &Builder, t: &[Tensor]| vec![t[0].clone(), t[0].clone()];
        let cases = b.case(&index, std::slice::from_ref(&x), &[&two, &three, &passed]);
        let is_large = index.compare(CompareOp::Gt, &b.int(1, DType::I32));
        let either = b.cond(&is_large, &cases, &|_, t| vec![&t[0] + &t[1]], &|_, t| vec![t[1].clone()]);
        let outputs: Vec<&Tensor> = cases.iter().chain(&either).collect();
        let graph = b.finish(&outputs).expect("a valid graph");
        check(&graph, &[Literal::new(&[], &[chosen]).expect("a number"), numbers(&[4], 5)]);
    }
}

/// A loop of loops with branches inside: slices of slices, and values that are carried by both loops.
#[test]
fn loops_nest() {
    for (outer, inner) in [(0, 2), (1, 3), (2, 0), (3, 2)] {
        let b = Builder::new("nested");
        let (h, xs) = (vector(&b, "h"), b.input("xs", Shape::new(&[outer, inner, 4], DType::F32)));
        let out =
            b.scan(ScanOperands { carry: &[h], xs: &[xs], ..Default::default() }, outer, false, &|b, t| {
                let operands =
                    ScanOperands { carry: &[t[0].clone(), &t[0] + 1.0], xs: &t[1..], ..Default::default() };
                let inside = b.scan(operands, inner, true, &|b, t| {
                    let is_positive = t[0]
                        .slice_axis(0, 0, 1)
                        .reshape(&[])
                        .compare(CompareOp::Gt, &b.scalar(0.0, DType::F32));
                    let chosen =
                        b.cond(&is_positive, t, &|_, t| vec![&t[0] - &t[2]], &|_, t| vec![&t[1] + &t[2]]);
                    vec![t[1].clone(), chosen[0].clone(), &t[0] * &t[2]]
                });
                vec![&inside[0] + &inside[1], inside[2].clone()]
            });
        let graph = b.finish(&out.iter().collect::<Vec<_>>()).expect("a valid graph");
        check(&graph, &[numbers(&[4], 1), numbers(&[outer, inner, 4], -9)]);
    }
}
