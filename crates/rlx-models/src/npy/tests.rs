//! Arrays written by NumPy, malformed arrays, and our own arrays read back. The bytes of the headers below follow the
//! format's description.

use std::fs;

use super::*;

/// Makes a file of version `major` with this dictionary and this data.
fn file(major: u8, dict: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([major, 0]);
    if major == 1 {
        bytes.extend((dict.len() as u16).to_le_bytes());
    } else {
        bytes.extend((dict.len() as u32).to_le_bytes());
    }
    bytes.extend(dict.as_bytes());
    bytes.extend(data);
    bytes
}

fn dict(descr: &str, order: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}   \n")
}

fn parse(bytes: &[u8]) -> Result<NpyArray, NpyError> {
    read_from(bytes, bytes.len() as u64, Path::new("x.npy"))
}

fn fails(bytes: &[u8]) -> String {
    let error = parse(bytes).expect_err("must fail");
    let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    format!("{error}: {source}")
}

#[test]
fn all_versions_orders_and_byte_orders() {
    let little: Vec<u8> = [1i16, 2, 3, 4, 5, 6].iter().flat_map(|v| v.to_le_bytes()).collect();
    let big: Vec<u8> = [1i16, 2, 3, 4, 5, 6].iter().flat_map(|v| v.to_be_bytes()).collect();
    let columns: Vec<u8> = [1i16, 4, 2, 5, 3, 6].iter().flat_map(|v| v.to_le_bytes()).collect();
    let expected = NpyArray { dtype: DType::I16, shape: vec![2, 3], bytes: little.clone() };
    for major in [1, 2, 3] {
        assert_eq!(parse(&file(major, &dict("'<i2'", "False", "(2, 3)"), &little)).unwrap(), expected);
        assert_eq!(parse(&file(major, &dict("'>i2'", "False", "(2, 3,)"), &big)).unwrap(), expected);
        assert_eq!(parse(&file(major, &dict("\"<i2\"", "True", "(2L, 3L)"), &columns)).unwrap(), expected);
    }
}

#[test]
fn column_major_in_three_dimensions() {
    // np.arange(24).reshape(2, 3, 4) stored in column-major order.
    let shape = [2, 3, 4];
    let mut columns = vec![0u8; 24];
    for (i, j, k) in (0..2).flat_map(|i| (0..3).flat_map(move |j| (0..4).map(move |k| (i, j, k)))) {
        columns[i + 2 * (j + 3 * k)] = (i * 12 + j * 4 + k) as u8;
    }
    let array = parse(&file(1, &dict("'|u1'", "True", "(2, 3, 4)"), &columns)).unwrap();
    assert_eq!((array.shape.as_slice(), array.bytes), (shape.as_slice(), (0..24).collect()));
}

#[test]
fn the_parts_of_a_complex_number_are_swapped_each() {
    let big: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|v| v.to_be_bytes()).collect();
    let little: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let array = parse(&file(1, &dict("'>c8'", "False", "()"), &big)).unwrap();
    assert_eq!((array.dtype, array.shape, array.bytes), (DType::C64, vec![], little));
}

#[test]
fn booleans_become_zero_or_one() {
    let array = parse(&file(1, &dict("'|b1'", "False", "(3,)"), &[0, 1, 255])).unwrap();
    assert_eq!(array.bytes, [0, 1, 1]);
}

#[test]
fn empty_arrays_of_any_order() {
    for order in ["True", "False"] {
        let array = parse(&file(1, &dict("'<f8'", order, "(3, 0, 2)"), &[])).unwrap();
        assert_eq!((array.shape, array.bytes.len()), (vec![3, 0, 2], 0));
    }
}

#[test]
fn files_that_lie() {
    let max = usize::MAX;
    let with = |descr: &str, shape: &str, data: usize| file(1, &dict(descr, "False", shape), &vec![0; data]);
    let rows: Vec<(Vec<u8>, &str)> = vec![
        (b"".to_vec(), "ends within its header"),
        (b"\x93NUMPY\x01".to_vec(), "ends within its header"),
        (b"PK\x03\x04----------".to_vec(), "NUMPY"),
        (file(4, "{}", &[]), "version 4.0"),
        (with("'<f4'", "(2,)", 7), "needs 8 bytes of data, but the file has 7"),
        (with("'<f4'", "(2,)", 9), "the file has 9"),
        (with("'<f4'", &format!("({max}, 2)"), 4), "more bytes than this machine"),
        (with("'<f4'", "(99999999999999999999999,)", 4), "more bytes than this machine"),
        (with("'<f4'", "(1000000000000,)", 4), "needs 4000000000000 bytes"),
        (with("'<f4'", "(-1,)", 4), "expected a dimension"),
        (with("'<f4'", "(1)", 4), "(n,)"),
        (with("'<f4'", &format!("({})", "1,".repeat(65)), 4), "65 dimensions"),
        (with("'f4'", "(1,)", 4), "byte order"),
        (with("'=f4'", "(1,)", 4), "byte order"),
        (with("'<f16'", "(1,)", 16), "element type \"<f16\""),
        (with("'<U4'", "(1,)", 16), "element type"),
        (with("'|O'", "(1,)", 16), "never run"),
        (with("'<V2'", "(1,)", 2), "safetensors"),
        (with("[('a', '<f4')]", "(1,)", 4), "a structure"),
        (file(1, &dict("'<f4'", "false", "(1,)"), &[0; 4]), "True or False"),
        (file(1, "{'descr': '<f4', 'fortran_order': False}", &[]), "all required"),
        (file(1, "{'descr': '<f4', 'descr': '<f4'}", &[]), "duplicate key"),
        (file(1, "{'other': 1}", &[]), "unknown key"),
        (file(1, "{'descr", &[]), "is not closed"),
        (file(1, &(dict("'<f4'", "False", "()") + "x"), &[0; 4]), "expected the end"),
        (file(2, &" ".repeat(70_000), &[]), "claims 70000 bytes"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec(), "claims 4294967295 bytes"),
    ];
    for (bytes, says) in rows {
        let text = fails(&bytes);
        assert!(text.contains(says), "says  {text}\nneeds {says}");
    }
}

#[test]
fn every_truncation_is_noticed() {
    let whole = file(1, &dict("'<f4'", "False", "(2,)"), &[0; 8]);
    for cut in 0..whole.len() {
        assert!(parse(&whole[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn what_is_written_reads_back_in_every_type_and_shape() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.npy");
    for dtype in DType::ALL {
        for shape in [&[][..], &[0], &[5], &[2, 0, 3], &[2, 3, 1]] {
            let count: usize = shape.iter().product();
            let bytes: Vec<u8> = (0..count * dtype.size()).map(|i| (i % 2) as u8).collect();
            let done = write(&path, dtype, shape, &bytes);
            if matches!(dtype, DType::BF16 | DType::F8E4M3 | DType::F8E5M2) {
                assert!(matches!(done, Err(NpyError::NoSuchType { .. })), "{dtype}");
                continue;
            }
            done.unwrap();
            let start = fs::metadata(&path).unwrap().len() as usize - bytes.len();
            assert_eq!(start % 64, 0, "{dtype} {shape:?}");
            assert_eq!(read(&path).unwrap(), NpyArray { dtype, shape: shape.to_vec(), bytes });
        }
    }
}

#[test]
fn bytes_that_do_not_fit_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.npy");
    for shape in [&[2usize][..], &[usize::MAX, 2]] {
        let error = write(&path, DType::F32, shape, &[0; 4]).unwrap_err();
        assert!(matches!(error, NpyError::WrongBytes { .. }), "{error}");
    }
    assert!(!path.exists());
}

#[test]
fn as_many_dimensions_as_the_format_has() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.npy");
    write(&path, DType::U8, &[1; 64], &[7]).unwrap();
    assert_eq!(read(&path).unwrap().shape, [1; 64]);
    assert!(matches!(write(&path, DType::U8, &[1; 65], &[7]), Err(NpyError::Header { .. })));
    let longest = header::encode("<c16", &[usize::MAX; 64]);
    assert_eq!(usize::from(u16::from_le_bytes([longest[8], longest[9]])), longest.len() - 10);
}
