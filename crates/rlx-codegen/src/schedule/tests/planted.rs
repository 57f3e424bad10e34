//! Wrong versions of steps are detected: a kernel with a fault planted in the text that a step produces does not give
//! the original results.

use super::tiles::MATMUL;
use super::{DOUBLED, PRODUCT, RUNNING, SUMS, schedule};
use crate::interp::Interpreter;
use crate::lower::Launches;
use crate::schedule::apply_to_launch;
use crate::trial::{launches, run};

/// Launches, a schedule of the last one, the part of the resulting text that is replaced, and its replacement.
type Planted<'a> = (&'a Launches, &'a str, &'a str, &'a str);

#[test]
fn wrong_versions_of_steps_are_found() {
    let doubled = launches(&[("input 0, output 0", DOUBLED)], "");
    let sums = launches(&[("input 0, output 0", SUMS)], "");
    let running = launches(&[("input 0, output 0, output 1", RUNNING)], "");
    let product = launches(&[("input 0, input 1, output 0", PRODUCT)], "");
    let both = [("input 0, temporary 0", DOUBLED), ("temporary 0, output 0", DOUBLED)];
    let both = launches(&both, "temporary i32[m,n]");
    let stated = SUMS.replace(") {\n  par", ") facts n%7==0 {\n  par");
    let seven = launches(&[("input 0, output 0", &stated)], "");
    let matmul = launches(&[("input 0, input 1, output 0", MATMUL)], "");
    let planted: [Planted<'_>; 31] = [
        // Without the guard, with one that holds too rarely, and with too few parts.
        (&doubled, "split j 4 guard -> a b", "holds (-4*a-b+n-1>=0)", "holds ()"),
        (&doubled, "split j 4 guard -> a b", "-4*a-b+n-1>=0", "-4*a-b+n-2>=0"),
        (&doubled, "split j 4 guard -> a b", "a<floordiv(n+3,4)", "a<floordiv(n,4)"),
        (&running, "split k 2 guard -> a b", "holds (-2*a-b+4>=0)", "holds ()"),
        // Parts that overlap.
        (&doubled, "split j 2 peel -> a b", "store y[i,2*a+b]", "store y[i,a+b]"),
        (&doubled, "split j 4 peel -> a b", "j_1<n-4*floordiv(n,4)", "j_1<n-4*floordiv(n,4)-1"),
        // What a loop carries is not handed on to the next part, or to the tail.
        (&running, "split k 2 peel -> a b", "with %7: i32 = %5", "with %7: i32 = %0"),
        (&running, "split k 2 peel -> a b", "with %5: i32 = %2", "with %5: i32 = %0"),
        (&running, "split k 2 guard -> a b", "next %6", "next %3"),
        // Quotients by another axis.
        (&doubled, "fuse i j -> f", "load x[floordiv(f,n),f-n*floordiv(f,n)]", "load x[floordiv(f,n),0]"),
        (&doubled, "fuse i j -> f", "f<m*n", "f<m*n-1"),
        // A copy of the first iteration in place of the second.
        (&running, "unroll k", "load x[3]", "load x[4]"),
        (&running, "unroll k", "store y[3]", "store y[4]"),
        // A region that is stale, begins elsewhere, or is read before it is filled.
        (&product, "stage a at k1 -> t", "load a[copy_1+i,copy_2+8*k0]", "load a[copy_1+i,copy_2]"),
        (&product, "stage b at k0 -> t", "copy_1<24", "copy_1<23"),
        // Parts as long as the others where less is left, states of only some parts, and a state that is not merged.
        (&sums, "parts k 4 -> a b", "b<-4*a+n-max(4,-4*a+n)+4", "b<4"),
        (&sums, "parts k 4 -> a b", "a_1<floordiv(n+3,4)", "a_1<1"),
        (&sums, "launches k 4 -> a b", "load state0[i,a]", "load state0[i,0]"),
        // A reduction around the axes that leaves out an element or adds all to one sum, and a sum that is not that of the product.
        (&sums, "interchange i", "for k<n {", "for k<n-1 {"),
        (&sums, "interchange i", "load sums[i_2]", "load sums[0]"),
        (&matmul, "interchange j; contract k", "fma %1, %2, %3", "fma %1, %1, %3"),
        (&doubled, "nest i", "par j<n", "par j<n-1"),
        // Lanes that read the same elements, and one that is not merged.
        (&seven, "lanes k 7 -> a b", "load x[i,7*a+b]", "load x[i,7*a]"),
        (&seven, "lanes k 7 -> a b", "b_1<7", "b_1<6"),
        (&sums, "lanes k 2 -> a b", "k_1<n-2*floordiv(n,2)", "k_1<0"),
        // An element that is read from elsewhere, or is missing.
        (&doubled, "pack x 0 2", "load x[floordiv(i,2),j,i-2*floordiv(i,2)]", "load x[floordiv(i,2),j,0]"),
        (&doubled, "pack x 0 2", "load x[2*_0+_2,_1]", "load x[_0,_1]"),
        (&doubled, "unpack y 1 1", "store y[j,i,0]", "store y[j,m-i-1,0]"),
        (&doubled, "unpack y 1 1", "store y[_1,_0+_2]", "store y[_1,n-_0-1]"),
        // An element that another iteration writes.
        (&both, "inplace y x", "load y[i,j]", "load y[i,n-j-1]"),
        (&both, "inplace y x", "load y[i,j]", "load y[m-i-1,j]"),
    ];
    let run = |launches: &Launches| run(launches, &[("m", 3), ("n", 7)], &Interpreter::default());
    for (launches, steps, right, wrong) in planted {
        let last = launches.launches.len() - 1;
        let scheduled = apply_to_launch(launches, last, &schedule(steps)).unwrap_or_else(|e| panic!("{e}"));
        let expected = run(launches).unwrap();
        assert_eq!(run(&scheduled).unwrap(), expected, "{steps}");
        let text = scheduled.to_string();
        assert!(text.contains(right), "{steps}: no `{right}` in {text}");
        let mutant = Launches::parse(&text.replace(right, wrong)).unwrap_or_else(|e| panic!("{e}"));
        assert_ne!(run(&mutant).as_ref(), Ok(&expected), "{steps}: `{wrong}` is not found\n{mutant}");
    }
}
