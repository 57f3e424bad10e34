//! SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014), for data derived from a seed.
//! Examples are initial values, shuffles and the operands of tests. Graphs draw random numbers with the counter-based generators
//! instead.

/// The fraction of the golden ratio; each step adds it to the state.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A generator of pseudorandom numbers with 64 bits of state. It makes the same numbers on every platform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        SplitMix64 { state: seed }
    }

    /// Stream `stream` of a seed: its numbers depend on both, for example on a run and a step in it.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        random.state = random.bits() ^ stream.wrapping_mul(GAMMA);
        random.bits();
        random
    }

    /// The finalizer: a bijection of 64 bits whose result looks random.
    pub fn mix(x: u64) -> u64 {
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// 64 random bits as a number in [0, 1), a multiple of 2⁻⁵³.
    pub fn unit_of(bits: u64) -> f64 {
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }

    /// 64 random bits as an integer in `0..n`; 0 if n is 0.
    pub fn below_of(bits: u64, n: usize) -> usize {
        ((u128::from(bits) * n as u128) >> 64) as usize
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        SplitMix64::mix(self.state)
    }

    /// A uniform number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        SplitMix64::unit_of(self.bits())
    }

    /// A uniform integer in `0..n`; 0 if n is 0.
    pub fn below(&mut self, n: usize) -> usize {
        SplitMix64::below_of(self.bits(), n)
    }

    /// A number from the standard normal distribution (Box and Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_reference_implementation() {
        // From Vigna's splitmix64.c with the seed 1234567.
        let mut random = SplitMix64::new(1_234_567);
        let expected: [u64; 4] =
            [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431];
        assert_eq!(expected, std::array::from_fn(|_| random.bits()));
    }

    #[test]
    fn numbers_stay_in_range() {
        let mut random = SplitMix64::stream(1, 2);
        assert_eq!(random.below(0), 0);
        let mut seen = [false; 5];
        (0..200).for_each(|_| seen[random.below(5)] = true);
        assert_eq!(seen, [true; 5]);
        assert!((0..200).all(|_| (0.0..1.0).contains(&random.unit())));
        let mean = (0..4000).map(|_| random.normal()).sum::<f64>() / 4000.0;
        assert!(mean.abs() < 0.1, "{mean}");
    }
}
