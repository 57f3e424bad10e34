//! Plain complex matrices, to multiply factors back together.

use rlx_ir::{DType, Literal};

/// A complex number.
pub type C = [f64; 2];

/// The elements as complex numbers.
pub fn complex(x: &Literal) -> Vec<C> {
    match x.dtype() {
        DType::F32 => x.as_slice::<f32>().expect("f32").iter().map(|&v| [f64::from(v), 0.0]).collect(),
        DType::F64 => x.as_slice::<f64>().expect("f64").iter().map(|&v| [v, 0.0]).collect(),
        DType::C64 => x
            .as_slice::<[f32; 2]>()
            .expect("c64")
            .iter()
            .map(|v| [f64::from(v[0]), f64::from(v[1])])
            .collect(),
        _ => x.as_slice::<C>().expect("c128").to_vec(),
    }
}

/// A matrix of a batch.
#[derive(Clone)]
pub struct Matrix {
    pub m: usize,
    pub n: usize,
    pub at: Vec<C>,
}

impl Matrix {
    pub fn new(m: usize, n: usize, f: impl Fn(usize, usize) -> C) -> Matrix {
        Matrix { m, n, at: (0..m * n).map(|k| f(k / n, k % n)).collect() }
    }

    pub fn get(&self, i: usize, j: usize) -> C {
        self.at[i * self.n + j]
    }

    pub fn times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.n, other.m);
        Matrix::new(self.m, other.n, |i, j| {
            (0..self.n).fold([0.0; 2], |s, k| {
                let (a, b) = (self.get(i, k), other.get(k, j));
                [s[0] + a[0] * b[0] - a[1] * b[1], s[1] + a[0] * b[1] + a[1] * b[0]]
            })
        })
    }

    pub fn adjoint(&self) -> Matrix {
        Matrix::new(self.n, self.m, |i, j| [self.get(j, i)[0], -self.get(j, i)[1]])
    }

    pub fn identity(n: usize) -> Matrix {
        Matrix::new(n, n, |i, j| [f64::from(u8::from(i == j)), 0.0])
    }

    /// Columns scaled by real factors; factors that are missing are zero.
    pub fn scaled(&self, factors: &[C], columns: usize) -> Matrix {
        Matrix::new(self.m, columns, |i, j| {
            factors.get(j).map_or([0.0; 2], |f| [self.get(i, j)[0] * f[0], self.get(i, j)[1] * f[0]])
        })
    }

    #[track_caller]
    pub fn is_near(&self, other: &Matrix, tolerance: f64) {
        assert_eq!((self.m, self.n), (other.m, other.n));
        let scale = other.at.iter().flatten().fold(1.0f64, |s, v| s.max(v.abs()));
        for (a, b) in self.at.iter().flatten().zip(other.at.iter().flatten()) {
            assert!((a - b).abs() <= tolerance * scale, "{:?} is not {:?}", self.at, other.at);
        }
    }
}

/// The matrices of a batch, from its last two axes.
pub fn matrices(x: &Literal) -> Vec<Matrix> {
    let dims = x.dims();
    let (m, n) = (dims[dims.len() - 2], dims[dims.len() - 1]);
    let count: usize = dims[..dims.len() - 2].iter().product();
    let data = complex(x);
    (0..count).map(|i| Matrix { m, n, at: data[i * m * n..(i + 1) * m * n].to_vec() }).collect()
}

/// The vectors of a batch, from its last axis.
pub fn vectors(x: &Literal) -> Vec<Vec<C>> {
    let n = *x.dims().last().expect("a vector");
    let count: usize = x.dims()[..x.dims().len() - 1].iter().product();
    let data = complex(x);
    (0..count).map(|i| data[i * n..(i + 1) * n].to_vec()).collect()
}

/// Pseudo-random matrices in [−1, 1), two in a batch.
pub fn sample(m: usize, n: usize, dtype: DType, seed: u64) -> Literal {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let dims = [2, m, n];
    let count = 2 * m * n;
    match dtype {
        DType::F32 => Literal::new(&dims, &(0..count).map(|_| next() as f32).collect::<Vec<_>>()),
        DType::F64 => Literal::new(&dims, &(0..count).map(|_| next()).collect::<Vec<_>>()),
        DType::C64 => {
            Literal::new(&dims, &(0..count).map(|_| [next() as f32, next() as f32]).collect::<Vec<_>>())
        }
        _ => Literal::new(&dims, &(0..count).map(|_| [next(), next()]).collect::<Vec<_>>()),
    }
    .expect("fits")
}

/// A literal of `dtype` from matrices of a batch.
pub fn literal(batch: &[Matrix], dtype: DType) -> Literal {
    let dims = [batch.len(), batch[0].m, batch[0].n];
    let all: Vec<C> = batch.iter().flat_map(|m| m.at.clone()).collect();
    match dtype {
        DType::F32 => Literal::new(&dims, &all.iter().map(|z| z[0] as f32).collect::<Vec<_>>()),
        DType::F64 => Literal::new(&dims, &all.iter().map(|z| z[0]).collect::<Vec<_>>()),
        DType::C64 => {
            Literal::new(&dims, &all.iter().map(|z| [z[0] as f32, z[1] as f32]).collect::<Vec<_>>())
        }
        _ => Literal::new(&dims, &all),
    }
    .expect("fits")
}
