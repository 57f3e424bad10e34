//! Parses modules and functions, in short and in generic form.

use super::cursor::{Parsed, Parser};
use super::lexer::{Token, unescape};
use super::scopes::Scope;
use crate::diagnostics::{Diagnostic, Position};
use crate::syntax::{Argument, Attribute, Attributes, Block, Function, Module, Type};
use std::collections::HashMap;
use std::sync::Arc;

/// The part of a module that has been read.
#[derive(Default)]
struct ModuleParts {
    module: Module,
    /// The position at which each function is defined.
    names: HashMap<String, Position>,
}

/// The parts of a function outside its body.
struct Header {
    name: String,
    private: bool,
    arguments: Vec<Argument>,
    results: Vec<(Type, Attributes)>,
    attributes: Attributes,
    at: Position,
}

impl<'a> Parser<'a> {
    /// Reads a whole text.
    pub(super) fn module(&mut self) -> Parsed<Module> {
        let mut program = ModuleParts::default();
        self.items(&mut program)?;
        if self.token != Token::End || self.failed() {
            return self.expected("a module or a function");
        }
        Ok(program.module)
    }

    /// Reads the contents of a module, up to `}` or the end.
    fn items(&mut self, program: &mut ModuleParts) -> Parsed<()> {
        loop {
            match self.token {
                Token::End | Token::Mark('}') => return Ok(()),
                Token::Hash(name) => self.attribute_alias(name)?,
                Token::Bang(name) => self.type_alias(name)?,
                Token::Mark('{') if self.lexer.rest().starts_with("-#") => self.skip_metadata()?,
                Token::Word("module" | "builtin.module") => self.short_module(program)?,
                Token::Word("func.func" | "func") => {
                    self.advance();
                    self.short_function(program)?;
                }
                Token::Word("sdy.mesh") => self.skip_mesh()?,
                Token::Text(name) => self.generic_item(name, program)?,
                Token::Word(name) => {
                    let (at, operation) = (self.here(), name.to_string());
                    let message = "a module holds functions, not this".to_string();
                    self.list(Diagnostic { at, operation, message, unsupported: true });
                    self.skip_operation()?;
                }
                _ => return self.expected("a function"),
            }
        }
    }

    /// Skips `{-# … #-}`, which contains resources.
    fn skip_metadata(&mut self) -> Parsed<()> {
        match self.lexer.rest().find("#-}") {
            Some(end) => {
                self.jump(self.lexer.offset() + end + 3);
                Ok(())
            }
            None => self.error("`{-#` is not closed"),
        }
    }

    /// Skips `sdy.mesh @name = <…>`: RLX runs on one device.
    fn skip_mesh(&mut self) -> Parsed<()> {
        self.advance();
        self.symbol()?;
        self.expect('=')?;
        match self.token {
            Token::Mark('<') => self.skip_balanced()?,
            _ => drop(self.attribute()?),
        }
        self.optional_dictionary()?;
        self.label()?;
        Ok(())
    }

    fn short_module(&mut self, program: &mut ModuleParts) -> Parsed<()> {
        self.advance();
        let name = match self.token {
            Token::Symbol(_) | Token::Mark('@') => self.symbol()?,
            _ => String::new(),
        };
        let attributes = if self.eat_word("attributes") { self.dictionary()? } else { Attributes::default() };
        program.short_header(name, attributes);
        self.expect('{')?;
        self.nested(|p| p.items(program))?;
        self.expect('}')?;
        self.label()?;
        Ok(())
    }

    fn short_function(&mut self, program: &mut ModuleParts) -> Parsed<()> {
        let private = match self.token {
            Token::Word("private" | "nested") => true,
            Token::Word("public") => false,
            _ => {
                return self.short_function_named(false, program);
            }
        };
        self.advance();
        self.short_function_named(private, program)
    }

    fn short_function_named(&mut self, private: bool, program: &mut ModuleParts) -> Parsed<()> {
        let at = self.here();
        self.scope = Scope::default();
        let name = self.symbol()?;
        let arguments = self.arguments()?;
        let results = if self.token == Token::Arrow { self.function_results()? } else { Vec::new() };
        let attributes = if self.eat_word("attributes") { self.dictionary()? } else { Attributes::default() };
        let body = match self.token {
            Token::Mark('{') => Some(self.body(&arguments)?),
            _ => None,
        };
        self.label()?;
        let values = std::mem::take(&mut self.scope).values;
        let header = Header { name, private, arguments, results, attributes, at };
        program.add(header.function(body, values))
    }

    fn body(&mut self, arguments: &[Argument]) -> Parsed<Block> {
        let open = self.start;
        let values: Option<Vec<_>> = arguments.iter().map(|a| a.value).collect();
        let Some(values) = values else {
            return self.error_at(open, "the function has a body, so each of its arguments needs a name");
        };
        self.region(values)
    }

    /// Reads `(%a: type {…} loc(…), …)`, or only the types.
    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect('(')?;
        let mut arguments = Vec::new();
        self.list_until(')', |p| {
            let named = match p.token {
                Token::Value(name) => {
                    let at = p.here();
                    p.advance();
                    p.expect(':')?;
                    Some((name, at))
                }
                _ => None,
            };
            let ty = p.ty()?;
            let attributes = p.optional_dictionary()?;
            let label = p.label()?;
            let value = match named {
                Some((name, at)) => Some(p.scope.define(name, ty.clone(), at)?),
                None => None,
            };
            arguments.push(Argument { value, ty, attributes, label });
            Ok(())
        })?;
        Ok(arguments)
    }

    fn function_results(&mut self) -> Parsed<Vec<(Type, Attributes)>> {
        self.arrow()?;
        if !self.eat('(') {
            return Ok(vec![(self.ty()?, Attributes::default())]);
        }
        let mut results = Vec::new();
        self.list_until(')', |p| {
            results.push((p.ty()?, p.optional_dictionary()?));
            Ok(())
        })?;
        Ok(results)
    }

    /// Reads `"name"() <{…}> ({…}) {…} : () -> ()` in a module.
    fn generic_item(&mut self, name: &'a str, program: &mut ModuleParts) -> Parsed<()> {
        let (at, from) = (self.here(), self.start);
        self.advance();
        self.expect('(')?;
        self.expect(')')?;
        let mut attributes = if self.eat('<') {
            let properties = self.dictionary()?;
            self.expect('>')?;
            properties
        } else {
            Attributes::default()
        };
        self.scope = Scope::default();
        let mut body = None;
        if self.eat('(') {
            match name {
                "builtin.module" => {
                    self.expect('{')?;
                    if let Token::Label(_) = self.token {
                        self.advance();
                        self.expect(':')?;
                    }
                    self.nested(|p| p.items(program))?;
                    self.expect('}')?;
                }
                "func.func" => body = self.generic_body()?,
                _ => return self.error_at(from, format!("a module holds functions, not `{name}`")),
            }
            self.expect(')')?;
        }
        attributes.0.extend(self.optional_dictionary()?.0);
        self.expect(':')?;
        self.signature()?;
        self.label()?;
        match name {
            "builtin.module" => {
                let name = taken_string(&mut attributes, "sym_name").unwrap_or_default();
                taken(&mut attributes, "sym_visibility");
                program.generic_header(name, attributes);
                Ok(())
            }
            "func.func" => {
                let values = std::mem::take(&mut self.scope).values;
                let function = match Header::of_attributes(attributes, body.as_ref(), &values, at) {
                    Ok((header, labels)) => header.labeled(labels).function(body.map(|b| b.0), values),
                    Err(message) => return self.error_at(from, message),
                };
                program.add(function)
            }
            "sdy.mesh" => Ok(()),
            other => {
                let message = "a module holds functions, not this".to_string();
                self.list(Diagnostic { at, operation: unescape(other), message, unsupported: true });
                Ok(())
            }
        }
    }

    /// Reads the region of a function in generic form and the labels of its arguments. The region of a declaration is empty.
    fn generic_body(&mut self) -> Parsed<Option<(Block, Vec<Arc<str>>)>> {
        let mark = self.mark();
        self.expect('{')?;
        if self.eat('}') {
            return Ok(None);
        }
        self.return_to(mark);
        Ok(Some(self.region_with_labels()?))
    }
}

impl ModuleParts {
    /// Names the program after a module, unless a surrounding module has named it.
    fn short_header(&mut self, name: String, attributes: Attributes) {
        if self.module.name.is_empty() {
            self.module.name = name;
        }
        if self.module.attributes.0.is_empty() {
            self.module.attributes = attributes;
        }
    }

    /// Names the program after a module in generic form. Its name follows its contents, so that it overrides the names of inner modules.
    fn generic_header(&mut self, name: String, attributes: Attributes) {
        if !name.is_empty() {
            self.module.name = name;
        }
        if !attributes.0.is_empty() {
            self.module.attributes = attributes;
        }
    }

    fn add(&mut self, function: Function) -> Parsed<()> {
        if let Some(first) = self.names.insert(function.name.clone(), function.at) {
            let message = format!("`@{}` is already defined at {first}", function.name);
            return super::cursor::error_in(function.at, message);
        }
        self.module.functions.push(function);
        Ok(())
    }
}

impl Header {
    fn function(self, body: Option<Block>, values: Vec<crate::syntax::Value>) -> Function {
        let Header { name, private, arguments, results, attributes, at } = self;
        Function { name, private, arguments, results, attributes, body, values, at }
    }

    /// Reads the attributes of a `"func.func"`, and takes the labels of its arguments.
    fn of_attributes(
        mut attributes: Attributes,
        body: Option<&(Block, Vec<Arc<str>>)>,
        values: &[crate::syntax::Value],
        at: Position,
    ) -> Result<(Header, Vec<Arc<str>>), String> {
        let Some(name) = taken_string(&mut attributes, "sym_name") else {
            return Err("the function has no `sym_name`".into());
        };
        let Some(Attribute::Type(Type::Function(operands, results))) =
            taken(&mut attributes, "function_type")
        else {
            return Err("the function has no `function_type`".into());
        };
        let private = taken_string(&mut attributes, "sym_visibility").is_some_and(|v| v != "public");
        let mut of_arguments = dictionaries(taken(&mut attributes, "arg_attrs"), operands.len())?;
        let of_results = dictionaries(taken(&mut attributes, "res_attrs"), results.len())?;
        if let Some((block, _)) = body {
            let types: Vec<&Type> = block.arguments.iter().map(|v| &values[v.0 as usize].ty).collect();
            if types != operands.iter().collect::<Vec<_>>() {
                return Err("the arguments of the body do not match the `function_type`".into());
            }
        }
        let arguments = operands
            .into_iter()
            .enumerate()
            .map(|(i, ty)| Argument {
                value: body.map(|(block, _)| block.arguments[i]),
                ty,
                attributes: std::mem::take(&mut of_arguments[i]),
                label: Arc::default(),
            })
            .collect();
        let results = results.into_iter().zip(of_results).collect();
        let labels = body.map(|(_, labels)| labels.clone()).unwrap_or_default();
        Ok((Header { name, private, arguments, results, attributes, at }, labels))
    }

    fn labeled(mut self, labels: Vec<Arc<str>>) -> Self {
        for (argument, label) in self.arguments.iter_mut().zip(labels) {
            argument.label = label;
        }
        self
    }
}

fn taken(attributes: &mut Attributes, name: &str) -> Option<Attribute> {
    let index = attributes.0.iter().position(|(n, _)| n == name)?;
    Some(attributes.0.remove(index).1)
}

fn taken_string(attributes: &mut Attributes, name: &str) -> Option<String> {
    match taken(attributes, name)? {
        Attribute::String(text) => Some(text),
        _ => None,
    }
}

/// Reads one dictionary for each argument or result.
fn dictionaries(attribute: Option<Attribute>, count: usize) -> Result<Vec<Attributes>, String> {
    let wrong =
        || format!("the attributes of {count} arguments or results must be a list of {count} dictionaries");
    let items = match attribute {
        None => return Ok(vec![Attributes::default(); count]),
        Some(Attribute::Array(items)) if items.len() == count => items,
        Some(_) => return Err(wrong()),
    };
    let dictionary = |item| match item {
        Attribute::Dictionary(fields) => Ok(fields),
        _ => Err(wrong()),
    };
    items.into_iter().map(dictionary).collect()
}
