//! Random arguments: most are valid, some are not, and each can be drawn again from its number.

use rlx_mlx_sys::{ElementType, MlxArray, MlxError, Ops, Slices};

/// The result of a case: arrays to compute.
pub(crate) type Given = Result<Vec<MlxArray>, MlxError>;

/// Sizes, counts and bits that are easily forgotten in code.
const NUMBERS: &[usize] =
    &[0, 0, 1, 1, 2, 3, 4, 5, 8, 32, 64, 65536, i32::MAX as usize, 1 << 31, 1 << 32, usize::MAX];

/// A source of arguments.
pub(crate) struct Draw<'a> {
    pub(crate) ops: Ops<'a>,
    state: u64,
    says: bool,
}

impl<'a> Draw<'a> {
    pub(crate) fn new(ops: Ops<'a>, seed: u64, says: bool) -> Draw<'a> {
        Draw { ops, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d, says }
    }

    pub(crate) fn say(&self, what: std::fmt::Arguments<'_>) {
        if self.says {
            eprintln!("  {what}");
        }
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }

    /// Returns `true` once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Returns any number.
    pub(crate) fn number(&mut self) -> usize {
        let number = self.pick(NUMBERS);
        self.say(format_args!("number {number}"));
        number
    }

    /// Returns a small number, rarely any number.
    pub(crate) fn small(&mut self) -> usize {
        if self.one_in(6) { self.number() } else { 1 + self.below(3) }
    }

    /// Returns `count` small numbers, rarely more or fewer.
    pub(crate) fn smalls(&mut self, count: usize) -> Vec<usize> {
        let count = if self.one_in(12) { self.below(5) } else { count };
        let list: Vec<usize> =
            (0..count).map(|_| if self.one_in(12) { self.number() } else { self.below(4) }).collect();
        self.say(format_args!("numbers {list:?}"));
        list
    }

    pub(crate) fn axis(&mut self, rank: usize) -> usize {
        if self.one_in(8) { self.number() } else { self.below(rank) }
    }

    /// Returns axes: some of them, all, one twice, or axes that do not exist.
    pub(crate) fn axes(&mut self, rank: usize) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..rank).collect();
        for i in (1..axes.len()).rev() {
            axes.swap(i, self.below(i + 1));
        }
        if self.one_in(2) {
            axes.truncate(self.below(rank + 1));
        }
        if self.one_in(8) {
            let axis = self.axis(rank);
            axes.push(axis);
        }
        self.say(format_args!("axes {axes:?}"));
        axes
    }

    pub(crate) fn dims(&mut self) -> Vec<usize> {
        let rank = self.below(5);
        self.dims_of(rank)
    }

    pub(crate) fn dims_of(&mut self, rank: usize) -> Vec<usize> {
        (0..rank).map(|_| self.pick(&[0, 1, 1, 2, 3, 3, 4, 5])).collect()
    }

    pub(crate) fn element(&mut self) -> ElementType {
        let common = [ElementType::F32, ElementType::F32, ElementType::I32];
        if self.one_in(2) { self.pick(&common) } else { self.pick(ElementType::ALL) }
    }

    fn bytes(&mut self, count: usize, element: ElementType) -> Vec<u8> {
        let size = element.size();
        let kind = self.below(8);
        let mut bytes = Vec::with_capacity(count * size);
        for _ in 0..count {
            let small = self.below(5) as i64 - 1;
            let special: &[u64] = match element {
                ElementType::F32 | ElementType::C64 => {
                    &[0x7fc0_0000, 0xffc0_0000, 0x7f80_0000, 0xff80_0000, 0x7f7f_ffff, 1]
                }
                ElementType::F16 => &[0x7e00, 0xfe00, 0x7c00, 0xfc00, 0x7bff],
                ElementType::BF16 => &[0x7fc0, 0xffc0, 0x7f80, 0xff80, 0x7f7f],
                ElementType::F64 => {
                    &[0x7ff8 << 48, 0xfff8 << 48, 0x7ff0 << 48, 0xfff0 << 48, (0x7ff0 << 48) - 1]
                }
                _ => &[
                    0,
                    u64::MAX,
                    i64::MAX as u64,
                    i64::MIN as u64,
                    0x8080_8080_8080_8080,
                    0x7f7f_7f7f_7f7f_7f7f,
                    0x8000_0000,
                    0x7fff_ffff,
                ],
            };
            let bits = match kind {
                0 => 0,
                1 => special[self.below(special.len())],
                2 if self.one_in(3) => special[self.below(special.len())],
                3 => self.state,
                _ => match element {
                    ElementType::F32 | ElementType::C64 => u64::from((small as f32).to_bits()),
                    ElementType::F64 => (small as f64).to_bits(),
                    ElementType::BF16 => u64::from((small as f32).to_bits() >> 16),
                    ElementType::F16 => [0xbc00, 0, 0x3c00, 0x4000, 0x4200][(small + 1) as usize],
                    _ => small as u64,
                },
            };
            bytes.extend(&bits.to_le_bytes()[..size]);
        }
        self.say(format_args!("values of kind {kind}: {:?}", &bytes[..bytes.len().min(64)]));
        bytes
    }

    pub(crate) fn array(&mut self) -> Result<MlxArray, MlxError> {
        let dims = self.dims();
        self.array_of(&dims)
    }

    pub(crate) fn array_of(&mut self, dims: &[usize]) -> Result<MlxArray, MlxError> {
        let element = self.element();
        self.array_in(dims, element)
    }

    pub(crate) fn array_in(&mut self, dims: &[usize], element: ElementType) -> Result<MlxArray, MlxError> {
        let bytes = self.bytes(dims.iter().product(), element);
        let array = MlxArray::from_bytes(self.ops.mlx(), &bytes, dims, element)?;
        self.say(format_args!("array {array:?}"));
        self.viewed(array)
    }

    /// Returns the array, or a view with the size of a larger or smaller array.
    fn viewed(&mut self, a: MlxArray) -> Result<MlxArray, MlxError> {
        let (ops, rank) = (self.ops, a.dims().len());
        let made = match self.below(16) {
            0 => {
                let axes: Vec<usize> = (0..rank).rev().collect();
                ops.transpose(&ops.transpose(&a, &axes)?, &axes)?
            }
            1 => ops.reverse(&a, &(0..rank).collect::<Vec<_>>())?,
            2 if rank > 0 => {
                // One column of a wider array.
                let mut dims = a.dims();
                dims.push(1);
                let wide = ops.concatenate(&[&ops.reshape(&a, &dims)?, &ops.reshape(&a, &dims)?], rank)?;
                let mut slices = Slices::default();
                a.dims().iter().for_each(|&d| slices.push(0, d, 1));
                slices.push(1, 2, 1);
                ops.reshape(&ops.slice(&wide, &slices)?, &a.dims())?
            }
            3 => {
                let mut dims = a.dims();
                dims.iter_mut().for_each(|d| *d = (*d).min(1));
                let mut slices = Slices::default();
                dims.iter().for_each(|&d| slices.push(0, d, 1));
                ops.broadcast_to(&ops.slice(&a, &slices)?, &a.dims())?
            }
            _ => return Ok(a),
        };
        self.say(format_args!("as a view"));
        Ok(made)
    }

    /// Returns an array of these dimensions, rarely of others.
    pub(crate) fn near(&mut self, dims: &[usize]) -> Result<MlxArray, MlxError> {
        let element = self.element();
        self.near_in(dims, element)
    }

    pub(crate) fn near_in(&mut self, dims: &[usize], element: ElementType) -> Result<MlxArray, MlxError> {
        let mut dims = dims.to_vec();
        match self.below(12) {
            0 => dims = self.dims(),
            1 if !dims.is_empty() => {
                let axis = self.below(dims.len());
                dims[axis] = self.below(4);
            }
            2 => dims.push(1),
            3 => {
                dims.pop();
            }
            _ => {}
        }
        let element = if self.one_in(10) { self.element() } else { element };
        self.array_in(&dims, element)
    }

    /// Returns indices of any type and value.
    pub(crate) fn indices(&mut self) -> Result<MlxArray, MlxError> {
        let rank = self.below(3);
        let dims = self.dims_of(rank);
        self.array_of(&dims)
    }
}
