//! The file of weights and constants: each tensor little-endian, at a multiple of 64 bytes.

use crate::places::{Place, Root};
use rlx_compile::{Param, Piece};
use rlx_ir::Literal;
use std::collections::HashMap;

const ALIGNMENT: usize = 64;

/// The pieces of the file so far, with where they are.
#[derive(Default)]
pub(crate) struct Data {
    pub(crate) pieces: Vec<Piece>,
    /// The length of the file.
    pub(crate) bytes: usize,
    params: HashMap<String, Place>,
    constants: HashMap<Vec<u8>, Place>,
}

impl Data {
    fn push(&mut self, piece: Piece) -> Place {
        let padding = self.bytes.next_multiple_of(ALIGNMENT) - self.bytes;
        if padding > 0 {
            self.pieces.push(Piece::Bytes(vec![0; padding]));
        }
        let (at, bytes) = (self.bytes + padding, piece.bytes().len());
        self.bytes = at + bytes;
        self.pieces.push(piece);
        Place::new(Root::Weights, at, bytes)
    }

    /// Where a parameter is.
    pub(crate) fn param(&mut self, name: &str, value: &Param) -> Place {
        if let Some(place) = self.params.get(name) {
            return place.clone();
        }
        let place = self.push(Piece::Param(value.clone()));
        self.params.insert(name.into(), place.clone());
        place
    }

    /// Where a constant is; equal ones are there once.
    pub(crate) fn constant(&mut self, value: &Literal) -> Place {
        if let Some(place) = self.constants.get(value.bytes()) {
            return place.clone();
        }
        let place = self.push(Piece::Bytes(value.bytes().to_vec()));
        self.constants.insert(value.bytes().to_vec(), place.clone());
        place
    }
}
