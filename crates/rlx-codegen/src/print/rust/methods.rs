//! The methods that `f64` only has in the standard library, implemented with the crate `libm`.

macro_rules! methods {
    ($($method:ident = $function:ident),*) => {
        /// Methods of `f64`.
        pub trait Methods {
            $(#[doc = concat!("`libm::", stringify!($function), "`.")] fn $method(self) -> f64;)*
            /// a · b + c, rounded once.
            fn mul_add(self, b: f64, c: f64) -> f64;
        }

        impl Methods for f64 {
            $(fn $method(self) -> f64 { super::libm::$function(self) })*
            fn mul_add(self, b: f64, c: f64) -> f64 { super::libm::fma(self, b, c) }
        }
    };
}
methods! {
    acos = acos, asin = asin, atan = atan, cbrt = cbrt, ceil = ceil, cos = cos, cosh = cosh, exp = exp, exp_m1 = expm1,
    floor = floor, ln = log, ln_1p = log1p, round = round, round_ties_even = rint, sin = sin, sinh = sinh, sqrt = sqrt,
    tan = tan, tanh = tanh, trunc = trunc
}
