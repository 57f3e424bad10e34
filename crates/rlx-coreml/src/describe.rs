//! Describes a model as text: functions with inputs and outputs, operations by kind, weights by type.

use rlx_mil::blob::BlobFile;
use rlx_mil::message::{
    ArrayDataType, ArrayFeatureType, Block, FeatureDescription, Function, Model, NamedValueType,
    ValueTypeKind,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the systems that a specification version is for.
fn systems(version: i32) -> &'static str {
    match version {
        6 => " (iOS 15, macOS 12)",
        7 => " (iOS 16, macOS 13)",
        8 => " (iOS 17, macOS 14)",
        9 => " (iOS 18, macOS 15)",
        _ => "",
    }
}

/// Describes a model and its weights files, which are given with their names.
pub fn describe(model: &Model, weights: &[(&str, BlobFile<'_>)]) -> String {
    let version = model.specification_version;
    let mut text = format!("specification  {version}{}\n", systems(version));
    // INVARIANT of the writes below: writing to a String does not fail.
    if let Some(description) = &model.description {
        let lists =
            [("input", &description.input), ("output", &description.output), ("state", &description.state)];
        for (what, list) in lists {
            list.iter().for_each(|feature| _ = writeln!(text, "{what:<14} {}", described(feature)));
        }
        for (name, value) in description.metadata.iter().flat_map(|metadata| &metadata.user_defined) {
            let _ = writeln!(text, "metadata       {name} = {value}");
        }
    }
    match &model.ml_program {
        Some(program) => {
            program.functions.iter().for_each(|(name, of)| function(&mut text, name, of));
        }
        None => text += "not an ML Program: the contents of other kinds of models are not shown\n",
    }
    weights.iter().for_each(|(name, file)| weights_of(&mut text, name, file));
    text
}

fn described(feature: &FeatureDescription) -> String {
    let ty = feature.r#type.as_ref();
    let state = ty.and_then(|ty| ty.state_type.as_ref()).and_then(|state| state.array_type.as_ref());
    let array = ty.and_then(|ty| ty.multi_array_type.as_ref()).or(state);
    format!("{}: {}", feature.name, array.map_or("no array".into(), array_type))
}

fn array_type(array: &ArrayFeatureType) -> String {
    let element = match ArrayDataType::try_from(array.data_type) {
        Ok(ArrayDataType::Float32) => "f32",
        Ok(ArrayDataType::Float16) => "f16",
        Ok(ArrayDataType::Double) => "f64",
        Ok(ArrayDataType::Int32) => "i32",
        Ok(ArrayDataType::Int8) => "i8",
        _ => "unknown",
    };
    let sizes = |list: &[i64]| list.iter().map(i64::to_string).collect::<Vec<String>>().join(",");
    let mut text = format!("{element}[{}]", sizes(&array.shape));
    if let Some(range) = &array.shape_range {
        let bound = |of: &rlx_mil::message::SizeRange| match of.upper_bound {
            -1 => format!("{}…", of.lower_bound),
            upper if upper as u64 == of.lower_bound => upper.to_string(),
            upper => format!("{}…{upper}", of.lower_bound),
        };
        let bounds: Vec<String> = range.size_ranges.iter().map(bound).collect();
        text += &format!(", sizes [{}]", bounds.join(","));
    }
    if let Some(list) = &array.enumerated_shapes {
        let shapes: Vec<String> =
            list.shapes.iter().map(|shape| format!("[{}]", sizes(&shape.shape))).collect();
        text += &format!(", one of {}", shapes.join(" "));
    }
    text
}

fn function(text: &mut String, name: &str, function: &Function) {
    let mut kinds = BTreeMap::new();
    function.block_specializations.values().for_each(|block| count(block, &mut kinds));
    let constants = kinds.remove("const").unwrap_or(0);
    let total: usize = kinds.values().sum();
    let _ = writeln!(
        text,
        "function       {name}, {}: {total} operations, {constants} constants",
        function.opset
    );
    let inputs: Vec<String> = function.inputs.iter().map(input).collect();
    let _ = writeln!(text, "  takes        {}", inputs.join(", "));
    for block in function.block_specializations.values() {
        let _ = writeln!(text, "  gives        {}", block.outputs.join(", "));
    }
    let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|&(kind, count)| (std::cmp::Reverse(count), kind));
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} ×{count}")).collect();
    let _ = writeln!(text, "  operations   {}", kinds.join(", "));
}

fn input(value: &NamedValueType) -> String {
    let kind = value.r#type.as_ref().and_then(|ty| ty.r#type.as_ref());
    let state = if matches!(kind, Some(ValueTypeKind::StateType(_))) { " (state)" } else { "" };
    format!("{}{state}", value.name)
}

fn count<'a>(block: &'a Block, kinds: &mut BTreeMap<&'a str, usize>) {
    for operation in &block.operations {
        *kinds.entry(&operation.r#type).or_insert(0) += 1;
        operation.blocks.iter().for_each(|block| count(block, kinds));
    }
}

fn weights_of(text: &mut String, name: &str, file: &BlobFile<'_>) {
    let mut types: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for blob in file.blobs() {
        match blob {
            Ok((_, blob)) => {
                let entry = types.entry(blob.blob_type.name()).or_insert((0, 0));
                *entry = (entry.0 + 1, entry.1 + blob.bytes.len());
            }
            Err(error) => _ = writeln!(text, "weights        {name}: {error}"),
        }
    }
    for (ty, (count, bytes)) in types {
        let _ = writeln!(text, "weights        {name}: {count} × {ty}, {bytes} bytes");
    }
}
