//! Short forms of operations that move elements.

use super::OperationParts;
use crate::parse::cursor::{Parsed, Parser};
use crate::syntax::Attribute;

impl Parser<'_> {
    /// `iota dim = 0 : type`.
    pub(super) fn iota(&mut self) -> Parsed<OperationParts> {
        let own = vec![("iota_dimension", self.keyed_integer("dim")?)];
        let attributes = self.rest_attributes(own)?;
        self.expect(':')?;
        Ok(OperationParts { attributes, results: vec![self.ty()?], ..OperationParts::default() })
    }

    /// `dynamic_iota %shape, dim = 0 : (types) -> type`.
    pub(super) fn dynamic_iota(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<1>()?;
        let own = vec![("iota_dimension", self.keyed_integer("dim")?)];
        self.rest_functional(&operands, own)
    }

    /// `broadcast %a, sizes = [2] : (types) -> type`.
    pub(super) fn broadcast(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<1>()?;
        let own = vec![("broadcast_sizes", self.keyed_integers("sizes")?)];
        self.rest_functional(&operands, own)
    }

    /// `broadcast_in_dim %a, dims = [0] : (types) -> type`.
    pub(super) fn broadcast_in_dim(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<1>()?;
        let own = vec![("broadcast_dimensions", self.keyed_integers("dims")?)];
        self.rest_functional(&operands, own)
    }

    /// `dynamic_broadcast_in_dim %a, %shape, dims = [0] : (types) -> type`.
    pub(super) fn dynamic_broadcast_in_dim(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<2>()?;
        let own = vec![("broadcast_dimensions", self.keyed_integers("dims")?)];
        self.rest_functional(&operands, own)
    }

    /// `transpose %a, dims = [1, 0] : (types) -> type`.
    pub(super) fn transpose(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<1>()?;
        let own = vec![("permutation", self.keyed_integers("dims")?)];
        self.rest_functional(&operands, own)
    }

    /// `reverse %a, dims = [0] : type`.
    pub(super) fn reverse(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<1>()?;
        let own = vec![("dimensions", self.keyed_integers("dims")?)];
        self.rest_same(&operands, own)
    }

    /// `concatenate %a, %b, dim = 0 : (types) -> type`.
    pub(super) fn concatenate(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_before_attribute()?;
        let own = vec![("dimension", self.keyed_integer("dim")?)];
        self.rest_functional(&operands, own)
    }

    /// `get_dimension_size %a, dim = 0 : (types) -> type`, `set_dimension_size %a, %size, dim = 0 : …`.
    pub(super) fn dimension_size<const N: usize>(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<N>()?;
        let own = vec![("dimension", self.keyed_integer("dim")?)];
        self.rest_functional(&operands, own)
    }

    /// `slice %a [0:2, 1:9:2] : (types) -> type`. A stride that is not written is 1.
    pub(super) fn slice(&mut self) -> Parsed<OperationParts> {
        let operand = self.operand()?;
        let (mut starts, mut limits, mut strides) = (Vec::new(), Vec::new(), Vec::new());
        self.expect('[')?;
        self.list_until(']', |p| {
            starts.push(p.integer()?);
            p.expect(':')?;
            limits.push(p.integer()?);
            strides.push(if p.eat(':') { p.integer()? } else { 1 });
            Ok(())
        })?;
        let own = vec![
            ("start_indices", Attribute::Integers(starts)),
            ("limit_indices", Attribute::Integers(limits)),
            ("strides", Attribute::Integers(strides)),
        ];
        self.rest_functional(&[operand], own)
    }

    /// `dynamic_slice %a, %i, %j, sizes = [1, 2] : (types) -> type`.
    pub(super) fn dynamic_slice(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_before_attribute()?;
        let own = vec![("slice_sizes", self.keyed_integers("sizes")?)];
        self.rest_functional(&operands, own)
    }

    /// `pad %a, %value, low = [0], high = [1], interior = [0] : (types) -> type`.
    pub(super) fn pad(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<2>()?;
        let low = self.keyed_integers("low")?;
        self.expect(',')?;
        let high = self.keyed_integers("high")?;
        self.expect(',')?;
        let interior = self.keyed_integers("interior")?;
        let own =
            vec![("edge_padding_low", low), ("edge_padding_high", high), ("interior_padding", interior)];
        self.rest_functional(&operands, own)
    }
}
