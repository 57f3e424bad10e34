//! Machines whose lanes work in groups, as their facts, and the tiles that are chosen for one.

use super::product::MatrixProduct;
use crate::tile::instr::InstrRow;
use rlx_ir::{DType, Dim};

/// What a choice knows of such a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gpu {
    /// What it is called.
    pub name: &'static str,
    /// Lanes of a subgroup.
    pub subgroup: u32,
    /// Lanes that a group may have.
    pub lanes: u32,
    /// Bytes of memory that a group may have.
    pub group_bytes: u32,
    /// Registers of 32 bits that a lane has where groups are as large as they may be.
    pub registers: u32,
    /// Its instructions for tiles.
    pub instructions: &'static [&'static str],
}

/// NVIDIA from compute capability 8.0 on (CUDA C++ Programming Guide, "Technical specifications per compute capability").
pub const SM80: Gpu = Gpu {
    name: "sm_80",
    subgroup: 32,
    lanes: 1024,
    group_bytes: 48 << 10,
    registers: 64,
    instructions: &["mma_m16n8k16_f16", "mma_m16n8k16_bf16", "mma_m16n8k32_i8"],
};
/// AMD CDNA ("CDNA3 instruction set architecture": 64 lanes, 64 KiB of local data share).
pub const CDNA: Gpu = Gpu {
    name: "cdna",
    subgroup: 64,
    lanes: 1024,
    group_bytes: 64 << 10,
    registers: 128,
    instructions: &["mfma_16x16x16_f16"],
};
/// Apple's ("Metal feature set tables": 32 KiB of threadgroup memory, 1024 threads).
pub const APPLE: Gpu =
    Gpu { name: "apple", subgroup: 32, lanes: 1024, group_bytes: 32 << 10, registers: 64, instructions: &[] };
/// What WebGPU promises of every device (W3C, "WebGPU", limits).
pub const WEBGPU: Gpu =
    Gpu { name: "webgpu", subgroup: 32, lanes: 256, group_bytes: 16 << 10, registers: 32, instructions: &[] };

/// All of them.
pub const GPUS: [Gpu; 4] = [SM80, CDNA, APPLE, WEBGPU];

/// How a product is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiling {
    /// HeldRows and columns of a group's tile, and how much is summed at a time.
    pub tile: [usize; 3],
    /// How many lanes there are along rows and columns.
    pub lanes: [usize; 2],
    /// What contracts tiles, if the machine has something.
    pub instr: Option<&'static InstrRow>,
}

impl Tiling {
    /// How many lanes a group has.
    pub fn all_lanes(&self) -> usize {
        self.lanes[0] * self.lanes[1]
    }

    /// How many elements a lane has along rows and columns.
    pub fn run(&self) -> [usize; 2] {
        [self.tile[0] / self.lanes[0], self.tile[1] / self.lanes[1]]
    }
}

/// Tiles of lanes, the largest first: rows and columns of the tile, and of the lanes.
const CANDIDATES: [([usize; 2], [usize; 2]); 6] = [
    ([128, 128], [16, 16]),
    ([64, 128], [8, 16]),
    ([64, 64], [8, 16]),
    ([32, 64], [4, 16]),
    ([32, 32], [4, 8]),
    ([8, 16], [4, 8]),
];
/// How much is summed at a time.
const INNER: [usize; 3] = [32, 16, 8];
/// What a size that is not known yet is taken for.
const UNKNOWN: usize = 1024;
/// Groups that keep a machine busy: fewer tiles than that are made smaller.
const BUSY: usize = 64;

/// The tiles of a product on a machine: an instruction where it has one for these types, and of the candidates that fit into the memory
/// of a group and the registers of a lane the one with the least time, as counted.
pub(super) fn tiling(product: &MatrixProduct<'_>, machine: &Gpu) -> Option<Tiling> {
    let [sum, factor] = [product.accumulator(), product.factor()];
    let rows = machine.instructions.iter().filter_map(|name| InstrRow::of(name));
    let instr = { rows }.find(|row| (row.sum, row.factors) == (sum, factor));
    let sizes = [&product.rows, &product.columns, &product.inner].map(|dims| size(dims));
    let all = CANDIDATES.iter().flat_map(|&(tile, lanes)| INNER.map(|inner| (tile, lanes, inner)));
    let candidates = all.filter_map(|([rows, columns], lanes, inner)| {
        let tiling = Tiling { tile: [rows, columns, inner], lanes, instr };
        let divides = |row: &InstrRow| {
            let mut sizes = tiling.tile.iter().zip(row.shape);
            sizes.all(|(size, by)| size.is_multiple_of(by as usize))
        };
        let tiling = Tiling { instr: instr.filter(|row| divides(row)), ..tiling };
        fits(&tiling, machine, [sum, factor]).then_some(tiling)
    });
    candidates.min_by_key(|tiling| (tiling.instr.is_none(), cost(tiling, sizes, product.batches())))
}

fn size(dims: &[Dim]) -> usize {
    let known = dims.iter().map(|dim| dim.as_static().unwrap_or(UNKNOWN));
    known.fold(1usize, usize::saturating_mul).max(1)
}

/// Whether tiles fit, twice as they may be copied ahead.
fn fits(tiling: &Tiling, machine: &Gpu, [sum, factor]: [DType; 2]) -> bool {
    let [rows, columns, inner] = tiling.tile;
    let bytes = 2 * (rows + columns) * inner * factor.size();
    let [down, across] = tiling.run();
    let registers = (down * across + down + across) * sum.size().div_ceil(4);
    bytes <= machine.group_bytes as usize
        && tiling.all_lanes() <= machine.lanes as usize
        && registers <= machine.registers as usize * 2
}

/// Operations and elements moved, by all groups, those of tails and of lanes without work among them; then the most summed at a time.
fn cost(tiling: &Tiling, [rows, columns, inner]: [usize; 3], batches: usize) -> (u128, usize) {
    let [tall, wide, deep] = tiling.tile;
    let groups = rows.div_ceil(tall) * columns.div_ceil(wide) * batches;
    let steps = inner.div_ceil(deep);
    // An element that is staged takes as long as some 16 products of a lane.
    let lanes = tiling.all_lanes();
    let work = (tall * wide * deep).div_ceil(lanes) + 16 * ((tall + wide) * deep).div_ceil(lanes);
    let idle = BUSY.div_ceil(groups).max(1);
    ((work * lanes * steps) as u128 * (groups * idle) as u128, usize::MAX - deep)
}
