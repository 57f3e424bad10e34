//! Ready models for RLX: configuration, weights, tokenizer, inference.
