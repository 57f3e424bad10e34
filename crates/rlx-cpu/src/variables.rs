//! The environment variables that the CPU backend reads.

use crate::isa::Isa;
use rlx_driver::env::parsed;

rlx_driver::variables! {
    /// Number of threads of the CPU backend.
    pub NUM_THREADS: usize = "RLX_NUM_THREADS" {
        values: "1, 2, …",
        parse: |value| parsed(value).filter(|&threads| threads > 0),
        default: "the number of available cores",
    }
    /// Instruction set of the CPU kernels.
    pub CPU_ISA: Isa = "RLX_CPU_ISA" {
        values: "baseline | avx2 | avx512 | amx | neon",
        parse: parsed,
        default: "the best that the processor supports",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_driver::Env;

    #[test]
    fn every_instruction_set_is_named_and_accepted() {
        let mut named: Vec<&str> = CPU_ISA.values.split(" | ").collect();
        let mut all = Isa::ALL.map(Isa::name);
        named.sort_unstable();
        all.sort_unstable();
        assert_eq!(named, all);
        for isa in Isa::ALL {
            let env = Env::from_iter([("RLX_CPU_ISA", isa.name().to_uppercase())]);
            assert_eq!(env.get(&CPU_ISA), Ok(Some(isa)));
        }
        assert!(Env::from_iter([("RLX_CPU_ISA", "sse9")]).get(&CPU_ISA).is_err());
    }

    #[test]
    fn there_is_at_least_one_thread() {
        let threads = |text| Env::from_iter([("RLX_NUM_THREADS", text)]).get(&NUM_THREADS);
        assert_eq!(threads("3"), Ok(Some(3)));
        let error = threads("0").expect_err("no threads");
        assert_eq!(error.to_string(), "RLX_NUM_THREADS is \"0\"; it takes 1, 2, …");
    }
}
