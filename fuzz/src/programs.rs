//! Mutates valid ML Programs in one place, so that readers get further than with random bytes.

use rlx_mil::message::*;

/// A generator of random draws.
pub struct Draw(u64);

impl Draw {
    /// Draws that depend only on the seed.
    pub fn new(seed: u32) -> Draw {
        Draw(u64::from(seed) ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `limit`, or 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn pick<'a, T>(&mut self, list: &'a mut [T]) -> Option<&'a mut T> {
        let at = self.below(list.len());
        list.get_mut(at)
    }
}

const NUMBERS: [i64; 16] = [
    0,
    1,
    2,
    3,
    -1,
    -2,
    7,
    64,
    1 << 16,
    1 << 24,
    1 << 31,
    i32::MAX as i64,
    i32::MIN as i64,
    1 << 32,
    i64::MAX,
    i64::MIN,
];

const TYPES: [DataType; 14] = [
    DataType::Bool,
    DataType::String,
    DataType::Float16,
    DataType::Float32,
    DataType::Float64,
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::Int4,
    DataType::Uint8,
    DataType::Uint64,
    DataType::Uint3,
    DataType::Float8e5m2,
];

const TEXTS: [&str; 14] = [
    "same", "same_lower", "valid", "custom", "add", "update", "min", "tanh", "sigmoid", "bidirectional",
    "reverse", "EXACT", "bilinear", "",
];

/// Changes one thing in a function of the model. `names` are the known operations.
pub fn change(model: &mut Model, names: &[&str], draw: &mut Draw) {
    let Some(program) = &mut model.ml_program else { return };
    let at = draw.below(program.functions.len());
    let Some(function) = program.functions.values_mut().nth(at) else { return };
    if draw.below(6) == 0
        && let Some(ty) = draw.pick(&mut function.inputs).and_then(|input| input.r#type.as_mut())
    {
        return change_type(ty, draw);
    }
    let at = draw.below(function.block_specializations.len());
    if let Some(block) = function.block_specializations.values_mut().nth(at) {
        change_block(block, names, draw);
    }
}

fn change_block(block: &mut Block, names: &[&str], draw: &mut Draw) {
    let given: Vec<String> =
        block.operations.iter().flat_map(|operation| &operation.outputs).map(|x| x.name.clone()).collect();
    let count = block.operations.len();
    let at = draw.below(count);
    match draw.below(40) {
        0 if count > 0 => drop(block.operations.remove(at)),
        1 if count > 0 => block.operations.swap(at, draw.below(count)),
        2 if count > 0 && count < 64 => {
            let mut again = block.operations[at].clone();
            again.outputs.iter_mut().for_each(|output| output.name.push('+'));
            block.operations.insert(at + 1, again);
        }
        3 => block.outputs = given.into_iter().filter(|_| draw.below(3) == 0).collect(),
        _ => {
            if let Some(operation) = draw.pick(&mut block.operations) {
                change_operation(operation, &given, names, draw);
            }
        }
    }
}

fn change_operation(operation: &mut Operation, given: &[String], names: &[&str], draw: &mut Draw) {
    if !operation.blocks.is_empty() && draw.below(2) == 0 {
        if let Some(block) = draw.pick(&mut operation.blocks) {
            change_block(block, names, draw);
        }
        return;
    }
    if let Some(value) = operation.attributes.get_mut("val").filter(|_| draw.below(12) > 0) {
        return change_value(value, draw);
    }
    match draw.below(8) {
        0 => operation.r#type = draw.of(names).to_string(),
        1 => {
            let at = draw.below(operation.outputs.len());
            let ty = operation.outputs.get_mut(at).map(|output| &mut output.r#type);
            match (ty, draw.below(3)) {
                (Some(ty), 0) => *ty = None,
                (Some(Some(ty)), _) => change_type(ty, draw),
                _ => {}
            }
        }
        2 => {
            let at = draw.below(operation.inputs.len());
            let name = operation.inputs.keys().nth(at).cloned();
            name.map(|name| operation.inputs.remove(&name));
        }
        3 if draw.below(4) == 0 => operation.outputs.extend(operation.outputs.clone()),
        4 if draw.below(4) == 0 => drop(operation.outputs.pop()),
        _ => {
            let at = draw.below(operation.inputs.len());
            let Some(argument) = operation.inputs.values_mut().nth(at) else { return };
            match draw.below(6) {
                0 => drop(argument.arguments.pop()),
                1 if argument.arguments.len() < 64 => argument.arguments.extend(argument.arguments.clone()),
                _ => match draw.pick(&mut argument.arguments).and_then(|one| one.binding.as_mut()) {
                    Some(BindingKind::Name(name)) if !given.is_empty() => {
                        *name = given[draw.below(given.len())].clone();
                    }
                    Some(BindingKind::Value(value)) => change_value(value, draw),
                    _ => {}
                },
            }
        }
    }
}

/// Changes the element type, a size or the number of axes.
fn change_type(ty: &mut ValueType, draw: &mut Draw) {
    let ty = match &mut ty.r#type {
        Some(ValueTypeKind::TensorType(ty)) => ty,
        Some(ValueTypeKind::StateType(state)) => {
            return state.wrapped_type.iter_mut().for_each(|ty| change_type(ty, draw));
        }
        _ => return,
    };
    let size = draw.of(&NUMBERS).unsigned_abs();
    let dimension = Some(DimensionKind::Constant(ConstantDimension { size }));
    match draw.below(8) {
        0 | 1 => ty.data_type = draw.of(&TYPES).into(),
        2 => drop(ty.dimensions.pop()),
        3 if ty.dimensions.len() < 16 => ty.dimensions.push(Dimension { dimension }),
        4 => {
            let to = draw.below(ty.dimensions.len());
            if !ty.dimensions.is_empty() {
                ty.dimensions.swap(0, to);
            }
        }
        _ => {
            if let Some(one) = draw.pick(&mut ty.dimensions) {
                one.dimension = dimension;
            }
        }
    }
    ty.rank = ty.dimensions.len() as i64;
}

/// Changes an element or the number of elements, with the matching type; or only the type.
fn change_value(value: &mut Value, draw: &mut Draw) {
    if draw.below(8) == 0 {
        return value.r#type.iter_mut().for_each(|ty| change_type(ty, draw));
    }
    let immediate = match &mut value.value {
        Some(ValueKind::BlobFileValue(blob)) => return blob.offset = draw.of(&NUMBERS).unsigned_abs(),
        Some(ValueKind::ImmediateValue(immediate)) => immediate,
        None => return,
    };
    let Some(ImmediateValueKind::Tensor(TensorValue { value: Some(elements) })) = &mut immediate.value else {
        return;
    };
    let number = draw.of(&NUMBERS);
    let length = match elements {
        TensorValueKind::Ints(list) => changed(&mut list.values, number as i32, draw),
        TensorValueKind::LongInts(list) => changed(&mut list.values, number, draw),
        TensorValueKind::Bools(list) => changed(&mut list.values, number % 2 != 0, draw),
        TensorValueKind::Floats(list) => {
            let number = draw.of(&[number as f32, f32::NAN, f32::INFINITY, -0.0, f32::MIN_POSITIVE]);
            changed(&mut list.values, number, draw)
        }
        TensorValueKind::Doubles(list) => changed(&mut list.values, number as f64, draw),
        TensorValueKind::Strings(list) => changed(&mut list.values, draw.of(&TEXTS).to_string(), draw),
        TensorValueKind::Bytes(list) => changed(&mut list.values, number as u8, draw),
    };
    // The type of a longer or shorter list must say so, or it would be refused for that reason alone.
    let ty = value.r#type.as_mut().and_then(|ty| ty.r#type.as_mut());
    if let (Some(length), Some(ValueTypeKind::TensorType(ty))) = (length, ty)
        && let [Dimension { dimension: Some(DimensionKind::Constant(size)) }] = &mut ty.dimensions[..]
    {
        size.size = length as u64;
    }
}

/// The new length, if it changed.
fn changed<T: Clone>(list: &mut Vec<T>, value: T, draw: &mut Draw) -> Option<usize> {
    match draw.below(8) {
        0 => drop(list.pop()),
        1 if list.len() < 256 => list.push(value),
        _ => {
            draw.pick(list).into_iter().for_each(|one| *one = value.clone());
            return None;
        }
    }
    Some(list.len())
}
