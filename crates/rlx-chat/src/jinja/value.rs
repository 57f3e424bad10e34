//! The values of templates, which are charged for the memory that they use.
//!
//! Each value on the heap stores the bytes that it is charged for and how deeply its parts nest. The depth is
//! bounded, so code that traverses or drops values cannot run out of stack. Mutable values, macros and loops are
//! indices into what the interpreter owns, so that nothing contains itself.

use super::ast::NameId;
use super::dict::Dict;
use super::error::{Result, fail};
use super::filters::Builtin;
use super::iterate::Items;
use super::meter::{Charge, Meter};
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

/// How deeply lists and dictionaries may be nested.
pub(crate) const DEEPEST_VALUE: u16 = 150;
/// The overhead of an allocation besides its contents.
const PIECE: usize = 112;

#[derive(Clone, Debug)]
pub(crate) enum TemplateValue {
    Undefined(Missing),
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(Str),
    List(Rc<List>),
    Tuple(Rc<List>),
    Dict(Rc<Dict>),
    View(View, Rc<Dict>),
    Range(Range),
    /// Values that can be iterated over once.
    Iter(Rc<Iter>),
    Namespace(u32),
    Macro(u32),
    /// A loop: its index, and a serial number that distinguishes it from earlier loops with that index.
    Loop(u32, u32),
    Func(&'static Builtin),
    Method(Rc<Method>),
    Cycler(Rc<Cycler>),
    Joiner(Rc<Joiner>),
    /// `self`
    Itself,
    /// A block, as an attribute of `self`.
    Block(u32),
}

/// What a lookup did not find.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Missing {
    Variable(NameId),
    Attribute(&'static str, NameId),
    Other(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Keys,
    Values,
    Items,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) start: i64,
    pub(crate) stop: i64,
    pub(crate) step: i64,
}

impl Range {
    pub(crate) fn len(self) -> usize {
        let (distance, step) = if self.step > 0 {
            (i128::from(self.stop) - i128::from(self.start), i128::from(self.step))
        } else {
            (i128::from(self.start) - i128::from(self.stop), -i128::from(self.step))
        };
        usize::try_from((distance + step - 1) / step).unwrap_or(0)
    }

    /// Returns the value at an index, which must be less than the length.
    pub(crate) fn get(self, index: usize) -> i128 {
        i128::from(self.start) + i128::from(self.step) * index as i128
    }
}

/// A string.
#[derive(Clone, Debug)]
pub(crate) struct Str(Rc<StrObject>);

#[derive(Debug)]
struct StrObject {
    text: String,
    /// Whether the special characters of HTML are already escaped.
    markup: bool,
    _charge: Charge,
}

impl Deref for Str {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl Str {
    pub(crate) fn is_markup(&self) -> bool {
        self.0.markup
    }
}

#[derive(Debug)]
pub(crate) struct List {
    pub(crate) items: Vec<TemplateValue>,
    /// Whether it is a result of `groupby`: a key and its values, which also have names.
    pub(crate) group: bool,
    depth: u16,
    _charge: Charge,
}

#[derive(Debug)]
pub(crate) struct Iter {
    pub(crate) items: RefCell<Items>,
    depth: u16,
    _charge: Charge,
}

/// A method of a value.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) of: TemplateValue,
    pub(crate) name: Str,
    _charge: Charge,
}

#[derive(Debug)]
pub(crate) struct Cycler {
    pub(crate) items: Rc<List>,
    pub(crate) at: Cell<usize>,
    _charge: Charge,
}

#[derive(Debug)]
pub(crate) struct Joiner {
    pub(crate) separator: TemplateValue,
    pub(crate) used: Cell<bool>,
    _charge: Charge,
}

impl TemplateValue {
    pub(crate) fn text(meter: &Rc<Meter>, text: &str) -> Result<TemplateValue> {
        let mut out = Text::new(meter);
        out.push(text)?;
        out.finish()
    }

    pub(crate) fn char(meter: &Rc<Meter>, c: char) -> Result<TemplateValue> {
        TemplateValue::text(meter, c.encode_utf8(&mut [0; 4]))
    }

    pub(crate) fn iter(meter: &Rc<Meter>, items: Items, depth: u16) -> Result<TemplateValue> {
        let _charge = Charge::new(meter, PIECE)?;
        Ok(TemplateValue::Iter(Rc::new(Iter { items: RefCell::new(items), depth: deeper(depth)?, _charge })))
    }

    pub(crate) fn method(meter: &Rc<Meter>, of: TemplateValue, name: Str) -> Result<TemplateValue> {
        deeper(of.depth())?;
        let _charge = Charge::new(meter, PIECE)?;
        Ok(TemplateValue::Method(Rc::new(Method { of, name, _charge })))
    }

    pub(crate) fn cycler(meter: &Rc<Meter>, items: Rc<List>) -> Result<TemplateValue> {
        deeper(items.depth)?;
        let _charge = Charge::new(meter, PIECE)?;
        Ok(TemplateValue::Cycler(Rc::new(Cycler { items, at: Cell::new(0), _charge })))
    }

    pub(crate) fn joiner(meter: &Rc<Meter>, separator: TemplateValue) -> Result<TemplateValue> {
        deeper(separator.depth())?;
        let _charge = Charge::new(meter, PIECE)?;
        Ok(TemplateValue::Joiner(Rc::new(Joiner { separator, used: Cell::new(false), _charge })))
    }

    /// Returns how deeply values are nested inside this one.
    pub(crate) fn depth(&self) -> u16 {
        match self {
            TemplateValue::List(list) | TemplateValue::Tuple(list) => list.depth,
            TemplateValue::Dict(dict) | TemplateValue::View(_, dict) => dict.depth(),
            TemplateValue::Iter(iter) => iter.depth,
            TemplateValue::Method(method) => 1 + method.of.depth(),
            TemplateValue::Cycler(cycler) => 1 + cycler.items.depth,
            TemplateValue::Joiner(joiner) => 1 + joiner.separator.depth(),
            _ => 0,
        }
    }

    /// Returns Python's name of the type.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            TemplateValue::Undefined(_) => "Undefined",
            TemplateValue::None => "NoneType",
            TemplateValue::Bool(_) => "bool",
            TemplateValue::Int(_) => "int",
            TemplateValue::Float(_) => "float",
            TemplateValue::Str(text) if text.is_markup() => "Markup",
            TemplateValue::Str(_) => "str",
            TemplateValue::List(_) => "list",
            TemplateValue::Tuple(_) => "tuple",
            TemplateValue::Dict(_) => "dict",
            TemplateValue::View(View::Keys, _) => "dict_keys",
            TemplateValue::View(View::Values, _) => "dict_values",
            TemplateValue::View(View::Items, _) => "dict_items",
            TemplateValue::Range(_) => "range",
            TemplateValue::Iter(_) => "generator",
            TemplateValue::Namespace(_) => "Namespace",
            TemplateValue::Macro(_) => "Macro",
            TemplateValue::Loop(..) => "LoopContext",
            TemplateValue::Func(_) => "function",
            TemplateValue::Method(_) => "method",
            TemplateValue::Cycler(_) => "Cycler",
            TemplateValue::Joiner(_) => "Joiner",
            TemplateValue::Itself => "TemplateReference",
            TemplateValue::Block(_) => "BlockReference",
        }
    }

    pub(crate) fn as_str(&self) -> Option<&Str> {
        if let TemplateValue::Str(text) = self { Some(text) } else { None }
    }

    pub(crate) fn is_undefined(&self) -> bool {
        matches!(self, TemplateValue::Undefined(_))
    }

    /// Returns an integer. A boolean counts as one.
    pub(crate) fn as_int(&self) -> Option<i128> {
        match self {
            TemplateValue::Int(value) => Some(*value),
            TemplateValue::Bool(value) => Some(i128::from(*value)),
            _ => None,
        }
    }

    /// Whether the value counts as true.
    pub(crate) fn is_true(&self) -> bool {
        match self {
            TemplateValue::Undefined(_) | TemplateValue::None => false,
            TemplateValue::Bool(value) => *value,
            TemplateValue::Int(value) => *value != 0,
            TemplateValue::Float(value) => *value != 0.0,
            TemplateValue::Str(text) => !text.is_empty(),
            TemplateValue::List(list) | TemplateValue::Tuple(list) => !list.items.is_empty(),
            TemplateValue::Dict(dict) | TemplateValue::View(_, dict) => !dict.is_empty(),
            TemplateValue::Range(range) => range.len() > 0,
            _ => true,
        }
    }
}

/// Returns the depth of a value that contains values of depth `depth`.
pub(crate) fn deeper(depth: u16) -> Result<u16> {
    if depth >= DEEPEST_VALUE {
        return fail("values are nested too deeply");
    }
    Ok(depth + 1)
}

/// A string under construction.
pub(crate) struct Text {
    text: String,
    charge: Option<Charge>,
    meter: Rc<Meter>,
}

impl Text {
    pub(crate) fn new(meter: &Rc<Meter>) -> Self {
        Text { text: String::new(), charge: None, meter: meter.clone() }
    }

    pub(crate) fn meter(&self) -> &Rc<Meter> {
        &self.meter
    }

    /// Reserves room for more bytes.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<()> {
        self.meter.bytes(more)?;
        let (length, capacity) = (self.text.len(), self.text.capacity());
        if capacity - length >= more {
            return Ok(());
        }
        let wanted = length.saturating_add(more).max(if capacity == 0 { 0 } else { 2 * capacity });
        match &mut self.charge {
            Some(charge) => charge.grow(wanted - capacity)?,
            None => self.charge = Some(Charge::new(&self.meter, PIECE.saturating_add(wanted))?),
        }
        self.text.reserve_exact(wanted - length);
        Ok(())
    }

    pub(crate) fn push(&mut self, text: &str) -> Result<()> {
        self.reserve(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    pub(crate) fn push_char(&mut self, c: char) -> Result<()> {
        self.push(c.encode_utf8(&mut [0; 4]))
    }

    pub(crate) fn push_many(&mut self, text: &str, times: usize) -> Result<()> {
        self.reserve(text.len().saturating_mul(times))?;
        // Appending many short strings is as much work as appending long ones.
        self.meter.work(times / 8)?;
        if !text.is_empty() {
            self.text.extend(std::iter::repeat_n(text, times));
        }
        Ok(())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    fn object(self, markup: bool) -> Result<TemplateValue> {
        let charge = match self.charge {
            Some(charge) => charge,
            None => Charge::new(&self.meter, PIECE)?,
        };
        Ok(TemplateValue::Str(Str(Rc::new(StrObject { text: self.text, markup, _charge: charge }))))
    }

    pub(crate) fn finish(self) -> Result<TemplateValue> {
        self.object(false)
    }

    pub(crate) fn finish_as(self, markup: bool) -> Result<TemplateValue> {
        self.object(markup)
    }

    pub(crate) fn finish_str(self) -> Result<Str> {
        match self.object(false)? {
            TemplateValue::Str(text) => Ok(text),
            _ => fail("not a string"),
        }
    }

    /// Returns the string itself, which is no longer counted.
    pub(crate) fn into_string(self) -> String {
        self.text
    }
}

/// A list under construction.
pub(crate) struct Listing {
    items: Vec<TemplateValue>,
    charge: Charge,
}

impl Listing {
    pub(crate) fn new(meter: &Rc<Meter>) -> Result<Self> {
        Ok(Listing { items: Vec::new(), charge: Charge::new(meter, PIECE)? })
    }

    pub(crate) fn of(meter: &Rc<Meter>, values: impl IntoIterator<Item = TemplateValue>) -> Result<Self> {
        let mut list = Listing::new(meter)?;
        values.into_iter().try_for_each(|value| list.push(value))?;
        Ok(list)
    }

    pub(crate) fn push(&mut self, value: TemplateValue) -> Result<()> {
        self.charge.meter().work(1)?;
        if self.items.len() == self.items.capacity() {
            let more = self.items.capacity().max(4);
            self.charge.grow(more * size_of::<TemplateValue>())?;
            self.items.reserve_exact(more);
        }
        self.items.push(value);
        Ok(())
    }

    pub(crate) fn items(&mut self) -> &mut Vec<TemplateValue> {
        &mut self.items
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    fn object(self, group: bool) -> Result<Rc<List>> {
        let depth = self.items.iter().map(TemplateValue::depth).max().unwrap_or(0);
        Ok(Rc::new(List { depth: deeper(depth)?, items: self.items, group, _charge: self.charge }))
    }

    pub(crate) fn finish(self) -> Result<TemplateValue> {
        self.object(false).map(TemplateValue::List)
    }

    pub(crate) fn finish_list(self) -> Result<Rc<List>> {
        self.object(false)
    }

    pub(crate) fn finish_tuple(self) -> Result<TemplateValue> {
        self.object(false).map(TemplateValue::Tuple)
    }

    /// Returns a tuple of a key and its values.
    pub(crate) fn finish_group(self) -> Result<TemplateValue> {
        self.object(true).map(TemplateValue::Tuple)
    }

    /// Returns values that can be iterated over once.
    pub(crate) fn finish_iter(self) -> Result<TemplateValue> {
        let list = self.object(false)?;
        let meter = list._charge.meter().clone();
        let depth = list.depth;
        TemplateValue::iter(&meter, Items::List(list, 0), depth)
    }
}
