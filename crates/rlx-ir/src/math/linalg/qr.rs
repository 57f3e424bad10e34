//! Householder QR factorisation (Golub & Van Loan, section 5.2), in LAPACK's conventions.

use super::{Field, inverse_power_of_two, largest, norm};

/// An elementary reflector `H = I - τ v vᴴ` with `v₀ = 1`, made so that `Hᴴ x = β e₀` with `β` real.
pub(super) struct Reflector<T> {
    /// `τ`; zero for the identity.
    pub tau: T,
    /// `β`, of modulus `‖x‖`.
    pub beta: T,
}

/// Makes the reflector of `x` and overwrites `x[1..]` with `v[1..]`; `x[0]` is left as it was.
///
/// The sign of `β` is opposite to that of `Re x₀`, so that nothing cancels. If `x` is already a real multiple
/// of `e₀` the reflector is the identity and `β = x₀`, whatever its sign.
pub(super) fn reflector<T: Field>(x: &mut [T]) -> Reflector<T> {
    // In the subnormal range the quotients would lose their digits, and H its orthogonality.
    let scale = inverse_power_of_two(largest(x));
    let alpha = x[0].scale(scale);
    let rest = norm(&x[1..]) * scale;
    if rest == 0.0 && alpha.im() == 0.0 {
        return Reflector { tau: T::ZERO, beta: x[0] };
    }
    let beta = -libm::hypot(alpha.abs(), rest).copysign(alpha.re());
    let difference = alpha - T::from(beta);
    x[1..].iter_mut().for_each(|v| *v = v.scale(scale) / difference);
    Reflector { tau: -difference / T::from(beta), beta: T::from(beta / scale) }
}

/// LAPACK's packed factorisation of an `m × n` matrix: `R` in the upper triangle, the reflectors' vectors below
/// the diagonal (their leading ones left out), and the `min(m, n)` factors `τ`.
pub fn geqrf<T: Field>(a: &[T], m: usize, n: usize) -> (Vec<T>, Vec<T>) {
    let mut packed = a[..m * n].to_vec();
    let mut taus = Vec::with_capacity(m.min(n));
    for k in 0..m.min(n) {
        let mut v: Vec<T> = (k..m).map(|i| packed[i * n + k]).collect();
        let Reflector { tau, beta } = reflector(&mut v);
        v[0] = T::ONE;
        reflect_rows(&mut packed, n, k, k + 1, &v, tau.conj());
        packed[k * n + k] = beta;
        for (i, value) in v.iter().enumerate().skip(1) {
            packed[(k + i) * n + k] = *value;
        }
        taus.push(tau);
    }
    (packed, taus)
}

/// Applies `I - τ v vᴴ` from the left to the rows `top..` and columns `left..` of a matrix with `n` columns.
fn reflect_rows<T: Field>(a: &mut [T], n: usize, top: usize, left: usize, v: &[T], tau: T) {
    if tau == T::ZERO {
        return;
    }
    // vᴴ A, a row at a time.
    let mut products = vec![T::ZERO; n - left];
    for (i, vi) in v.iter().enumerate() {
        let row = &a[(top + i) * n + left..(top + i + 1) * n];
        products.iter_mut().zip(row).for_each(|(p, value)| *p += vi.conj() * *value);
    }
    for (i, vi) in v.iter().enumerate() {
        let factor = tau * *vi;
        let row = &mut a[(top + i) * n + left..(top + i + 1) * n];
        row.iter_mut().zip(&products).for_each(|(value, p)| *value -= factor * *p);
    }
}

/// The first `columns` columns of `H₀ H₁ …`, an `m × columns` matrix, from the packed form with `n` columns.
pub fn householder_product<T: Field>(packed: &[T], taus: &[T], m: usize, n: usize, columns: usize) -> Vec<T> {
    let mut q = vec![T::ZERO; m * columns];
    for i in 0..m.min(columns) {
        q[i * columns + i] = T::ONE;
    }
    for (k, tau) in taus.iter().enumerate().rev() {
        let v: Vec<T> = (k..m).map(|i| if i == k { T::ONE } else { packed[i * n + k] }).collect();
        // Columns before k are still those of the identity, which H_k leaves alone above row k.
        reflect_rows(&mut q, columns, k, k.min(columns), &v, *tau);
    }
    q
}

/// `A = Q R` for an `m × n` matrix: `Q` is `m × m` and `R` is `m × n` if `full_matrices`, else `m × k` and
/// `k × n` with `k = min(m, n)`.
///
/// As in LAPACK the diagonal of `R` is real and of either sign.
pub fn qr<T: Field>(a: &[T], m: usize, n: usize, full_matrices: bool) -> (Vec<T>, Vec<T>) {
    let (packed, taus) = geqrf(a, m, n);
    let inner = if full_matrices { m } else { m.min(n) };
    let q = householder_product(&packed, &taus, m, n, inner);
    let upper = |i: usize, j: usize| if i <= j { packed[i * n + j] } else { T::ZERO };
    let r = (0..inner).flat_map(|i| (0..n).map(move |j| upper(i, j))).collect();
    (q, r)
}
