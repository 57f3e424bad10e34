//! Lays out the file of weights and constants: each tensor little-endian, at a multiple of 64 bytes. Until it
//! is laid out, a place in it is a number of a tensor; only those that the program reads get into the file.

use crate::places::{Place, Root};
use rlx_codegen::kernel::{Buffer, Kernel};
use rlx_codegen::lower::{Argument, Launch, Launches};
use rlx_codegen::{Interpreter, kernel};
use rlx_compile::{Param, Piece};
use rlx_ir::{Bindings, Dim, Literal, Shape};
use std::collections::HashMap;

const ALIGNMENT: usize = 64;

/// The tensors so far, and the file once it is laid out.
#[derive(Default)]
pub(crate) struct Data {
    tensors: Vec<Tensor>,
    /// The pieces of the file.
    pub(crate) pieces: Vec<Piece>,
    /// The length of the file.
    pub(crate) bytes: usize,
    params: HashMap<String, Place>,
    constants: HashMap<Vec<u8>, Place>,
    /// What kernels make of tensors, by the kernel's text and the tensors' numbers.
    computed: HashMap<(String, Vec<usize>), Place>,
}

struct Tensor {
    piece: Piece,
    is_read: bool,
    /// Where it is in the file.
    at: usize,
}

impl Data {
    fn push(&mut self, piece: Piece) -> Place {
        // How many elements it has its reader knows, who has their type.
        let bytes = piece.bytes().len();
        let place = Place::new(Root::Weights, self.tensors.len(), bytes, Dim::Static(bytes));
        self.tensors.push(Tensor { piece, is_read: false, at: 0 });
        place
    }

    /// A parameter.
    pub(crate) fn param(&mut self, name: &str, value: &Param) -> Place {
        if let Some(place) = self.params.get(name) {
            return place.clone();
        }
        let place = self.push(Piece::Param(value.clone()));
        self.params.insert(name.into(), place.clone());
        place
    }

    /// A constant; equal ones are there once.
    pub(crate) fn constant(&mut self, value: &Literal) -> Place {
        if let Some(place) = self.constants.get(value.bytes()) {
            return place.clone();
        }
        let place = self.push(Piece::Bytes(value.bytes().to_vec()));
        self.constants.insert(value.bytes().to_vec(), place.clone());
        place
    }

    /// What a kernel of static sizes with one output makes of tensors, in the order of its parameters that it reads.
    pub(crate) fn computed(&mut self, kernel: &Kernel, operands: &[Place]) -> Result<Place, String> {
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

    /// The program reads a place.
    pub(crate) fn keep(&mut self, place: &Place) {
        if place.root == Root::Weights {
            self.tensors[place.at].is_read = true;
        }
    }

    /// Makes the file. Nothing may be added behind this.
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

    /// Turns a place in a tensor into one in the file.
    pub(crate) fn settle(&self, place: &mut Place) {
        if place.root == Root::Weights {
            place.at = self.tensors[place.at].at;
        }
    }
}
