//! The RLX intermediate representation: types, ops, graphs, verifier, text form and the reference evaluator.
