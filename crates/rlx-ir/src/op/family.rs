//! The families of ops. Every consumer of ops divides its work by them, and names an op only in the file of its family.

/// The family of an op.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum OpFamily {
    /// Inputs, parameters, constants, and what follows from shapes alone.
    Leaf,
    /// The same function at every index.
    Elementwise,
    /// Other element types.
    Types,
    /// The same elements at other indices.
    Shaping,
    /// Elements at indices that are values.
    Indexing,
    /// Orders and choices of elements.
    Sorting,
    /// Sums of products.
    Contraction,
    /// Reductions of whole axes.
    Reduction,
    /// Reductions of windows.
    Window,
    /// Factorizations and triangular systems.
    Linalg,
    /// Blocks of quantized numbers.
    Quantized,
    /// Fourier transforms.
    Fourier,
    /// Random bits.
    Random,
    /// Branches, loops, and what holds parts of a graph together.
    Control,
    /// Communication along a mapped axis.
    Collective,
    /// Graphs of other ops, unless they are in the module of another family.
    Composite,
}

impl OpFamily {
    /// Returns the family of the ops whose rules are in this module of `ops`, if it is the module of a family.
    pub(super) const fn of_module(name: &str) -> Option<OpFamily> {
        Some(match name.as_bytes() {
            b"leaf" => OpFamily::Leaf,
            b"elementwise" => OpFamily::Elementwise,
            b"types" => OpFamily::Types,
            b"shaping" => OpFamily::Shaping,
            b"indexing" => OpFamily::Indexing,
            b"sorting" => OpFamily::Sorting,
            b"contraction" => OpFamily::Contraction,
            b"reduction" => OpFamily::Reduction,
            b"window" => OpFamily::Window,
            b"linalg" => OpFamily::Linalg,
            b"quantized" => OpFamily::Quantized,
            b"fourier" => OpFamily::Fourier,
            b"random" => OpFamily::Random,
            b"control" => OpFamily::Control,
            b"collective" => OpFamily::Collective,
            _ => return None,
        })
    }
}
