//! Convolutions, matrix products (grouped and with packed weights), Fourier transforms and factorizations.

use crate::array::{MlxArray, sizes};
use crate::check::Check;
use crate::codes::{Combine, ElementType, Factorization, Fourier, Unary};
use crate::error::MlxError;
use crate::ffi::Ints;
use crate::ops::{Made, Ops, raw};
use std::ffi::CStr;

/// A convolution: `x` is [batch, spatial …, features], and the kernel [features out, spatial …, features in], with 1 to 3 spatial axes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Convolution {
    /// Strides of the window.
    pub strides: Vec<usize>,
    /// Zero padding before each spatial axis.
    pub low: Vec<usize>,
    /// Zero padding after each spatial axis.
    pub high: Vec<usize>,
    /// Window dilation: distances between taps of the kernel.
    pub kernel_dilation: Vec<usize>,
    /// Base dilation: distances between elements of x.
    pub input_dilation: Vec<usize>,
    /// Number of feature groups.
    pub groups: usize,
    /// Whether the kernel is flipped.
    pub flip: bool,
}

/// Weights packed for MLX, with rows along the contracted axis.
#[derive(Clone, Copy, Debug)]
pub struct PackedWeights<'a> {
    /// The codes, in 32-bit words.
    pub words: &'a MlxArray,
    /// One scale per group.
    pub scales: &'a MlxArray,
    /// One bias per group, which is added in affine mode.
    pub biases: Option<&'a MlxArray>,
    /// Weights per group.
    pub group: usize,
    /// Bits per code.
    pub bits: usize,
    /// `affine`, `mxfp4`, `mxfp8` or `nvfp4`.
    pub mode: &'static CStr,
}

impl PackedWeights<'_> {
    /// Returns group and bits as MLX represents them, if the mode has them and all sizes match: for x [.., k], words are [.., rows, k ·
    /// bits / 32] and scales (and biases) [.., rows, k / group], and none is empty.
    fn check(&self, check: Check<'_>, x: &MlxArray, rank: usize) -> Result<(i32, i32), MlxError> {
        let (groups, widths): (&[usize], &[usize]) = match self.mode.to_bytes() {
            b"affine" => (&[32, 64, 128], &[2, 3, 4, 5, 6, 8]),
            b"mxfp4" => (&[32], &[4]),
            b"mxfp8" => (&[32], &[8]),
            b"nvfp4" => (&[16], &[4]),
            mode => {
                let mode = mode.escape_ascii();
                return Err(check.error(format!("unknown mode {mode}; use affine, mxfp4, mxfp8 or nvfp4")));
            }
        };
        let (mode, group, bits) = (self.mode.to_string_lossy(), self.group, self.bits);
        check.that(groups.contains(&group) && widths.contains(&bits), || {
            format!("groups of {group} with {bits} bits are not {mode}; use groups of {groups:?} and bits of {widths:?}")
        })?;
        let (is_affine, words) = (self.mode == c"affine", self.words.dims());
        check.that(self.words.element_type() == ElementType::U32 && words.len() == rank, || {
            format!("words are {:?}; they must be U32 with {rank} axes", self.words)
        })?;
        check.not_empty(self.words)?;
        check.not_empty(x)?;
        let mut sizes = words.clone();
        let inner = words[rank - 1].checked_mul(32).map_or(0, |bits_of_row| bits_of_row / bits);
        sizes[rank - 1] = inner / group;
        let fits = inner.is_multiple_of(group) && words[rank - 1] * 32 == inner * bits;
        check.that(fits && self.scales.dims() == sizes, || {
            format!(
                "rows of {} words are {inner} weights; they must be whole groups, with scales {sizes:?}",
                words[rank - 1]
            )
        })?;
        let biases = self.biases.map(MlxArray::dims);
        check.that(biases == is_affine.then_some(sizes), || {
            format!("biases are {:?}; affine weights need biases with the sizes of the scales, other weights none", self.biases)
        })?;
        let (scales, biases) = (self.scales.element_type(), self.biases.map(MlxArray::element_type));
        let typed = if is_affine { scales.is_float() } else { scales == ElementType::U8 };
        check.that(typed && biases.is_none_or(|biases| biases == scales), || {
            format!("scales are {scales:?}, biases {biases:?}; both must have one floating-point type in affine mode, else U8")
        })?;
        let of_x = x.dims();
        check.that(of_x.len() >= 2 && of_x.last() == Some(&inner) && x.element_type().is_float(), || {
            format!("x is {x:?}; it must have floating-point rows of {inner}, and at least two axes")
        })?;
        Ok((dimension(group)?, dimension(bits)?))
    }
}

/// Converts a number to 32 bits, as MLX represents it.
fn dimension(number: usize) -> Result<i32, MlxError> {
    i32::try_from(number).map_err(|_| MlxError::TooLarge(number))
}

impl Ops<'_> {
    /// Checks that the sizes match and no array is empty, and that there is memory for what MLX allocates: x with its padding, and a row of
    /// products for each element of the result. Returns the convolution with strides and dilations limited to the sizes that they step
    /// over.
    fn check_convolution(
        &self,
        x: &MlxArray,
        kernel: &MlxArray,
        how: &Convolution,
    ) -> Result<Convolution, MlxError> {
        let check = Check::of("convolution", &[x, kernel]);
        let (dims, taps) = (x.dims(), kernel.dims());
        let spatial = dims.len().wrapping_sub(2);
        check.that((3..=5).contains(&dims.len()) && taps.len() == dims.len(), || {
            "x must be [batch, spatial …, features], the kernel of that rank; 1 to 3 axes are spatial".into()
        })?;
        check.not_empty(x)?;
        check.not_empty(kernel)?;
        let lists = [
            ("strides", &how.strides),
            ("sizes of padding before", &how.low),
            ("sizes of padding after", &how.high),
            ("dilations of the kernel", &how.kernel_dilation),
            ("dilations of x", &how.input_dilation),
        ];
        for (name, list) in lists {
            check.count(name, list.len(), "spatial axes", spatial)?;
        }
        check.positive("strides", &how.strides)?;
        check.positive("dilations of the kernel", &how.kernel_dilation)?;
        check.positive("dilations of x", &how.input_dilation)?;
        check.positive("groups", &[how.groups])?;
        let (inner, groups) = (taps[spatial + 1], how.groups);
        let fits = inner.checked_mul(groups) == Some(dims[spatial + 1]) && taps[0].is_multiple_of(groups);
        check.that(fits, || {
            format!(
                "{groups} groups do not fit; x needs {inner} features for each, the kernel a multiple of them"
            )
        })?;
        let mut fitting = how.clone();
        let (mut padded, mut rows) = (dims.clone(), vec![dims[0], dims[spatial + 1]]);
        for i in 0..spatial {
            let spread = |size: usize, step: usize| (size - 1).checked_mul(step)?.checked_add(1);
            let size = spread(dims[i + 1], how.input_dilation[i])
                .and_then(|size| size.checked_add(how.low[i])?.checked_add(how.high[i]));
            padded[i + 1] = check.dimension(size)?;
            let window = check.dimension(spread(taps[i + 1], how.kernel_dilation[i]))?;
            check.that(window <= padded[i + 1], || {
                format!(
                    "a window of {window} does not fit into {} with padding along axis {}",
                    padded[i + 1],
                    i + 1
                )
            })?;
            rows.extend([(padded[i + 1] - window) / how.strides[i] + 1, taps[i + 1]]);
            // Limits strides that step over the end, because MLX would take them as they are.
            fitting.strides[i] = how.strides[i].min(padded[i + 1]);
            if taps[i + 1] == 1 {
                fitting.kernel_dilation[i] = 1;
            }
            if dims[i + 1] == 1 {
                fitting.input_dilation[i] = 1;
            }
        }
        for made in [&padded, &rows] {
            self.check_room(check.bytes(made, x.element_type())?)?;
        }
        Ok(fitting)
    }

    /// Fails if the machine does not have this much memory.
    fn check_room(&self, bytes: usize) -> Result<(), MlxError> {
        const ROW: usize = 1 << 20;
        if bytes < 1 << 30 {
            return Ok(());
        }
        // MLX checks the size of this array like any other, although it is never computed.
        let row = self.scalar(&[0], ElementType::U8)?;
        self.broadcast_to(&row, &[bytes.div_ceil(ROW), ROW]).map(|_| ())
    }

    /// Computes a convolution.
    pub fn convolution(&self, x: &MlxArray, kernel: &MlxArray, how: &Convolution) -> Made {
        let how = &self.check_convolution(x, kernel, how)?;
        let (strides, low, high) = (sizes(&how.strides)?, sizes(&how.low)?, sizes(&how.high)?);
        let (kernel_dilation, input_dilation) = (sizes(&how.kernel_dilation)?, sizes(&how.input_dilation)?);
        let (groups, flip) = (dimension(how.groups)?, i32::from(how.flip));
        // SAFETY: the handles live, as do the slices; sizes match, and nothing that MLX divides by is 0.
        self.call(|t, s, out| unsafe {
            let (strides, low, high) = (Ints::of(&strides), Ints::of(&low), Ints::of(&high));
            let (taps, spread) = (Ints::of(&kernel_dilation), Ints::of(&input_dilation));
            (t.convolution)(x.raw(), kernel.raw(), strides, low, high, taps, spread, groups, flip, s, out)
        })
    }

    /// Multiplies matrices of a by matrices of b `[matrices, k, n]`, selected by indices that are clamped; `sorted` says that the indices
    /// do not decrease.
    pub fn gather_mm(&self, a: &MlxArray, b: &MlxArray, rhs: &MlxArray, sorted: bool) -> Made {
        let check = Check::of("gather_mm", &[a, b, rhs]);
        let (dims, rank) = (b.dims(), a.dims().len());
        check.that(dims.len() == 3 && rank >= 2, || {
            "a must have at least two axes, and b must be [matrices, k, n]".into()
        })?;
        check.integers(rhs)?;
        let rhs = self.inside(rhs, check.size(b, 0)?)?;
        // SAFETY: the handles live, and the indices are inside.
        self.call(|t, s, out| unsafe {
            (t.gather_mm)(a.raw(), b.raw(), rhs.raw(), i32::from(sorted), s, out)
        })
    }

    /// Multiplies x by the transpose of packed weights.
    pub fn quantized_matmul(&self, x: &MlxArray, w: PackedWeights<'_>) -> Made {
        let (group, bits) = w.check(Check::of("quantized_matmul", &[x, w.words, w.scales]), x, 2)?;
        // SAFETY: the handles live, as does the text; sizes match.
        self.call(|t, s, out| unsafe {
            let (words, scales, biases) = (w.words.raw(), w.scales.raw(), raw(w.biases));
            (t.quantized_matmul)(x.raw(), words, scales, biases, group, bits, w.mode.as_ptr(), s, out)
        })
    }

    /// Multiplies x by the transposes of packed matrices, selected by indices that are clamped.
    pub fn gather_qmm(&self, x: &MlxArray, w: PackedWeights<'_>, rhs: &MlxArray, sorted: bool) -> Made {
        let check = Check::of("gather_qmm", &[x, w.words, w.scales, rhs]);
        let ((group, bits), sorted) = (w.check(check, x, 3)?, i32::from(sorted));
        check.integers(rhs)?;
        let rhs = self.inside(rhs, check.size(w.words, 0)?)?;
        // SAFETY: the handles live, as does the text, and the indices are inside.
        self.call(|t, s, out| unsafe {
            let (words, scales, biases, mode) =
                (w.words.raw(), w.scales.raw(), raw(w.biases), w.mode.as_ptr());
            (t.gather_qmm)(x.raw(), words, scales, biases, rhs.raw(), group, bits, mode, sorted, s, out)
        })
    }

    // ---- Fourier transforms and linear algebra

    /// Computes a Fourier transform with `lengths` along `axes`.
    pub fn fourier(&self, kind: Fourier, a: &MlxArray, lengths: &[usize], axes: &[usize]) -> Made {
        let check = Check::of("fourier", &[a]);
        check.count("lengths", lengths.len(), "axes", axes.len())?;
        check.that(!axes.is_empty(), || "there are no axes; give at least one".into())?;
        check.positive("lengths", lengths)?;
        check.not_empty(a)?;
        let (lengths, axes) = (sizes(lengths)?, check.axes(axes, a.dims().len())?);
        // SAFETY: the handle lives, as do the slices.
        self.call(|t, s, out| unsafe {
            (t.fft)(kind.code(), a.raw(), Ints::of(&lengths), Ints::of(&axes), s, out)
        })
    }

    /// Factorizes matrices on the CPU. For matrices with numbers that are not finite, singular values and eigenvalues are NaN, and so are
    /// their vectors: LAPACK may not terminate for such matrices, so it is given zeros.
    pub fn factorize(&self, kind: Factorization, a: &MlxArray) -> Result<Vec<MlxArray>, MlxError> {
        let (check, dims) = (Check::of("factorize", &[a]), a.dims());
        let Some(lead) = dims.len().checked_sub(2) else {
            return Err(check.error("a must have at least two axes"));
        };
        check.not_empty(a)?;
        if !matches!(kind, Factorization::Svd | Factorization::EighLower | Factorization::EighUpper) {
            return self.factors(kind, a);
        }
        let bad = self.unary(Unary::LogicalNot, &self.unary(Unary::IsFinite, a)?)?;
        let bad = self.reduce(Combine::Any, &bad, &[lead, lead + 1])?;
        let marks = |rank: usize| {
            let ones = std::iter::repeat_n(1, rank.saturating_sub(lead));
            self.reshape(&bad, &dims[..lead].iter().copied().chain(ones).collect::<Vec<_>>())
        };
        let finite = self.select(&marks(dims.len())?, &self.number_like(0, a)?, a)?;
        let mark = |made: MlxArray| {
            let nan = self.scalar(&f32::NAN.to_le_bytes(), ElementType::F32)?;
            self.select(&marks(made.dims().len())?, &self.astype(&nan, made.element_type())?, &made)
        };
        self.factors(kind, &finite)?.into_iter().map(mark).collect()
    }

    fn factors(&self, kind: Factorization, a: &MlxArray) -> Result<Vec<MlxArray>, MlxError> {
        let (mut made, mut count) = ([std::ptr::null_mut(); 4], 0);
        // SAFETY: the handle lives, and there is room for four results.
        let status = unsafe {
            let (table, s) = (self.mlx().table(), self.cpu().raw());
            (table.factorize)(kind.code(), a.raw(), s, made.as_mut_ptr(), made.len(), &raw mut count)
        };
        self.mlx().checked(status)?;
        // SAFETY: `count` owned handles were written.
        made.into_iter().take(count).map(|raw| unsafe { MlxArray::owned(self.mlx(), raw) }).collect()
    }
}
