//! The table of cases: a file per family, a row per op with its operands. A family knows the ops' attributes and
//! interesting values; it does not know backends or expected results.

mod collective;
mod composite;
mod contraction;
mod control;
mod convolution;
mod elementwise;
mod indexing;
mod leaf;
mod linalg;
mod quantized;
mod reduction;
mod shaping;
mod sorting;
mod transforms;
mod types;
mod window;

use crate::case::{Case, Row};

/// A family of rows.
pub struct Family {
    /// The name, which is also that of its file of goldens.
    pub name: &'static str,
    rows: fn() -> Vec<Row>,
}

impl Family {
    /// Returns the rows.
    pub fn rows(&self) -> Vec<Row> {
        (self.rows)()
    }

    /// Returns the cases of all rows.
    pub fn cases(&self) -> Vec<Case> {
        self.rows().iter().flat_map(|row| row.expand(self.name)).collect()
    }
}

/// Every family.
pub const FAMILIES: &[Family] = &[
    Family { name: "leaf", rows: leaf::rows },
    Family { name: "unary", rows: elementwise::unary_rows },
    Family { name: "binary", rows: elementwise::binary_rows },
    Family { name: "compare", rows: elementwise::other_rows },
    Family { name: "types", rows: types::rows },
    Family { name: "shaping", rows: shaping::rows },
    Family { name: "indexing", rows: indexing::rows },
    Family { name: "sorting", rows: sorting::rows },
    Family { name: "contraction", rows: contraction::rows },
    Family { name: "convolution", rows: convolution::rows },
    Family { name: "reduction", rows: reduction::rows },
    Family { name: "window", rows: window::rows },
    Family { name: "linalg", rows: linalg::rows },
    Family { name: "transforms", rows: transforms::rows },
    Family { name: "quantized", rows: quantized::rows },
    Family { name: "control", rows: control::rows },
    Family { name: "collective", rows: collective::rows },
    Family { name: "composite", rows: composite::rows },
];

/// Returns every case of every family.
pub fn all() -> Vec<Case> {
    FAMILIES.iter().flat_map(Family::cases).collect()
}

/// Why fewer complex numbers are judged.
const ONE_PART: &str = "if one part of a complex number is NaN, the other part has no bound";

/// Returns static dimensions in the form that attributes use.
fn dims(sizes: &[usize]) -> Vec<rlx_ir::Dim> {
    sizes.iter().map(|&n| rlx_ir::Dim::Static(n)).collect()
}
