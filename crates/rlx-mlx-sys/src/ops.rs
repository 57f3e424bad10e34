//! The functions that make arrays of arrays.

use crate::array::{MlxArray, sizes};
use crate::codes::{Binary, Combine, ElementType, Factorisation, Fourier, Unary};
use crate::error::MlxError;
use crate::ffi::{ArrayPtr, Ints, RawStream, Table};
use crate::function::is_tracing;
use crate::load::Mlx;
use crate::runtime::Stream;
use std::ffi::CStr;

pub(crate) type Made = Result<MlxArray, MlxError>;

/// What a slice takes: from `starts` to before `stops`, every `strides`-th.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slices {
    /// The first index of each axis.
    pub starts: Vec<usize>,
    /// The index behind the last one of each axis.
    pub stops: Vec<usize>,
    /// Steps.
    pub strides: Vec<usize>,
}

impl Slices {
    /// Adds an axis.
    pub fn push(&mut self, start: usize, stop: usize, stride: usize) {
        self.starts.push(start);
        self.stops.push(stop);
        self.strides.push(stride);
    }
}

/// A convolution: `x` is [batch, spatial …, features], the kernel [features out, spatial …, features in]; 1 to 3 spatial axes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Convolution {
    /// Steps of the kernel.
    pub strides: Vec<usize>,
    /// Zeros in front of each spatial axis.
    pub low: Vec<usize>,
    /// Zeros behind each spatial axis.
    pub high: Vec<usize>,
    /// Distances between taps of the kernel.
    pub kernel_dilation: Vec<usize>,
    /// Distances at which elements of x are laid out.
    pub input_dilation: Vec<usize>,
    /// Groups of features.
    pub groups: usize,
    /// Whether the kernel is reversed.
    pub flip: bool,
}

/// Weights that are packed for MLX: rows along the contracted axis.
#[derive(Clone, Copy, Debug)]
pub struct PackedWeights<'a> {
    /// Codes in words of 32 bits.
    pub words: &'a MlxArray,
    /// A scale per group.
    pub scales: &'a MlxArray,
    /// A number per group that is added, in affine mode.
    pub biases: Option<&'a MlxArray>,
    /// Weights of a group.
    pub group: usize,
    /// Bits of a code.
    pub bits: usize,
    /// `affine`, `mxfp4`, `mxfp8` or `nvfp4`.
    pub mode: &'static CStr,
}

/// Functions of arrays, whose results are computed on one stream.
#[derive(Clone, Copy, Debug)]
pub struct Ops<'a> {
    mlx: Mlx,
    stream: &'a Stream,
    cpu: &'a Stream,
}

fn pointers(arrays: &[&MlxArray]) -> Vec<ArrayPtr> {
    arrays.iter().map(|array| array.raw()).collect()
}

pub(crate) fn raw(array: Option<&MlxArray>) -> ArrayPtr {
    array.map_or(std::ptr::null_mut(), MlxArray::raw)
}

pub(crate) fn axis_of(axis: usize) -> Result<i32, MlxError> {
    i32::try_from(axis).map_err(|_| MlxError::TooLarge(axis))
}

impl<'a> Ops<'a> {
    /// Functions whose results are computed on `stream`; on `cpu`, a stream of the CPU, where MLX has them only there.
    pub fn new(stream: &'a Stream, cpu: &'a Stream) -> Ops<'a> {
        Ops { mlx: stream.mlx(), stream, cpu }
    }

    /// The stream.
    pub fn stream(&self) -> &'a Stream {
        self.stream
    }

    /// The MLX.
    pub fn mlx(&self) -> Mlx {
        self.mlx
    }

    /// What a call of the table gives. Safe for calls that pass handles of live arrays, slices with their lengths, and numbers that MLX checks.
    pub(crate) fn call(&self, call: impl FnOnce(&Table, RawStream, *mut ArrayPtr) -> i32) -> Made {
        // SAFETY: the table's functions write an owned handle where they succeed.
        unsafe { MlxArray::made(self.mlx, |out| call(self.mlx.table(), self.stream.raw(), out)) }
    }

    // ---- computing

    /// Whether this thread makes the graph of a function: nothing can be computed then.
    pub fn is_tracing(&self) -> bool {
        is_tracing()
    }

    /// Computes arrays, and waits.
    pub fn eval(&self, arrays: &[&MlxArray]) -> Result<(), MlxError> {
        self.async_eval(arrays)?;
        self.stream.wait()?;
        let _one = self.mlx.exclusive();
        let list = pointers(arrays);
        // SAFETY: the handles live.
        self.mlx.checked(unsafe { (self.mlx.table().eval)(list.as_ptr(), list.len()) })
    }

    /// Starts to compute arrays, on their streams.
    pub fn async_eval(&self, arrays: &[&MlxArray]) -> Result<(), MlxError> {
        self.mlx.check_process()?;
        if is_tracing() {
            return Err(MlxError::Argument(
                "nothing is computed while the graph of a function is made".into(),
            ));
        }
        let _one = self.mlx.exclusive();
        let list = pointers(arrays);
        // SAFETY: the handles live.
        self.mlx.checked(unsafe { (self.mlx.table().async_eval)(list.as_ptr(), list.len()) })
    }

    /// The bytes of an array, which is computed first.
    pub fn bytes(&self, array: &MlxArray) -> Result<Vec<u8>, MlxError> {
        self.async_eval(&[array])?;
        let mut bytes = vec![0; array.len() * array.element_type().size()];
        array.read(self.stream, &mut bytes)?;
        Ok(bytes)
    }

    /// A value without dimensions, from its bytes.
    pub fn scalar(&self, bytes: &[u8], element: ElementType) -> Made {
        MlxArray::from_bytes(self.mlx, bytes, &[], element)
    }

    /// A number of 32 bits as an array without dimensions.
    pub fn int(&self, value: i32) -> Made {
        self.scalar(&value.to_le_bytes(), ElementType::I32)
    }

    /// A small whole number in the type of `like`, without dimensions.
    pub fn number_like(&self, value: i32, like: &MlxArray) -> Made {
        self.astype(&self.int(value)?, like.element_type())
    }

    // ---- elementwise

    /// A function of each element.
    pub fn unary(&self, op: Unary, a: &MlxArray) -> Made {
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.unary)(op.code(), a.raw(), s, out) })
    }

    fn raw_binary(&self, op: Binary, a: &MlxArray, b: &MlxArray) -> Made {
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.binary)(op.code(), a.raw(), b.raw(), s, out) })
    }

    /// A function of pairs of elements, which broadcast. Integer quotients, remainders and shifts have functions of their own.
    pub fn binary(&self, op: Binary, a: &MlxArray, b: &MlxArray) -> Made {
        let of_integers = !a.element_type().is_float() || !b.element_type().is_float();
        match op {
            Binary::FloorDivide | Binary::Remainder if of_integers => Err(MlxError::Argument(
                "quotients of integers are `divide_integers`, remainders `remainder_integers`".into(),
            )),
            Binary::LeftShift | Binary::RightShift => Err(MlxError::Argument("shifts are `shift`".into())),
            op => self.raw_binary(op, a, b),
        }
    }

    /// Quotient of integers toward zero. Where b is 0 the result is a, where it would not fit (the smallest number by −1) too.
    pub fn divide_integers(&self, a: &MlxArray, b: &MlxArray) -> Made {
        let b = self.harmless(a, b)?;
        let quotient = self.raw_binary(Binary::FloorDivide, a, &b)?;
        if a.element_type().integer().is_none_or(|(_, signed)| !signed) {
            return Ok(quotient);
        }
        // One more where it was rounded down and not toward zero: what is left has not the sign of a then.
        let left =
            self.raw_binary(Binary::Subtract, a, &self.raw_binary(Binary::Multiply, &quotient, &b)?)?;
        let zero = self.number_like(0, a)?;
        let negative = |x: &MlxArray| self.raw_binary(Binary::Less, x, &zero);
        let differs = self.raw_binary(Binary::NotEqual, &negative(&left)?, &negative(a)?)?;
        let some = self.raw_binary(Binary::NotEqual, &left, &zero)?;
        let more = self.astype(&self.raw_binary(Binary::LogicalAnd, &differs, &some)?, a.element_type())?;
        self.raw_binary(Binary::Add, &quotient, &more)
    }

    /// a less b times their quotient toward zero: the remainder of integers with the sign of a. 0 where b is 0.
    pub fn remainder_integers(&self, a: &MlxArray, b: &MlxArray) -> Made {
        let quotient = self.divide_integers(a, b)?;
        let b = self.harmless(a, b)?;
        self.raw_binary(Binary::Subtract, a, &self.raw_binary(Binary::Multiply, &quotient, &b)?)
    }

    /// b, and 1 where a processor would trap on a / b.
    fn harmless(&self, a: &MlxArray, b: &MlxArray) -> Made {
        let traps = self.raw_binary(Binary::Equal, b, &self.number_like(0, b)?)?;
        let traps = match a.element_type().integer() {
            Some((bits, true)) => {
                let smallest = self.astype(
                    &self.scalar(&(-1i64 << (bits - 1)).to_le_bytes(), ElementType::I64)?,
                    a.element_type(),
                )?;
                let at_end = self.raw_binary(Binary::Equal, a, &smallest)?;
                let negates = self.raw_binary(Binary::Equal, b, &self.number_like(-1, b)?)?;
                self.raw_binary(
                    Binary::LogicalOr,
                    &traps,
                    &self.raw_binary(Binary::LogicalAnd, &at_end, &negates)?,
                )?
            }
            _ => traps,
        };
        self.select(&traps, &self.number_like(1, b)?, b)
    }

    /// a shifted by b bits, of which only those below the width count.
    pub fn shift(&self, left: bool, a: &MlxArray, b: &MlxArray) -> Made {
        let bits = a.element_type().integer().map_or(8, |(bits, _)| bits);
        let distance = self.raw_binary(Binary::BitwiseAnd, b, &self.number_like(bits as i32 - 1, b)?)?;
        self.raw_binary(if left { Binary::LeftShift } else { Binary::RightShift }, a, &distance)
    }

    /// `a` where `condition` is true, else `b`.
    pub fn select(&self, condition: &MlxArray, a: &MlxArray, b: &MlxArray) -> Made {
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.select)(condition.raw(), a.raw(), b.raw(), s, out) })
    }

    /// The elements in another type, as C++ converts them: floating-point numbers that do not fit an integer become any.
    pub fn astype(&self, a: &MlxArray, element: ElementType) -> Made {
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.astype)(a.raw(), element.code(), s, out) })
    }

    /// The same bits in another type; the last axis has as many bytes.
    pub fn view(&self, a: &MlxArray, element: ElementType) -> Made {
        if element == ElementType::Bool && a.element_type() != ElementType::Bool {
            return Err(MlxError::Argument("bits of other types are no booleans".into()));
        }
        // SAFETY: the handle lives, and every pattern of bits is a number.
        self.call(|t, s, out| unsafe { (t.view)(a.raw(), element.code(), s, out) })
    }

    // ---- shapes

    /// The numbers from `start` to before `stop`.
    pub fn arange(&self, start: i64, stop: i64, element: ElementType) -> Made {
        // SAFETY: numbers are passed.
        self.call(|t, s, out| unsafe { (t.arange)(start, stop, element.code(), s, out) })
    }

    /// An array of one value.
    pub fn full(&self, dims: &[usize], value: &MlxArray) -> Made {
        let dims = sizes(dims)?;
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.full)(Ints::of(&dims), value.raw(), s, out) })
    }

    /// The same elements in other dimensions.
    pub fn reshape(&self, a: &MlxArray, dims: &[usize]) -> Made {
        let dims = sizes(dims)?;
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.reshape)(a.raw(), Ints::of(&dims), s, out) })
    }

    /// Axes in another order.
    pub fn transpose(&self, a: &MlxArray, axes: &[usize]) -> Made {
        let axes = sizes(axes)?;
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.transpose)(a.raw(), Ints::of(&axes), s, out) })
    }

    /// Repeated along axes of size 1 and new ones in front.
    pub fn broadcast_to(&self, a: &MlxArray, dims: &[usize]) -> Made {
        let dims = sizes(dims)?;
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.broadcast_to)(a.raw(), Ints::of(&dims), s, out) })
    }

    /// A copy of the elements of the row-major array at `offset + Σ index · stride`. Fails where one would lie outside. It is a copy because
    /// reductions of MLX write outside of their results where elements of a view lie in several windows.
    pub fn as_strided(&self, a: &MlxArray, dims: &[usize], strides: &[i64], offset: usize) -> Made {
        let reach = dims.iter().zip(strides).try_fold(
            (offset as i64, offset as i64),
            |(low, high), (&d, &stride)| {
                let far = i64::try_from(d.max(1) - 1).ok()?.checked_mul(stride)?;
                Some((low.checked_add(far.min(0))?, high.checked_add(far.max(0))?))
            },
        );
        let is_empty = dims.contains(&0);
        let inside = reach.is_some_and(|(low, high)| low >= 0 && high < a.len() as i64);
        if dims.len() != strides.len() || !(is_empty || inside) {
            return Err(MlxError::Argument(format!(
                "a view {dims:?} by {strides:?} reaches outside of {a:?}"
            )));
        }
        let dims = sizes(dims)?;
        // SAFETY: the handle lives, the slices have one length, and every element lies inside.
        let view = self.call(|t, s, out| unsafe {
            (t.as_strided)(a.raw(), Ints::of(&dims), strides.as_ptr(), offset, s, out)
        })?;
        self.unary(Unary::Contiguous, &view)
    }

    /// A part of each axis.
    pub fn slice(&self, a: &MlxArray, slices: &Slices) -> Made {
        let Slices { starts, stops, strides } = slices;
        let (starts, stops, strides) = (sizes(starts)?, sizes(stops)?, sizes(strides)?);
        // SAFETY: the handle lives, as do the slices; MLX moves ends inside.
        self.call(|t, s, out| unsafe {
            (t.slice)(a.raw(), Ints::of(&starts), Ints::of(&stops), Ints::of(&strides), s, out)
        })
    }

    /// Moves starts along `axes` inside: at most the size of the axis less that of the part, and at least 0.
    fn clamped(&self, starts: &MlxArray, a: &MlxArray, axes: &[usize], part: &[usize]) -> Made {
        let dims = a.dims();
        let room = |&axis: &usize| dims.get(axis)?.checked_sub(*part.get(axis)?);
        let room: Option<Vec<usize>> = axes.iter().map(room).collect();
        let room =
            room.filter(|_| part.len() == dims.len() && starts.dims() == [axes.len()]).ok_or_else(|| {
                MlxError::Argument(format!(
                    "a part {part:?} at {starts:?} along {axes:?} does not fit into {a:?}"
                ))
            })?;
        let most: Vec<u8> = sizes(&room)?.into_iter().flat_map(i32::to_le_bytes).collect();
        let most = MlxArray::from_bytes(self.mlx, &most, &[axes.len()], ElementType::I32)?;
        let starts = self.raw_binary(Binary::Maximum, starts, &self.int(0)?)?;
        self.raw_binary(Binary::Minimum, &starts, &most)
    }

    /// A part of these sizes whose starts along `axes` are computed (i32, one per axis, moved inside); along others it begins at 0.
    pub fn slice_at(&self, a: &MlxArray, starts: &MlxArray, axes: &[usize], part: &[usize]) -> Made {
        let starts = self.clamped(starts, a, axes, part)?;
        let (axes, part) = (sizes(axes)?, sizes(part)?);
        // SAFETY: the handles live, as do the slices; starts lie inside.
        self.call(|t, s, out| unsafe {
            (t.slice_at)(a.raw(), starts.raw(), Ints::of(&axes), Ints::of(&part), s, out)
        })
    }

    /// `a` with `update` in place of a part.
    pub fn slice_update(&self, a: &MlxArray, update: &MlxArray, slices: &Slices) -> Made {
        let Slices { starts, stops, strides } = slices;
        let (starts, stops, strides) = (sizes(starts)?, sizes(stops)?, sizes(strides)?);
        // SAFETY: the handles live, as do the slices; MLX moves ends inside and checks shapes.
        self.call(|t, s, out| unsafe {
            let (starts, stops, strides) = (Ints::of(&starts), Ints::of(&stops), Ints::of(&strides));
            (t.slice_update)(a.raw(), update.raw(), starts, stops, strides, s, out)
        })
    }

    /// `a` with `update` at starts along `axes` that are computed (i32, one per axis, moved inside); along others it begins at 0.
    pub fn slice_update_at(
        &self,
        a: &MlxArray,
        update: &MlxArray,
        starts: &MlxArray,
        axes: &[usize],
    ) -> Made {
        let starts = self.clamped(starts, a, axes, &update.dims())?;
        let axes = sizes(axes)?;
        // SAFETY: the handles live, as does the slice; starts lie inside.
        self.call(|t, s, out| unsafe {
            (t.slice_update_at)(a.raw(), update.raw(), starts.raw(), Ints::of(&axes), s, out)
        })
    }

    /// `value` around `a`.
    pub fn pad(&self, a: &MlxArray, low: &[usize], high: &[usize], value: &MlxArray) -> Made {
        let (low, high) = (sizes(low)?, sizes(high)?);
        // SAFETY: the handles live, as do the slices.
        self.call(|t, s, out| unsafe {
            (t.pad)(a.raw(), Ints::of(&low), Ints::of(&high), value.raw(), s, out)
        })
    }

    /// Arrays one behind the other.
    pub fn concatenate(&self, arrays: &[&MlxArray], axis: usize) -> Made {
        let (list, axis) = (pointers(arrays), axis_of(axis)?);
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.concatenate)(list.as_ptr(), list.len(), axis, s, out) })
    }

    /// The elements in the opposite order along axes.
    pub fn reverse(&self, a: &MlxArray, axes: &[usize]) -> Made {
        let dims = sizes(&a.dims())?;
        let reversed = |axis: usize| axes.contains(&axis);
        let starts: Vec<i32> =
            dims.iter().enumerate().map(|(i, &d)| if reversed(i) { d - 1 } else { 0 }).collect();
        let stops: Vec<i32> =
            dims.iter().enumerate().map(|(i, &d)| if reversed(i) { -d - 1 } else { d }).collect();
        let steps: Vec<i32> = (0..dims.len()).map(|i| if reversed(i) { -1 } else { 1 }).collect();
        // SAFETY: the handle lives, as do the slices; MLX moves ends inside.
        self.call(|t, s, out| unsafe {
            (t.slice)(a.raw(), Ints::of(&starts), Ints::of(&stops), Ints::of(&steps), s, out)
        })
    }

    // ---- indices, which are moved inside: MLX does not look

    /// Indices of an axis of this size as i32, moved inside.
    pub fn inside(&self, indices: &MlxArray, size: usize) -> Made {
        let unsigned = indices.element_type().integer().is_some_and(|(_, signed)| !signed);
        let last = i64::try_from(size.max(1) - 1).unwrap_or(i64::MAX);
        // A size beyond what a narrow type counts to bounds nothing.
        let (bits, signed) = indices.element_type().integer().unwrap_or((64, true));
        let largest = if bits == 64 { i64::MAX } else { (1i64 << (bits - u32::from(signed))) - 1 };
        let last = self.scalar(&last.min(largest).to_le_bytes(), ElementType::I64)?;
        let last = self.astype(&last, indices.element_type())?;
        let least = self.raw_binary(Binary::Minimum, indices, &last)?;
        let inside = if unsigned {
            least
        } else {
            self.raw_binary(Binary::Maximum, &least, &self.number_like(0, indices)?)?
        };
        // No dimension is beyond 31 bits.
        if inside.element_type() == ElementType::I32 {
            Ok(inside)
        } else {
            self.astype(&inside, ElementType::I32)
        }
    }

    fn check_not_empty(a: &MlxArray, axis: usize) -> Result<usize, MlxError> {
        match a.dims().get(axis) {
            Some(&size) if size > 0 => Ok(size),
            _ => Err(MlxError::Argument(format!("{a:?} has no elements along axis {axis} to take"))),
        }
    }

    /// Slices of `a` along an axis, in the shape of the indices.
    pub fn take(&self, a: &MlxArray, indices: &MlxArray, axis: usize) -> Made {
        let indices = self.inside(indices, Self::check_not_empty(a, axis)?)?;
        let axis = axis_of(axis)?;
        // SAFETY: the handles live, and the indices lie inside.
        self.call(|t, s, out| unsafe { (t.take)(a.raw(), indices.raw(), axis, s, out) })
    }

    /// Elements of `a` by an index along one axis each.
    pub fn take_along_axis(&self, a: &MlxArray, indices: &MlxArray, axis: usize) -> Made {
        let indices = self.inside(indices, Self::check_not_empty(a, axis)?)?;
        let axis = axis_of(axis)?;
        // SAFETY: the handles live, and the indices lie inside.
        self.call(|t, s, out| unsafe { (t.take_along_axis)(a.raw(), indices.raw(), axis, s, out) })
    }

    /// Windows of `part` of `a` at `indices`, one array for each of `axes`, moved inside: [indices …, part …].
    pub fn gather(&self, a: &MlxArray, indices: &[&MlxArray], axes: &[usize], part: &[usize]) -> Made {
        let dims = a.dims();
        if part.len() != dims.len() || part.iter().zip(&dims).any(|(p, d)| p > d) {
            return Err(MlxError::Argument(format!("a window {part:?} does not fit into {a:?}")));
        }
        let places = indices.iter().zip(axes).map(|(index, &axis)| {
            let (size, part) = (Self::check_not_empty(a, axis)?, part[axis]);
            self.inside(index, size - part + 1)
        });
        let places: Vec<MlxArray> = places.collect::<Result<_, _>>()?;
        let list = pointers(&places.iter().collect::<Vec<_>>());
        let (axes, part) = (sizes(axes)?, sizes(part)?);
        // SAFETY: the handles live, as do the slices, and every window lies inside.
        self.call(|t, s, out| unsafe {
            (t.gather)(a.raw(), list.as_ptr(), list.len(), Ints::of(&axes), Ints::of(&part), s, out)
        })
    }

    /// `a` with windows `updates` ([indices …, window …]) combined into it at `indices`, one array for each of `axes`, moved inside.
    pub fn scatter(
        &self,
        how: Combine,
        a: &MlxArray,
        indices: &[&MlxArray],
        updates: &MlxArray,
        axes: &[usize],
    ) -> Made {
        let (dims, of_updates) = (a.dims(), updates.dims());
        let lead = of_updates
            .len()
            .checked_sub(dims.len())
            .ok_or_else(|| MlxError::Argument(format!("updates {updates:?} have no window of {a:?}")))?;
        let part = &of_updates[lead..];
        if part.iter().zip(&dims).any(|(p, d)| p > d) {
            return Err(MlxError::Argument(format!("a window {part:?} does not fit into {a:?}")));
        }
        let places = indices.iter().zip(axes).map(|(index, &axis)| {
            let (size, part) = (Self::check_not_empty(a, axis)?, part[axis]);
            self.inside(index, size - part + 1)
        });
        let places: Vec<MlxArray> = places.collect::<Result<_, _>>()?;
        let list = pointers(&places.iter().collect::<Vec<_>>());
        let axes = sizes(axes)?;
        // SAFETY: the handles live, as does the slice, and every window lies inside.
        self.call(|t, s, out| unsafe {
            let axes = Ints::of(&axes);
            (t.scatter)(how.code(), a.raw(), list.as_ptr(), list.len(), updates.raw(), axes, s, out)
        })
    }

    // ---- reductions and sorts

    /// A reduction along axes, which disappear.
    pub fn reduce(&self, how: Combine, a: &MlxArray, axes: &[usize]) -> Made {
        self.reduced(how, a, axes, false)
    }

    /// A reduction along axes, which stay with size 1.
    pub fn reduce_keeping(&self, how: Combine, a: &MlxArray, axes: &[usize]) -> Made {
        self.reduced(how, a, axes, true)
    }

    fn reduced(&self, how: Combine, a: &MlxArray, axes: &[usize], keep: bool) -> Made {
        let (axes, keep) = (sizes(axes)?, i32::from(keep));
        // SAFETY: the handle lives, as does the slice.
        self.call(|t, s, out| unsafe { (t.reduce)(how.code(), a.raw(), Ints::of(&axes), keep, s, out) })
    }

    /// The reductions of all elements so far.
    pub fn cumulative(
        &self,
        how: Combine,
        a: &MlxArray,
        axis: usize,
        reverse: bool,
        inclusive: bool,
    ) -> Made {
        let (axis, reverse, inclusive) = (axis_of(axis)?, i32::from(reverse), i32::from(inclusive));
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe {
            (t.cumulative)(how.code(), a.raw(), axis, reverse, inclusive, s, out)
        })
    }

    /// Softmax, computed in f32 at least where `precise`.
    pub fn softmax(&self, a: &MlxArray, axis: usize, precise: bool) -> Made {
        let (axis, precise) = (axis_of(axis)?, i32::from(precise));
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.softmax)(a.raw(), axis, precise, s, out) })
    }

    /// Elements in ascending order, NaN last.
    pub fn sort(&self, a: &MlxArray, axis: usize) -> Made {
        let axis = axis_of(axis)?;
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.sort)(a.raw(), axis, s, out) })
    }

    /// The indices that sort, equal elements in their order.
    pub fn argsort(&self, a: &MlxArray, axis: usize) -> Made {
        let axis = axis_of(axis)?;
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.argsort)(a.raw(), axis, s, out) })
    }

    // ---- contractions

    /// A convolution.
    pub fn convolution(&self, x: &MlxArray, kernel: &MlxArray, how: &Convolution) -> Made {
        let (strides, low, high) = (sizes(&how.strides)?, sizes(&how.low)?, sizes(&how.high)?);
        let (kernel_dilation, input_dilation) = (sizes(&how.kernel_dilation)?, sizes(&how.input_dilation)?);
        let (groups, flip) = (axis_of(how.groups)?, i32::from(how.flip));
        // SAFETY: the handles live, as do the slices.
        self.call(|t, s, out| unsafe {
            let (strides, low, high) = (Ints::of(&strides), Ints::of(&low), Ints::of(&high));
            let (taps, spread) = (Ints::of(&kernel_dilation), Ints::of(&input_dilation));
            (t.convolution)(x.raw(), kernel.raw(), strides, low, high, taps, spread, groups, flip, s, out)
        })
    }

    /// Matrices of a times those of b `[matrices, k, n]` by number, moved inside; `sorted` where numbers do not fall.
    pub fn gather_mm(&self, a: &MlxArray, b: &MlxArray, rhs: &MlxArray, sorted: bool) -> Made {
        let rhs = self.inside(rhs, Self::check_not_empty(b, 0)?)?;
        // SAFETY: the handles live, and the indices lie inside.
        self.call(|t, s, out| unsafe {
            (t.gather_mm)(a.raw(), b.raw(), rhs.raw(), i32::from(sorted), s, out)
        })
    }

    /// x times the transpose of packed weights.
    pub fn quantized_matmul(&self, x: &MlxArray, w: PackedWeights<'_>) -> Made {
        let (group, bits) = (axis_of(w.group)?, axis_of(w.bits)?);
        // SAFETY: the handles live, as does the text.
        self.call(|t, s, out| unsafe {
            let (words, scales, biases) = (w.words.raw(), w.scales.raw(), raw(w.biases));
            (t.quantized_matmul)(x.raw(), words, scales, biases, group, bits, w.mode.as_ptr(), s, out)
        })
    }

    /// x times the transpose of packed matrices by number, moved inside.
    pub fn gather_qmm(&self, x: &MlxArray, w: PackedWeights<'_>, rhs: &MlxArray, sorted: bool) -> Made {
        let rhs = self.inside(rhs, Self::check_not_empty(w.words, 0)?)?;
        let (group, bits, sorted) = (axis_of(w.group)?, axis_of(w.bits)?, i32::from(sorted));
        // SAFETY: the handles live, as does the text, and the indices lie inside.
        self.call(|t, s, out| unsafe {
            let (words, scales, biases, mode) =
                (w.words.raw(), w.scales.raw(), raw(w.biases), w.mode.as_ptr());
            (t.gather_qmm)(x.raw(), words, scales, biases, rhs.raw(), group, bits, mode, sorted, s, out)
        })
    }

    // ---- Fourier transforms and linear algebra

    /// A transform of `lengths` along `axes`.
    pub fn fourier(&self, kind: Fourier, a: &MlxArray, lengths: &[usize], axes: &[usize]) -> Made {
        let (lengths, axes) = (sizes(lengths)?, sizes(axes)?);
        // SAFETY: the handle lives, as do the slices.
        self.call(|t, s, out| unsafe {
            (t.fft)(kind.code(), a.raw(), Ints::of(&lengths), Ints::of(&axes), s, out)
        })
    }

    /// The factors of matrices, computed on the CPU.
    pub fn factorise(&self, kind: Factorisation, a: &MlxArray) -> Result<Vec<MlxArray>, MlxError> {
        let (mut made, mut count) = ([std::ptr::null_mut(); 4], 0);
        // SAFETY: the handle lives, and there is room for four.
        let status = unsafe {
            let (table, s) = (self.mlx.table(), self.cpu.raw());
            (table.factorise)(kind.code(), a.raw(), s, made.as_mut_ptr(), made.len(), &raw mut count)
        };
        self.mlx.checked(status)?;
        // SAFETY: so many owned handles were written.
        made.into_iter().take(count).map(|raw| unsafe { MlxArray::owned(self.mlx, raw) }).collect()
    }
}
