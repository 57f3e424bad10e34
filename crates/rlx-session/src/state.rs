//! The state of a compiled graph: one buffer per value that lives from run to run.
//!
//! It belongs to the compiled graph, not to the memory of a program, so that runs of all sizes see the same
//! values.
//!
//! | | aliased | fed |
//! |---|---|---|
//! | declared by | an alias pair (output → input): `CompileOptions::state`, or `donate_handles` for inputs named `out{i}` | a handle that is set on any other input |
//! | next value | computed over the buffer if the plan finds a chain of in-place kernels, otherwise copied there at the end of the run | stored in the buffer after the run |
//! | a run that fails or panics | the state is lost; reading it is an error until it is set. A run that is refused before it begins (`BackendError::is_refusal`) changes nothing | the state is as before |
//! | a clone | starts with a copy; `without_state` starts with none | the same |

use crate::error::RuntimeError;
use rlx_compile::{Alias, Buffer, Value};
use std::collections::HashMap;

/// One state buffer.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The input that reads it.
    pub(crate) input: usize,
    pub(crate) content: Content,
    /// The output that gives its next value.
    pub(crate) fed_by: Option<usize>,
}

/// What a state buffer holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// Nothing yet.
    Unset,
    /// A value.
    Value,
    /// A run is updating it, or has failed and left it half updated.
    Lost,
}

/// Where a run finds what an input reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// With the caller.
    Given,
    /// In the state buffer of this alias pair.
    Aliased(usize),
    /// In this one of the other state buffers, unless the caller gives a value.
    Fed(usize),
}

impl Place {
    /// The value of a run, where `fed` are the state buffers that are not aliased.
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
    /// Those of alias pairs, in their order, then the others.
    list: Vec<State>,
    /// Their values.
    buffers: Vec<Buffer>,
    /// How many are aliased.
    aliased: usize,
    /// The place in the list of the state that an input reads.
    by_input: HashMap<usize, usize>,
    /// The same of the alias pair that an output updates.
    by_output: HashMap<usize, usize>,
    /// The same of the state that an output feeds.
    by_fed: HashMap<usize, usize>,
}

impl States {
    /// A buffer without a value for each alias pair.
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

    /// Notes which state each input reads.
    fn index(&mut self) {
        self.by_input.clear();
        self.by_input.extend(self.list.iter().enumerate().map(|(at, state)| (state.input, at)));
        let fed = self.list.iter().enumerate().skip(self.aliased);
        self.by_fed.clear();
        self.by_fed.extend(fed.filter_map(|(at, state)| Some((state.fed_by?, at))));
    }

    /// The place of the state that an input reads.
    fn find(&self, input: usize) -> Option<usize> {
        self.by_input.get(&input).copied()
    }

    /// The state that an input reads and its buffer, if it was ever set.
    pub(crate) fn get(&self, input: usize) -> Option<(&State, &Buffer)> {
        let at = self.find(input)?;
        (self.list[at].content != Content::Unset).then(|| (&self.list[at], &self.buffers[at]))
    }

    /// The buffer that an input reads, to be written, if it holds a value.
    pub(crate) fn get_mut(&mut self, input: usize) -> Option<&mut Buffer> {
        let at = self.find(input)?;
        (self.list[at].content == Content::Value).then(|| &mut self.buffers[at])
    }

    /// Whether an output updates what an input reads.
    pub(crate) fn is_aliased(&self, input: usize) -> bool {
        matches!(self.place(input), Place::Aliased(_))
    }

    /// The buffer of the alias pair whose output this is.
    pub(crate) fn updated_by(&self, output: usize) -> Option<&Buffer> {
        let at = *self.by_output.get(&output)?;
        (self.list[at].content == Content::Value).then(|| &self.buffers[at])
    }

    /// The buffer of the state that this output feeds.
    pub(crate) fn fed_by(&self, output: usize) -> Option<&Buffer> {
        self.by_fed.get(&output).map(|&at| &self.buffers[at])
    }

    /// Sets what an input reads; `fed_by` counts where it is not aliased.
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

    /// Forgets the value that an input reads; whether there was one.
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

    /// Forgets all values.
    pub(crate) fn clear_all(&mut self) -> Result<(), RuntimeError> {
        self.list.truncate(self.aliased);
        self.buffers.truncate(self.aliased);
        self.index();
        let inputs: Vec<usize> = self.inputs().collect();
        inputs.into_iter().try_for_each(|input| self.clear(input).map(|_| ()))
    }

    /// The inputs that read a state buffer, those without a value included.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = usize> {
        self.list.iter().map(|state| state.input)
    }

    /// The buffers of the alias pairs, and the others, for a run. The former count as lost until [`updated`](Self::updated) or
    /// [`refused`](Self::refused) says how it ended, so that a run that ends in another way, by a panic, leaves them so.
    pub(crate) fn begin(&mut self) -> (&mut [Buffer], &[Buffer]) {
        self.lose();
        let (aliased, fed) = self.buffers.split_at_mut(self.aliased);
        (aliased, fed)
    }

    /// Where a run finds what an input reads.
    pub(crate) fn place(&self, input: usize) -> Place {
        match self.find(input) {
            None => Place::Given,
            Some(at) if at < self.aliased => Place::Aliased(at),
            Some(at) => Place::Fed(at - self.aliased),
        }
    }

    /// Stores the next value of each buffer that an output feeds, by `store`. If that fails, or panics, all of them are lost: some may hold
    /// the next value, and some the last one.
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

    /// Whether a run has left any buffer half updated.
    pub(crate) fn any_lost(&self) -> bool {
        self.list.iter().any(|state| state.content == Content::Lost)
    }

    /// After a run: the aliased buffers hold values.
    pub(crate) fn updated(&mut self) {
        self.list[..self.aliased].iter_mut().for_each(|state| state.content = Content::Value);
    }

    /// After a run that was refused before it began: the aliased buffers hold the values that they had, as every run needs.
    pub(crate) fn refused(&mut self) {
        self.updated();
    }

    /// What a run is updating is undefined until it ends.
    fn lose(&mut self) {
        self.list[..self.aliased].iter_mut().for_each(|state| state.content = Content::Lost);
    }

    /// The aliased buffers, for a run elsewhere; [`put_aliased`](Self::put_aliased) brings them back. Until then they are empty, and count as
    /// lost.
    pub(crate) fn take_aliased(&mut self) -> Result<Vec<Buffer>, RuntimeError> {
        let mut taken: Vec<Buffer> =
            (0..self.aliased).map(|_| Ok(Buffer::from_bytes(&[])?)).collect::<Result<_, RuntimeError>>()?;
        self.lose();
        self.buffers[..self.aliased].swap_with_slice(&mut taken);
        Ok(taken)
    }

    /// Brings back what [`take_aliased`](Self::take_aliased) took.
    pub(crate) fn put_aliased(&mut self, buffers: Vec<Buffer>) {
        self.buffers.splice(..self.aliased, buffers);
    }
}
