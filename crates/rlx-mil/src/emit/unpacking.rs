//! Writes the operations that unpack weights (`constexpr_…`), with their parts in the weights file.

use super::compressed::{Held, PackedForm, PackedValue, blob_type};
use super::constants::of_floats;
use super::masked::Mask;
use super::value::Elem;
use super::writer::Opset;
use crate::blob::{BlobError, BlobSource, BlobType, Blobs};
use crate::message::{self, Argument, Binding, BindingKind, DataType};
use crate::types;
use rlx_quant::LevelForm;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the type in programs for a type in weights files.
fn data_type(of: BlobType) -> DataType {
    match of {
        BlobType::F16 => DataType::Float16,
        BlobType::I4 => DataType::Int4,
        BlobType::I8 => DataType::Int8,
        BlobType::U1 => DataType::Uint1,
        BlobType::U2 => DataType::Uint2,
        BlobType::U3 => DataType::Uint3,
        BlobType::U4 => DataType::Uint4,
        BlobType::U6 => DataType::Uint6,
        BlobType::U8 => DataType::Uint8,
        _ => DataType::Float32,
    }
}

/// Writes the operations that unpack a value.
pub(super) struct Unpacking<'a, 'p> {
    pub(super) opset: Opset,
    pub(super) elem: Elem,
    pub(super) dims: &'a [usize],
    pub(super) weights: &'a mut Blobs<'p>,
    /// The identity of the value.
    pub(super) identity: String,
    /// Unused names for the values between the operations, as many as [`PackedForm::between`] returns; the last one is used first.
    pub(super) names: Vec<Arc<str>>,
}

impl<'p> Unpacking<'_, 'p> {
    /// Returns operations, the last of which computes `name`.
    pub(super) fn operations(
        mut self,
        value: &PackedValue<'p>,
        form: &PackedForm,
        name: &str,
    ) -> Result<Vec<message::Operation>, BlobError> {
        match (form, value) {
            (PackedForm::Scaled(levels), _) => self.scaled(value, *levels, name),
            (PackedForm::Palette(_), PackedValue::Palette { palette, .. }) => {
                Ok(vec![self.palette(value, form, palette, name)?])
            }
            (PackedForm::Channels, PackedValue::Channels { .. }) => Ok(vec![self.channels(value, name)?]),
            (PackedForm::Sparse(form), PackedValue::Sparse { mask, packed }) => {
                self.sparse(*mask, packed.as_deref().zip(form.as_deref()), name)
            }
            // INVARIANT: the form is that of the value.
            _ => Ok(Vec::new()),
        }
    }

    /// Returns an unused name.
    fn free(&mut self) -> String {
        // INVARIANT: there are as many names as the form has values between its operations.
        self.names.pop().map(|name| name.to_string()).unwrap_or_default()
    }

    fn scaled(
        &mut self,
        value: &PackedValue<'p>,
        levels: LevelForm,
        name: &str,
    ) -> Result<Vec<message::Operation>, BlobError> {
        let form = PackedForm::Scaled(levels);
        let (ty, _, source) = value.code_source(&form, self.elem, None);
        let codes = self.blob("levels", ty, self.dims, source)?;
        let mut operations = Vec::new();
        let data = match Held::new(levels, self.elem).table {
            None => codes,
            Some(table) => {
                let (lut, levels) = (self.table(&table)?, self.free());
                operations.push(self.operation(
                    "constexpr_lut_to_dense",
                    &levels,
                    [("indices", codes), ("lut", lut)],
                ));
                BindingKind::Name(levels)
            }
        };
        let inputs = [vec![("data", data)], self.scales(value, &form)?].concat();
        operations.push(self.operation("constexpr_blockwise_shift_scale", name, inputs));
        Ok(operations)
    }

    /// Returns the scales of a form, and its offsets if it has any.
    fn scales(
        &mut self,
        value: &PackedValue<'p>,
        form: &PackedForm,
    ) -> Result<Vec<(&'static str, BindingKind)>, BlobError> {
        let (elem, mut parts) = (self.elem, self.dims.to_vec());
        let PackedForm::Scaled(form) = *form else {
            let Some(channels) = value.channels() else { return Ok(Vec::new()) };
            parts = vec![1; self.dims.len()];
            parts[0] = channels.count;
            let scale = self.blob("scales", blob_type(elem), &parts, channels.scale_source(elem))?;
            return Ok(vec![("scale", scale)]);
        };
        let held = Held::new(form, elem);
        if let Some(row) = parts.last_mut() {
            *row /= form.part;
        }
        let scale = value.part_source(form, &held, elem, |part| part.scale);
        let mut inputs = vec![("scale", self.blob("scales", blob_type(elem), &parts, scale)?)];
        if form.has_min {
            let offset = value.part_source(form, &held, elem, |part| part.offset);
            inputs.push(("offset", self.blob("offsets", blob_type(elem), &parts, offset)?));
        }
        Ok(inputs)
    }

    /// Unpacks the numbers that a mask keeps, if they are packed, and then inserts zeros between them.
    fn sparse(
        &mut self,
        mask: Mask<'p>,
        packed: Option<(&PackedValue<'p>, &PackedForm)>,
        name: &str,
    ) -> Result<Vec<message::Operation>, BlobError> {
        let (stored, numbers) = (mask.stored(), blob_type(self.elem));
        if self.opset < Opset::Ios18 {
            // In iOS 16, parameters are attributes, and bits are packed into whole bytes.
            let bytes = self.dims.iter().product::<usize>().div_ceil(8);
            let attributes = [
                ("nonzero_data", self.blob("nonzeros", numbers, &[stored], mask.number_source(self.elem))?),
                ("mask", self.blob("mask", BlobType::U8, &[bytes], mask.source())?),
                ("shape", self.sizes()),
            ];
            return Ok(vec![self.older("constexpr_sparse_to_dense", name, attributes)]);
        }
        let bits = self.blob("mask", BlobType::U1, self.dims, mask.source())?;
        let mut operations = Vec::new();
        let (bits, data) = match packed {
            None => (bits, self.blob("nonzeros", numbers, &[stored], mask.number_source(self.elem))?),
            Some(packed) => self.nonzeros(mask, bits, packed, &mut operations)?,
        };
        let inputs = [("nonzero_data", data), ("mask", bits)];
        operations.push(self.operation("constexpr_sparse_to_dense", name, inputs));
        Ok(operations)
    }

    /// Returns the mask and the numbers that it keeps, after operations that unpack them.
    fn nonzeros(
        &mut self,
        mask: Mask<'p>,
        bits: BindingKind,
        (value, form): (&PackedValue<'p>, &PackedForm),
        operations: &mut Vec<message::Operation>,
    ) -> Result<(BindingKind, BindingKind), BlobError> {
        let (ty, stored, source) = value.code_source(form, self.elem, Some(mask));
        let mut kept = (bits, self.blob("nonzero_levels", ty, &[stored], source)?);
        let table = match (form, value) {
            (PackedForm::Palette(_), PackedValue::Palette { palette, .. }) => Some(palette.clone()),
            (PackedForm::Scaled(levels), _) => Held::new(*levels, self.elem).table,
            _ => None,
        };
        if let Some(table) = table {
            let (bits, data) = kept;
            let lut = self.table(&table)?;
            let inputs = [("indices_mask", bits), ("indices_nonzero_data", data), ("lut", lut)];
            kept = self.kept("constexpr_lut_to_sparse", stored, inputs, operations);
        }
        if !matches!(form, PackedForm::Palette(_)) {
            let (bits, data) = kept;
            let inputs =
                [vec![("data_mask", bits), ("nonzero_data", data)], self.scales(value, form)?].concat();
            kept = self.kept("constexpr_sparse_blockwise_shift_scale", stored, inputs, operations);
        }
        Ok(kept)
    }

    /// Adds an operation that returns a mask and the numbers that it keeps.
    fn kept(
        &mut self,
        kind: &str,
        stored: usize,
        inputs: impl IntoIterator<Item = (&'static str, BindingKind)>,
        operations: &mut Vec<message::Operation>,
    ) -> (BindingKind, BindingKind) {
        let [bits, data] = [self.free(), self.free()];
        let mut operation = self.operation(kind, &data, inputs);
        let output = |name: &str, ty, dims: &[usize]| message::NamedValueType {
            name: name.into(),
            r#type: Some(tensor_type(ty, dims)),
        };
        operation.outputs = vec![
            output(&bits, DataType::Uint1, self.dims),
            output(&data, data_type(blob_type(self.elem)), &[stored]),
        ];
        operations.push(operation);
        (BindingKind::Name(bits), BindingKind::Name(data))
    }

    /// Stores a table for all elements.
    fn table(&mut self, table: &[f32]) -> Result<BindingKind, BlobError> {
        let dims = [vec![1; self.dims.len()], vec![table.len(), 1]].concat();
        self.blob("table", blob_type(self.elem), &dims, of_floats(table, self.elem).into())
    }

    fn palette(
        &mut self,
        value: &PackedValue<'p>,
        form: &PackedForm,
        palette: &[f32],
        name: &str,
    ) -> Result<message::Operation, BlobError> {
        let (ty, count, places) = value.code_source(form, self.elem, None);
        if self.opset >= Opset::Ios18 {
            let indices = self.blob("places", ty, self.dims, places)?;
            let lut = self.table(palette)?;
            return Ok(self.operation("constexpr_lut_to_dense", name, [("indices", indices), ("lut", lut)]));
        }
        // Before iOS 18, indices are packed into bytes, and parameters are attributes.
        let bytes = ty.bytes_of(count as u64) as usize;
        let numbers = of_floats(palette, self.elem).into();
        let attributes = [
            ("indices", self.blob("places", BlobType::U8, &[bytes], places)?),
            ("lut", self.blob("table", blob_type(self.elem), &[palette.len()], numbers)?),
            ("shape", self.sizes()),
        ];
        Ok(self.older("constexpr_lut_to_dense", name, attributes))
    }

    /// Returns the sizes of the parameter as a value.
    fn sizes(&self) -> BindingKind {
        let sizes: Vec<u8> = self.dims.iter().flat_map(|&n| (n as u32).to_le_bytes()).collect();
        BindingKind::Value(immediate(DataType::Uint32, &[self.dims.len()], &sizes))
    }

    fn channels(&mut self, value: &PackedValue<'p>, name: &str) -> Result<message::Operation, BlobError> {
        let form = PackedForm::Channels;
        let (ty, _, integers) = value.code_source(&form, self.elem, None);
        let data = self.blob("integers", ty, self.dims, integers)?;
        if self.opset >= Opset::Ios18 {
            let inputs = [vec![("data", data)], self.scales(value, &form)?].concat();
            return Ok(self.operation("constexpr_blockwise_shift_scale", name, inputs));
        }
        let Some(channels) = value.channels() else { return Ok(self.operation("const", name, [])) };
        let scales = channels.scale_source(self.elem);
        let scale = self.blob("scales", blob_type(self.elem), &[channels.count], scales)?;
        let scalar = |ty, bytes: &[u8]| BindingKind::Value(immediate(ty, &[], bytes));
        let attributes = [
            ("quantized_data", data),
            ("zero_point", scalar(DataType::Int8, &[0])),
            ("scale", scale),
            ("axis", scalar(DataType::Int32, &0i32.to_le_bytes())),
        ];
        Ok(self.older("constexpr_affine_dequantize", name, attributes))
    }

    /// Returns an operation of iOS 16, with parameters that are attributes.
    fn older<const N: usize>(
        &self,
        kind: &str,
        name: &str,
        attributes: [(&'static str, BindingKind); N],
    ) -> message::Operation {
        let mut operation = self.operation(kind, name, []);
        for (place, value) in attributes {
            if let BindingKind::Value(value) = value {
                operation.attributes.insert(place.into(), value);
            }
        }
        operation
    }

    /// Stores a part of the parameter as a blob.
    fn blob(
        &mut self,
        part: &str,
        ty: BlobType,
        dims: &[usize],
        source: BlobSource<'p>,
    ) -> Result<BindingKind, BlobError> {
        let count: usize = dims.iter().product();
        // Functions share parts.
        let name = format!("{part} of {ty} of {} of {}", self.elem.name(), self.identity);
        let at = self.weights.add_named(name, ty, count as u64, || source)?;
        Ok(BindingKind::Value(types::blob_value(tensor_type(data_type(ty), dims), at)))
    }

    fn operation(
        &self,
        kind: &str,
        name: &str,
        inputs: impl IntoIterator<Item = (&'static str, BindingKind)>,
    ) -> message::Operation {
        let argument = |(place, binding): (&'static str, BindingKind)| {
            (place.to_string(), Argument { arguments: vec![Binding { binding: Some(binding) }] })
        };
        message::Operation {
            r#type: kind.into(),
            inputs: inputs.into_iter().map(argument).collect(),
            outputs: vec![message::NamedValueType {
                name: name.into(),
                r#type: Some(super::lower::tensor(self.elem, self.dims)),
            }],
            blocks: Vec::new(),
            attributes: BTreeMap::from([("name".into(), types::text(name))]),
        }
    }
}

/// Returns a value that is stored in the program.
fn immediate(data_type: DataType, dims: &[usize], bytes: &[u8]) -> message::Value {
    types::tensor_value(tensor_type(data_type, dims), data_type, bytes)
}

fn tensor_type(of: DataType, dims: &[usize]) -> message::ValueType {
    message::ValueType { r#type: Some(message::ValueTypeKind::TensorType(types::tensor_type(of, dims))) }
}
