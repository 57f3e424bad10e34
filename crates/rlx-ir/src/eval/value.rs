//! Tensors of the evaluator: f64, i128 or complex numbers, each already rounded to the element type.

use crate::dtype::{Class, DType};
use crate::literal::{Literal, LiteralError};
use crate::math::complex::Complex64;
use crate::numeric::{Scalar, round_float, wrap_int};
use crate::shape::Shape;

/// A tensor under evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    dims: Vec<usize>,
    dtype: DType,
    data: Data,
}

/// The elements of a [`Value`], row-major.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Of a float type.
    Float(Vec<f64>),
    /// Of an integer type or boolean.
    Int(Vec<i128>),
    /// Of a complex type.
    Complex(Vec<Complex64>),
}

impl Data {
    fn len(&self) -> usize {
        match self {
            Data::Float(v) => v.len(),
            Data::Int(v) => v.len(),
            Data::Complex(v) => v.len(),
        }
    }
}

/// Applies one generic expression to whichever vector the data holds.
#[macro_export]
#[doc(hidden)]
macro_rules! map_data {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            $crate::eval::Data::Float($v) => $crate::eval::Data::Float($body),
            $crate::eval::Data::Int($v) => $crate::eval::Data::Int($body),
            $crate::eval::Data::Complex($v) => $crate::eval::Data::Complex($body),
        }
    };
}

impl Value {
    /// A float tensor; elements are rounded to `dtype`.
    pub fn floats(dims: Vec<usize>, dtype: DType, mut data: Vec<f64>) -> Value {
        if dtype != DType::F64 {
            data.iter_mut().for_each(|x| *x = round_float(*x, dtype));
        }
        Value::new(dims, dtype, Data::Float(data))
    }

    /// An integer or boolean tensor; elements wrap to `dtype`.
    pub fn ints(dims: Vec<usize>, dtype: DType, mut data: Vec<i128>) -> Value {
        data.iter_mut().for_each(|x| *x = wrap_int(*x, dtype));
        Value::new(dims, dtype, Data::Int(data))
    }

    /// A complex tensor; parts are rounded to `dtype`.
    pub fn complexes(dims: Vec<usize>, dtype: DType, mut data: Vec<Complex64>) -> Value {
        for z in &mut data {
            *z = Complex64 { re: round_float(z.re, dtype), im: round_float(z.im, dtype) };
        }
        Value::new(dims, dtype, Data::Complex(data))
    }

    /// A tensor of elements that are already rounded to `dtype`.
    pub fn new(dims: Vec<usize>, dtype: DType, data: Data) -> Value {
        debug_assert_eq!(dims.iter().product::<usize>(), data.len());
        Value { dims, dtype, data }
    }

    /// A tensor whose elements are a function of the linear index, converted to `dtype`.
    pub fn from_fn(dims: Vec<usize>, dtype: DType, mut f: impl FnMut(usize) -> Scalar) -> Value {
        let n: usize = dims.iter().product();
        let data = match dtype.class() {
            Class::Float => Data::Float((0..n).map(|i| round_float(f(i).to_f64(), dtype)).collect()),
            Class::Complex => Data::Complex(
                (0..n)
                    .map(|i| match f(i).convert(dtype) {
                        Scalar::Complex(z) => z,
                        other => Complex64 { re: other.to_f64(), im: 0.0 },
                    })
                    .collect(),
            ),
            _ => Data::Int(
                (0..n)
                    .map(|i| match f(i).convert(dtype) {
                        Scalar::Int(x) => x,
                        other => other.to_f64() as i128,
                    })
                    .collect(),
            ),
        };
        Value { dims, dtype, data }
    }

    /// A tensor of one repeated scalar.
    pub fn splat(dims: Vec<usize>, dtype: DType, x: Scalar) -> Value {
        Value::from_fn(dims, dtype, |_| x)
    }

    /// The sizes.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        Shape::new(&self.dims, self.dtype)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// Element `i` in row-major order.
    pub fn get(&self, i: usize) -> Scalar {
        match &self.data {
            Data::Float(v) => Scalar::Float(v[i]),
            Data::Int(v) => Scalar::Int(v[i]),
            Data::Complex(v) => Scalar::Complex(v[i]),
        }
    }

    /// All elements in row-major order.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The elements as integers: exact for an index tensor, truncated for others.
    pub fn to_ints(&self) -> Vec<i128> {
        match &self.data {
            Data::Int(v) => v.clone(),
            _ => self.scalars().map(|s| s.to_f64() as i128).collect(),
        }
    }

    /// The real parts as f64.
    pub fn to_f64s(&self) -> Vec<f64> {
        match &self.data {
            Data::Float(v) => v.clone(),
            _ => self.scalars().map(Scalar::to_f64).collect(),
        }
    }

    /// The elements as complex numbers.
    pub fn to_complexes(&self) -> Vec<Complex64> {
        match &self.data {
            Data::Complex(v) => v.clone(),
            _ => self.scalars().map(|s| Complex64 { re: s.to_f64(), im: 0.0 }).collect(),
        }
    }

    /// The elements converted to `dtype`.
    pub fn convert(&self, dtype: DType) -> Value {
        if dtype == self.dtype {
            return self.clone();
        }
        Value::from_fn(self.dims.clone(), dtype, |i| self.get(i))
    }

    /// The same elements with other sizes, which must have the same product.
    pub fn with_dims(mut self, dims: Vec<usize>) -> Value {
        debug_assert_eq!(dims.iter().product::<usize>(), self.len());
        self.dims = dims;
        self
    }

    /// A tensor of sizes `dims`. `source` maps each of its indices to the linear position of the element of this tensor to copy.
    pub fn pick(&self, dims: &[usize], mut source: impl FnMut(&[usize]) -> usize) -> Value {
        let mut order = Vec::with_capacity(dims.iter().product());
        for_each_index(dims, |index| order.push(source(index)));
        let data = map_data!(&self.data, v => order.iter().map(|&i| v[i]).collect());
        Value { dims: dims.to_vec(), dtype: self.dtype, data }
    }

    /// Overwrites element `i` with element `j` of `other`, which must be of the same class.
    pub fn set_from(&mut self, i: usize, other: &Value, j: usize) {
        match (&mut self.data, &other.data) {
            (Data::Float(a), Data::Float(b)) => a[i] = b[j],
            (Data::Int(a), Data::Int(b)) => a[i] = b[j],
            (Data::Complex(a), Data::Complex(b)) => a[i] = b[j],
            _ => debug_assert!(false, "values of two classes"),
        }
    }

    /// Overwrites element `i` with a scalar, converted to the element type.
    pub fn set(&mut self, i: usize, x: Scalar) {
        match (&mut self.data, x.convert(self.dtype)) {
            (Data::Float(v), Scalar::Float(x)) => v[i] = x,
            (Data::Int(v), Scalar::Int(x)) => v[i] = x,
            (Data::Complex(v), Scalar::Complex(z)) => v[i] = z,
            _ => debug_assert!(false, "convert gives the class of the element type"),
        }
    }

    /// Reads a literal.
    pub fn from_literal(literal: &Literal) -> Value {
        let (dtype, size, bytes) = (literal.dtype(), literal.dtype().size(), literal.bytes());
        Value::from_fn(literal.dims(), dtype, |i| Scalar::read(dtype, &bytes[i * size..]))
    }

    /// The tensor as a literal.
    pub fn to_literal(&self) -> Result<Literal, LiteralError> {
        let mut bytes = Vec::with_capacity(self.len() * self.dtype.size());
        self.scalars().for_each(|s| s.write(self.dtype, &mut bytes));
        Literal::from_bytes(&self.shape(), &bytes)
    }
}

/// Calls `f` with every index of an array of these sizes, in row-major order.
pub fn for_each_index(dims: &[usize], mut f: impl FnMut(&[usize])) {
    if dims.contains(&0) {
        return;
    }
    let mut index = vec![0; dims.len()];
    loop {
        f(&index);
        let mut axis = dims.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < dims[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// Σ index·stride.
pub fn linear(index: &[usize], strides: &[usize]) -> usize {
    index.iter().zip(strides).map(|(i, s)| i * s).sum()
}

impl Literal {
    /// The elements converted to another type, by the rules of the `convert` op.
    pub fn convert(&self, dtype: DType) -> Literal {
        if dtype == self.dtype() {
            return self.clone();
        }
        // INVARIANT: the literal exists, so its size fits, and only a wider element type needs more memory than the value did.
        Value::from_literal(self).convert(dtype).to_literal().unwrap_or_else(|_| self.clone())
    }
}
