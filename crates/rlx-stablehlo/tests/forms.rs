//! Each operation in its short and its generic form, as MLIR prints them, has one syntax tree.
//! `scripts/stablehlo_forms.py` writes the cases.

use rlx_stablehlo::parse;
use rlx_stablehlo::syntax::{Attribute, Attributes, Block, Module};

const FORMS: &str = include_str!("data/forms.txt");

/// The cases: name, short form, generic form.
fn cases() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    FORMS.strip_prefix("==== ").into_iter().flat_map(|text| text.split("\n\n==== ")).map(|case| {
        let (name, forms) = case.split_once('\n').expect("a case starts with its name");
        let (short, generic) = forms.split_once("==== generic\n").expect("a case has two forms");
        (name, short, generic)
    })
}

/// Returns the module without the differences that the two forms may have: names of values, positions, and the order of attributes.
fn without_names(mut module: Module) -> Module {
    sort(&mut module.attributes);
    for function in &mut module.functions {
        function.at = Default::default();
        sort(&mut function.attributes);
        function.arguments.iter_mut().for_each(|a| sort(&mut a.attributes));
        function.results.iter_mut().for_each(|r| sort(&mut r.1));
        for value in &mut function.values {
            value.name.clear();
            value.at = Default::default();
        }
        function.body.iter_mut().for_each(without_places);
    }
    module
}

fn without_places(block: &mut Block) {
    for operation in &mut block.operations {
        operation.at = Default::default();
        sort(&mut operation.attributes);
        operation.regions.iter_mut().for_each(without_places);
    }
}

fn sort(attributes: &mut Attributes) {
    attributes.0.sort_by(|a, b| a.0.cmp(&b.0));
    for (_, value) in &mut attributes.0 {
        if let Attribute::Dictionary(fields) | Attribute::Struct(_, fields) = value {
            sort(fields);
        }
    }
}

#[test]
fn short_and_generic_forms_are_one_tree() {
    assert!(cases().count() > 70);
    for (name, short, generic) in cases() {
        let read = |text: &str| parse(text).map(without_names).unwrap_or_else(|e| panic!("{name}:\n{e}"));
        let (short, generic) = (read(short), read(generic));
        assert!(!short.functions.is_empty() || !short.attributes.0.is_empty(), "{name}");
        assert_eq!(short, generic, "{name}");
    }
}

#[test]
fn one_changed_attribute_is_another_tree() {
    let (_, short, generic) = cases().find(|c| c.0 == "shapes").expect("the case is there");
    let read = |text: &str| parse(text).map(without_names).expect("the form is read");
    for (from, to) in
        [("[0:1, 0:3:2]", "[0:1, 1:3:2]"), ("dim = 1 :", "dim = 0 :"), ("high = [1, 2]", "high = [1, 3]")]
    {
        assert!(short.contains(from));
        assert_ne!(read(&short.replacen(from, to, 1)), read(generic), "{from}");
    }
}

/// Truncating a text at any point, or removing any line, gives a result or an error, but never a panic.
#[test]
fn damaged_texts_are_refused_or_read() {
    for (name, short, generic) in cases() {
        for text in [short, generic] {
            let text = text.trim_end();
            for (cut, _) in text.char_indices().skip(1).step_by(7) {
                // A text that is truncated after its aliases is still valid.
                assert!(parse(&text[..cut]).is_err() || text.starts_with('#'), "{name}, {cut}");
            }
            let lines: Vec<&str> = text.lines().collect();
            for absent in 0..lines.len() {
                let kept: Vec<&str> =
                    lines.iter().enumerate().filter(|(i, _)| *i != absent).map(|(_, l)| *l).collect();
                let _ = parse(&kept.join("\n"));
            }
        }
    }
}
