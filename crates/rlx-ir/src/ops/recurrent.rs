//! Recurrent layers over a sequence `[seq, batch, in]`: Elman, LSTM and GRU cells. The layout of weights, gates and biases is
//! that of PyTorch and cuDNN.

use crate::dim::Dim;
use crate::op::kinds::Activation;
use crate::op::{Op, OpError, Operands, Take};
use crate::ops::control::build::ScanOperands;
use crate::ops::precision::check_float;
use crate::shape::Shape;
use crate::tensor::{Builder, Tensor};

/// The weights of a cell with some number of gates.
#[derive(Clone, Copy, Debug)]
pub struct RecurrentWeights<'a> {
    /// Weights of the input, `[gates·h, in]`.
    pub w_ih: &'a Tensor,
    /// Weights of the state, `[gates·h, h]`.
    pub w_hh: &'a Tensor,
    /// Bias of the input, `[gates·h]`.
    pub b_ih: Option<&'a Tensor>,
    /// Bias of the state, `[gates·h]`.
    pub b_hh: Option<&'a Tensor>,
}

impl<'a> Take<'a, Tensor> for RecurrentWeights<'a> {
    fn take(operands: &mut Operands<'a, Tensor>) -> Self {
        RecurrentWeights {
            w_ih: operands.take(),
            w_hh: operands.take(),
            b_ih: operands.take(),
            b_hh: operands.take(),
        }
    }
}

impl<'a> RecurrentWeights<'a> {
    /// Fails unless x, the states and the weights fit each other. Returns `[batch, h]`.
    fn check(&self, x: &Tensor, states: &[(&str, &Tensor)], gates: usize) -> Result<Vec<Dim>, OpError> {
        check_float("x", x)?;
        let (x_dims, states_dims) = (x.dims(), states[0].1.dims());
        let ([_, batch, input], [_, h]) = (x_dims.as_slice(), states_dims.as_slice()) else {
            return Err(OpError::shape(format!(
                "x must be [seq, batch, in] and {} [batch, h], got {} and {}",
                states[0].0,
                x.shape(),
                states[0].1.shape()
            )));
        };
        let check = |name: &str, t: &Tensor, dims: &[Dim]| {
            let expected = Shape::from_dims(dims, x.dtype());
            OpError::check_same(name, &t.shape(), "an operand that fits the others", &expected)
        };
        let state_dims = vec![batch.clone(), h.clone()];
        states.iter().try_for_each(|(name, state)| check(name, state, &state_dims))?;
        let rows = h * gates;
        check("w_ih", self.w_ih, &[rows.clone(), input.clone()])?;
        check("w_hh", self.w_hh, &[rows.clone(), h.clone()])?;
        for (name, bias) in [("b_ih", self.b_ih), ("b_hh", self.b_hh)] {
            bias.map_or(Ok(()), |b| check(name, b, std::slice::from_ref(&rows)))?;
        }
        Ok(state_dims)
    }

    /// The states and the weights as operands. If b_hh is given without b_ih, b_ih is zeros.
    fn operands(self, states: &[&'a Tensor], zeros: &'a Tensor) -> Vec<&'a Tensor> {
        let biases = match (self.b_ih, self.b_hh) {
            (None, None) => vec![],
            (b_ih, None) => b_ih.into_iter().collect(),
            (b_ih, Some(b_hh)) => vec![b_ih.unwrap_or(zeros), b_hh],
        };
        [states, &[self.w_ih, self.w_hh], &biases].concat()
    }

    fn zeros(self) -> Tensor {
        self.b_hh.map_or_else(|| self.w_hh.clone(), |b| b.scalar_like(0.0).broadcast_to(&b.dims()))
    }

    /// x·w_ihᵀ + b_ih for the whole sequence at once.
    fn inputs(&self, x: &Tensor) -> Tensor {
        affine(&x.widened(), &self.w_ih.widened(), self.b_ih.map(Tensor::widened).as_ref())
    }

    /// w_hh and b_hh (zeros if there is none), which each step applies to the state.
    fn recurrent(&self) -> [Tensor; 2] {
        let w = self.w_hh.widened();
        let bias = match self.b_hh {
            Some(bias) => bias.widened(),
            None => w.scalar_like(0.0).broadcast_to(&self.w_hh.dims()[..1]),
        };
        [w, bias]
    }
}

/// x·wᵀ + b.
fn affine(x: &Tensor, w: &Tensor, b: Option<&Tensor>) -> Tensor {
    let y = x.matmul(&w.transpose_last());
    b.map_or(y.clone(), |b| y + b)
}

/// The gates of `[batch, gates·h]`, in order.
fn gates<const N: usize>(x: &Tensor, h: &Dim) -> [Tensor; N] {
    std::array::from_fn(|i| x.slice_axis(1, h * i, h * (i + 1)))
}

/// Runs `cell(w_hh, b_hh, states…, inputs)` → (states…, y) along the sequence. Returns y and the last states, in the type of x.
fn over_sequence<const N: usize>(
    x: &Tensor,
    weights: &RecurrentWeights<'_>,
    states: &[&Tensor],
    reverse: bool,
    cell: &dyn Fn(&[Tensor]) -> Vec<Tensor>,
) -> Result<[Tensor; N], OpError> {
    let carry: Vec<Tensor> = states.iter().map(|s| s.widened()).collect();
    let operands = ScanOperands { consts: &weights.recurrent(), carry: &carry, xs: &[weights.inputs(x)] };
    let body = |_: &Builder, values: &[Tensor]| cell(values);
    let mut results = x.builder().scan(operands, x.dim(0), reverse, &body);
    results.rotate_right(1);
    let results: Vec<Tensor> = results.iter().map(|t| t.convert(x.dtype())).collect();
    results.try_into().map_err(|_| OpError::shape("a cell must return its states and a result"))
}

/// h ← activation(x·w_ihᵀ + b_ih + h·w_hhᵀ + b_hh). Results are all h `[seq, batch, h]`, and the last h.
pub(crate) fn rnn(
    ([x, h0], weights): ([&Tensor; 2], RecurrentWeights<'_>),
    activation: Activation,
    reverse: bool,
) -> Result<[Tensor; 2], OpError> {
    weights.check(x, &[("h0", h0)], 1)?;
    over_sequence(x, &weights, &[h0], reverse, &|values| {
        let [w, b, h, input] = values else { return Vec::new() };
        let next = (input + affine(h, w, Some(b))).activation(activation);
        vec![next.clone(), next]
    })
}

/// With gates (i, f, g, o) = x·w_ihᵀ + b_ih + h·w_hhᵀ + b_hh: c ← σ(f) c + σ(i) tanh(g), h ← σ(o) tanh(c). Results are all h, the
/// last h and the last c.
pub(crate) fn lstm(
    ([x, h0, c0], weights): ([&Tensor; 3], RecurrentWeights<'_>),
    reverse: bool,
) -> Result<[Tensor; 3], OpError> {
    let state_dims = weights.check(x, &[("h0", h0), ("c0", c0)], 4)?;
    over_sequence(x, &weights, &[h0, c0], reverse, &|values| {
        let [w, b, h, c, input] = values else { return Vec::new() };
        let [i, f, g, o] = gates(&(input + affine(h, w, Some(b))), &state_dims[1]);
        let c = f.sigmoid() * c + i.sigmoid() * g.tanh();
        let h = o.sigmoid() * c.tanh();
        vec![h.clone(), c, h]
    })
}

/// With gates (r, z, n) of x·w_ihᵀ + b_ih and of h·w_hhᵀ + b_hh: r and z are σ of the sums, n is tanh(n_x + r n_h), and h ← (1 −
/// z) n + z h. Results are all h and the last h.
pub(crate) fn gru(
    ([x, h0], weights): ([&Tensor; 2], RecurrentWeights<'_>),
    reverse: bool,
) -> Result<[Tensor; 2], OpError> {
    let state_dims = weights.check(x, &[("h0", h0)], 3)?;
    over_sequence(x, &weights, &[h0], reverse, &|values| {
        let [w, b, h, input] = values else { return Vec::new() };
        let [rx, zx, nx] = gates(input, &state_dims[1]);
        let [rh, zh, nh] = gates(&affine(h, w, Some(b)), &state_dims[1]);
        let (r, z) = ((rx + rh).sigmoid(), (zx + zh).sigmoid());
        let n = (nx + r * nh).tanh();
        let next = (1.0 - &z) * n + z * h;
        vec![next.clone(), next]
    })
}

impl Tensor {
    /// A recurrent layer along this sequence `[seq, batch, in]`. Returns all h and the last h.
    #[track_caller]
    pub fn rnn(
        &self,
        h0: &Tensor,
        weights: RecurrentWeights<'_>,
        activation: Activation,
        reverse: bool,
    ) -> [Tensor; 2] {
        self.apply_array(Op::Rnn { activation, reverse }, &weights.operands(&[h0], &weights.zeros()))
    }

    /// An LSTM layer along this sequence `[seq, batch, in]`. Returns all h, the last h and the last c.
    #[track_caller]
    pub fn lstm(
        &self,
        h0: &Tensor,
        c0: &Tensor,
        weights: RecurrentWeights<'_>,
        reverse: bool,
    ) -> [Tensor; 3] {
        self.apply_array(Op::Lstm { reverse }, &weights.operands(&[h0, c0], &weights.zeros()))
    }

    /// A GRU layer along this sequence `[seq, batch, in]`. Returns all h and the last h.
    #[track_caller]
    pub fn gru(&self, h0: &Tensor, weights: RecurrentWeights<'_>, reverse: bool) -> [Tensor; 2] {
        self.apply_array(Op::Gru { reverse }, &weights.operands(&[h0], &weights.zeros()))
    }
}
