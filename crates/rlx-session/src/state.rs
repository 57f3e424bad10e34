//! The state of a compiled graph: one buffer per value that persists from run to run.
//!
//! State belongs to the compiled graph, not to the memory of a program, so that runs of all sizes see the same values.
//!
//! | | aliased | fed |
//! |---|---|---|
//! | declared by | an alias pair (output → input): `CompileOptions::state`, or `donate_handles` for inputs named `out{i}` | a handle that is set on any other input |
//! | next value | computed in place in the buffer if the plan finds a chain of in-place kernels, otherwise copied to it at the end of the run | stored in the buffer after the run |
//! | a run that fails or panics | loses the state; reading it is an error until it is set. A run that is refused before it begins (`BackendError::is_refusal`) changes nothing | leaves the state unchanged |
//! | a clone | starts with a copy; `without_state` starts with none | the same |

use crate::error::RuntimeError;
use rlx_compile::Alias;
use rlx_exec::{Buffer, Value};
use std::collections::HashMap;

/// One state buffer.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The input that reads it.
    pub(crate) input: usize,
    pub(crate) content: Content,
    /// The output that computes its next value, if the buffer is fed.
    pub(crate) fed_by: Option<usize>,
}

/// The contents of a state buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// Nothing yet.
    Unset,
    /// A value.
    Value,
    /// A run is updating it, or has failed and left it half updated.
    Lost,
}

/// Where a run finds the value of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The caller gives it.
    Given,
    /// In the state buffer with this number, which belongs to an alias pair.
    Aliased(usize),
    /// In the fed state buffer with this number, unless the caller gives a value.
    Fed(usize),
}

impl Place {
    /// Returns the value for a run; `fed` are the state buffers that are not aliased.
    pub(crate) fn value<'a>(self, given: Option<Value<'a>>, fed: &'a [Buffer]) -> Value<'a> {
        match (self, given) {
            (Place::Aliased(pair), _) => Value::State(pair),
            (_, Some(value)) => value,
            (Place::Fed(at), None) => Value::Buffer(&fed[at]),
            (Place::Given, None) => Value::Host(&[]),
        }
    }
}

/// The state buffers of one compiled graph. Cloning copies the values.
#[derive(Clone, Debug, Default)]
pub(crate) struct States {
    /// The states of alias pairs in their order, then the others.
    list: Vec<State>,
    /// Their values.
    buffers: Vec<Buffer>,
    /// The number of aliased states.
    aliased: usize,
    /// The position in `list` of the state that an input reads.
    by_input: HashMap<usize, usize>,
    /// The position of the aliased state that an output updates.
    by_output: HashMap<usize, usize>,
    /// The position of the state that an output feeds.
    by_fed: HashMap<usize, usize>,
}

impl States {
    /// Creates a buffer without a value for each alias pair.
    pub(crate) fn new(aliases: &[Alias]) -> Result<States, RuntimeError> {
        let state =
            |alias: &Alias| State { input: alias.input, content: Content::Unset, fed_by: Some(alias.output) };
        let list: Vec<State> = aliases.iter().map(state).collect();
        let buffers: Result<Vec<Buffer>, _> = list.iter().map(|_| Buffer::from_bytes(&[])).collect();
        let by_output = aliases.iter().enumerate().map(|(at, alias)| (alias.output, at)).collect();
        let aliased = list.len();
        let (by_input, by_fed) = Default::default();
        let mut states = States { list, buffers: buffers?, aliased, by_input, by_output, by_fed };
        states.index();
        Ok(states)
    }

    /// Indexes the states by input and output.
    fn index(&mut self) {
        self.by_input.clear();
        self.by_input.extend(self.list.iter().enumerate().map(|(at, state)| (state.input, at)));
        let fed = self.list.iter().enumerate().skip(self.aliased);
        self.by_fed.clear();
        self.by_fed.extend(fed.filter_map(|(at, state)| Some((state.fed_by?, at))));
    }

    /// Returns the position of the state that an input reads.
    fn find(&self, input: usize) -> Option<usize> {
        self.by_input.get(&input).copied()
    }

    /// Returns the state that an input reads and its buffer, if it was ever set.
    pub(crate) fn get(&self, input: usize) -> Option<(&State, &Buffer)> {
        let at = self.find(input)?;
        (self.list[at].content != Content::Unset).then(|| (&self.list[at], &self.buffers[at]))
    }

    /// Returns the buffer that an input reads for writing, if it has a value.
    pub(crate) fn get_mut(&mut self, input: usize) -> Option<&mut Buffer> {
        let at = self.find(input)?;
        (self.list[at].content == Content::Value).then(|| &mut self.buffers[at])
    }

    /// Whether an output updates the state that an input reads.
    pub(crate) fn is_aliased(&self, input: usize) -> bool {
        matches!(self.place(input), Place::Aliased(_))
    }

    /// Returns the buffer of the alias pair with this output.
    pub(crate) fn updated_by(&self, output: usize) -> Option<&Buffer> {
        let at = *self.by_output.get(&output)?;
        (self.list[at].content == Content::Value).then(|| &self.buffers[at])
    }

    /// Returns the buffer of the state that this output feeds.
    pub(crate) fn fed_by(&self, output: usize) -> Option<&Buffer> {
        self.by_fed.get(&output).map(|&at| &self.buffers[at])
    }

    /// Sets the state that an input reads. `fed_by` applies only if it is not aliased.
    pub(crate) fn set(
        &mut self,
        input: usize,
        fed_by: Option<usize>,
        bytes: &[u8],
    ) -> Result<(), RuntimeError> {
        match self.find(input) {
            Some(at) => {
                self.buffers[at].write(bytes)?;
                self.list[at].content = Content::Value;
            }
            None => {
                self.buffers.push(Buffer::from_bytes(bytes)?);
                self.by_input.insert(input, self.list.len());
                self.by_fed.extend(fed_by.map(|output| (output, self.list.len())));
                self.list.push(State { input, content: Content::Value, fed_by });
            }
        }
        Ok(())
    }

    /// Drops the value that an input reads. Returns whether there was one.
    pub(crate) fn clear(&mut self, input: usize) -> Result<bool, RuntimeError> {
        let Some(at) = self.find(input) else { return Ok(false) };
        if at >= self.aliased {
            self.list.remove(at);
            self.buffers.remove(at);
            self.index();
            return Ok(true);
        }
        self.buffers[at] = Buffer::from_bytes(&[])?;
        Ok(std::mem::replace(&mut self.list[at].content, Content::Unset) != Content::Unset)
    }

    /// Drops all values.
    pub(crate) fn clear_all(&mut self) -> Result<(), RuntimeError> {
        self.list.truncate(self.aliased);
        self.buffers.truncate(self.aliased);
        self.index();
        let inputs: Vec<usize> = self.inputs().collect();
        inputs.into_iter().try_for_each(|input| self.clear(input).map(|_| ()))
    }

    /// Returns the inputs that read a state buffer, including buffers without a value.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = usize> {
        self.list.iter().map(|state| state.input)
    }

    /// Returns the aliased buffers and the others, for a run. The aliased ones count as lost until [`updated`](Self::updated) or
    /// [`refused`](Self::refused) reports how the run ended, so they stay lost if it panics.
    pub(crate) fn begin(&mut self) -> (&mut [Buffer], &[Buffer]) {
        self.lose();
        let (aliased, fed) = self.buffers.split_at_mut(self.aliased);
        (aliased, fed)
    }

    /// Returns where a run finds the value of an input.
    pub(crate) fn place(&self, input: usize) -> Place {
        match self.find(input) {
            None => Place::Given,
            Some(at) if at < self.aliased => Place::Aliased(at),
            Some(at) => Place::Fed(at - self.aliased),
        }
    }

    /// Calls `store` to store the next value of each fed buffer. If that fails or panics, all of them are lost: some may contain the next
    /// value, and some the previous one.
    pub(crate) fn feed<E>(
        &mut self,
        mut store: impl FnMut(usize, &mut Buffer) -> Result<(), E>,
    ) -> Result<(), E> {
        let (list, buffers) = (&mut self.list[self.aliased..], &mut self.buffers[self.aliased..]);
        let set = |list: &mut [State], content: Content| {
            list.iter_mut().filter(|state| state.fed_by.is_some()).for_each(|state| state.content = content);
        };
        set(list, Content::Lost);
        for (state, buffer) in list.iter().zip(buffers) {
            if let Some(output) = state.fed_by {
                store(output, buffer)?;
            }
        }
        set(list, Content::Value);
        Ok(())
    }

    /// Whether a run left any buffer half updated.
    pub(crate) fn any_lost(&self) -> bool {
        self.list.iter().any(|state| state.content == Content::Lost)
    }

    /// Marks the aliased buffers as valid after a run.
    pub(crate) fn updated(&mut self) {
        self.list[..self.aliased].iter_mut().for_each(|state| state.content = Content::Value);
    }

    /// Marks the aliased buffers as valid after a run that was refused before it began. They have their earlier values, since every run
    /// requires them to be set.
    pub(crate) fn refused(&mut self) {
        self.updated();
    }

    /// Marks the aliased buffers as lost while a run updates them.
    fn lose(&mut self) {
        self.list[..self.aliased].iter_mut().for_each(|state| state.content = Content::Lost);
    }

    /// Takes the aliased buffers, for a run elsewhere; [`put_aliased`](Self::put_aliased) returns them. Until then, they are empty and
    /// count as lost.
    pub(crate) fn take_aliased(&mut self) -> Result<Vec<Buffer>, RuntimeError> {
        let mut taken: Vec<Buffer> =
            (0..self.aliased).map(|_| Ok(Buffer::from_bytes(&[])?)).collect::<Result<_, RuntimeError>>()?;
        self.lose();
        self.buffers[..self.aliased].swap_with_slice(&mut taken);
        Ok(taken)
    }

    /// Puts back the buffers that [`take_aliased`](Self::take_aliased) took.
    pub(crate) fn put_aliased(&mut self, buffers: Vec<Buffer>) {
        self.buffers.splice(..self.aliased, buffers);
    }
}
