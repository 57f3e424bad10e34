//! Runs the body of a model function, in a subset of Rust, and builds its graph. The compiler would accept the same
//! code on tensors of the front end.

use crate::files::Weights;
use crate::functions::Functions;
use crate::types;
use crate::value::{Argument, BuildValue};
use crate::{functions, methods};
use quote::ToTokens;
use rlx_ir::rewrite::remove_dead;
use rlx_ir::{BinaryOp, DType, Dim, Graph, Tensor};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    BinOp, Block, Error, Expr, ExprBinary, ExprCall, ExprForLoop, ExprMacro, ExprMethodCall, FnArg,
    GenericParam, ItemFn, Lit, Pat, RangeLimits, Result, ReturnType, Signature, Stmt, Token, Type, UnOp,
};

/// The graph that a function builds.
pub(crate) fn graph(function: &ItemFn, weights: Option<&Weights>) -> Result<Graph> {
    let signature = &function.sig;
    let symbols = symbols(signature)?;
    let name = signature.ident.to_string();
    let mut model = Model { functions: Functions::new(&name, weights), symbols, scope: Vec::new() };
    for input in &signature.inputs {
        model.input(input)?;
    }
    let result = model.block(&function.block)?;
    let outputs = model.outputs(&signature.output, &result, function.block.span())?;
    let built = model.functions.builder.finish(&outputs.iter().collect::<Vec<_>>());
    let graph = remove_dead(&built.map_err(|e| Error::new_spanned(&function.sig.ident, e))?);
    if let Some(weights) = weights {
        weights.check(&graph).map_err(|e| Error::new_spanned(&function.sig.ident, e))?;
    }
    Ok(graph)
}

/// The const parameters, which are symbolic sizes.
fn symbols(signature: &Signature) -> Result<Vec<String>> {
    let plain =
        signature.asyncness.is_none() && signature.unsafety.is_none() && signature.constness.is_none();
    if !plain || signature.generics.where_clause.is_some() {
        return Err(Error::new_spanned(
            signature,
            "a model must be a plain `fn`: not async, const or unsafe, and without `where`",
        ));
    }
    let name = |param: &GenericParam| match param {
        GenericParam::Const(c) if c.ty.to_token_stream().to_string() == "usize" => Ok(c.ident.to_string()),
        other => Err(Error::new_spanned(other, "a model can be generic only over sizes: `const N: usize`")),
    };
    signature.generics.params.iter().map(name).collect()
}

/// A model while its function is evaluated.
struct Model<'a> {
    functions: Functions<'a>,
    symbols: Vec<String>,
    /// The variables in scope, innermost last.
    scope: Vec<(String, BuildValue)>,
}

impl Model<'_> {
    fn input(&mut self, input: &FnArg) -> Result<()> {
        let FnArg::Typed(input) = input else {
            return Err(Error::new_spanned(input, "a model takes tensors, not `self`"));
        };
        let Pat::Ident(name) = &*input.pat else {
            return Err(Error::new_spanned(&input.pat, "an input needs a name"));
        };
        let name = name.ident.to_string();
        let tensor = self.functions.builder.input(name.clone(), types::shape(&input.ty, &self.symbols)?);
        self.scope.push((name, tensor.into()));
        Ok(())
    }

    /// The results, checked against the declared shapes.
    fn outputs(
        &self,
        declared: &ReturnType,
        result: &BuildValue,
        body: proc_macro2::Span,
    ) -> Result<Vec<Tensor>> {
        let declared: Vec<&Type> = match declared {
            ReturnType::Default => {
                let message =
                    "declare what the model returns, such as `-> [[f32; 2]; 1]`; several results are a tuple";
                return Err(Error::new(body, message));
            }
            ReturnType::Type(_, ty) => match &**ty {
                Type::Tuple(tuple) => tuple.elems.iter().collect(),
                ty => vec![ty],
            },
        };
        let results = match result {
            BuildValue::Tensor(x) => vec![x.clone()],
            BuildValue::List(list) if list.iter().all(|v| matches!(v, BuildValue::Tensor(_))) => {
                result.tensors().into_iter().cloned().collect()
            }
            other => {
                return Err(Error::new(
                    body,
                    format!("the model returns tensors, but this is {}", other.what()),
                ));
            }
        };
        if results.len() != declared.len() {
            let message =
                format!("{} result(s) are declared, but the body returns {}", declared.len(), results.len());
            return Err(Error::new(body, message));
        }
        for (ty, result) in declared.iter().zip(&results) {
            let shape = types::shape(ty, &self.symbols)?;
            if shape != result.shape() {
                let message = format!("this is {shape}, but the body returns {}", result.shape());
                return Err(Error::new_spanned(ty, message));
            }
        }
        Ok(results)
    }

    fn block(&mut self, block: &Block) -> Result<BuildValue> {
        let outer = self.scope.len();
        let mut last = BuildValue::Nothing;
        for statement in &block.stmts {
            last = match statement {
                Stmt::Local(local) => {
                    let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none()) else {
                        return Err(Error::new_spanned(local, "a variable needs a value here: `let x = …;`"));
                    };
                    let value = self.expression(&init.expr)?;
                    self.bind(&local.pat, value)?;
                    BuildValue::Nothing
                }
                Stmt::Expr(expression, semicolon) => {
                    let value = self.expression(expression)?;
                    if semicolon.is_some() { BuildValue::Nothing } else { value }
                }
                Stmt::Macro(statement) => return Err(unsupported(statement)),
                Stmt::Item(item) => return Err(unsupported(item)),
            };
        }
        self.scope.truncate(outer);
        Ok(last)
    }

    fn bind(&mut self, pattern: &Pat, value: BuildValue) -> Result<()> {
        let parts: Vec<&Pat> = match pattern {
            Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => {
                self.scope.push((name.ident.to_string(), value));
                return Ok(());
            }
            Pat::Wild(_) => return Ok(()),
            Pat::Tuple(tuple) => tuple.elems.iter().collect(),
            Pat::Slice(slice) => slice.elems.iter().collect(),
            other => {
                return Err(Error::new_spanned(other, "expected a name, `_`, or a tuple or array of them"));
            }
        };
        match value {
            BuildValue::List(list) if list.len() == parts.len() => {
                parts.into_iter().zip(list).try_for_each(|(pattern, value)| self.bind(pattern, value))
            }
            other => {
                let message = format!("{} name(s) for {}", parts.len(), other.what());
                Err(Error::new_spanned(pattern, message))
            }
        }
    }

    /// The value of an expression. An error of the front end is reported where it first occurred, at the innermost expression.
    fn expression(&mut self, expression: &Expr) -> Result<BuildValue> {
        let value = self.value(expression)?;
        if value.tensors().iter().all(|x| x.id().is_some()) {
            return Ok(value);
        }
        let message = match self.functions.builder.clone().finish(&[]) {
            Err(violations) => violations.list().last().map(ToString::to_string).unwrap_or_default(),
            Ok(_) => "this has no value".into(),
        };
        Err(Error::new_spanned(expression, message))
    }

    fn value(&mut self, expression: &Expr) -> Result<BuildValue> {
        match expression {
            Expr::Lit(lit) => literal(&lit.lit),
            Expr::Path(path) => self.path(path),
            Expr::Reference(inner) if inner.mutability.is_none() => self.expression(&inner.expr),
            Expr::Paren(inner) => self.expression(&inner.expr),
            Expr::Group(inner) => self.expression(&inner.expr),
            Expr::Block(inner) if inner.label.is_none() => self.block(&inner.block),
            Expr::Tuple(tuple) => self.list(&tuple.elems),
            Expr::Array(array) => self.list(&array.elems),
            Expr::Unary(unary) => {
                let value = self.expression(&unary.expr)?;
                match (&unary.op, value) {
                    (UnOp::Neg(_), BuildValue::Tensor(x)) => Ok((-x).into()),
                    (UnOp::Neg(_), BuildValue::Float(x)) => Ok(BuildValue::Float(-x)),
                    (UnOp::Neg(_), BuildValue::Int(n)) => Ok(BuildValue::Int(n.wrapping_neg())),
                    (_, value) => Err(Error::new_spanned(
                        unary,
                        format!("this operator does not apply to {}", value.what()),
                    )),
                }
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::MethodCall(call) => self.method(call),
            Expr::Call(call) => self.call(call),
            Expr::Assign(assign) => {
                let value = self.expression(&assign.right)?;
                let variable = self.variable(&assign.left)?;
                *variable = value;
                Ok(BuildValue::Nothing)
            }
            Expr::Index(index) => {
                let (list, at) = (self.expression(&index.expr)?, self.expression(&index.index)?);
                let at = match at {
                    BuildValue::Int(n) => usize::try_from(n).ok(),
                    _ => None,
                };
                element(&list, at)
                    .ok_or_else(|| Error::new_spanned(index, format!("{} has no such element", list.what())))
            }
            Expr::Field(field) => {
                let list = self.expression(&field.base)?;
                let at = match &field.member {
                    syn::Member::Unnamed(index) => usize::try_from(index.index).ok(),
                    syn::Member::Named(_) => None,
                };
                element(&list, at)
                    .ok_or_else(|| Error::new_spanned(field, format!("{} has no such field", list.what())))
            }
            Expr::ForLoop(repeated) => self.repeated(repeated),
            Expr::Macro(call) => self.expanded(call),
            other => Err(unsupported(other)),
        }
    }

    fn list(&mut self, elements: &Punctuated<Expr, Token![,]>) -> Result<BuildValue> {
        Ok(BuildValue::List(elements.iter().map(|e| self.expression(e)).collect::<Result<_>>()?))
    }

    fn path(&self, path: &syn::ExprPath) -> Result<BuildValue> {
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        match &segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["None"] => Ok(BuildValue::Nothing),
            [name] => {
                let found = self.scope.iter().rev().find(|(n, _)| n == name);
                let size = || self.symbols.iter().any(|s| s == name).then(|| Dim::dynamic(name).into());
                found.map(|(_, value)| value.clone()).or_else(size).ok_or_else(|| {
                    let message = format!("`{name}` is not an input, variable or size of this model");
                    Error::new_spanned(path, message)
                })
            }
            [.., "DType", name] => {
                let dtype = DType::ALL.iter().find(|d| format!("{d:?}") == *name);
                let unknown = || Error::new_spanned(path, format!("there is no element type `{name}`"));
                dtype.map(|d| BuildValue::DType(*d)).ok_or_else(unknown)
            }
            [.., name] => Ok(BuildValue::Variant((*name).to_string())),
            [] => Err(unsupported(path)),
        }
    }

    fn variable(&mut self, place: &Expr) -> Result<&mut BuildValue> {
        let name = match place {
            Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        let found = self.scope.iter_mut().rev().find(|(n, _)| Some(n) == name.as_ref());
        found
            .map(|(_, value)| value)
            .ok_or_else(|| Error::new_spanned(place, "only variables can be assigned to"))
    }

    fn binary(&mut self, binary: &ExprBinary) -> Result<BuildValue> {
        let (left, right) = (self.expression(&binary.left)?, self.expression(&binary.right)?);
        let op = match binary.op {
            BinOp::Add(_) | BinOp::AddAssign(_) => BinaryOp::Add,
            BinOp::Sub(_) | BinOp::SubAssign(_) => BinaryOp::Sub,
            BinOp::Mul(_) | BinOp::MulAssign(_) => BinaryOp::Mul,
            BinOp::Div(_) | BinOp::DivAssign(_) => BinaryOp::Div,
            BinOp::Rem(_) | BinOp::RemAssign(_) => BinaryOp::Rem,
            _ => {
                let message = "tensors have the operators + - * / %; comparisons are methods: less, greater_equal, equal, …";
                return Err(Error::new_spanned(binary.op, message));
            }
        };
        let assigns = binary.op.to_token_stream().to_string().len() > 1;
        let value = match (&left, &right) {
            (BuildValue::Tensor(a), BuildValue::Tensor(b)) => a.binary(op, b).into(),
            (BuildValue::Tensor(a), BuildValue::Float(b)) => a.binary(op, &a.scalar_like(*b)).into(),
            (BuildValue::Float(a), BuildValue::Tensor(b)) => b.scalar_like(*a).binary(op, b).into(),
            _ => numbers(op, &left, &right).ok_or_else(|| {
                let hint = match (&left, &right) {
                    (BuildValue::Tensor(_), BuildValue::Int(n))
                    | (BuildValue::Int(n), BuildValue::Tensor(_)) => {
                        format!("; write {n}.0")
                    }
                    _ => String::new(),
                };
                let message = format!("`{op}` does not apply to {} and {}{hint}", left.what(), right.what());
                Error::new_spanned(binary, message)
            })?,
        };
        if !assigns {
            return Ok(value);
        }
        if value.tensors().iter().all(|x| x.id().is_some()) {
            *self.variable(&binary.left)? = value;
            return Ok(BuildValue::Nothing);
        }
        Ok(value)
    }

    fn method(&mut self, call: &ExprMethodCall) -> Result<BuildValue> {
        let receiver = self.expression(&call.receiver)?;
        let name = call.method.to_string();
        if name == "clone" && call.args.is_empty() {
            return Ok(receiver);
        }
        let BuildValue::Tensor(x) = &receiver else {
            let message = format!("`{name}` is called on {}; only tensors have methods", receiver.what());
            return Err(Error::new_spanned(call, message));
        };
        let arguments = call.args.iter().map(|a| self.expression(a)).collect::<Result<Vec<_>>>()?;
        methods::call(x, &name, &arguments).map_err(|e| Error::new(call.method.span(), e))
    }

    fn call(&mut self, call: &ExprCall) -> Result<BuildValue> {
        let named = match &*call.func {
            Expr::Path(path) => path.path.segments.last(),
            _ => None,
        };
        let Some(named) = named else {
            let message = format!("known are the functions {} and the methods of tensors", functions::NAMES);
            return Err(Error::new_spanned(&call.func, message));
        };
        let declared = match &named.arguments {
            syn::PathArguments::None => None,
            syn::PathArguments::AngleBracketed(given) => match given.args.first() {
                Some(syn::GenericArgument::Type(ty)) if given.args.len() == 1 => {
                    Some(types::shape(ty, &self.symbols)?)
                }
                _ => return Err(Error::new_spanned(given, "expected one type")),
            },
            other => return Err(Error::new_spanned(other, "expected one type")),
        };
        let arguments = call.args.iter().map(|a| self.expression(a)).collect::<Result<Vec<_>>>()?;
        let result = self.functions.call(&named.ident.to_string(), declared, &arguments);
        result.map_err(|e| Error::new_spanned(call, e))
    }

    fn repeated(&mut self, repeated: &ExprForLoop) -> Result<BuildValue> {
        let values: Vec<BuildValue> = match &*repeated.expr {
            Expr::Range(range) => {
                let mut bound = |expression: &Option<Box<Expr>>| match expression
                    .as_deref()
                    .map(|e| self.expression(e))
                {
                    Some(Ok(BuildValue::Int(n))) => Ok(n),
                    Some(Err(e)) => Err(e),
                    _ => Err(Error::new_spanned(range, "the bounds of a loop must be integers")),
                };
                let (start, end) = (bound(&range.start)?, bound(&range.end)?);
                let end =
                    if matches!(range.limits, RangeLimits::Closed(_)) { end.saturating_add(1) } else { end };
                if end.saturating_sub(start) > MOST_TURNS {
                    return Err(Error::new_spanned(
                        range,
                        format!("loops are unrolled, with at most {MOST_TURNS} iterations"),
                    ));
                }
                (start..end).map(BuildValue::Int).collect()
            }
            other => match self.expression(other)? {
                BuildValue::List(list) => list,
                value => {
                    return Err(Error::new_spanned(other, format!("cannot loop over {}", value.what())));
                }
            },
        };
        for value in values {
            let outer = self.scope.len();
            self.bind(&repeated.pat, value)?;
            self.block(&repeated.body)?;
            self.scope.truncate(outer);
        }
        Ok(BuildValue::Nothing)
    }

    fn expanded(&mut self, call: &ExprMacro) -> Result<BuildValue> {
        let name = call.mac.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match name.as_str() {
            "vec" => {
                let elements = call.mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated)?;
                self.list(&elements)
            }
            "format" => self.formatted(&call.mac.parse_body::<syn::LitStr>()?),
            _ => Err(Error::new_spanned(
                call,
                "the only macros supported here are `vec![…]` and `format!(\"layer.{i}\")`",
            )),
        }
    }

    /// Text in which names in braces are replaced by the values of variables.
    fn formatted(&self, text: &syn::LitStr) -> Result<BuildValue> {
        let (mut made, whole) = (String::new(), text.value());
        let mut rest = whole.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let variable = after.split_once('}').and_then(|(name, after)| {
                let value = self.scope.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value)?;
                match value {
                    BuildValue::Int(n) => Some((n.to_string(), after)),
                    BuildValue::Text(text) => Some((text.clone(), after)),
                    _ => None,
                }
            });
            let Some((value, after)) = variable else {
                return Err(Error::new(
                    text.span(),
                    "braces must contain the name of a variable that is an integer or a text",
                ));
            };
            made.push_str(before);
            made.push_str(&value);
            rest = after;
        }
        made.push_str(rest);
        Ok(BuildValue::Text(made))
    }
}

/// Maximum iterations of a loop, so that a typo does not exhaust the memory.
const MOST_TURNS: i64 = 4096;

fn element(list: &BuildValue, at: Option<usize>) -> Option<BuildValue> {
    match list {
        BuildValue::List(list) => list.get(at?).cloned(),
        _ => None,
    }
}

/// Arithmetic on numbers and sizes.
fn numbers(op: BinaryOp, left: &BuildValue, right: &BuildValue) -> Option<BuildValue> {
    Some(match (left, right) {
        (BuildValue::Int(a), BuildValue::Int(b)) => BuildValue::Int(match op {
            BinaryOp::Add => a.checked_add(*b)?,
            BinaryOp::Sub => a.checked_sub(*b)?,
            BinaryOp::Mul => a.checked_mul(*b)?,
            BinaryOp::Div => a.checked_div(*b)?,
            BinaryOp::Rem => a.checked_rem(*b)?,
            _ => return None,
        }),
        (BuildValue::Float(a), BuildValue::Float(b)) => BuildValue::Float(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => a / b,
            BinaryOp::Rem => a % b,
            _ => return None,
        }),
        (BuildValue::Dim(_), BuildValue::Dim(_) | BuildValue::Int(_))
        | (BuildValue::Int(_), BuildValue::Dim(_)) => {
            let (a, b) = (Dim::of(left)?, Dim::of(right)?);
            match op {
                BinaryOp::Add => &a + &b,
                BinaryOp::Sub => &a - &b,
                BinaryOp::Mul => &a * &b,
                _ => return None,
            }
            .into()
        }
        _ => return None,
    })
}

fn literal(lit: &Lit) -> Result<BuildValue> {
    Ok(match lit {
        Lit::Int(n) if matches!(n.suffix(), "f32" | "f64") => BuildValue::Float(n.base10_parse()?),
        Lit::Int(n) => BuildValue::Int(n.base10_parse()?),
        Lit::Float(x) => BuildValue::Float(x.base10_parse()?),
        Lit::Bool(b) => BuildValue::Bool(b.value),
        Lit::Str(text) => BuildValue::Text(text.value()),
        other => return Err(unsupported(other)),
    })
}

fn unsupported(syntax: &impl ToTokens) -> Error {
    Error::new_spanned(
        syntax,
        "this expression is not supported in a model; supported are `let`, assignments, `for` over ranges, blocks, numbers, arrays, tuples, indices, \
         operators, methods of tensors and the functions param, scalar, constant, iota, op; do everything else outside",
    )
}
