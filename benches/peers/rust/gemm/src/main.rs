//! The crate `gemm`, with its AVX-512 kernels. It supports neither packed weights nor epilogues.

use gemm::{Parallelism, gemm};
use peer_protocol::{Case, Peer, Problem, Value, json, serve};
use std::path::Path;

struct Gemm {
    threads: usize,
    sizes: [usize; 3],
    x: Vec<f32>,
    w: Vec<f32>,
    y: Vec<f32>,
}

impl Peer for Gemm {
    fn prepare(&mut self, case: &Case, data: &Path) -> Result<(Value, Vec<f32>), Problem> {
        if case.kind() != "gemm" || case.flag("epilogue") {
            return case.unknown();
        }
        let (sizes, [x, w, _]) = case.product(data)?;
        let y = vec![0.0; sizes[0] * sizes[2]];
        let threads = self.threads;
        *self = Gemm { threads, sizes, x, w, y };
        self.run()?;
        Ok((json!({}), self.y.clone()))
    }

    fn run(&mut self) -> Result<(), Problem> {
        let [m, k, n] = self.sizes;
        let how = if self.threads == 1 { Parallelism::None } else { Parallelism::Rayon(self.threads) };
        let (x, w, y) = (self.x.as_ptr(), self.w.as_ptr(), self.y.as_mut_ptr());
        let strides = [m, k, n].map(isize::try_from);
        let [_, k_stride, n_stride] = [strides[0]?, strides[1]?, strides[2]?];
        // SAFETY: x has m·k elements, w has k·n and y has m·n, in row-major order; `product` read that many, and `y`
        // was allocated with that many.
        unsafe {
            gemm(
                m, n, k, y, 1, n_stride, false, x, 1, k_stride, w, 1, n_stride, 0.0, 1.0, false, false,
                false, how,
            );
        }
        Ok(())
    }
}

fn main() {
    let empty = |threads| Ok(Gemm { threads, sizes: [0; 3], x: Vec::new(), w: Vec::new(), y: Vec::new() });
    serve("gemm", "feature x86-v4, rayon", empty);
}
