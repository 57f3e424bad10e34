//! The instance of a program in segments, which has a program for each size.

use crate::prepare::{BackendPair, Placement, of_lowered};
use rlx_compile::{BackendError, BoundCache, ClaimsNone, Lowered};
use rlx_exec::{HostEngine, Instance, Queue};
use std::sync::Arc;

/// The placements of a graph, by sizes.
pub(crate) type Placements = BoundCache<Placement>;

/// Creates the instance of a lowered graph that runs in segments. A graph of static sizes is divided immediately, others when they are bound
/// to sizes. `placements` may already have the placement. `queue` is a queue of the pair.
pub(crate) fn divided(
    pair: &Arc<BackendPair>,
    lowered: Lowered,
    placements: Arc<Placements>,
    queue: &Arc<dyn Queue>,
) -> Result<Instance<HostEngine>, BackendError> {
    let (own, on) = (pair.clone(), queue.clone());
    let mut options = of_lowered(lowered.options());
    if !lowered.is_static() {
        pair.first.share_between_sizes(&mut options);
        pair.second.share_between_sizes(&mut options);
    }
    let engine = HostEngine::new("segment", move |lowered, sizes| {
        let lowered = lowered.at(sizes)?;
        let placement = placements.get(sizes, || Ok(own.placement(lowered.graph())))?;
        Ok(Box::new(own.divided(&lowered, (*placement).clone(), &options, &on)?))
    });
    // The engine binds the sizes itself, because it looks up placements by them.
    Instance::new(engine, lowered, &ClaimsNone, queue)
}
