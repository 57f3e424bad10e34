//! The conformance table of RLX: cases for every op, judged against the evaluator and outside goldens.
