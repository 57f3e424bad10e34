//! Weights that stay packed in packages: in each format, the weights that are read back and unpacked match its decoder.

#[path = "../examples/packed_weights.rs"]
#[allow(dead_code)]
mod example;
mod uses;

use example::{DIMS, Stored, all, blocks, conversion, weights, write};
use half::f16;
use rlx_compile::{Param, ParamValues, PrecisionPolicy};
use rlx_coreml::{
    ConversionError, ImportedModel, Opset, WeightCompression, WeightFormat, WeightOptions, decode,
};
use rlx_ir::{Builder, DType, Literal, QuantScheme, Shape, eval};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use uses::uses;

/// Runs the function of a package on these inputs.
fn run(package: &Path, inputs: &[(&str, &Literal)]) -> Vec<Literal> {
    let model = ImportedModel::open(package).unwrap();
    let function = model.function(model.default_function()).unwrap();
    let params: Vec<(String, Literal)> = function
        .params
        .iter()
        .map(|(name, bytes)| {
            let shape = function.graph.named_params().find(|(param, _)| param == name).unwrap().1;
            (name.clone(), Literal::from_bytes(shape, bytes).unwrap())
        })
        .collect();
    let params = params.iter().map(|(name, value)| (name.as_str(), value));
    eval(&function.graph, &inputs.iter().copied().chain(params).collect::<Vec<_>>()).unwrap()
}

/// Returns the kinds of operations that unpack constants.
fn kinds(package: &Path) -> BTreeSet<String> {
    let model = decode(rlx_coreml::Package::open(package).unwrap().model()).unwrap();
    let blocks =
        model.ml_program.unwrap().functions.into_values().flat_map(|f| f.block_specializations.into_values());
    let kinds = blocks.flat_map(|block| block.operations).map(|operation| operation.r#type);
    kinds.filter(|kind| kind.starts_with("constexpr_")).collect()
}

/// Transposes a matrix from columns to rows.
fn turned(columns: &[f32]) -> Vec<f32> {
    let [rows, row] = DIMS;
    (0..rows * row).map(|i| columns[i % row * rows + i / row]).collect()
}

fn numbers(of: &Literal) -> Vec<f32> {
    of.as_slice::<f32>().unwrap().to_vec()
}

/// Returns the spacing of f16 numbers at a value.
fn spacing(x: f32) -> f32 {
    (x.abs().max(2f32.powi(-14)).log2().floor() - 10.0).exp2()
}

fn has_min(name: &str) -> bool {
    let scheme = name.rsplit('+').next().unwrap_or(name);
    scheme.parse().is_ok_and(|scheme: QuantScheme| scheme.level_form().is_some_and(|form| form.has_min))
}

#[test]
fn every_format_unpacks_to_what_its_decoder_says() {
    let folder = tempfile::tempdir().unwrap();
    for (name, stored) in all() {
        for precision in [PrecisionPolicy::AlwaysF16, PrecisionPolicy::Declared] {
            let path = folder.path().join(format!("{name}.mlpackage"));
            let converted =
                write(&stored, &conversion(Opset::Ios18, precision, stored.options), &path).unwrap();
            let is_grid = name.parse().is_ok_and(QuantScheme::is_grid);
            assert_eq!(converted.unpacked.len(), usize::from(is_grid), "{name}: {:?}", converted.unpacked);
            assert_eq!(kinds(&path).is_empty(), is_grid, "{name}");
            let found = turned(&numbers(&run(&path, &[])[0]));
            let is_half = precision == PrecisionPolicy::AlwaysF16;
            for (i, (found, &wanted)) in found.iter().zip(&stored.numbers).enumerate() {
                let part = &stored.numbers[i / 16 * 16..][..16];
                let largest = part.iter().fold(0.0f32, |most, x| most.max(x.abs()));
                let allowed = match (is_half, has_min(&name)) {
                    (true, true) => 3.0 * spacing(largest),
                    (true, false) => spacing(wanted),
                    (false, true) => 3.0 * spacing(largest) * 2f32.powi(-13),
                    (false, false) => 0.0,
                };
                let wanted = if is_half { f16::from_f32(wanted).to_f32() } else { wanted };
                assert!(
                    (found - wanted).abs() <= allowed,
                    "{name}, {precision:?}, {i}: {found} instead of {wanted}"
                );
            }
        }
    }
}

#[test]
fn products_and_tables_share_one_packed_weight() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("uses.mlpackage");
    let x: Vec<f32> = weights()[..3 * DIMS[1]].iter().map(|x| x * 7.0).collect();
    let x = Literal::new(&[3, DIMS[1]], &x).unwrap();
    let ids = Literal::new(&[2, 2], &[0, 47, 6, 13]).unwrap();
    for scheme in [QuantScheme::Q4_0, QuantScheme::Q4_K, QuantScheme::Q6_K, QuantScheme::MXFP4] {
        let Stored { values, bytes, .. } = blocks(scheme);
        let graph = uses(scheme, true);
        let stored = Stored { graph, values, numbers: Vec::new(), options: WeightOptions::default(), bytes };
        let converted =
            write(&stored, &conversion(Opset::Ios18, PrecisionPolicy::Declared, stored.options), &path)
                .unwrap();
        assert_eq!(converted.unpacked, []);
        // One copy, however often it is used.
        assert!(converted.bytes.1 < bytes as u64 * 3 / 2, "{scheme}: {:?} of {bytes}", converted.bytes);
        let found = run(&path, &[("x", &x), ("ids", &ids)]);
        let w = Literal::from_bytes(
            &Shape::new(&[DIMS[0], bytes / DIMS[0]], DType::U8),
            stored.values["w"].bytes(),
        );
        let wanted = eval(&stored.graph, &[("x", &x), ("ids", &ids), ("w", &w.unwrap())]).unwrap();
        for (found, wanted) in found.iter().zip(&wanted) {
            let (found, wanted) = (numbers(found), numbers(wanted));
            let scale = wanted.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            let off = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off <= 1e-5 * scale, "{scheme}: {off} of {scale}");
        }
    }
}

#[test]
fn bytes_that_a_graph_does_more_with_stay_bytes() {
    // An input is not a parameter, and programs have no bitwise operations to unpack it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input.mlpackage");
    let conversion = conversion(Opset::Ios18, PrecisionPolicy::Declared, WeightOptions::default());
    let error = conversion.write(&uses(QuantScheme::Q8_0, false), &ParamValues::new(), &path).unwrap_err();
    assert!(error.to_string().contains("dequantize_blocks") && !path.exists(), "{error}");
    // A parameter is not unpacked either if its bytes also leave the graph, or are read in two formats.
    let b = Builder::new("both");
    let w = b.param("w", Shape::new(&[4, 306], DType::U8));
    let values = w.dequantize_blocks(QuantScheme::Q8_0);
    let others = [w.clone(), w.dequantize_blocks(QuantScheme::Q1_0)];
    for other in others.iter().filter(|other| other.id().is_some()) {
        let graph = b.clone().finish(&[&values, other]).unwrap();
        let bytes = Literal::from_bytes(&Shape::new(&[4, 306], DType::U8), &[1; 4 * 306]).unwrap();
        let given = ParamValues::from([("w".to_string(), Param::new(Arc::new(bytes)))]);
        let error = conversion.write(&graph, &given, &path).unwrap_err();
        assert!(error.to_string().contains("dequantize_blocks"), "{error}");
    }
}

#[test]
fn what_a_system_cannot_say_is_unpacked_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("older.mlpackage");
    let unpacked = |stored: &Stored, opset, options| {
        let converted = write(stored, &conversion(opset, PrecisionPolicy::Declared, options), &path).unwrap();
        let found = turned(&numbers(&run(&path, &[])[0]));
        assert!(found == stored.numbers);
        (converted.unpacked, kinds(&path))
    };
    let stored = blocks(QuantScheme::Q4_0);
    for opset in [Opset::Ios15, Opset::Ios16, Opset::Ios17] {
        let (told, kinds) = unpacked(&stored, opset, stored.options);
        let reason = "programs before iOS 18 have no blocks such as those of q4_0";
        assert_eq!((told, kinds.len()), (vec![("w".into(), reason.into())], 0));
    }
    let host = WeightOptions { host_dequant: true, ..stored.options };
    assert_eq!(unpacked(&stored, Opset::Ios18, host), (Vec::new(), BTreeSet::new()));
    let to_palette = example::quantized(WeightFormat::Palette(4));
    let lut = || BTreeSet::from(["constexpr_lut_to_dense".to_string()]);
    assert_eq!(unpacked(&to_palette, Opset::Ios16, to_palette.options), (Vec::new(), lut()));
    let (told, kinds) = unpacked(&to_palette, Opset::Ios15, to_palette.options);
    assert_eq!((told.len(), kinds.len()), (1, 0));
    let of_eight = example::quantized(WeightFormat::Palette(3));
    assert_eq!(unpacked(&of_eight, Opset::Ios16, of_eight.options).0.len(), 1);
    let to_int8 = example::quantized(WeightFormat::Int8);
    let forms =
        ["constexpr_affine_dequantize", "constexpr_affine_dequantize", "constexpr_blockwise_shift_scale"];
    for (opset, form) in [Opset::Ios16, Opset::Ios17, Opset::Ios18].into_iter().zip(forms) {
        let kinds = BTreeSet::from([form.to_string()]);
        assert_eq!(unpacked(&to_int8, opset, to_int8.options), (Vec::new(), kinds), "{opset:?}");
    }
    let (told, kinds) = unpacked(&to_int8, Opset::Ios15, to_int8.options);
    assert_eq!((told.len(), kinds.len()), (1, 0));
}

#[test]
fn scales_beyond_f16_are_unpacked_and_numbers_that_are_none_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.mlpackage");
    let half = |stored: &Stored| {
        write(stored, &conversion(Opset::Ios18, PrecisionPolicy::AlwaysF16, stored.options), &path)
    };
    let mut stored = blocks(QuantScheme::MXFP4);
    let mut bytes = stored.values["w"].bytes().to_vec();
    bytes[0] = 200;
    let shape = Shape::new(&[DIMS[0], bytes.len() / DIMS[0]], DType::U8);
    let value = Literal::from_bytes(&shape, &bytes).unwrap();
    stored.values.insert("w".into(), Param::new(Arc::new(value)));
    let told = half(&stored).unwrap().unpacked;
    assert_eq!(told, [("w".into(), "scales of mxfp4 are outside the range of fp16".into())]);

    // A finite number with an infinite block: the scale of q4_0 is an f16, and is an eighth of the largest magnitude.
    for (number, said) in [(f32::NAN, "NaN"), (1e7, "value 77 is 1e7, too large for q4_0")] {
        let mut stored = example::quantized(WeightFormat::Blocks(QuantScheme::Q4_0));
        let mut numbers = weights();
        numbers[77] = number;
        stored.values.insert("w".into(), Param::new(Arc::new(Literal::new(&DIMS, &numbers).unwrap())));
        let wide = conversion(Opset::Ios18, PrecisionPolicy::Declared, stored.options);
        let error = write(&stored, &wide, &path).unwrap_err();
        assert!(matches!(error, ConversionError::Model(_)), "{error}");
        assert!(error.to_string().contains("constant `w") && error.to_string().contains(said), "{error}");
        // In f16, the number is out of range: the weights stay in f32, and this is reported.
        if number.is_finite() {
            let [(name, reason)] = &half(&stored).unwrap().unpacked[..] else { panic!("no report") };
            assert!(name == "w" && reason.contains("do not fit in f16"), "{name}: {reason}");
        }
    }
}

/// Returns numbers as the weights of a package that leaves out zeros, with what it reports.
fn sparse(numbers: &[f32], format: &str, opset: Opset) -> (Vec<f32>, BTreeSet<String>, u64, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse.mlpackage");
    let mut stored = example::quantized(format.parse::<WeightCompression>().unwrap());
    stored.values.insert("w".into(), Param::new(Arc::new(Literal::new(&DIMS, numbers).unwrap())));
    let conversion = conversion(opset, PrecisionPolicy::Declared, stored.options);
    let converted = write(&stored, &conversion, &path).unwrap();
    let found = turned(&self::numbers(&run(&path, &[])[0]));
    let told = converted.unpacked.into_iter().map(|(_, reason)| reason).collect();
    (found, kinds(&path), converted.bytes.1, told)
}

fn kinds_of(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| format!("constexpr_{name}")).collect()
}

#[test]
fn zeros_that_are_there_stay_so_and_are_left_out_where_that_takes_less() {
    let all = weights();
    let few = |share: usize| -> Vec<f32> {
        all.iter().enumerate().map(|(i, &x)| if i % share == 0 { x + 1e-9 } else { 0.0 }).collect()
    };
    let (found, kinds, bytes, told) = sparse(&few(4), "sparse", Opset::Ios18);
    assert_eq!((found, told.len()), (few(4), 0));
    assert_eq!(kinds, kinds_of(&["sparse_to_dense"]));
    // One bit per number, and 32 per nonzero number.
    let wanted = (all.len() / 8 + all.len()) as u64;
    assert!((wanted..wanted + 512).contains(&bytes), "{bytes} instead of {wanted}");
    // A few zeros are stored like other numbers.
    let (found, kinds, _, told) = sparse(&all, "sparse", Opset::Ios18);
    assert_eq!((found, kinds.len(), told.len()), (all.clone(), 0, 0));
    // Then a palette has one number less for other values; blocks and integers represent zero anyway.
    let third: Vec<f32> = all.iter().enumerate().map(|(i, &x)| if i % 9 == 0 { 0.0 } else { x }).collect();
    for (format, kind) in [("palette4", "lut_to_dense"), ("int8", "blockwise_shift_scale")] {
        let (found, kinds, _, told) = sparse(&third, &format!("sparse+{format}"), Opset::Ios18);
        assert!(found.iter().zip(&third).all(|(found, x)| *x != 0.0 || *found == 0.0), "{format}");
        assert_eq!((kinds, told.len()), (kinds_of(&[kind]), 0));
    }
    // A palette of two numbers has none to spare.
    let (found, kinds, _, _) = sparse(&third, "sparse+palette1", Opset::Ios18);
    let values: BTreeSet<u32> = found.iter().map(|x| x.to_bits()).collect();
    assert_eq!((values.len(), kinds), (3, kinds_of(&["lut_to_sparse", "sparse_to_dense"])));
    // Only zeros.
    let zeros = vec![0.0; all.len()];
    for format in ["sparse", "sparse0.5", "sparse+palette4", "sparse0.9+int8", "sparse+q6_k"] {
        for opset in [Opset::Ios15, Opset::Ios16, Opset::Ios18] {
            assert_eq!(sparse(&zeros, format, opset).0, zeros, "{format}");
        }
    }
}

#[test]
fn the_smallest_numbers_become_zeros_in_the_forms_of_each_system() {
    let all = weights();
    let half = example::pruned(&all, all.len() / 2);
    let joint = |levels: &[&str]| kinds_of(&[levels, &["sparse_to_dense"]].concat());
    for opset in [Opset::Ios16, Opset::Ios17, Opset::Ios18] {
        let (found, kinds, _, told) = sparse(&all, "sparse0.5", opset);
        assert_eq!((found, kinds, told.len()), (half.clone(), joint(&[]), 0), "{opset:?}");
    }
    let (found, kinds, _, told) = sparse(&all, "sparse0.5", Opset::Ios15);
    assert_eq!((found, kinds.len()), (half.clone(), 0));
    assert_eq!(told, ["programs of iOS 15 have no masks"]);
    let scaled = "sparse_blockwise_shift_scale";
    for (format, levels) in [
        ("palette4", vec!["lut_to_sparse"]),
        ("int8", vec![scaled]),
        ("q4_0", vec![scaled]),
        ("q6_k", vec!["lut_to_sparse", scaled]),
    ] {
        let format = format!("sparse0.5+{format}");
        let (found, kinds, bytes, told) = sparse(&all, &format, Opset::Ios18);
        assert_eq!((kinds, told.len()), (joint(&levels), 0), "{format}");
        assert!(found.iter().zip(&half).all(|(found, x)| *x != 0.0 || *found == 0.0), "{format}");
        let (older, kinds, unpacked, told) = sparse(&all, &format, Opset::Ios17);
        assert_eq!((older, kinds.len(), told.len()), (found, 0, 1), "{format}");
        assert!(bytes * 4 < unpacked && told[0].contains("iOS 18"), "{format}: {told:?}");
    }
    // Rows that are not whole blocks only lose their zeros.
    let b = Builder::new("rows");
    let w = b.param("w", Shape::new(&[64, 40], DType::F32)).transpose_last();
    let graph = b.finish(&[&w]).unwrap();
    let value = Param::new(Arc::new(Literal::new(&[64, 40], &all[..2560]).unwrap()));
    let values = ParamValues::from([("w".to_string(), value)]);
    let quantize = "sparse0.5+q8_0".parse().unwrap();
    let options = WeightOptions { quantize, ..WeightOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.mlpackage");
    conversion(Opset::Ios18, PrecisionPolicy::Declared, options).write(&graph, &values, &path).unwrap();
    assert_eq!(self::kinds(&path), joint(&[]));
}

#[test]
fn names_say_what_becomes_zeros_and_what_the_rest() {
    for name in
        ["sparse", "sparse0.5", "palette4", "sparse0.25+q8_0", "sparse+palette6", "sparse0.5+int8", "q4_K"]
    {
        let parsed: WeightCompression = name.parse().unwrap();
        assert_eq!(parsed.to_string(), name);
    }
    let others = [
        "sparse1",
        "sparse1.5",
        "sparse-0.5",
        "sparse5e-1",
        "sparsenan",
        "sparse+",
        "sparse0.5+",
        "sparse0.5+sparse",
        "palette4+sparse",
        "sparse0.5+palette5",
        "sparse0.5+iq3_s",
        "sparse0.5 + q8_0",
        "sparse.",
        "+q8_0",
        "",
    ];
    for name in others {
        let error = name.parse::<WeightCompression>().unwrap_err().to_string();
        assert!(
            error.contains(&format!("{name:?}")) && error.contains("sparse0.5+palette4"),
            "{name}: {error}"
        );
    }
}

#[test]
fn tables_are_stored_in_the_type_that_is_computed_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.mlpackage");
    let numbers: Vec<half::bf16> = weights().into_iter().map(half::bf16::from_f32).collect();
    let table = Literal::new(&DIMS, &numbers).unwrap();
    let b = Builder::new("table");
    let w = b.param("w", table.shape().clone());
    let ids = b.input("ids", Shape::new(&[2], DType::I32));
    // Looked up and multiplied, as in language models that use one table for both.
    let rows = w.embedding(&ids).convert(DType::F32);
    let graph = b.finish(&[&rows, &rows.matmul(&w.convert(DType::F32).transpose_last())]).unwrap();
    let values = ParamValues::from([("w".to_string(), Param::new(Arc::new(table)))]);
    let ids = Literal::new(&[2], &[7, 40]).unwrap();
    for (precision, size) in [(PrecisionPolicy::AlwaysF16, 2), (PrecisionPolicy::Declared, 4)] {
        let conversion = conversion(Opset::Ios17, precision, WeightOptions::default());
        let converted = conversion.write(&graph, &values, &path).unwrap();
        let all = (DIMS[0] * DIMS[1] * size) as u64;
        assert!((all..all + 1024).contains(&converted.bytes.1), "{precision:?}: {:?}", converted.bytes);
        let found = run(&path, &[("ids", &ids)]);
        let wanted: Vec<f32> =
            [7, 40].iter().flat_map(|row| &numbers[row * DIMS[1]..][..DIMS[1]]).map(|x| x.to_f32()).collect();
        let held = |x: &f32| if size == 2 { f16::from_f32(*x).to_f32() } else { *x };
        assert_eq!(self::numbers(&found[0]), wanted.iter().map(held).collect::<Vec<f32>>());
    }
}
