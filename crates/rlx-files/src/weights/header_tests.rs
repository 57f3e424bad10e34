//! Every way in which a header can be wrong, with the reference reader as the judge of what we accept.

use super::*;

/// Makes a file with this JSON as its header and `data` zero bytes after it.
fn file(json: &str, data: usize) -> Vec<u8> {
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(json.as_bytes());
    bytes.resize(bytes.len() + data, 0);
    bytes
}

fn one(dtype: &str, shape: &str, begin: u64, end: u64) -> String {
    format!(r#""t":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}"#)
}

fn fails(json: &str, data: usize) -> String {
    let error = parse(&file(json, data)).expect_err(json);
    let mut text = format!("{error:?} | {error}");
    if let Some(source) = std::error::Error::source(&error) {
        text.push_str(&format!(" | {source}"));
    }
    text
}

#[test]
fn a_sound_header_is_read_whole() {
    let json = r#"{"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,2],"data_offsets":[2,18]},
        "a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},"z":{"dtype":"I8","shape":[0,7],"data_offsets":[2,2]}}  "#;
    let header = parse(&file(json, 18)).unwrap();
    assert_eq!(header.metadata["format"], "pt");
    let start = 8 + json.len();
    let b = &header.entries[0];
    assert_eq!((b.name.as_str(), b.shape.as_slice()), ("b", [2, 2].as_slice()));
    assert_eq!(b.bytes, start + 2..start + 18);
    assert_eq!(header.entries[1].stored.dtype(), Some(rlx_ir::DType::BF16));
    assert!(header.entries[2].bytes.is_empty());
    assert!(safetensors::SafeTensors::deserialize(&file(json, 18)).is_ok());
}

#[test]
fn an_empty_object_is_an_empty_file() {
    assert!(parse(&file("{}", 0)).unwrap().entries.is_empty());
}

#[test]
fn lengths_that_lie() {
    assert!(matches!(parse(&[]), Err(HeaderError::TooShort { len: 0 })));
    assert!(matches!(parse(&[1; 7]), Err(HeaderError::TooShort { len: 7 })));
    assert!(matches!(parse(&[0xff; 64]), Err(HeaderError::HeaderTooLarge { claimed: u64::MAX })));
    let mut large = (MAX_HEADER + 1).to_le_bytes().to_vec();
    large.extend_from_slice(b"{}");
    assert!(matches!(parse(&large), Err(HeaderError::HeaderTooLarge { .. })));
    let whole = file("{}", 0);
    assert!(matches!(parse(&whole[..9]), Err(HeaderError::HeaderTruncated { claimed: 2, present: 1 })));
    assert!(matches!(parse(&0u64.to_le_bytes()), Err(HeaderError::Json(_))));
}

/// Each row has JSON, the number of bytes of data, and what the error must contain.
#[test]
fn statements_that_lie() {
    let t = |dtype, shape, b, e| format!("{{{}}}", one(dtype, shape, b, e));
    let max = u64::MAX;
    let rank65 = format!("[{}]", vec!["1"; 65].join(","));
    let rows: Vec<(String, usize, &str)> = vec![
        ("[]".into(), 0, "first character"),
        (" {}".into(), 0, "first character"),
        ("{} x".into(), 0, "trailing characters"),
        ("{\"t\":3}".into(), 0, "tensor \\\"t\\\": invalid type"),
        ("{\"t\":{\"dtype\":\"F32\",\"shape\":[1]}}".into(), 0, "missing field `data_offsets`"),
        (t("F31", "[1]", 0, 4), 4, "unknown element type \"F31\""),
        (t("F32", "[-1]", 0, 4), 4, "tensor \\\"t\\\": invalid value: integer `-1`"),
        (t("F32", "[1.5]", 0, 4), 4, "invalid type: floating point"),
        (t("F32", &rank65, 0, 4), 4, "more than 64 dimensions"),
        (t("F32", "[1]", 0, 4).replace("}}", r#","scale":2}}"#), 4, "unknown field `scale`"),
        (
            t("F32", "[1]", 0, 4).replace("\"shape\"", "\"dtype\":\"F32\",\"shape\""),
            4,
            "duplicate field `dtype`",
        ),
        (t("F32", &format!("[{max},2]"), 0, 4), 4, "SizeOverflow"),
        (t("F64", &format!("[{}]", max / 4), 0, 4), 4, "SizeOverflow"),
        (t("F32", &format!("[{max},{max},0]"), 0, 0), 0, "SizeOverflow"),
        (t("F4", "[3]", 0, 2), 2, "PartialByte"),
        (t("F32", "[1]", 4, 0), 4, "Backwards"),
        (t("F32", "[2]", 0, 4), 4, "needs 8 bytes, but its offsets span 4"),
        (t("F32", "[1]", 4, 8), 4, "DataTruncated"),
        (t("U8", &format!("[{}]", max / 8), 0, max / 8), 4, "DataTruncated"),
        (t("F32", "[1]", 0, 4), 3, "truncated"),
        (t("F32", "[1]", 4, 8), 8, "bytes 0 to 4 of the data do not belong to any tensor"),
        (t("F32", "[1]", 0, 4), 5, "bytes 4 to 5 of the data do not belong to any tensor"),
        (format!("{{{},{}}}", one("F32", "[1]", 0, 4), one("F32", "[1]", 0, 4)), 4, "listed twice"),
        (
            format!("{{{},{}}}", one("F32", "[2]", 0, 8), one("F32", "[2]", 4, 12).replace("\"t\"", "\"u\"")),
            12,
            "\"t\" and \"u\" overlap at byte 4",
        ),
        (
            format!("{{{},{}}}", one("U8", "[8]", 0, 8), one("U8", "[0]", 4, 4).replace("\"t\"", "\"u\"")),
            8,
            "overlap",
        ),
        (r#"{"__metadata__":{"a":1}}"#.into(), 0, "expected a string"),
        (r#"{"__metadata__":{},"__metadata__":{}}"#.into(), 0, "duplicate field"),
    ];
    for (json, data, says) in rows {
        let text = fails(&json, data);
        assert!(text.contains(says), "{json}\n  says  {text}\n  needs {says}");
    }
}

#[test]
fn invalid_utf8_in_the_header_is_an_error() {
    let mut bytes = file(r#"{"a#":{}}"#, 0);
    bytes[10] = 0xff;
    assert!(matches!(parse(&bytes), Err(HeaderError::Json(_))));
}

#[test]
fn deep_nesting_is_refused_without_recursion() {
    let json = format!("{{\"t\":{}", "[".repeat(200_000));
    assert!(matches!(parse(&file(&json, 0)), Err(HeaderError::Json(_))));
}

#[test]
fn hostile_names_do_not_fill_the_screen() {
    let name = "\\u001b[2J".repeat(10_000);
    let entry = format!(r#""{name}":{{"dtype":"X","shape":[],"data_offsets":[0,0]}}"#);
    let Err(error) = parse(&file(&format!("{{{entry}}}"), 0)) else { panic!("must fail") };
    let text = error.to_string();
    assert!(text.len() < 1200 && !text.contains('\u{1b}'), "{} bytes", text.len());
}

/// Truncating a valid file anywhere is an error, never a panic and never a shorter file.
#[test]
fn every_truncation_is_noticed() {
    let whole = file(&format!("{{{}}}", one("F32", "[4]", 0, 16)), 16);
    for cut in 0..whole.len() {
        assert!(parse(&whole[..cut]).is_err(), "cut at {cut}");
    }
    assert!(parse(&whole).is_ok());
}
