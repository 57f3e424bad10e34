//! From kernels to [`Code`], with all that does not depend on values checked.

use super::FaultKind;
use super::code::{
    Access, BufferInfo, Code, Compute, Conditional, Counter, Handed, Instruction, Reduction, Routine,
};
use super::index::{CompileError, Index};
use crate::kernel::{Axis, BufferId, Carried, Cell, Function, Guard, Kernel, Place, ScalarId, Stmt, Value};
use rlx_ir::{Bindings, DType, Dim, Op, Symbol};
use std::collections::HashMap;
use std::sync::Arc;

type Compiled<T> = Result<T, FaultKind>;

/// The code of a kernel at these sizes.
pub(super) fn compile(kernel: &Kernel, sizes: &Bindings) -> Compiled<Code> {
    let mut compiler = Compiler {
        kernel,
        sizes,
        symbols: Vec::new(),
        in_scope: HashMap::new(),
        defined: vec![false; kernel.scalars.len()],
        functions: Vec::new(),
    };
    let body = compiler.block(&kernel.body)?;
    let info = |b: &crate::kernel::Buffer| BufferInfo {
        name: b.name.clone(),
        dtype: b.dtype,
        once: b.place == Place::Out,
    };
    Ok(Code {
        name: kernel.name.clone(),
        buffers: kernel.buffers.iter().map(info).collect(),
        scalars: kernel.scalars.len(),
        symbols: compiler.symbols,
        functions: compiler.functions,
        body,
    })
}

struct Compiler<'a> {
    kernel: &'a Kernel,
    sizes: &'a Bindings,
    /// All axes and named scalars so far.
    symbols: Vec<Symbol>,
    /// Those that expressions may have here.
    in_scope: HashMap<Symbol, usize>,
    /// Which scalars may be used here.
    defined: Vec<bool>,
    functions: Vec<&'static str>,
}

fn invalid(what: impl Into<String>) -> FaultKind {
    FaultKind::Invalid(what.into())
}

impl Compiler<'_> {
    /// The statements of a block. What they define is not known behind it, but for what `then` takes out of it.
    fn scope<T>(
        &mut self,
        block: &[Stmt],
        then: impl FnOnce(&mut Self) -> Compiled<T>,
    ) -> Compiled<(Vec<Instruction>, T)> {
        let (symbols, defined) = (self.in_scope.clone(), self.defined.clone());
        let code = block.iter().map(|stmt| self.stmt(stmt)).collect::<Compiled<Vec<_>>>()?;
        let result = then(self)?;
        (self.in_scope, self.defined) = (symbols, defined);
        Ok((code, result))
    }

    fn block(&mut self, block: &[Stmt]) -> Compiled<Vec<Instruction>> {
        Ok(self.scope(block, |_| Ok(()))?.0)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Compiled<Instruction> {
        Ok(match stmt {
            Stmt::Let { scalar, value } => self.value(*scalar, value)?,
            Stmt::Name { symbol, scalar, extent } => {
                let (extent, scalar) = (self.index(extent)?, self.used(*scalar)?);
                Instruction::Name { symbol: self.place(symbol)?, scalar, extent }
            }
            Stmt::Array(buffer) => {
                let extents = self.buffer(*buffer)?.extents.iter().map(|e| self.index(e));
                let extents = extents.collect::<Compiled<_>>()?;
                Instruction::Array { buffer: buffer.index(), extents }
            }
            Stmt::Store { cell, guard, scalar } => {
                let buffer = self.buffer(cell.buffer)?;
                if !buffer.place.is_written() {
                    return Err(invalid(format!("it stores to `{}`, which is read only", buffer.name)));
                }
                self.check_dtype(*scalar, buffer.dtype, "a stored scalar")?;
                Instruction::Store { scalar: self.used(*scalar)?, access: self.access(cell, guard)? }
            }
            Stmt::Par { axes, body } => {
                let (axes, body) = self.in_axes(axes, |compiler| compiler.block(body))?;
                Instruction::Par { axes, body }
            }
            Stmt::For { axis, reverse, carried, body } => {
                let (mut axes, (handed, body)) = self.in_axes(std::slice::from_ref(axis), |compiler| {
                    compiler.carry(carried, |compiler| Ok(compiler.scope(body, |c| c.next(carried))?.0))
                })?;
                let axis = axes.pop().ok_or_else(|| invalid("a loop has no axis"))?;
                self.define_all(carried.iter().map(|c| c.last))?;
                Instruction::For { axis, reverse: *reverse, handed, body }
            }
            Stmt::While { carried, condition, again, body, bound } => {
                let bound = self.index(bound)?;
                let (handed, (condition, again, body)) = self.carry(carried, |compiler| {
                    compiler.check_dtype(*again, DType::Bool, "a condition")?;
                    let (condition, again) = compiler.scope(condition, |c| c.used(*again))?;
                    Ok((condition, again, compiler.scope(body, |c| c.next(carried))?.0))
                })?;
                self.define_all(carried.iter().map(|c| c.last))?;
                Instruction::While(Box::new(Conditional { handed, condition, again, body, bound }))
            }
            Stmt::If { condition, then, otherwise, joined } => {
                self.check_dtype(*condition, DType::Bool, "a condition")?;
                let condition = self.used(*condition)?;
                let (then, ours) = self.scope(then, |c| c.all_used(joined.iter().map(|j| j.then)))?;
                let (otherwise, theirs) =
                    self.scope(otherwise, |c| c.all_used(joined.iter().map(|j| j.otherwise)))?;
                let results = self.define_all(joined.iter().map(|j| j.result))?;
                let joined = ours.into_iter().zip(theirs).zip(results);
                let joined = joined.map(|((ours, theirs), result)| [ours, theirs, result]).collect();
                Instruction::If { condition, branches: [then, otherwise], joined }
            }
            Stmt::Reduce { .. } => self.reduce(stmt)?,
        })
    }

    fn reduce(&mut self, stmt: &Stmt) -> Compiled<Instruction> {
        let Stmt::Reduce { axes, combiner, body, elements, results } = stmt else {
            return Err(invalid("a reduction is none"));
        };
        let state = combiner.identity.len();
        let identity = self.all_used(combiner.identity.iter().copied())?;
        let step = self.routine(&combiner.step, state + elements.len(), state)?;
        let merge = self.routine(&combiner.merge, 2 * state, state)?;
        let (axes, (body, elements)) = self.in_axes(axes, |compiler| {
            compiler.scope(body, |compiler| compiler.all_used(elements.iter().copied()))
        })?;
        let results = self.define_all(results.iter().copied())?;
        if results.len() != state {
            return Err(invalid("a reduction has another number of results than its state has scalars"));
        }
        Ok(Instruction::Reduce(Box::new(Reduction { axes, identity, step, merge, body, elements, results })))
    }

    fn routine(&mut self, function: &Function, params: usize, results: usize) -> Compiled<Routine> {
        if function.params.len() != params || function.results.len() != results {
            return Err(invalid(format!("a function of a combiner should have {params} and give {results}")));
        }
        let before = self.defined.clone();
        let params = self.define_all(function.params.iter().copied())?;
        let used = |compiler: &mut Self| compiler.all_used(function.results.iter().copied());
        let (body, results) = self.scope(&function.body, used)?;
        self.defined = before;
        Ok(Routine { params, body, results })
    }

    fn value(&mut self, scalar: ScalarId, value: &Value) -> Compiled<Instruction> {
        let dtype = self.dtype(scalar)?;
        let place = scalar.index();
        let instruction = match value {
            Value::Constant(value) => Instruction::Constant { scalar: place, value: value.convert(dtype) },
            Value::Index(index) => Instruction::Index { scalar: place, dtype, index: self.index(index)? },
            Value::Holds(guard) => Instruction::Holds { scalar: place, guard: self.guard(guard)? },
            Value::Load { cell, guard, fill } => {
                let buffer = self.buffer(cell.buffer)?;
                if !buffer.place.is_read() {
                    return Err(invalid(format!("it loads from `{}`, which is written only", buffer.name)));
                }
                self.check_dtype(scalar, buffer.dtype, "a loaded scalar")?;
                let fill = fill.map(|fill| self.used(fill)).transpose()?;
                Instruction::Load { scalar: place, access: self.access(cell, guard)?, fill }
            }
            Value::Apply { op, args } => {
                // The first operand of a selection is no number.
                let number = if matches!(**op, Op::Select {}) { 1 } else { 0 };
                let number = args.get(number).ok_or_else(|| invalid("an op has too few operands"))?;
                let compute = Compute::Apply(Arc::clone(op), self.dtype(*number)?);
                self.compute(scalar, compute, args, op.mnemonic())?
            }
            Value::Fma(args) if dtype.is_float() => self.compute(scalar, Compute::Fma, args, "fma")?,
            Value::Fma(_) => return Err(invalid(format!("`fma` is of floats, not of {dtype}"))),
            Value::Bitcast(x) => {
                let from = self.dtype(*x)?;
                if from.size() != dtype.size() {
                    return Err(invalid(format!("`bitcast` of {from} to {dtype}, which is not as wide")));
                }
                self.compute(scalar, Compute::Bitcast(from), &[*x], "bitcast")?
            }
        };
        self.define(scalar)?;
        Ok(instruction)
    }

    fn compute(
        &mut self,
        scalar: ScalarId,
        compute: Compute,
        args: &[ScalarId],
        name: &'static str,
    ) -> Compiled<Instruction> {
        let args = self.all_used(args.iter().copied())?;
        if args.len() > 3 {
            return Err(invalid(format!("`{name}` has more than three operands")));
        }
        let known = self.functions.iter().position(|&f| f == name);
        let function = known.unwrap_or_else(|| {
            self.functions.push(name);
            self.functions.len() - 1
        });
        Ok(Instruction::Compute {
            scalar: scalar.index(),
            dtype: self.dtype(scalar)?,
            compute,
            args,
            function,
        })
    }

    /// What `inner` gives where the axes are known. Their extents are computed outside.
    fn in_axes<T>(
        &mut self,
        axes: &[Axis],
        inner: impl FnOnce(&mut Self) -> Compiled<T>,
    ) -> Compiled<(Vec<Counter>, T)> {
        let extents = axes.iter().map(|axis| self.index(&axis.extent)).collect::<Compiled<Vec<_>>>()?;
        let before = self.in_scope.clone();
        let symbols = axes.iter().map(|axis| self.place(&axis.symbol)).collect::<Compiled<Vec<_>>>()?;
        let result = inner(self)?;
        self.in_scope = before;
        let axes = symbols.into_iter().zip(extents).map(|(symbol, extent)| Counter { symbol, extent });
        Ok((axes.collect(), result))
    }

    /// What `inner` gives where the carried scalars are known inside a loop.
    fn carry<T>(
        &mut self,
        carried: &[Carried],
        inner: impl FnOnce(&mut Self) -> Compiled<T>,
    ) -> Compiled<(Vec<Handed>, T)> {
        let mut handed = Vec::with_capacity(carried.len());
        for c in carried {
            let dtype = self.dtype(c.first)?;
            for other in [c.inside, c.next, c.last] {
                self.check_dtype(other, dtype, "a carried scalar")?;
            }
            let (first, inside) = (self.used(c.first)?, c.inside.index());
            handed.push(Handed { first, inside, next: c.next.index(), last: c.last.index() });
        }
        let before = self.defined.clone();
        self.define_all(carried.iter().map(|c| c.inside))?;
        let result = inner(self)?;
        self.defined = before;
        Ok((handed, result))
    }

    /// Fails unless the body of a loop has computed what it hands on.
    fn next(&mut self, carried: &[Carried]) -> Compiled<()> {
        self.all_used(carried.iter().map(|c| c.next)).map(drop)
    }

    fn access(&mut self, cell: &Cell, guard: &Guard) -> Compiled<Access> {
        let buffer = self.buffer(cell.buffer)?;
        if buffer.extents.len() != cell.at.len() {
            let (name, rank, got) = (&buffer.name, buffer.extents.len(), cell.at.len());
            return Err(invalid(format!("`{name}` has {rank} axes, and is accessed by {got} indices")));
        }
        let at = cell.at.iter().map(|index| self.index(index)).collect::<Compiled<_>>()?;
        Ok(Access { buffer: cell.buffer.index(), at, guard: self.guard(guard)? })
    }

    fn guard(&mut self, guard: &Guard) -> Compiled<Vec<Index>> {
        guard.0.iter().map(|index| self.index(index)).collect()
    }

    fn index(&self, index: &Dim) -> Compiled<Index> {
        let compiled = Index::compile(&index.bind(self.sizes), &|symbol| self.in_scope.get(symbol).copied());
        compiled.map_err(|error| match error {
            CompileError::Unknown(symbol) => invalid(format!("`{symbol}` is not known in `{index}`")),
            CompileError::Size(error) => error.into(),
        })
    }

    /// A place for a symbol, which is known from here on.
    fn place(&mut self, symbol: &Symbol) -> Compiled<usize> {
        if self.symbols.contains(symbol) || self.sizes.contains_key(symbol) {
            return Err(invalid(format!("`{symbol}` is the name of two things")));
        }
        let place = self.symbols.len();
        self.symbols.push(symbol.clone());
        self.in_scope.insert(symbol.clone(), place);
        Ok(place)
    }

    fn buffer(&self, buffer: BufferId) -> Compiled<&crate::kernel::Buffer> {
        self.kernel.buffers.get(buffer.index()).ok_or_else(|| invalid("a buffer is not one of the kernel's"))
    }

    fn dtype(&self, scalar: ScalarId) -> Compiled<DType> {
        let dtype = self.kernel.scalars.get(scalar.index()).copied();
        dtype.ok_or_else(|| invalid("a scalar is not one of the kernel's"))
    }

    fn check_dtype(&self, scalar: ScalarId, dtype: DType, what: &str) -> Compiled<()> {
        match self.dtype(scalar)? {
            ours if ours == dtype => Ok(()),
            ours => Err(invalid(format!("{what} is {ours} where it should be {dtype}"))),
        }
    }

    fn used(&self, scalar: ScalarId) -> Compiled<usize> {
        match self.defined.get(scalar.index()) {
            Some(true) => Ok(scalar.index()),
            _ => Err(invalid(format!("scalar {} is used where it is not defined", scalar.index()))),
        }
    }

    fn all_used(&self, scalars: impl Iterator<Item = ScalarId>) -> Compiled<Vec<usize>> {
        scalars.map(|scalar| self.used(scalar)).collect()
    }

    fn define(&mut self, scalar: ScalarId) -> Compiled<usize> {
        match self.defined.get_mut(scalar.index()) {
            Some(defined @ false) => {
                *defined = true;
                Ok(scalar.index())
            }
            _ => Err(invalid(format!("scalar {} is defined twice", scalar.index()))),
        }
    }

    fn define_all(&mut self, scalars: impl Iterator<Item = ScalarId>) -> Compiled<Vec<usize>> {
        scalars.map(|scalar| self.define(scalar)).collect()
    }
}
