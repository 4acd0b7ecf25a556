//! The file of a reduced-order model and what is made from it.

mod file;
mod fixture;
mod simscape;
mod state_space;
