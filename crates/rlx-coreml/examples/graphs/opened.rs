//! Cases of the conformance table with a size that the run decides: every dimension of one size becomes a symbol, if the graph is then
//! still valid and the same at that size.

use rlx_ir::{Bindings, Graph, Literal, Shape, Symbol};

/// The symbol.
pub const SIZE: &str = "n";

/// Returns a graph with an open size, and the size that it replaces: the largest one for which it is possible. Returns `None` if there is
/// none.
pub fn opened(graph: &Graph) -> Option<(Graph, usize)> {
    let mut sizes: Vec<usize> =
        graph.input_shapes().iter().filter_map(Shape::static_dims).flatten().collect();
    sizes.sort_unstable();
    sizes.dedup();
    let text = graph.to_string();
    sizes.into_iter().rev().filter(|&size| size > 1).find_map(|size| {
        let open = Graph::parse(&with_symbol(&text, size)).ok()?;
        let bound = open.bind(&Bindings::from([(Symbol::new(SIZE), size)]));
        let is_open = open.input_shapes().iter().any(|shape| shape.static_dims().is_none());
        (is_open && bound.to_string() == text).then_some((open, size))
    })
}

/// Replaces a size by the symbol in the text of a graph: in types, and in attributes that are dimensions.
fn with_symbol(text: &str, size: usize) -> String {
    let line = |line: &str| {
        // The elements of constants are not sizes.
        if line.contains(" = constant ") {
            return line.to_string();
        }
        let mut made = String::new();
        let mut rest = line;
        while let Some(open) = rest.find('[') {
            let end = rest[open..].find(']').map_or(rest.len(), |end| open + end);
            made.push_str(&rest[..=open]);
            let before = rest[..open].trim_end();
            let are_sizes = !before.ends_with('=')
                || ["dims =", "sizes =", "limits =", "slice_sizes ="]
                    .iter()
                    .any(|name| before.ends_with(name));
            let items = &rest[open + 1..end];
            let item = |item: &str| match item.trim().parse::<usize>() {
                Ok(n) if n == size && are_sizes => SIZE.to_string(),
                _ => item.trim().to_string(),
            };
            made.push_str(&items.split(',').map(item).collect::<Vec<_>>().join(","));
            rest = &rest[end..];
        }
        made + rest
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a value of another shape that repeats the elements.
pub fn repeated(value: &Literal, shape: &Shape) -> Option<Literal> {
    let (size, count) = (value.dtype().size(), shape.num_elements()?);
    let elements: Vec<&[u8]> = value.bytes().chunks_exact(size).collect();
    if elements.is_empty() {
        return None;
    }
    let bytes: Vec<u8> = elements.into_iter().cycle().take(count).flatten().copied().collect();
    Literal::from_bytes(shape, &bytes).ok()
}
