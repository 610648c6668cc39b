//! The simulation: state, virtual clock, step, fork.
