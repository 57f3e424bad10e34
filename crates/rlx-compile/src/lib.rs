//! The RLX compiler: legalise, simplify, precision, fuse, schedule and plan memory.
