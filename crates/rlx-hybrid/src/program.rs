//! Runs the segments of a divided graph in sequence, with the values that cross between them.

use crate::divide::Side;
use rlx_compile::{BackendError, Param};
use rlx_exec::buffer::HostBuffer;
use rlx_exec::{Arguments, Buffer, Executable, HostProgram, Queue, Value};
use std::fmt::Write;
use std::sync::Arc;

/// Where an input of a part comes from.
#[derive(Clone, Copy)]
pub(crate) enum Given {
    /// The input of the whole program with this number.
    Input(usize),
    /// The crossing value with this number.
    Value(usize),
    /// The part's own state with this number.
    State(usize),
}

/// Where an output of a part goes.
#[derive(Clone, Copy)]
pub(crate) enum Destination {
    /// The output of the whole program with this number.
    Output(usize),
    /// The crossing value with this number.
    Value(usize),
    /// A state of the part, which is updated in place.
    State,
}

/// A prepared segment.
pub(crate) struct PreparedSegment {
    pub(crate) place: Side,
    pub(crate) executable: Box<dyn Executable>,
    pub(crate) layout: Arc<SegmentPlan>,
}

/// The plan of a part, which all instances share.
pub(crate) struct SegmentPlan {
    pub(crate) inputs: Vec<Given>,
    pub(crate) params: Vec<usize>,
    pub(crate) outputs: Vec<Destination>,
    /// The indices of this part's states among the states that the program keeps.
    pub(crate) states: Vec<usize>,
    /// The description of the part, for `describe`.
    pub(crate) summary: String,
}

/// The values between parts, as a plan that all instances share.
pub(crate) struct Crossing {
    /// Sizes in bytes of the values between parts.
    pub(crate) values: Vec<usize>,
    /// Pairs of a crossing value and an output of the program that it is copied to.
    pub(crate) copies: Vec<(usize, usize)>,
    /// The alias pairs with states that stay in the one part that reads and updates them.
    pub(crate) kept: Vec<usize>,
}

/// A graph in parts, on the device and on the host.
pub struct HybridProgram {
    pub(crate) parts: Vec<PreparedSegment>,
    pub(crate) crossing: Arc<Crossing>,
    pub(crate) host_queue: Arc<dyn Queue>,
    /// The values between parts, allocated by the first run.
    pub(crate) values: Vec<HostBuffer>,
}

impl HybridProgram {
    /// Returns the sides of the parts, in the order in which they run.
    pub fn places(&self) -> Vec<Side> {
        self.parts.iter().map(|part| part.place).collect()
    }
}

impl HostProgram for HybridProgram {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Result<Box<dyn HostProgram>, BackendError> {
        let part = |part: &PreparedSegment| {
            let queue = match part.place {
                Side::Device => queue,
                Side::Host => &self.host_queue,
            };
            let (executable, layout) = (part.executable.clone_on(queue)?, part.layout.clone());
            Ok(PreparedSegment { place: part.place, executable, layout })
        };
        Ok(Box::new(HybridProgram {
            parts: self.parts.iter().map(part).collect::<Result<_, BackendError>>()?,
            crossing: self.crossing.clone(),
            host_queue: self.host_queue.clone(),
            values: Vec::new(),
        }))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        for part in &mut self.parts {
            for (own, &whole) in part.layout.params.iter().enumerate() {
                if whole == index {
                    part.executable.set_param(own, value.clone());
                }
            }
        }
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        self.parts.iter_mut().try_for_each(|part| part.executable.prepack())
    }

    fn kept(&self) -> &[usize] {
        &self.crossing.kept
    }

    fn run(
        &mut self,
        inputs: &[&[u8]],
        kept: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError> {
        for &bytes in self.crossing.values.iter().skip(self.values.len()) {
            self.values.push(HostBuffer::zeroed(bytes)?);
        }
        let mut values: Vec<Option<&mut [u8]>> =
            self.values.iter_mut().map(|value| Some(&mut value[..])).collect();
        let mut outputs: Vec<Option<&mut [u8]>> =
            outputs.iter_mut().map(|place| Some(&mut **place)).collect();
        for (number, part) in self.parts.iter_mut().enumerate() {
            let SegmentPlan { inputs: sources, outputs: targets, states, .. } = &*part.layout;
            let mut places: Vec<Option<&mut [u8]>> = targets
                .iter()
                .map(|to| match *to {
                    Destination::Output(index) => outputs[index].take(),
                    Destination::Value(index) => values[index].take(),
                    Destination::State => None,
                })
                .collect();
            let empty = || Ok(Buffer::Host(HostBuffer::zeroed(0)?));
            // Changes by earlier segments cannot be undone.
            let failed = |error: BackendError| if number > 0 { error.after_begin("segment") } else { error };
            let own: Result<Vec<Buffer>, BackendError> = states.iter().map(|_| empty()).collect();
            let mut own = own.map_err(failed)?;
            let swap = |own: &mut [Buffer], kept: &mut [Buffer]| {
                states.iter().zip(own).for_each(|(&at, own)| std::mem::swap(&mut kept[at], own));
            };
            swap(&mut own, kept);
            let result = {
                let given: Vec<Value<'_>> = sources
                    .iter()
                    .map(|from| match *from {
                        Given::Input(index) => Value::Host(inputs[index]),
                        Given::Value(index) => Value::Host(values[index].as_deref().unwrap_or_default()),
                        Given::State(index) => Value::State(index),
                    })
                    .collect();
                let mut places: Vec<Option<&mut [u8]>> =
                    places.iter_mut().map(|place| place.as_deref_mut()).collect();
                let arguments = Arguments { inputs: &given, state: &mut own, outputs: &mut places };
                part.executable.run(arguments).and_then(|()| part.executable.wait())
            };
            swap(&mut own, kept);
            result.map_err(failed)?;
            for (to, place) in targets.iter().zip(places) {
                match *to {
                    Destination::Output(index) => outputs[index] = place,
                    Destination::Value(index) => values[index] = place,
                    Destination::State => {}
                }
            }
        }
        for &(value, output) in &self.crossing.copies {
            if let (Some(from), Some(to)) = (&values[value], &mut outputs[output]) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    fn describe(&self) -> String {
        let mut text = format!("{} segments\n", self.parts.len());
        for (number, part) in self.parts.iter().enumerate() {
            // INVARIANT: writing to a String does not fail.
            let _ = writeln!(text, "{}: {}", number + 1, part.layout.summary);
            for line in part.executable.describe().lines() {
                let _ = writeln!(text, "   {line}");
            }
        }
        text
    }
}
