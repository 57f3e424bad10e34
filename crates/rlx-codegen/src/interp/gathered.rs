//! Which memory accesses the lanes of a subgroup make together.
//!
//! The interpreter runs lanes one after another, while a machine runs them at the same time. Two accesses count as
//! simultaneous if they come from the same statement and both lanes have executed it equally often before.

use super::code::BufferInfo;
use super::{Counts, Interpreter};
use crate::kernel::Space;
use crate::swizzle::Banks;

/// The memory that an access goes to.
#[derive(Clone, Copy, PartialEq)]
enum MemoryKind {
    /// The memory of the whole machine.
    Outer,
    /// The memory of the group.
    Group,
}

/// The accesses of a subgroup.
pub(super) struct Gathered {
    subgroup: u32,
    segment: u64,
    banks: Banks,
    /// For each statement: the memory, the size of an element, and for each visit the offsets of all lanes, in bytes.
    sites: Vec<(MemoryKind, u64, Vec<Vec<u64>>)>,
    /// How often the current lane has visited each statement.
    visits: Vec<usize>,
    /// The statements that the subgroup has visited.
    visited: Vec<usize>,
    /// The lane that is running.
    lane: Option<u32>,
}

impl Gathered {
    pub(super) fn new(sites: usize, interpreter: &Interpreter) -> Gathered {
        Gathered {
            subgroup: interpreter.subgroup.max(1),
            segment: u64::from(interpreter.segment.max(1)),
            banks: interpreter.banks,
            sites: (0..sites).map(|_| (MemoryKind::Outer, 0, Vec::new())).collect(),
            visits: vec![0; sites],
            visited: Vec::new(),
            lane: None,
        }
    }

    /// Starts running this lane.
    pub(super) fn begin(&mut self, lane: u32, counts: &mut Counts) {
        match self.lane {
            Some(before) if before == lane => return,
            Some(before) if before > lane || before / self.subgroup != lane / self.subgroup => {
                self.end(counts);
            }
            _ => {}
        }
        self.visited.iter().for_each(|&site| self.visits[site] = 0);
        self.lane = Some(lane);
    }

    /// Records an access of the lane.
    pub(super) fn note(&mut self, site: usize, info: &BufferInfo, place: usize) {
        let memory = match info.space {
            _ if self.lane.is_none() => return,
            None => MemoryKind::Outer,
            Some(Space::Group) => MemoryKind::Group,
            Some(Space::Lane | Space::Subgroup) => return,
        };
        let bytes = info.dtype.size() as u64;
        let (kind, size, visits) = &mut self.sites[site];
        if visits.is_empty() {
            (*kind, *size) = (memory, bytes);
            self.visited.push(site);
        }
        let visit = self.visits[site];
        if visit == visits.len() {
            visits.push(Vec::new());
        }
        visits[visit].push(place as u64 * bytes);
        self.visits[site] += 1;
    }

    /// Counts the accesses of the subgroup and clears them.
    pub(super) fn end(&mut self, counts: &mut Counts) {
        for site in self.visited.drain(..) {
            self.visits[site] = 0;
            let (memory, size, visits) = &mut self.sites[site];
            for places in visits.drain(..) {
                match memory {
                    MemoryKind::Outer => counts.transactions += segments(&places, *size, self.segment),
                    MemoryKind::Group => counts.bank_conflicts += self.banks.conflicts(&places, *size),
                }
            }
        }
        self.lane = None;
    }
}

/// Returns the number of segments that contain elements of this size.
fn segments(places: &[u64], size: u64, segment: u64) -> u64 {
    let mut touched: Vec<u64> =
        places.iter().flat_map(|place| place / segment..=(place + size - 1) / segment).collect();
    touched.sort_unstable();
    touched.dedup();
    touched.len() as u64
}
