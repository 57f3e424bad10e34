//! Compares attention over caches of fixed capacity with the evaluator: lengths, how keys and values are stored, what is read, and caches
//! that are appended to in place.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, run, ways};
use rlx_compile::{Alias, CompileOptions, Decision};
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_exec::{Arguments, Backend, Buffer, Value, compile, lower};
use rlx_ir::eval::Scalar;
use rlx_ir::{AttentionOptions, Bindings, Builder, DType, Graph, Literal, MaskKind, Op, QuantScheme, Shape};

/// As for attention without lengths: results are means of values of about 1.
const TOLERANCE: Tolerance = Tolerance::Close { absolute: 4e-6, relative: 2e-6 };

/// How keys or values are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stored {
    As(DType),
    Packed(QuantScheme),
}

const SINGLE: Stored = Stored::As(DType::F32);

#[derive(Clone, Debug)]
struct Case {
    heads: usize,
    kv_heads: usize,
    queries: usize,
    capacity: usize,
    d: usize,
    dv: usize,
    /// One for each sequence, or one for all.
    lengths: Vec<i128>,
    batch: usize,
    of_lengths: DType,
    k: Stored,
    v: Stored,
    mask: MaskKind,
    window: Option<usize>,
    softcap: Option<f64>,
    rank: usize,
}

fn case(queries: usize, capacity: usize, lengths: &[i128]) -> Case {
    Case {
        heads: 4,
        kv_heads: 2,
        queries,
        capacity,
        d: 20,
        dv: 12,
        lengths: lengths.to_vec(),
        batch: lengths.len(),
        of_lengths: DType::I32,
        k: SINGLE,
        v: SINGLE,
        mask: MaskKind::Causal,
        window: None,
        softcap: None,
        rank: 4,
    }
}

impl Case {
    fn dims(&self, heads: usize, seq: usize, row: usize) -> Vec<usize> {
        match self.rank {
            3 => vec![self.batch, seq, heads * row],
            _ => vec![self.batch, heads, seq, row],
        }
    }

    fn length(&self, batch: usize) -> usize {
        let own = self.lengths[batch.min(self.lengths.len() - 1)];
        own.clamp(0, self.capacity as i128) as usize
    }

    /// Returns keys or values, with NaN in the rows that do not count.
    fn cache(&self, stored: Stored, width: usize, random: &mut SplitMix64) -> Literal {
        let (row, dtype) = match stored {
            Stored::As(dtype) => (width, dtype),
            Stored::Packed(scheme) => (width / scheme.block_len() * scheme.block_bytes(), DType::U8),
        };
        let dims = self.dims(self.kv_heads, self.capacity, row);
        let counts = |i: usize| {
            let own = i % (self.kv_heads * self.capacity * row);
            let at = if self.rank == 3 { own / (self.kv_heads * row) } else { own / row % self.capacity };
            at < self.length(i / (self.kv_heads * self.capacity * row))
        };
        literal(&dims, dtype, |i| match stored {
            Stored::As(_) if counts(i) => Scalar::Float(random.unit() * 2.0 - 1.0),
            Stored::As(_) => Scalar::Float(f64::NAN),
            // Scales of 1/64 to 1/128, or NaN; anything else as numbers.
            Stored::Packed(scheme) => Scalar::Int(match i % row % scheme.block_bytes() {
                0 => (random.bits() % 256) as i128,
                1 if counts(i) => 0x20,
                1 => 0x7e,
                _ => (random.bits() % 256) as i128,
            }),
        })
    }

    fn options(&self) -> AttentionOptions {
        let kv_scheme = [self.k, self.v].into_iter().find_map(|stored| match stored {
            Stored::Packed(scheme) => Some(scheme),
            Stored::As(_) => None,
        });
        AttentionOptions {
            num_heads: (self.rank == 3).then_some(self.heads),
            num_kv_heads: (self.rank == 3).then_some(self.kv_heads),
            scale: None,
            mask: self.mask,
            window: self.window,
            softcap: self.softcap,
            kv_scheme,
        }
    }

    fn op(&self) -> Op {
        self.options().op()
    }

    fn values(&self, random: &mut SplitMix64) -> Vec<(&'static str, Literal)> {
        let numbers = |dims: &[usize], random: &mut SplitMix64| {
            literal(dims, DType::F32, |_| Scalar::Float(random.unit() * 2.0 - 1.0))
        };
        let mut values = vec![
            ("q", numbers(&self.dims(self.heads, self.queries, self.d), random)),
            ("k", self.cache(self.k, self.d, random)),
            ("v", self.cache(self.v, self.dv, random)),
        ];
        let keys = [self.batch, self.capacity];
        let beyond = |i: usize| i % self.capacity >= self.length(i / self.capacity);
        match self.mask {
            MaskKind::Custom => {
                let mask = literal(&keys, DType::Bool, |_| Scalar::Int(i128::from(random.below(3) > 0)));
                values.push(("mask", mask));
            }
            MaskKind::Bias => {
                let bias = literal(&keys, DType::F32, |i| {
                    Scalar::Float(if beyond(i) { f64::NAN } else { random.unit() })
                });
                values.push(("mask", bias));
            }
            _ => {}
        }
        let count: &[usize] = if self.lengths.len() == 1 { &[] } else { &[self.batch] };
        values.push(("kv_len", literal(count, self.of_lengths, |i| Scalar::Int(self.lengths[i]))));
        values
    }

    fn check(&self, random: &mut SplitMix64) {
        let values = self.values(random);
        let named: Vec<(&str, &Literal)> = values.iter().map(|(name, x)| (*name, x)).collect();
        check(&graph(self.op(), &named), &named, TOLERANCE);
    }
}

fn graph(op: Op, values: &[(&str, &Literal)]) -> Graph {
    let builder = Builder::new("cache");
    let inputs: Vec<_> = values.iter().map(|(name, x)| builder.input(*name, x.shape().clone())).collect();
    let results = builder.apply_many(op, &inputs.iter().collect::<Vec<_>>());
    builder.finish(&results.iter().collect::<Vec<_>>()).unwrap()
}

const MASKS: [(MaskKind, Option<usize>); 5] = [
    (MaskKind::None, None),
    (MaskKind::Causal, None),
    (MaskKind::SlidingWindow, Some(7)),
    (MaskKind::Custom, None),
    (MaskKind::Bias, None),
];

#[test]
fn lengths_of_each_sequence_with_every_mask() {
    let mut random = SplitMix64::new(1);
    // Few rows and many; capacities around those of a run and of a span of keys.
    for (queries, capacity) in [(1, 1), (1, 37), (3, 37), (4, 256), (5, 37), (40, 61), (140, 300)] {
        let full = capacity as i128;
        for (mask, window) in MASKS {
            for rank in [3, 4] {
                let lengths = [0, full, 1, full / 2, full - 1];
                Case { mask, window, rank, ..case(queries, capacity, &lengths) }.check(&mut random);
            }
        }
    }
}

#[test]
fn few_queries_over_several_spans() {
    let mut random = SplitMix64::new(2);
    for (queries, capacity) in [(1, 512), (1, 513), (2, 1100), (4, 1537)] {
        let full = capacity as i128;
        for (mask, window) in MASKS {
            let softcap = (queries == 2).then_some(2.0);
            let window = window.map(|_| 600);
            let lengths = [full, 0, 512.min(full), 700.min(full)];
            Case { mask, window, softcap, ..case(queries, capacity, &lengths) }.check(&mut random);
        }
    }
    let one_head = Case { heads: 8, kv_heads: 1, d: 64, dv: 80, ..case(1, 1030, &[1030, 515]) };
    one_head.check(&mut random);
}

/// Rows of −∞ in one span, in all, and NaN in one.
#[test]
fn spans_that_say_nothing_change_nothing() {
    let mut random = SplitMix64::new(3);
    let keys = 1300;
    let numbers = |dims: &[usize], random: &mut SplitMix64| {
        literal(dims, DType::F32, |_| Scalar::Float(random.unit() * 2.0 - 1.0))
    };
    let q = numbers(&[5, 1, 1, 8], &mut random);
    let (k, v) = (numbers(&[5, 1, keys, 8], &mut random), numbers(&[5, 1, keys, 8], &mut random));
    let none = f64::NEG_INFINITY;
    let bias = literal(&[5, keys], DType::F32, |i| {
        Scalar::Float(match (i / keys, i % keys) {
            (0, 0..600) | (1, 700..) | (2, _) => none,
            (3, 900) => f64::NAN,
            (4, 3) => f64::INFINITY,
            _ => random.unit(),
        })
    });
    let op = AttentionOptions { mask: MaskKind::Bias, ..Default::default() }.op();
    let named = [("q", &q), ("k", &k), ("v", &v), ("bias", &bias)];
    check(&graph(op, &named), &named, TOLERANCE);
    // Without a mask, no row gives zeros: if all scores are −∞, the result is NaN.
    let far = literal(&[5, 1, keys, 8], DType::F32, |_| Scalar::Float(none));
    let ones = literal(&[5, 1, 1, 8], DType::F32, |_| Scalar::Float(1.0));
    let named = [("q", &ones), ("k", &far), ("v", &v)];
    check(&graph(AttentionOptions::default().op(), &named), &named, TOLERANCE);
}

/// Returns the bytes of rows `rows` of `[1, heads, queries, d]`.
fn rows_of(x: &Literal, rows: std::ops::Range<usize>) -> Vec<u8> {
    let [_, heads, queries, d] = x.shape().static_dims().unwrap()[..] else { panic!("four axes") };
    let row = d * size_of::<f32>();
    let of_head =
        |head: usize| &x.bytes()[(head * queries + rows.start) * row..(head * queries + rows.end) * row];
    (0..heads).flat_map(of_head).copied().collect()
}

/// A sequence that is read at once or one position at a time has the same bits, for each storage and each mask by position.
#[test]
fn a_row_is_the_same_among_few_and_many() {
    let mut random = SplitMix64::new(9);
    let stored = [SINGLE, Stored::As(DType::F16), Stored::Packed(QuantScheme::Q8_0)];
    let masks = [(MaskKind::Causal, None), (MaskKind::SlidingWindow, Some(300))];
    let mut runs = 0;
    for (stored, (mask, window)) in stored.into_iter().flat_map(|stored| masks.map(|mask| (stored, mask))) {
        for (heads, kv_heads, d) in [(4, 2, 64), (2, 1, 96), (18, 9, 32)] {
            let (queries, keys) = (140, 1300);
            let many = Case {
                heads,
                kv_heads,
                mask,
                window,
                d,
                dv: d,
                k: stored,
                v: stored,
                ..case(queries, keys, &[keys as i128])
            };
            let values = many.values(&mut random);
            let named: Vec<(&str, &Literal)> = values.iter().map(|(name, x)| (*name, x)).collect();
            for options in ways() {
                let whole = &run(&graph(many.op(), &named), &named, &options)[0];
                for (first, count) in [(0, 1), (139, 1), (100, 3), (57, 2)] {
                    let own = first..first + count;
                    let q = Literal::from_bytes(
                        &Shape::new(&[1, heads, count, d], DType::F32),
                        &rows_of(named[0].1, own.clone()),
                    );
                    let length = Literal::new(&[], &[(keys - queries + own.end) as i32]).unwrap();
                    let few = [("q", &q.unwrap()), named[1], named[2], ("kv_len", &length)];
                    let part = &run(&graph(many.op(), &few), &few, &options)[0];
                    assert!(
                        part.bytes() == rows_of(whole, own.clone()),
                        "{own:?} of {many:?} by {options:?}"
                    );
                    runs += 1;
                }
            }
        }
    }
    assert!(runs >= 72, "{runs}");
}

#[test]
fn lengths_of_every_type_and_value() {
    let mut random = SplitMix64::new(4);
    for dtype in
        [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64]
    {
        let (low, high) = dtype.int_range().unwrap();
        for queries in [1, 9] {
            let of_each = case(queries, 37, &[low, high, 20, 0, 37]);
            Case { of_lengths: dtype, ..of_each }.check(&mut random);
            let of_all = case(queries, 37, &[high.min(30)]);
            Case { of_lengths: dtype, batch: 3, ..of_all }.check(&mut random);
        }
    }
}

/// Returns whether the op itself runs rather than its decomposition.
fn runs_whole(graph: &Graph) -> bool {
    let lowered = lower(graph, &[], &CpuBackend, &CompileOptions::new()).unwrap();
    let native = lowered.report().is_none_or(|r| r.count(Decision::CommonIr) == 0);
    native && lowered.graph().nodes().iter().any(|n| matches!(n.op(), Op::Attention { .. }))
}

const FLOATS: [(Stored, Stored); 5] = [
    (Stored::As(DType::F16), Stored::As(DType::F16)),
    (Stored::As(DType::BF16), Stored::As(DType::BF16)),
    (Stored::As(DType::F16), SINGLE),
    (SINGLE, Stored::As(DType::BF16)),
    (Stored::As(DType::BF16), Stored::As(DType::F16)),
];

#[test]
fn narrow_caches_are_read_as_they_are() {
    let mut random = SplitMix64::new(5);
    for (k, v) in FLOATS {
        for (queries, capacity, d, dv) in
            [(1, 37, 20, 12), (2, 700, 64, 33), (11, 290, 20, 12), (7, 70, 96, 96)]
        {
            for rank in [3, 4] {
                let full = capacity as i128;
                let own = Case { k, v, d, dv, rank, ..case(queries, capacity, &[full, 0, full / 3, 17]) };
                own.check(&mut random);
                let values = own.values(&mut random);
                let named: Vec<(&str, &Literal)> = values.iter().map(|(name, x)| (*name, x)).collect();
                assert!(runs_whole(&graph(own.op(), &named)), "{own:?}");
            }
        }
    }
}

#[test]
fn packed_caches_are_read_as_they_are() {
    let mut random = SplitMix64::new(6);
    for scheme in [QuantScheme::Q8_0, QuantScheme::Q4_0] {
        let packed = Stored::Packed(scheme);
        for (queries, capacity, d, dv) in [(1, 37, 32, 64), (2, 700, 64, 32), (11, 290, 32, 32)] {
            for rank in [3, 4] {
                let full = capacity as i128;
                let lengths = [full, 0, full / 3, 17];
                let own = Case { k: packed, v: packed, d, dv, rank, ..case(queries, capacity, &lengths) };
                own.check(&mut random);
                let values = own.values(&mut random);
                let named: Vec<(&str, &Literal)> = values.iter().map(|(name, x)| (*name, x)).collect();
                assert!(runs_whole(&graph(own.op(), &named)), "{own:?}");
            }
        }
    }
    // With two heads in one block, only the decomposition can separate them.
    let q = literal(&[2, 1, 64], DType::F32, |_| Scalar::Float(random.unit()));
    let cache = |random: &mut SplitMix64| {
        literal(&[2, 9, 68], DType::U8, |i| {
            Scalar::Int(if i % 34 == 1 { 0x20 } else { random.below(256) as i128 })
        })
    };
    let (k, v) = (cache(&mut random), cache(&mut random));
    let options =
        AttentionOptions { num_heads: Some(4), kv_scheme: Some(QuantScheme::Q8_0), ..Default::default() };
    let named = [("q", &q), ("k", &k), ("v", &v)];
    let shared = graph(options.op(), &named);
    check(&shared, &named, TOLERANCE);
    assert!(!runs_whole(&shared));
}

#[test]
fn heads_of_no_size_and_caches_of_no_row() {
    let mut random = SplitMix64::new(7);
    for queries in [1, 12] {
        Case { d: 0, ..case(queries, 9, &[9, 3]) }.check(&mut random);
        Case { dv: 0, ..case(queries, 9, &[9, 3]) }.check(&mut random);
        case(queries, 0, &[9, 3]).check(&mut random);
        Case { heads: 0, kv_heads: 0, ..case(queries, 9, &[9, 3]) }.check(&mut random);
    }
}

#[test]
fn derivatives_of_rows_that_do_not_count_are_zeros() {
    let mut random = SplitMix64::new(8);
    for (mask, window) in &MASKS[..4] {
        for (queries, capacity) in [(1, 37), (5, 37), (70, 140)] {
            for rank in [3, 4] {
                let full = capacity as i128;
                let forward = Case {
                    mask: *mask,
                    window: *window,
                    rank,
                    ..case(queries, capacity, &[full, 0, 5, full - 1])
                };
                let mut values = forward.values(&mut random);
                let d_out = literal(&forward.dims(forward.heads, queries, forward.dv), DType::F32, |_| {
                    Scalar::Float(random.unit() * 2.0 - 1.0)
                });
                values.insert(3, ("d_out", d_out));
                let op = Op::AttentionBackward { options: forward.options().unpacked() };
                let named: Vec<(&str, &Literal)> = values.iter().map(|(name, x)| (*name, x)).collect();
                // Cotangents of keys are sums over queries.
                let tolerance = Tolerance::Close { absolute: 2e-5, relative: 1e-5 };
                check(&graph(op, &named), &named, tolerance);
            }
        }
    }
}

/// Caches whose rows beyond the length lie after the end of a file, so that reading them ends the process.
#[cfg(unix)]
mod unreadable {
    use super::*;
    use std::fs::File;
    use std::io::Write;

    const PAGE: usize = 1 << 16;

    /// Maps two pages, the second of which is not in the file. The first ends with `bytes`.
    fn mapped(name: &str, bytes: &[u8]) -> memmap2::Mmap {
        let path = std::env::temp_dir().join(format!("rlx-attention-{name}-{}", std::process::id()));
        let mut file = File::create_new(&path).unwrap();
        file.write_all(&vec![0; PAGE - bytes.len()]).unwrap();
        file.write_all(bytes).unwrap();
        drop(file);
        let file = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        // SAFETY: the file no longer has a name, so nobody changes it.
        unsafe { memmap2::MmapOptions::new().len(2 * PAGE).map(&file).unwrap() }
    }

    #[test]
    fn no_row_beyond_the_length_is_read() {
        let mut random = SplitMix64::new(9);
        let kinds = [
            (SINGLE, 1),
            (Stored::As(DType::F16), 2),
            (Stored::As(DType::BF16), 3),
            (Stored::Packed(QuantScheme::Q8_0), 4),
            (Stored::Packed(QuantScheme::Q4_0), 5),
        ];
        // For 32 keys, rows of all kinds are whole cache lines.
        for (stored, number) in kinds {
            for (queries, length) in [(1, 32), (1, 96), (3, 64), (30, 96)] {
                let own = Case {
                    heads: 1,
                    kv_heads: 1,
                    d: 32,
                    dv: 32,
                    k: stored,
                    v: stored,
                    ..case(queries, length as usize + 100, &[length])
                };
                let values = own.values(&mut random);
                let named: Vec<(&str, &Literal)> = values.iter().map(|(name, x)| (*name, x)).collect();
                let graph = graph(own.op(), &named);
                for options in ways() {
                    let expected = run(&graph, &named, &options);
                    let maps: Vec<memmap2::Mmap> = [1, 2]
                        .iter()
                        .map(|&i: &usize| {
                            let bytes = values[i].1.bytes();
                            let counted = bytes.len() / own.capacity * length as usize;
                            mapped(&format!("{number}-{queries}-{length}-{i}"), &bytes[..counted])
                        })
                        .collect();
                    let whole = |i: usize| {
                        let bytes = values[i].1.bytes().len();
                        let counted = bytes / own.capacity * length as usize;
                        &maps[i - 1][PAGE - counted..PAGE - counted + bytes]
                    };
                    let mut executable =
                        compile(&graph, &Bindings::new(), &CpuBackend, &options).unwrap().executable;
                    executable
                        .run_on_host(&[values[0].1.bytes(), whole(1), whole(2), values[3].1.bytes()])
                        .unwrap();
                    assert!(executable.output(0).unwrap() == expected[0].bytes());
                }
            }
        }
    }
}

/// A step of a decoder: caches that are appended to, and attention over them.
fn step(b: &Builder, position: Shape, dtype: DType) -> Graph {
    let cache = Shape::new(&[3, 2, 512, 64], dtype);
    let new = Shape::new(&[3, 2, 1, 64], dtype);
    let (k, v) = (b.input("out0", cache.clone()), b.input("out1", cache));
    let (new_k, new_v) = (b.input("k", new.clone()), b.input("v", new));
    let at = b.input("at", position);
    let (k, v) = (k.kv_append(&new_k, &at, 2), v.kv_append(&new_v, &at, 2));
    let q = b.input("q", Shape::new(&[3, 4, 1, 64], DType::F32));
    let length = &at + &b.int(1, DType::I32);
    let options = AttentionOptions { mask: MaskKind::Causal, ..Default::default() };
    let out = q.attention_cached(&k, &v, &length, None, options);
    b.clone().finish(&[&k, &v, &out]).unwrap()
}

#[test]
fn caches_are_appended_to_in_place() {
    for (position, dtype) in [
        (Shape::new(&[3], DType::I32), DType::F32),
        (Shape::new(&[3], DType::I32), DType::F16),
        (Shape::scalar(DType::I32), DType::BF16),
    ] {
        let graph = step(&Builder::new("step"), position.clone(), dtype);
        let mut random = SplitMix64::new(10);
        let names: Vec<String> = graph.inputs().map(|n| n.name().unwrap_or_default().to_string()).collect();
        let mut values: Vec<Literal> = graph
            .inputs()
            .map(|n| {
                let dims = n.shape().static_dims().unwrap();
                literal(&dims, n.shape().dtype(), |_| Scalar::Float(random.unit() * 2.0 - 1.0))
            })
            .collect();
        let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(1));
        let aliases = [0, 1].map(|i| Alias { output: i, input: i });
        let lowered = lower(&graph, &aliases, &CpuBackend, &options).unwrap();
        let mut executable = CpuBackend.prepare(lowered, &CpuBackend.queue(0).unwrap()).unwrap();
        executable.bind(&Bindings::new()).unwrap();
        let caches: usize = values[..2].iter().map(|x| x.bytes().len()).sum();
        let mut state = [0, 1].map(|i| Buffer::from_bytes(values[i].bytes()).unwrap());
        for time in 0..3 {
            let at = names.iter().position(|n| n == "at").unwrap();
            let positions: Vec<i128> =
                if position.rank() == 0 { vec![5 + time] } else { vec![time, 510 + time, 7] };
            values[at] = literal(&position.static_dims().unwrap(), DType::I32, |i| Scalar::Int(positions[i]));
            let given: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&values).collect();
            let expected = rlx_ir::eval(&graph, &given).unwrap();
            let mut inputs: Vec<Value<'_>> = values.iter().map(|x| Value::Host(x.bytes())).collect();
            inputs[..2].copy_from_slice(&[Value::State(0), Value::State(1)]);
            executable.run(Arguments { inputs: &inputs, state: &mut state, outputs: &mut [] }).unwrap();
            let arena = executable.arena().1;
            assert!(arena < caches / 8, "the arena has {arena} bytes in addition to caches of {caches}");
            for (i, expected) in expected.iter().enumerate() {
                let bytes = match state.get(i) {
                    Some(buffer) => buffer.host().unwrap(),
                    None => executable.output(i).unwrap(),
                };
                let got = Literal::from_bytes(expected.shape(), bytes).unwrap();
                let tolerance = if i < 2 { Tolerance::Exact } else { TOLERANCE };
                harness::compare(&got, expected, tolerance).unwrap();
            }
            let caches: Vec<Literal> = expected[..2].to_vec();
            values.splice(..2, caches);
        }
    }
}
