//! Dictionaries that keep the order of their keys.

use super::compare::equal;
use super::error::{Result, fail};
use super::meter::{Charge, Meter};
use super::value::{TemplateValue, deeper};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::rc::Rc;

/// The number of keys from which on a hash table is used.
const HASHED: usize = 9;

#[derive(Debug)]
pub(crate) struct Dict {
    entries: Vec<(TemplateValue, TemplateValue)>,
    table: Option<Table>,
    depth: u16,
    charge: Charge,
}

/// The positions of entries by their hashes: 0 is a free slot, other values are the position plus 1.
#[derive(Debug)]
struct Table {
    slots: Vec<u32>,
    state: RandomState,
}

impl Dict {
    pub(crate) fn new(meter: &Rc<Meter>) -> Result<Self> {
        Ok(Dict { entries: Vec::new(), table: None, depth: 1, charge: Charge::new(meter, 144)? })
    }

    pub(crate) fn depth(&self) -> u16 {
        self.depth
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn entries(&self) -> &[(TemplateValue, TemplateValue)] {
        &self.entries
    }

    fn meter(&self) -> &Rc<Meter> {
        self.charge.meter()
    }

    /// Returns the value of a key. Fails if the key is not hashable.
    pub(crate) fn get(&self, key: &TemplateValue) -> Result<Option<&TemplateValue>> {
        Ok(self.find(key)?.map(|at| &self.entries[at].1))
    }

    /// Returns the value of a key that is a string.
    pub(crate) fn get_str(&self, key: &str) -> Result<Option<&TemplateValue>> {
        let is = |(name, _): &&(TemplateValue, TemplateValue)| matches!(name, TemplateValue::Str(name) if **name == *key);
        self.meter().bytes(key.len())?;
        let Some(table) = &self.table else {
            return Ok(self.entries.iter().find(is).map(|(_, value)| value));
        };
        for at in table.places(hash_str(&table.state, key)) {
            self.meter().work(1)?;
            if let Some(entry) = self.entries.get(at).filter(|entry| is(entry)) {
                return Ok(Some(&entry.1));
            }
        }
        Ok(None)
    }

    fn find(&self, key: &TemplateValue) -> Result<Option<usize>> {
        hashable(self.meter(), key)?;
        let Some(table) = &self.table else {
            for (at, (known, _)) in self.entries.iter().enumerate() {
                if equal(self.meter(), known, key)? {
                    return Ok(Some(at));
                }
            }
            return Ok(None);
        };
        for at in table.places(hash(&table.state, key)) {
            if equal(self.meter(), &self.entries[at].0, key)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Sets a key, at its position if it exists and otherwise at the end.
    pub(crate) fn set(&mut self, key: TemplateValue, value: TemplateValue) -> Result<()> {
        self.depth = self.depth.max(deeper(key.depth().max(value.depth()))?);
        if let Some(at) = self.find(&key)? {
            self.entries[at].1 = value;
            return Ok(());
        }
        self.meter().work(1)?;
        if self.entries.len() == self.entries.capacity() {
            let more = self.entries.capacity().max(4);
            self.charge.grow(more * size_of::<(TemplateValue, TemplateValue)>())?;
            self.entries.reserve_exact(more);
        }
        self.entries.push((key, value));
        let count = self.entries.len();
        match &mut self.table {
            Some(table) if count * 2 <= table.slots.len() => {
                let hash = hash(&table.state, &self.entries[count - 1].0);
                table.insert(hash, count - 1);
            }
            _ if count < HASHED => {}
            _ => self.index()?,
        }
        Ok(())
    }

    /// Rebuilds the table with more slots.
    fn index(&mut self) -> Result<()> {
        let slots = (self.entries.len() * 4).next_power_of_two();
        let old = self.table.take().map_or(0, |table| table.slots.len());
        self.charge.grow((slots - old) * size_of::<u32>())?;
        let mut table = Table { slots: vec![0; slots], state: RandomState::new() };
        for (at, (key, _)) in self.entries.iter().enumerate() {
            hashable(self.charge.meter(), key)?;
            let hash = hash(&table.state, key);
            table.insert(hash, at);
        }
        self.table = Some(table);
        Ok(())
    }
}

impl Table {
    fn places(&self, hash: u64) -> impl Iterator<Item = usize> {
        let mask = self.slots.len() - 1;
        let first = hash as usize & mask;
        (0..self.slots.len())
            .map(move |i| self.slots[(first + i) & mask])
            .take_while(|slot| *slot != 0)
            .map(|slot| slot as usize - 1)
    }

    fn insert(&mut self, hash: u64, at: usize) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = at as u32 + 1;
    }
}

/// Fails if a value cannot be a key, and counts the work of hashing it.
pub(crate) fn hashable(meter: &Meter, key: &TemplateValue) -> Result<()> {
    match key {
        TemplateValue::Str(text) => meter.bytes(text.len()),
        TemplateValue::Tuple(list) => {
            meter.work(1)?;
            list.items.iter().try_for_each(|item| hashable(meter, item))
        }
        TemplateValue::List(_) | TemplateValue::Dict(_) | TemplateValue::View(..) => {
            fail(format!("a {} cannot be a key: it is not hashable", key.type_name()))
        }
        _ => meter.work(1),
    }
}

fn hash_str(state: &RandomState, text: &str) -> u64 {
    state.hash_one((0u8, text))
}

fn hash(state: &RandomState, key: &TemplateValue) -> u64 {
    if let TemplateValue::Str(text) = key {
        return hash_str(state, text);
    }
    let mut hasher = state.build_hasher();
    feed(key, &mut hasher);
    hasher.finish()
}

/// Feeds a key to the hasher. Keys that are equal feed equal bytes: numbers feed their value.
fn feed(key: &TemplateValue, hasher: &mut impl Hasher) {
    match key {
        TemplateValue::Str(text) => (0u8, &**text).hash(hasher),
        TemplateValue::Bool(value) => (1u8, i128::from(*value)).hash(hasher),
        TemplateValue::Int(value) => (1u8, *value).hash(hasher),
        TemplateValue::Float(value) if value.fract() == 0.0 && value.abs() < 1e38 => {
            (1u8, *value as i128).hash(hasher)
        }
        TemplateValue::Float(value) => (2u8, value.to_bits()).hash(hasher),
        TemplateValue::Tuple(list) => {
            (3u8, list.items.len()).hash(hasher);
            list.items.iter().for_each(|item| feed(item, hasher));
        }
        TemplateValue::None => 4u8.hash(hasher),
        TemplateValue::Undefined(_) => 5u8.hash(hasher),
        TemplateValue::Range(range) => (6u8, range.len()).hash(hasher),
        TemplateValue::Namespace(id) | TemplateValue::Macro(id) => (7u8, *id).hash(hasher),
        _ => 8u8.hash(hasher),
    }
}
