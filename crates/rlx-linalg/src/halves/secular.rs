//! Finds the roots of the secular equation of a diagonal matrix plus a matrix of rank one, and their vectors. The equation is `constant + Σ
//! wᵢ / (pᵢ - λ) = 0`, and its roots are between its poles (R.-C. Li, "Solving secular equations stably and efficiently", LAPACK Working
//! Note 89, 1993). For the vectors see M. Gu and S. C. Eisenstat, "A divide-and-conquer algorithm for the symmetric tridiagonal
//! eigenproblem" and "... for the bidiagonal SVD", 1995.

use crate::number::Real;

/// Number of terms that are computed together.
const LANES: usize = 8;

/// Maximum number of steps with rational models, after which intervals are halved.
const STEPS: usize = 40;

/// Maximum number of halvings of an interval, more than any interval needs.
const HALVINGS: usize = 400;

/// The equation. Its poles are `pᵢ`, or `pᵢ²` for singular values, in any order.
pub(super) struct Secular<'a, R> {
    pub(super) poles: &'a [R],
    pub(super) weights: &'a [R],
    /// The indices of the poles in ascending order.
    pub(super) ascending: &'a [usize],
    pub(super) constant: R,
    /// Whether the poles and roots are squares.
    pub(super) squared: bool,
}

/// The function at a point, its first derivative, half its second derivative, and the sum of the magnitudes of its terms.
struct Sums<R> {
    value: R,
    slope: R,
    bend: R,
    size: R,
}

/// `a - b` or `a² - b²`.
#[inline(always)]
fn difference<R: Real>(a: R, b: R, squared: bool) -> R {
    if squared { (a - b) * (a + b) } else { a - b }
}

/// Adds eight terms to the sums.
#[inline(always)]
fn accumulate<R: Real>(sums: &mut [[R; LANES]; 4], poles: &[R; LANES], weights: &[R; LANES], x: R) {
    let inverse: [R; LANES] = std::array::from_fn(|i| R::ONE / (poles[i] - x));
    let term: [R; LANES] = std::array::from_fn(|i| weights[i] * inverse[i]);
    let slope: [R; LANES] = std::array::from_fn(|i| term[i] * inverse[i]);
    sums[0] = std::array::from_fn(|i| sums[0][i] + term[i]);
    sums[1] = std::array::from_fn(|i| sums[1][i] + slope[i]);
    sums[2] = std::array::from_fn(|i| sums[2][i] + slope[i] * inverse[i]);
    sums[3] = std::array::from_fn(|i| sums[3][i] + term[i].abs());
}

/// The sum of eight numbers.
#[inline(always)]
fn total<R: Real>(x: &[R; LANES]) -> R {
    let x: [R; LANES / 2] = std::array::from_fn(|i| x[i] + x[i + LANES / 2]);
    (x[0] + x[2]) + (x[1] + x[3])
}

/// The root of `c x² - a x + b` at which the function decreases.
#[inline(always)]
fn falling_root<R: Real>(c: R, a: R, b: R) -> R {
    let two = R::real(2.0);
    let root = (a * a - two * two * b * c).larger(R::ZERO).sqrt();
    if a > R::ZERO { two * b / (a + root) } else { (a - root) / (two * c) }
}

/// The root of `c x² - a x + b` at which the function increases.
#[inline(always)]
fn rising_root<R: Real>(c: R, a: R, b: R) -> R {
    let two = R::real(2.0);
    let root = (a * a - two * two * b * c).larger(R::ZERO).sqrt();
    if a < R::ZERO { two * b / (a - root) } else { (a + root) / (two * c) }
}

/// A number between two numbers on the same side of zero; their geometric mean if their magnitudes differ much.
fn between<R: Real>(low: R, high: R) -> R {
    let few = R::real(1.0 / 1024.0);
    if low == R::ZERO {
        high * few
    } else if high == R::ZERO {
        low * few
    } else if low.abs() < high.abs() * few || high.abs() < low.abs() * few {
        let mean = low.abs().sqrt() * high.abs().sqrt();
        if high > R::ZERO { mean } else { -mean }
    } else {
        (low + high) * R::real(0.5)
    }
}

impl<R: Real> Secular<'_, R> {
    /// Evaluates the function at `x`; `column` holds the poles minus the origin of `x`.
    #[inline(always)]
    fn sums(&self, column: &[R], x: R) -> Sums<R> {
        let mut sums = [[R::ZERO; LANES]; 4];
        let (poles, last_poles) = column.as_chunks::<LANES>();
        let (weights, last_weights) = self.weights.as_chunks::<LANES>();
        for (poles, weights) in poles.iter().zip(weights) {
            accumulate(&mut sums, poles, weights, x);
        }
        if !last_poles.is_empty() {
            // Fills up with terms that have no weight and whose poles are so far away that they contribute zero.
            let (mut poles, mut weights) = ([R::INFINITY; LANES], [R::ZERO; LANES]);
            poles[..last_poles.len()].copy_from_slice(last_poles);
            weights[..last_weights.len()].copy_from_slice(last_weights);
            accumulate(&mut sums, &poles, &weights, x);
        }
        let [value, slope, bend, size] = sums.each_ref().map(total);
        Sums { value: self.constant + value, slope, bend, size: self.constant + size }
    }

    /// Returns whether a value of the function is zero up to rounding.
    #[inline(always)]
    fn vanishes(&self, sums: &Sums<R>) -> bool {
        sums.value.abs() <= R::real(2.0) * R::EPSILON * sums.size
    }

    /// Writes the poles minus the pole at the given index.
    #[inline(always)]
    fn measure(&self, origin: usize, column: &mut [R]) {
        let origin = self.poles[origin];
        for (to, &pole) in column.iter_mut().zip(self.poles) {
            *to = difference(pole, origin, self.squared);
        }
    }

    /// Computes root number `which` in ascending order, or the square root of it if the equation is squared. `column` becomes the poles
    /// minus the root, each accurate relative to itself.
    #[inline(always)]
    fn root(&self, which: usize, column: &mut [R]) -> R {
        let (origin, x) = if which + 1 == self.poles.len() {
            self.last_root(column)
        } else {
            self.inner_root([self.ascending[which], self.ascending[which + 1]], column)
        };
        for pole in &mut *column {
            *pole -= x;
        }
        let pole = self.poles[origin];
        if self.squared { pole + x / (pole + (pole * pole + x).sqrt()) } else { pole + x }
    }

    /// Computes the root between two poles. Returns the pole that is nearest to it, and the root minus that pole. The first guess takes the
    /// terms of the other poles as constant (Li, section 3).
    #[inline(always)]
    fn inner_root(&self, [lower, upper]: [usize; 2], column: &mut [R]) -> (usize, R) {
        self.measure(lower, column);
        let gap = column[upper];
        let middle = gap * R::real(0.5);
        let sums = self.sums(column, middle);
        if self.vanishes(&sums) {
            return (lower, middle);
        }
        let (w, v) = (self.weights[lower], self.weights[upper]);
        let rest = sums.value + (w - v) / middle;
        if sums.value > R::ZERO {
            let guess = falling_root(rest, rest * gap + (w + v), w * gap);
            return (lower, self.refine(column, [lower, upper], [R::ZERO, middle], guess, false));
        }
        self.measure(upper, column);
        let guess = falling_root(rest, (w + v) - rest * gap, -v * gap);
        (upper, self.refine(column, [lower, upper], [-middle, R::ZERO], guess, false))
    }

    /// Computes the root above all poles. Returns the last pole, and the root minus that pole.
    #[inline(always)]
    fn last_root(&self, column: &mut [R]) -> (usize, R) {
        let last = self.ascending[self.poles.len() - 1];
        self.measure(last, column);
        let mut all = R::ZERO;
        for &weight in self.weights {
            all += weight;
        }
        if self.poles.len() == 1 {
            return (last, all / self.constant);
        }
        let next = self.ascending[self.poles.len() - 2];
        let (gap, w) = (-column[next], self.weights[last]);
        // Assumes that all other poles are at the second-last pole.
        let guess = rising_root(self.constant, all - self.constant * gap, -w * gap);
        let bound = all / self.constant * (R::ONE + R::real(8.0) * R::EPSILON);
        (last, self.refine(column, [next, last], [R::ZERO, bound], guess, true))
    }

    /// Returns the step from a point to the zero of a model of the function with two poles. Between the poles, the model has the function's
    /// first two derivatives (C. F. Borges and W. B. Gragg, 1993). Above them, it has the function's first derivative and the weight of the
    /// last pole (Li).
    #[inline(always)]
    fn step(&self, [a, b]: [R; 2], sums: &Sums<R>, last: Option<R>) -> R {
        let share = match last {
            Some(weight) => sums.slope - weight / (b * b),
            None => a * (sums.bend * b - sums.slope) / (b - a),
        };
        let c = sums.value - share * a - (sums.slope - share) * b;
        let linear = (a + b) * sums.value - a * b * sums.slope;
        let product = a * b * sums.value;
        if last.is_some() { rising_root(c, linear, product) } else { falling_root(c, linear, product) }
    }

    /// Finds the root in an interval in which the function rises through zero, starting from a guess.
    #[inline(always)]
    fn refine(
        &self,
        column: &[R],
        poles: [usize; 2],
        [mut low, mut high]: [R; 2],
        guess: R,
        last: bool,
    ) -> R {
        let mut x = if low < guess && guess < high { guess } else { between(low, high) };
        for _ in 0..STEPS {
            let sums = self.sums(column, x);
            if self.vanishes(&sums) {
                return x;
            }
            if sums.value < R::ZERO {
                low = x
            } else {
                high = x
            }
            let [a, b] = poles.map(|pole| column[pole] - x);
            let step = self.step([a, b], &sums, last.then(|| self.weights[poles[1]]));
            let next = x + step;
            // The error of the model is of third order in the step relative to the distances of the poles, so it may be below rounding.
            let nearest = if a.abs() < b.abs() { a.abs() } else { b.abs() };
            let small = if last { R::EPSILON * x.abs() } else { R::CUBE_ROOT * nearest };
            if !(low < next && next < high) {
                if step.abs() <= R::EPSILON * x.abs() {
                    return x;
                }
                x = between(low, high);
            } else if step.abs() <= small {
                return next;
            } else {
                x = next;
            }
        }
        self.halve(column, [low, high])
    }

    /// Finds the root in an interval by halving it.
    #[cold]
    #[inline(never)]
    fn halve(&self, column: &[R], [mut low, mut high]: [R; 2]) -> R {
        for _ in 0..HALVINGS {
            let x = between(low, high);
            if !(low < x && x < high) {
                break;
            }
            if self.sums(column, x).value < R::ZERO { low = x } else { high = x }
        }
        if low == R::ZERO { high } else { low }
    }

    /// Computes the roots starting at number `first`, and the poles minus each root, in columns. `products` becomes the factors that these
    /// roots contribute to the weights for which they are exact: `Π (pᵢ - λⱼ) / Π (pᵢ - pⱼ)`, without the vanishing divisor (Löwner's
    /// formula).
    #[inline(always)]
    pub(super) fn roots(&self, first: usize, roots: &mut [R], columns: &mut [R], products: &mut [R]) {
        let k = self.poles.len();
        for (which, (root, column)) in roots.iter_mut().zip(columns.chunks_exact_mut(k)).enumerate() {
            *root = self.root(first + which, column);
        }
        products.fill(R::ONE);
        let mut pairs = columns.chunks_exact(2 * k);
        let mut which = first;
        for pair in &mut pairs {
            let (a, b) = pair.split_at(k);
            self.multiply_pair([a, b], [self.ascending[which], self.ascending[which + 1]], products);
            which += 2;
        }
        if !pairs.remainder().is_empty() {
            self.multiply(pairs.remainder(), self.ascending[which], products);
        }
    }

    /// Multiplies by the factors of one root.
    #[inline(always)]
    fn multiply(&self, column: &[R], own: usize, products: &mut [R]) {
        let pole = self.poles[own];
        let before = products[own];
        for ((product, &x), &p) in products.iter_mut().zip(column).zip(self.poles) {
            *product *= x / difference(p, pole, self.squared);
        }
        products[own] = before * column[own];
    }

    /// Multiplies by the factors of two roots, with one division for both.
    #[inline(always)]
    fn multiply_pair(&self, [x, y]: [&[R]; 2], own: [usize; 2], products: &mut [R]) {
        let [a, b] = own.map(|i| self.poles[i]);
        let before = own.map(|i| products[i]);
        for (((product, &x), &y), &p) in products.iter_mut().zip(x).zip(y).zip(self.poles) {
            let divisor = difference(p, a, self.squared) * difference(p, b, self.squared);
            *product *= x * y / divisor;
        }
        for (i, other) in [(0, b), (1, a)] {
            let slot = own[i];
            let factor = x[slot] * (y[slot] / difference(self.poles[slot], other, self.squared));
            products[slot] = before[i] * factor;
        }
    }
}

/// Replaces the poles minus a root by the vector that belongs to it, `zᵢ / (pᵢ - λ)`, scaled to length one. Returns the scale factor.
#[inline(always)]
pub(super) fn vector<R: Real>(z: &[R], column: &mut [R]) -> R {
    // This function and those above use loops because closures passed to iterators are not always compiled for wide vectors.
    for (x, &z) in column.iter_mut().zip(z) {
        *x = z / *x;
    }
    normalize(column)
}

/// Scales a vector to length one and returns the factor.
#[inline(always)]
pub(super) fn normalize<R: Real>(column: &mut [R]) -> R {
    let mut sums = [R::ZERO; LANES];
    let (chunks, rest) = column.as_chunks::<LANES>();
    for chunk in chunks {
        let squares: [R; LANES] = chunk.map(|x| x * x);
        sums = std::array::from_fn(|i| sums[i] + squares[i]);
    }
    let mut square = total(&sums);
    for &x in rest {
        square += x * x;
    }
    let factor = R::ONE / square.sqrt();
    for x in column {
        *x *= factor;
    }
    factor
}
