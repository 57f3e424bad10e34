//! Allowances: where a target may be further from the exact value than the limits of all backends, one row per
//! function. A row says what was measured and where. It is a statement about a target's library that anyone can check,
//! and reports list the cases that needed it. Nothing else widens a bound.

use rlx_ir::{DType, DTypeSet, Op};

/// A function that a target computes less accurately than backends should.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allowance {
    /// The function, named like its op in the text form.
    pub function: &'static str,
    /// The element types that the allowance applies to.
    pub dtypes: DTypeSet,
    /// The limit that replaces the common one, in units in the last place of the result.
    pub ulps: f64,
    /// The magnitude below which the error is absolute.
    pub scale: f64,
    /// What the target does, and what was measured.
    pub source: &'static str,
}

impl Allowance {
    /// Returns the row for a function on an element type, if there is one.
    pub(crate) fn of<'a>(list: &'a [Allowance], op: &Op, dtype: DType) -> Option<&'a Allowance> {
        list.iter().find(|row| row.function == op.mnemonic() && row.dtypes.contains(dtype))
    }
}

impl std::fmt::Display for Allowance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dtypes: Vec<&str> = self.dtypes.iter().map(DType::name).collect();
        write!(
            f,
            "`{}` of {} within {} units in the last place",
            self.function,
            dtypes.join(", "),
            self.ulps
        )?;
        if self.scale > 0.0 {
            write!(f, " of results of at least {:e}", self.scale)?;
        }
        write!(f, ": {}", self.source)
    }
}
