//! Lays out the file of weights and constants. Each tensor is little-endian and starts at a multiple of 64 bytes.
//!
//! Until the file is laid out, a place in it is the number of a tensor. Only tensors that the program reads get into
//! the file.

use crate::places::{ArrayPlace, Root};
use rlx_codegen::kernel::{Buffer, Kernel};
use rlx_codegen::lower::{Argument, Launch, Launches};
use rlx_codegen::{Interpreter, kernel};
use rlx_compile::{Param, Piece};
use rlx_ir::{Bindings, Dim, Literal, Shape};
use std::collections::HashMap;

const ALIGNMENT: usize = 64;

/// The tensors collected so far, and the file once it is laid out.
#[derive(Default)]
pub(crate) struct Data {
    tensors: Vec<Tensor>,
    /// The pieces of the file.
    pub(crate) pieces: Vec<Piece>,
    /// The length of the file in bytes.
    pub(crate) bytes: usize,
    params: HashMap<String, ArrayPlace>,
    constants: HashMap<Vec<u8>, ArrayPlace>,
    /// The results of kernels that were run on tensors, keyed by the kernel's text and the numbers of the tensors.
    computed: HashMap<(String, Vec<usize>), ArrayPlace>,
}

struct Tensor {
    piece: Piece,
    is_read: bool,
    /// The offset in the file, in bytes.
    at: usize,
}

impl Data {
    fn push(&mut self, piece: Piece) -> ArrayPlace {
        // The place counts bytes: the number of elements depends on the type, which only the reader of the place knows.
        let bytes = piece.bytes().len();
        let place = ArrayPlace::new(Root::Weights, self.tensors.len(), bytes, Dim::Static(bytes));
        self.tensors.push(Tensor { piece, is_read: false, at: 0 });
        place
    }

    /// Adds a parameter.
    pub(crate) fn param(&mut self, name: &str, value: &Param) -> ArrayPlace {
        if let Some(place) = self.params.get(name) {
            return place.clone();
        }
        let place = self.push(Piece::Param(value.clone()));
        self.params.insert(name.into(), place.clone());
        place
    }

    /// Adds a constant. Equal constants are stored once.
    pub(crate) fn constant(&mut self, value: &Literal) -> ArrayPlace {
        if let Some(place) = self.constants.get(value.bytes()) {
            return place.clone();
        }
        let place = self.push(Piece::Bytes(value.bytes().to_vec()));
        self.constants.insert(value.bytes().to_vec(), place.clone());
        place
    }

    /// Runs a kernel of static sizes with one output on tensors, given in the order of the parameters that it reads, and adds the result.
    pub(crate) fn computed(
        &mut self,
        kernel: &Kernel,
        operands: &[ArrayPlace],
    ) -> Result<ArrayPlace, String> {
        let key = (kernel.to_string(), operands.iter().map(|place| place.at).collect());
        if let Some(place) = self.computed.get(&key) {
            return Ok(place.clone());
        }
        let shape = |buffer: &Buffer| Shape::from_dims(&buffer.extents, buffer.dtype);
        let (read, written): (Vec<&Buffer>, Vec<&Buffer>) =
            kernel.params().partition(|param| param.place == kernel::Place::In);
        let tensors = read.iter().zip(operands).map(|(param, place)| {
            Literal::from_bytes(&shape(param), self.tensors[place.at].piece.bytes())
                .map_err(|e| e.to_string())
        });
        let tensors = tensors.collect::<Result<Vec<Literal>, String>>()?;
        let mut inputs = 0..;
        let arguments = kernel.params().map(|param| match param.place {
            kernel::Place::In => Argument::Input(inputs.next().unwrap_or_default()),
            _ => Argument::Output(0),
        });
        let launch = Launch { kernel: kernel.clone(), arguments: arguments.collect() };
        let launches = Launches { launches: vec![launch], ..Launches::default() };
        let outputs: Vec<Shape> = written.into_iter().map(shape).collect();
        let tensors: Vec<&Literal> = tensors.iter().collect();
        let results = Interpreter::default().run(&launches, &Bindings::new(), &tensors, &outputs);
        let results = results.map_err(|fault| fault.to_string())?;
        let bytes = results.outputs.first().map_or_else(Vec::new, |output| output.bytes().to_vec());
        let place = self.push(Piece::Bytes(bytes));
        self.computed.insert(key, place.clone());
        Ok(place)
    }

    /// Marks a place as read by the program.
    pub(crate) fn keep(&mut self, place: &ArrayPlace) {
        if place.root == Root::Weights {
            self.tensors[place.at].is_read = true;
        }
    }

    /// Lays out the file. No tensor may be added afterwards.
    pub(crate) fn lay_out(&mut self) {
        for tensor in self.tensors.iter_mut().filter(|tensor| tensor.is_read) {
            let padding = self.bytes.next_multiple_of(ALIGNMENT) - self.bytes;
            if padding > 0 {
                self.pieces.push(Piece::Bytes(vec![0; padding]));
            }
            tensor.at = self.bytes + padding;
            self.bytes = tensor.at + tensor.piece.bytes().len();
            self.pieces.push(std::mem::replace(&mut tensor.piece, Piece::Bytes(Vec::new())));
        }
    }

    /// Converts a place in a tensor into a place in the file.
    pub(crate) fn settle(&self, place: &mut ArrayPlace) {
        if place.root == Root::Weights {
            place.at = self.tensors[place.at].at;
        }
    }
}
