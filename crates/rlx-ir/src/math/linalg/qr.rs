//! Householder QR factorization (Golub & Van Loan, section 5.2), in LAPACK's conventions.

use super::{Field, inverse_power_of_two, largest, norm};

/// An elementary reflector `H = I - τ v vᴴ` with `v₀ = 1`, such that `Hᴴ x = β e₀` with real `β`.
pub(super) struct Reflector<T> {
    /// `τ`; zero for the identity.
    pub tau: T,
    /// `β`, of modulus `‖x‖`.
    pub beta: T,
}

/// Makes the reflector of `x` and overwrites `x[1..]` with `v[1..]`; `x[0]` is not changed.
///
/// The sign of `β` is opposite to that of `Re x₀`, so that nothing cancels. If `x` is already a real multiple of `e₀`, the
/// reflector is the identity and `β = x₀`, whatever its sign.
pub(super) fn reflector<T: Field>(x: &mut [T]) -> Reflector<T> {
    // Without scaling, the quotients would lose their digits in the subnormal range, and H its orthogonality.
    let scale = inverse_power_of_two(largest(x));
    let alpha = x[0].scale(scale);
    x[1..].iter_mut().for_each(|v| *v = v.scale(scale));
    let rest = norm(&x[1..]);
    if rest == 0.0 && alpha.im() == 0.0 {
        return Reflector { tau: T::ZERO, beta: x[0] };
    }
    let beta = -libm::hypot(alpha.abs(), rest).copysign(alpha.re());
    let difference = alpha - T::from(beta);
    x[1..].iter_mut().for_each(|v| *v = *v / difference);
    Reflector { tau: -difference / T::from(beta), beta: T::from(beta / scale) }
}

/// LAPACK's packed factorization of an `m × n` matrix: `R` in the upper triangle, the reflectors' vectors below the diagonal
/// (without their leading ones), and the `min(m, n)` factors `τ`.
pub fn geqrf<T: Field>(a: &[T], m: usize, n: usize) -> (Vec<T>, Vec<T>) {
    let (mut packed, mut taus) = (a[..m * n].to_vec(), vec![T::ZERO; m.min(n)]);
    geqrf_in_place(&mut packed, &mut taus, m, n, &mut vec![T::ZERO; m + n]);
    (packed, taus)
}

/// [`geqrf`] in place; `work` has `m + n` elements.
pub fn geqrf_in_place<T: Field>(packed: &mut [T], taus: &mut [T], m: usize, n: usize, work: &mut [T]) {
    let (v, products) = work.split_at_mut(m);
    for (k, tau) in taus.iter_mut().enumerate().take(m.min(n)) {
        *tau = eliminate(packed, [m, n], k, v, products);
    }
}

/// Zeroes column `k` below row `k` with a reflector, applies it to the columns to the right, stores its vector in place of the
/// zeros, and returns its `τ`. `v` has room for a column, `products` for a row.
pub(super) fn eliminate<T: Field>(
    packed: &mut [T],
    [m, n]: [usize; 2],
    k: usize,
    v: &mut [T],
    products: &mut [T],
) -> T {
    let v = &mut v[..m - k];
    v.iter_mut().zip(k..m).for_each(|(value, i)| *value = packed[i * n + k]);
    let Reflector { tau, beta } = reflector(v);
    v[0] = T::ONE;
    reflect_rows(packed, n, k, k + 1, v, tau.conj(), products);
    packed[k * n + k] = beta;
    (1..m - k).for_each(|i| packed[(k + i) * n + k] = v[i]);
    tau
}

/// Applies `I - τ v vᴴ` from the left to the rows `top..` and columns `left..` of a matrix with `n` columns;
/// `products` has room for a row.
pub(super) fn reflect_rows<T: Field>(
    a: &mut [T],
    n: usize,
    top: usize,
    left: usize,
    v: &[T],
    tau: T,
    products: &mut [T],
) {
    if tau == T::ZERO {
        return;
    }
    // vᴴ A, one row at a time.
    let products = &mut products[..n - left];
    products.fill(T::ZERO);
    for (i, vi) in v.iter().enumerate() {
        let row = &a[(top + i) * n + left..(top + i + 1) * n];
        products.iter_mut().zip(row).for_each(|(p, value)| *p += vi.conj() * *value);
    }
    for (i, vi) in v.iter().enumerate() {
        let factor = tau * *vi;
        let row = &mut a[(top + i) * n + left..(top + i + 1) * n];
        row.iter_mut().zip(&*products).for_each(|(value, p)| *value -= factor * *p);
    }
}

/// Applies `I - τ v vᴴ` from the right to the first `rows` rows of a matrix with `n` columns, and to as many columns from `left`
/// on as `v` has elements.
pub(super) fn reflect_columns<T: Field>(a: &mut [T], n: usize, rows: usize, left: usize, v: &[T], tau: T) {
    for row in a.chunks_exact_mut(n).take(rows) {
        let part = &mut row[left..left + v.len()];
        let factor = part.iter().zip(v).fold(T::ZERO, |sum, (x, vi)| sum + *x * *vi) * tau;
        part.iter_mut().zip(v).for_each(|(x, vi)| *x -= factor * vi.conj());
    }
}

/// The first `columns` columns of `H₀ H₁ …`, an `m × columns` matrix, from the packed form with `n` columns.
pub fn householder_product<T: Field>(packed: &[T], taus: &[T], m: usize, n: usize, columns: usize) -> Vec<T> {
    let mut q = vec![T::ZERO; m * columns];
    householder_product_into(packed, taus, [m, n, columns], &mut q, &mut vec![T::ZERO; m + columns]);
    q
}

/// [`householder_product`] into a given matrix; `work` has `m + columns` elements.
pub fn householder_product_into<T: Field>(
    packed: &[T],
    taus: &[T],
    [m, n, columns]: [usize; 3],
    q: &mut [T],
    work: &mut [T],
) {
    let (v, products) = work.split_at_mut(m);
    q[..m * columns].fill(T::ZERO);
    for i in 0..m.min(columns) {
        q[i * columns + i] = T::ONE;
    }
    for (k, tau) in taus.iter().enumerate().rev() {
        let v = &mut v[..m - k];
        v.iter_mut()
            .zip(k..m)
            .for_each(|(value, i)| *value = if i == k { T::ONE } else { packed[i * n + k] });
        // Columns before k are still those of the identity, and H_k does not change those rows of them.
        reflect_rows(q, columns, k, k.min(columns), v, *tau, products);
    }
}

/// `A = Q R` for an `m × n` matrix: `Q` is `m × m` and `R` is `m × n` if `full_matrices`, else `m × k` and
/// `k × n` with `k = min(m, n)`.
///
/// As in LAPACK, the diagonal of `R` is real, of either sign.
pub fn qr<T: Field>(a: &[T], m: usize, n: usize, full_matrices: bool) -> (Vec<T>, Vec<T>) {
    let inner = if full_matrices { m } else { m.min(n) };
    let (mut q, mut r) = (vec![T::ZERO; m * inner], vec![T::ZERO; inner * n]);
    qr_into(a, [m, n, inner], &mut q, &mut r, &mut vec![T::ZERO; qr_work(m, n, inner)]);
    (q, r)
}

/// Number of elements of working memory that [`qr_into`] needs.
pub fn qr_work(m: usize, n: usize, inner: usize) -> usize {
    m * n + m.min(n) + m + n.max(inner)
}

/// [`qr`] into an `m × inner` and an `inner × n` matrix.
pub fn qr_into<T: Field>(a: &[T], [m, n, inner]: [usize; 3], q: &mut [T], r: &mut [T], work: &mut [T]) {
    let (packed, rest) = work.split_at_mut(m * n);
    let (taus, rest) = rest.split_at_mut(m.min(n));
    packed.copy_from_slice(&a[..m * n]);
    geqrf_in_place(packed, taus, m, n, rest);
    householder_product_into(packed, taus, [m, n, inner], q, rest);
    (0..inner * n).for_each(|k| r[k] = if k / n <= k % n { packed[k] } else { T::ZERO });
}
