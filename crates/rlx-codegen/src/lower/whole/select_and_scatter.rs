//! Lowers `select_and_scatter`, the backward pass of pooling. Each window selects an element of x, and then each
//! element of the result gathers the values that were sent to it, in the order of the windows.
//!
//! Both steps run in parallel, because no two iterations write the same cell.

use crate::build::Writer;
use crate::kernel::{Guard, Place, ScalarId};
use crate::lower::frame::Frame;
use crate::lower::movement::{flattened, unflattened};
use crate::lower::{Argument, LowerError, Reader};
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Graph, Node, NodeId, Op, Scalar, WindowSpec};

/// A window that moves over x.
struct Moving<'a> {
    x: NodeId,
    sizes: &'a [Dim],
    spec: &'a WindowSpec,
}

pub(super) fn lower(
    frame: &mut Frame<'_>,
    node: &Node,
    results: &[Option<Argument>],
) -> Result<(), LowerError> {
    let (Op::SelectAndScatter { select, scatter, spec }, &[x, source, init], &[Some(to)]) =
        (node.op(), node.inputs(), results)
    else {
        return Ok(());
    };
    let moving = Moving { x, sizes: frame.shape(x).dims(), spec };
    let places = frame.shape(source).dims();
    let selected = frame.temporary(DType::I64, places);
    frame.launch(&[x], &[(selected, Place::Out)], |w, reader, buffers| {
        w.par(places, |w, place| {
            let at = moving.selected(w, reader, select, place)?;
            w.store(buffers[0], place, at);
            Ok(())
        })
    })?;
    let touched = [(selected, Place::In), (to, Place::Out)];
    frame.launch(&[source, init], &touched, |w, reader, buffers| {
        w.par(moving.sizes, |w, at| {
            let first = reader.element(w, init, &[])?;
            let own = w.index(DType::I64, &flattened(at, moving.sizes));
            let places_per_element = moving.places_per_element();
            let total = w.repeat(
                &Dim::product(places_per_element.iter().cloned()),
                false,
                &[first],
                |w, number, total| {
                    let number = unflattened(w, number, &places_per_element);
                    let place = moving.place(at, &number);
                    let guard = place.iter().zip(places).fold(Guard::default(), |guard, (index, extent)| {
                        guard.and(Guard::inside(index, extent))
                    });
                    let nowhere = w.constant(DType::I64, Scalar::Int(-1));
                    let selected = w.load_guarded(buffers[0], &place, guard, nowhere);
                    let is_own = w.compare(CompareOp::Eq, selected, own);
                    let sent = |w: &mut Writer| {
                        let sent = reader.element(w, source, &place)?;
                        Reader::applied(w, scatter, &[total[0], sent])
                    };
                    w.branch(is_own, sent, |_| Ok(vec![total[0]]))
                },
            )?;
            w.store(buffers[1], at, total[0]);
            Ok(())
        })
    })
}

impl Moving<'_> {
    /// Returns the row-major position of the element of x that the window at `place` selects, or −1 if it contains only padding.
    fn selected(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        select: &Graph,
        place: &[Dim],
    ) -> Result<ScalarId, LowerError> {
        let taps: Vec<Dim> = self.spec.window.iter().map(|&n| Dim::Static(n)).collect();
        let nowhere = w.constant(DType::I64, Scalar::Int(-1));
        let nothing = w.constant(reader.shape(self.x).dtype(), Scalar::Int(0));
        let found =
            w.repeat(&Dim::product(taps.iter().cloned()), false, &[nowhere, nothing], |w, tap, so_far| {
                let tap = unflattened(w, tap, &taps);
                let at: Vec<Dim> = (0..tap.len())
                    .map(|axis| {
                        (&(&place[axis] * self.spec.strides[axis]) + &tap[axis]).offset(-self.spec.low[axis])
                    })
                    .collect();
                let inside = at.iter().zip(self.sizes);
                let inside = inside
                    .fold(Guard::default(), |guard, (index, extent)| guard.and(Guard::inside(index, extent)));
                let inside = w.holds(inside);
                w.branch(
                    inside,
                    |w| {
                        let element = reader.element(w, self.x, &at)?;
                        let own = w.index(DType::I64, &flattened(&at, self.sizes));
                        let zero = w.constant(DType::I64, Scalar::Int(0));
                        let is_found = w.compare(CompareOp::Ge, so_far[0], zero);
                        let stays = Reader::applied(w, select, &[so_far[1], element])?[0];
                        let stays = w.binary(BinaryOp::And, is_found, stays);
                        Ok::<_, LowerError>(vec![
                            w.select(stays, so_far[0], own),
                            w.select(stays, so_far[1], element),
                        ])
                    },
                    |_| Ok(so_far.to_vec()),
                )
            })?;
        Ok(found[0])
    }

    /// Returns how many window positions can contain one element, along each axis.
    fn places_per_element(&self) -> Vec<Dim> {
        self.spec
            .window
            .iter()
            .zip(&self.spec.strides)
            .map(|(n, stride)| Dim::Static(n.div_ceil(*stride)))
            .collect()
    }

    /// Returns one of the window positions that can contain the element at these indices, by its number along each
    /// axis, starting with the first. The position may be out of range.
    fn place(&self, at: &[Dim], number: &[Dim]) -> Vec<Dim> {
        let along = |axis: usize| {
            let last = at[axis].offset(self.spec.low[axis]).floor_div(&Dim::Static(self.spec.strides[axis]));
            (&last + &number[axis])
                .offset(1 - self.spec.window[axis].div_ceil(self.spec.strides[axis]) as i64)
        };
        (0..at.len()).map(along).collect()
    }
}
