//! Structures as attributes: values that belong together are one field of an op. `structure!` declares one and implements
//! [`Attr`](super::Attr) for it; `restricted!` declares one with fewer fields.
//!
//! A `flat` structure makes no difference to the text form: each of its fields is an attribute of the op. A `nested` one is a single
//! attribute, `dims = {a = [0], b = 1}`. A field whose parts are attributes of their own lists their names:
//! `x: Axes as { x_batch = batch, x_feature = feature }`.

macro_rules! structure {
    (
        $(#[$meta:meta])*
        $layout:ident $Name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident : $ty:ty $(as { $( $(#[doc = $part_doc:literal])* $key:ident = $part:ident ),+ $(,)? })?
            ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        pub struct $Name {
            $( $(#[doc = $doc])* pub $field: $ty, )+
        }

        impl $Name {
            fn print_fields(&self, p: &mut $crate::text::Printer) {
                $( structure!(@each [&] self $field { $($($key = $part)+)? } |value, name| {
                    $crate::op::Attr::print_named(value, name, p)
                }); )+
            }

            fn parse_fields(
                p: &mut $crate::text::Parser<'_>,
            ) -> Result<Self, $crate::text::ParseError> {
                Ok($Name { $( $field: structure!(@parse p $ty, $field { $($($key = $part)+)? }), )+ })
            }
        }

        impl $crate::op::Attr for $Name {
            type Arg<'a> = &'a $Name;

            fn arg(&self) -> &$Name {
                self
            }

            fn print(&self, p: &mut $crate::text::Printer) {
                p.structure(|p| self.print_fields(p));
            }

            fn parse(p: &mut $crate::text::Parser<'_>) -> Result<Self, $crate::text::ParseError> {
                p.structure(Self::parse_fields)
            }

            structure!(@layout $layout $(
                [$ty, $field concat!($($doc),*), { $($($key = concat!($($part_doc),*),)+)? }]
            )+);

            fn key(&self, key: &mut $crate::op::Key) {
                $( structure!(@each [&] self $field { $($($key = $part)+)? } |value, _name| {
                    $crate::op::Attr::key(value, key)
                }); )+
            }

            fn bind(&mut self, bindings: &$crate::dim::Bindings) {
                $( structure!(@each [&mut] self $field { $($($key = $part)+)? } |value, _name| {
                    $crate::op::Attr::bind(value, bindings)
                }); )+
            }

            fn dims(&self, visit: &mut dyn FnMut(&$crate::dim::Dim)) {
                $( structure!(@each [&] self $field { $($($key = $part)+)? } |value, _name| {
                    $crate::op::Attr::dims(value, visit)
                }); )+
            }

            fn graphs<'a>(&'a self, visit: &mut dyn FnMut(&'a $crate::graph::SubGraph)) {
                $( structure!(@each [&] self $field { $($($key = $part)+)? } |value, _name| {
                    $crate::op::Attr::graphs(value, visit)
                }); )+
            }

            fn graphs_mut(&mut self, visit: &mut dyn FnMut(&mut $crate::graph::SubGraph)) {
                $( structure!(@each [&mut] self $field { $($($key = $part)+)? } |value, _name| {
                    $crate::op::Attr::graphs_mut(value, visit)
                }); )+
            }
        }
    };

    (@layout nested $($described:tt)*) => {};
    (@layout flat $([$($described:tt)*])+) => {
        fn print_named(&self, _name: &str, p: &mut $crate::text::Printer) {
            self.print_fields(p);
        }

        fn parse_named(
            _name: &str,
            p: &mut $crate::text::Parser<'_>,
        ) -> Result<Self, $crate::text::ParseError> {
            Self::parse_fields(p)
        }

        fn describe(
            _name: &'static str,
            _doc: &'static str,
            list: &mut Vec<(&'static str, &'static str)>,
        ) {
            $( structure!(@describe list $($described)*); )+
        }
    };

    // Evaluates `$body` for a field, or for each of its parts.
    (@each $borrow:tt $this:ident $field:ident {} |$value:ident, $name:ident| $body:expr) => {{
        let ($value, $name) = (structure!(@borrow $borrow $this.$field), stringify!($field));
        $body;
    }};
    (@each $borrow:tt $this:ident $field:ident { $($key:ident = $part:ident)+ }
        |$value:ident, $name:ident| $body:expr) => {{
        $(
            let ($value, $name) = (structure!(@borrow $borrow $this.$field.$part), stringify!($key));
            $body;
        )+
    }};

    (@borrow [&] $($place:tt)+) => { &$($place)+ };
    (@borrow [&mut] $($place:tt)+) => { &mut $($place)+ };

    (@parse $p:ident $ty:ty, $field:ident {}) => {
        <$ty as $crate::op::Attr>::parse_named(stringify!($field), $p)?
    };
    (@parse $p:ident $ty:ty, $field:ident { $($key:ident = $part:ident)+ }) => {{
        type Parts = $ty;
        Parts { $($part: $crate::op::Attr::parse_named(stringify!($key), $p)?),+ }
    }};

    (@describe $list:ident $ty:ty, $field:ident $doc:expr, {}) => {
        <$ty as $crate::op::Attr>::describe(stringify!($field), $doc.trim_ascii(), $list)
    };
    (@describe $list:ident $ty:ty, $field:ident $doc:expr, { $($key:ident = $part_doc:expr,)+ }) => {
        $( $list.push((stringify!($key), $part_doc.trim_ascii())); )+
    };
}
pub(super) use structure;

/// Declares a structure with some of its fields fixed. Its text form has only the `fields`, and its function `new` takes them.
macro_rules! restricted {
    (
        $(#[$meta:meta])*
        $Name:ident($Base:ident) { $($field:ident),+ $(,)? }
    ) => {
        $(#[$meta])*
        pub struct $Name($Base);

        impl $Name {
            fn print_fields(&self, p: &mut $crate::text::Printer) {
                $( $crate::op::Attr::print_named(&self.0.$field, stringify!($field), p); )+
            }

            fn parse_fields(
                p: &mut $crate::text::Parser<'_>,
            ) -> Result<Self, $crate::text::ParseError> {
                Ok($Name::new($( $crate::op::Attr::parse_named(stringify!($field), p)? ),+))
            }
        }

        impl std::ops::Deref for $Name {
            type Target = $Base;

            fn deref(&self) -> &$Base {
                &self.0
            }
        }

        impl $crate::op::Attr for $Name {
            type Arg<'a> = &'a $Base;

            fn arg(&self) -> &$Base {
                &self.0
            }

            fn print(&self, p: &mut $crate::text::Printer) {
                p.structure(|p| self.print_fields(p));
            }

            fn parse(p: &mut $crate::text::Parser<'_>) -> Result<Self, $crate::text::ParseError> {
                p.structure(Self::parse_fields)
            }

            fn print_named(&self, _name: &str, p: &mut $crate::text::Printer) {
                self.print_fields(p);
            }

            fn parse_named(
                _name: &str,
                p: &mut $crate::text::Parser<'_>,
            ) -> Result<Self, $crate::text::ParseError> {
                Self::parse_fields(p)
            }

            fn describe(
                name: &'static str,
                doc: &'static str,
                list: &mut Vec<(&'static str, &'static str)>,
            ) {
                let mut all = Vec::new();
                <$Base as $crate::op::Attr>::describe(name, doc, &mut all);
                list.extend(all.into_iter().filter(|(name, _)| [$(stringify!($field)),+].contains(name)));
            }

            fn key(&self, key: &mut $crate::op::Key) {
                $crate::op::Attr::key(&self.0, key);
            }

            fn bind(&mut self, bindings: &$crate::dim::Bindings) {
                $crate::op::Attr::bind(&mut self.0, bindings);
            }

            fn dims(&self, visit: &mut dyn FnMut(&$crate::dim::Dim)) {
                $crate::op::Attr::dims(&self.0, visit);
            }

            fn graphs<'a>(&'a self, visit: &mut dyn FnMut(&'a $crate::graph::SubGraph)) {
                $crate::op::Attr::graphs(&self.0, visit);
            }

            fn graphs_mut(&mut self, visit: &mut dyn FnMut(&mut $crate::graph::SubGraph)) {
                $crate::op::Attr::graphs_mut(&mut self.0, visit);
            }
        }
    };
}
pub(super) use restricted;
