//! Facts about machines with groups of lanes, and the tile sizes that are chosen for each.

use super::product::MatrixProduct;
use crate::swizzle::{BANKS, Banks};
use crate::tile::instr::InstrRow;
use rlx_ir::{DType, Dim};

/// What is known about such a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gpu {
    /// The name.
    pub name: &'static str,
    /// The number of lanes of a subgroup.
    pub subgroup: u32,
    /// The maximum number of lanes of a group.
    pub lanes: u32,
    /// The maximum number of bytes of memory of a group.
    pub group_bytes: u32,
    /// The number of 32-bit registers of a lane if groups are as large as possible.
    pub registers: u32,
    /// The number of groups that it takes to keep the machine busy: its multiprocessors, or what corresponds to them.
    pub units: u32,
    /// The banks of a group's memory.
    pub banks: Banks,
    /// The instructions for tiles.
    pub instructions: &'static [&'static str],
}

/// NVIDIA GPUs of compute capability 8.0 and later (CUDA C++ Programming Guide, "Technical specifications per compute
/// capability"; 108 multiprocessors as in "NVIDIA A100 Tensor Core GPU architecture").
pub const SM80: Gpu = Gpu {
    name: "sm_80",
    subgroup: 32,
    lanes: 1024,
    group_bytes: 48 << 10,
    registers: 64,
    units: 108,
    banks: BANKS,
    instructions: &["mma_m16n8k16_f16", "mma_m16n8k16_bf16", "mma_m16n8k32_i8"],
};
/// AMD CDNA ("CDNA3 instruction set architecture": 64 lanes, 64 KiB of local data share; 304 compute units as in "AMD
/// CDNA 3 architecture").
pub const CDNA: Gpu = Gpu {
    name: "cdna",
    subgroup: 64,
    lanes: 1024,
    group_bytes: 64 << 10,
    registers: 128,
    units: 304,
    banks: BANKS,
    instructions: &["mfma_16x16x16_f16"],
};
/// Apple GPUs ("Metal feature set tables": 32 KiB of threadgroup memory, 1024 threads). Several groups run on each of about ten cores.
pub const APPLE: Gpu = Gpu {
    name: "apple",
    subgroup: 32,
    lanes: 1024,
    group_bytes: 32 << 10,
    registers: 64,
    units: 64,
    banks: BANKS,
    instructions: &[],
};
/// What WebGPU guarantees for every device (W3C, "WebGPU", limits). It does not guarantee how many groups run at the
/// same time, or that memory has banks.
pub const WEBGPU: Gpu = Gpu {
    name: "webgpu",
    subgroup: 32,
    lanes: 256,
    group_bytes: 16 << 10,
    registers: 32,
    units: 64,
    banks: BANKS,
    instructions: &[],
};

/// All machines.
pub const GPUS: [Gpu; 4] = [SM80, CDNA, APPLE, WEBGPU];

/// How a product is tiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiling {
    /// The rows and columns of a group's tile, and the number of summands at a time.
    pub tile: [usize; 3],
    /// The number of lanes along rows and columns.
    pub lanes: [usize; 2],
    /// The instruction that contracts tiles, if the machine has one.
    pub instr: Option<&'static InstrRow>,
    /// The number of groups that share the sums of a tile, each with some of the summands.
    pub parts: usize,
}

impl Tiling {
    /// Returns the number of lanes of a group.
    pub fn all_lanes(&self) -> usize {
        self.lanes[0] * self.lanes[1]
    }

    /// Returns the number of elements of a lane along rows and columns.
    pub fn run(&self) -> [usize; 2] {
        [self.tile[0] / self.lanes[0], self.tile[1] / self.lanes[1]]
    }
}

/// Candidate tiles, the largest first: rows and columns of the tile, and of the lanes.
const CANDIDATES: [([usize; 2], [usize; 2]); 6] = [
    ([128, 128], [16, 16]),
    ([64, 128], [8, 16]),
    ([64, 64], [8, 16]),
    ([32, 64], [4, 16]),
    ([32, 32], [4, 8]),
    ([8, 16], [4, 8]),
];
/// The candidates for the number of summands at a time.
const INNER: [usize; 3] = [32, 16, 8];
/// The value that is assumed for an unknown size.
pub(super) const UNKNOWN: usize = 1024;
/// The candidates for the number of groups that share the sums of a tile.
const PARTS: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// The approximate number of products per lane in the time in which an element goes to memory and back.
const MOVED: usize = 16;
/// The approximate number of products that each unit computes while a launch starts: about 5 µs of 64 lanes.
const LAUNCH: u128 = 1 << 19;

/// Chooses the tiles of a product on a machine. It uses an instruction if there is one for these types. Of the
/// candidates that fit into the memory of a group and the registers of a lane, it returns the one with the lowest cost.
pub(super) fn tiling(product: &MatrixProduct<'_>, machine: &Gpu) -> Option<Tiling> {
    let [sum, factor] = [product.accumulator(), product.factor()];
    let rows = machine.instructions.iter().filter_map(|name| InstrRow::of(name));
    let instr = { rows }.find(|row| (row.sum, row.factors) == (sum, factor));
    let sizes = [&product.rows, &product.columns, &product.inner].map(|dims| size(dims));
    let all = CANDIDATES.iter().flat_map(|&(tile, lanes)| INNER.map(|inner| (tile, lanes, inner)));
    let all = all.flat_map(|candidate| PARTS.map(|parts| (candidate, parts)));
    let candidates = all.filter_map(|(([rows, columns], lanes, inner), parts)| {
        let tiling = Tiling { tile: [rows, columns, inner], lanes, instr, parts };
        let divides = |row: &InstrRow| {
            let mut sizes = tiling.tile.iter().zip(row.shape);
            sizes.all(|(size, by)| size.is_multiple_of(by as usize))
        };
        let tiling = Tiling { instr: instr.filter(|row| divides(row)), ..tiling };
        let is_long = parts == 1 || sizes[2] >= 2 * parts * inner;
        (is_long && fits(&tiling, machine, [sum, factor])).then_some(tiling)
    });
    let cost = |tiling: &Tiling| cost(tiling, machine, sizes, product.batches());
    candidates.min_by_key(|tiling| (tiling.instr.is_none(), cost(tiling)))
}

fn size(dims: &[Dim]) -> usize {
    let known = dims.iter().map(|dim| dim.as_static().unwrap_or(UNKNOWN));
    known.fold(1usize, usize::saturating_mul).max(1)
}

/// Returns whether tiles fit, counted twice because they may be copied ahead.
fn fits(tiling: &Tiling, machine: &Gpu, [sum, factor]: [DType; 2]) -> bool {
    let [rows, columns, inner] = tiling.tile;
    let bytes = 2 * (rows + columns) * inner * factor.size();
    let [down, across] = tiling.run();
    let registers = (down * across + down + across) * sum.size().div_ceil(4);
    bytes <= machine.group_bytes as usize
        && tiling.all_lanes() <= machine.lanes as usize
        && registers <= machine.registers as usize * 2
}

/// Returns the cost: the operations and moved elements of all groups, including those of tails and of idle lanes, and
/// partial sums that go to memory and back. Ties are decided by the largest number of summands at a time.
fn cost(tiling: &Tiling, machine: &Gpu, [rows, columns, inner]: [usize; 3], batches: usize) -> (u128, usize) {
    let [tall, wide, deep] = tiling.tile;
    let tiles = rows.div_ceil(tall) * columns.div_ceil(wide) * batches;
    let groups = tiles * tiling.parts;
    let steps = inner.div_ceil(deep).div_ceil(tiling.parts);
    let lanes = tiling.all_lanes();
    let work = (tall * wide * deep).div_ceil(lanes) + MOVED * ((tall + wide) * deep).div_ceil(lanes);
    let taken = |groups: usize| (groups * (machine.units as usize).div_ceil(groups).max(1)) as u128;
    let products = (work * lanes * steps) as u128 * taken(groups);
    let partial = match tiling.parts {
        1 => 0,
        parts => {
            LAUNCH * u128::from(machine.units)
                + (MOVED * tall * wide) as u128 * (taken(groups) + parts as u128 * taken(tiles))
        }
    };
    (products + partial, usize::MAX - deep)
}
