//! Machine instructions as data: what each computes, which elements each lane holds, and its source text.
//!
//! What an instruction computes is described by a small kernel over tiles. A machine with another instruction gets
//! another row.

use crate::kernel::Kernel;
use rlx_ir::{DType, Dim, ParseError};

/// An instruction that the lanes of a subgroup execute together.
#[derive(Debug)]
pub struct InstrRow {
    /// Its name.
    pub name: &'static str,
    /// The number of lanes that execute it.
    pub lanes: u32,
    /// The rows and columns of the sum, and the number of products that are added to each element.
    pub shape: [u32; 3],
    /// The type of the sum.
    pub sum: DType,
    /// The type of the factors.
    pub factors: DType,
    /// How the lanes hold the sum, the left factor and the right factor.
    pub layouts: [Layout; 3],
    /// Its text, by language.
    pub texts: &'static [(&'static str, &'static str)],
}

/// Which element of a tile a lane holds in a register. The indices are expressions of `l`, the number of the lane, and
/// `r`, the number of the register.
#[derive(Debug)]
pub struct Layout {
    /// The number of registers of a lane for the tile.
    pub registers: u32,
    /// The row of the element.
    pub row: &'static str,
    /// The column of the element.
    pub column: &'static str,
}

/// The layouts of NVIDIA's `mma.m16n8k16` (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type").
const NVIDIA_16: [Layout; 3] = [
    Layout {
        registers: 4,
        row: "floordiv(l,4)+8*floordiv(r,2)",
        column: "2*l-8*floordiv(l,4)+r-2*floordiv(r,2)",
    },
    Layout {
        registers: 8,
        row: "floordiv(l,4)+8*floordiv(r,2)-16*floordiv(r,4)",
        column: "2*l-8*floordiv(l,4)+r-2*floordiv(r,2)+8*floordiv(r,4)",
    },
    Layout { registers: 4, row: "2*l-8*floordiv(l,4)+r+6*floordiv(r,2)", column: "floordiv(l,4)" },
];

/// The same with 8-bit factors (PTX ISA, "Matrix Fragments for mma.m16n8k32").
const NVIDIA_32: [Layout; 3] = [
    Layout {
        registers: 4,
        row: "floordiv(l,4)+8*floordiv(r,2)",
        column: "2*l-8*floordiv(l,4)+r-2*floordiv(r,2)",
    },
    Layout {
        registers: 16,
        row: "floordiv(l,4)+8*floordiv(r,4)-16*floordiv(r,8)",
        column: "4*l-16*floordiv(l,4)+r-4*floordiv(r,4)+16*floordiv(r,8)",
    },
    Layout { registers: 8, row: "4*l-16*floordiv(l,4)+r+12*floordiv(r,4)", column: "floordiv(l,4)" },
];

/// The layouts of AMD's `v_mfma_f32_16x16x16_f16` ("AMD matrix cores": lanes in blocks of 16, four elements each).
const AMD_16: [Layout; 3] = [
    Layout { registers: 4, row: "4*floordiv(l,16)+r", column: "l-16*floordiv(l,16)" },
    Layout { registers: 4, row: "l-16*floordiv(l,16)", column: "4*floordiv(l,16)+r" },
    Layout { registers: 4, row: "4*floordiv(l,16)+r", column: "l-16*floordiv(l,16)" },
];

/// All known instructions.
pub const ROWS: &[InstrRow] = &[
    InstrRow {
        name: "mma_m16n8k16_f16",
        lanes: 32,
        shape: [16, 8, 16],
        sum: DType::F32,
        factors: DType::F16,
        layouts: NVIDIA_16,
        texts: &[("PTX", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")],
    },
    InstrRow {
        name: "mma_m16n8k16_bf16",
        lanes: 32,
        shape: [16, 8, 16],
        sum: DType::F32,
        factors: DType::BF16,
        layouts: NVIDIA_16,
        texts: &[("PTX", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")],
    },
    InstrRow {
        name: "mma_m16n8k32_i8",
        lanes: 32,
        shape: [16, 8, 32],
        sum: DType::I32,
        factors: DType::I8,
        layouts: NVIDIA_32,
        texts: &[("PTX", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")],
    },
    InstrRow {
        name: "mfma_16x16x16_f16",
        lanes: 64,
        shape: [16, 16, 16],
        sum: DType::F32,
        factors: DType::F16,
        layouts: AMD_16,
        texts: &[("HIP", "__builtin_amdgcn_mfma_f32_16x16x16f16")],
    },
];

impl InstrRow {
    /// Returns the instruction with this name.
    pub fn of(name: &str) -> Option<&'static InstrRow> {
        ROWS.iter().find(|row| row.name == name)
    }

    /// Returns what it computes: a kernel over its operands, whose sizes have no symbols.
    pub fn meaning(&self) -> Kernel {
        let ([m, n, k], InstrRow { name, sum, factors, .. }) = (self.shape, self);
        let text = format!(
            "kernel {name}(sum: inout {sum}[{m},{n}], a: in {factors}[{m},{k}], b: in {factors}[{k},{n}]) {{
               par i<{m}, j<{n} {{
                 %0 = load sum[i,j]
                 %1: {sum} = for k<{k} with %2: {sum} = %0 {{
                   %3 = load a[i,k]
                   %4 = load b[k,j]
                   %5 = convert %3 {{dtype = {sum}}}
                   %6 = convert %4 {{dtype = {sum}}}
                   %7 = mul %5, %6
                   %8 = add %2, %7
                   next %8
                 }}
                 store sum[i,j] = %1
               }}
             }}"
        );
        // INVARIANT: a test parses the text of every row.
        Kernel::parse(&text).unwrap_or_default()
    }

    /// Returns the type and the sizes of the tile of each operand.
    pub fn operands(&self) -> [(DType, [u32; 2]); 3] {
        let [m, n, k] = self.shape;
        [(self.sum, [m, n]), (self.factors, [m, k]), (self.factors, [k, n])]
    }

    /// Returns whether it writes the operand with this number.
    pub fn writes(&self, operand: usize) -> bool {
        operand == 0
    }
}

impl Layout {
    /// Returns the indices of an element, as expressions of `l` and `r`.
    pub fn element(&self) -> Result<[Dim; 2], ParseError> {
        let dim = |text: &str| rlx_ir::text::Parser::new(text).dim();
        Ok([dim(self.row)?, dim(self.column)?])
    }
}
