//! Selects the inputs and parameters that a transform differentiates or maps.

use crate::error::Error;
use crate::trace;
use rlx_ir::{Graph, Op, Shape};
use std::collections::{HashMap, HashSet};

/// Inputs and parameters, by name or by position. Positions count the inputs in order, then the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrt(Vec<Which>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Which {
    Name(String),
    Position(usize),
}

impl Wrt {
    /// Every parameter of the graph.
    pub fn params(graph: &Graph) -> Wrt {
        Wrt(leaves(graph).into_iter().filter(|l| l.is_param).map(|l| Which::Name(l.name)).collect())
    }

    /// The leaves with these names or positions.
    pub(crate) fn resolve(&self, graph: &Graph) -> Result<Vec<Leaf>, Error> {
        let all = leaves(graph);
        let by_name: HashMap<&str, &Leaf> = all.iter().map(|leaf| (leaf.name.as_str(), leaf)).collect();
        let find = |which: &Which| {
            let found = match which {
                Which::Name(name) => by_name.get(name.as_str()).copied(),
                Which::Position(i) => all.get(*i),
            };
            found.cloned().ok_or_else(|| unknown(graph, which, &all))
        };
        let mut out: Vec<Leaf> = Vec::with_capacity(self.0.len());
        let mut named = HashSet::new();
        for which in &self.0 {
            let leaf = find(which)?;
            if !named.insert(leaf.name.clone()) {
                return Err(Error::Arguments(format!("`{}` is named twice", leaf.name)));
            }
            out.push(leaf);
        }
        if out.is_empty() {
            let message = "name at least one input or parameter to differentiate by".to_string();
            return Err(Error::Arguments(message));
        }
        Ok(out)
    }

    /// The leaves, all of which must have types that have derivatives.
    pub(crate) fn differentiable(&self, graph: &Graph) -> Result<Vec<Leaf>, Error> {
        let leaves = self.resolve(graph)?;
        match leaves.iter().find(|l| !trace::has_derivative(l.shape.dtype())) {
            Some(l) => Err(Error::Integer { name: l.name.clone(), dtype: l.shape.dtype() }),
            None => Ok(leaves),
        }
    }
}

fn unknown(graph: &Graph, which: &Which, all: &[Leaf]) -> Error {
    let what = match which {
        Which::Name(name) => format!("`{name}`"),
        Which::Position(i) => format!("position {i}"),
    };
    let names: Vec<String> = all.iter().map(|l| format!("`{}`", l.name)).collect();
    let known = if names.is_empty() { "none".into() } else { names.join(", ") };
    Error::UnknownInput { graph: graph.name().into(), what, known }
}

/// An input or parameter of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) is_param: bool,
}

/// The inputs in order, then the parameters.
pub(crate) fn leaves(graph: &Graph) -> Vec<Leaf> {
    let leaf = |node: &rlx_ir::Node| {
        let (name, is_param) = match node.op() {
            Op::Param { name } => (name.clone(), true),
            Op::Input { name } => (name.clone(), false),
            _ => (String::new(), false),
        };
        Leaf { name, shape: node.shape().clone(), is_param }
    };
    graph.inputs().chain(graph.params()).map(leaf).collect()
}

impl From<&str> for Wrt {
    fn from(name: &str) -> Wrt {
        Wrt(vec![Which::Name(name.into())])
    }
}

impl From<usize> for Wrt {
    fn from(position: usize) -> Wrt {
        Wrt(vec![Which::Position(position)])
    }
}

impl From<&[&str]> for Wrt {
    fn from(names: &[&str]) -> Wrt {
        Wrt(names.iter().map(|n| Which::Name(n.to_string())).collect())
    }
}

impl<const N: usize> From<[&str; N]> for Wrt {
    fn from(names: [&str; N]) -> Wrt {
        Wrt::from(&names[..])
    }
}

impl<const N: usize> From<&[&str; N]> for Wrt {
    fn from(names: &[&str; N]) -> Wrt {
        Wrt::from(&names[..])
    }
}

impl From<&[String]> for Wrt {
    fn from(names: &[String]) -> Wrt {
        Wrt(names.iter().map(|n| Which::Name(n.clone())).collect())
    }
}

impl From<Vec<String>> for Wrt {
    fn from(names: Vec<String>) -> Wrt {
        Wrt::from(&names[..])
    }
}

impl From<&[usize]> for Wrt {
    fn from(positions: &[usize]) -> Wrt {
        Wrt(positions.iter().map(|&p| Which::Position(p)).collect())
    }
}

impl<const N: usize> From<[usize; N]> for Wrt {
    fn from(positions: [usize; N]) -> Wrt {
        Wrt::from(&positions[..])
    }
}

impl From<Vec<usize>> for Wrt {
    fn from(positions: Vec<usize>) -> Wrt {
        Wrt::from(&positions[..])
    }
}
