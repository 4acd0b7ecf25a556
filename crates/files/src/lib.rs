//! The files of commands and their messages: failures with exit codes, recognised kinds of files, tables of numbers,
//! and output that is written completely or not at all. No code here runs a model.

pub mod csv;
pub mod failure;
pub mod kind;
pub mod numbers;
pub mod output_file;
pub mod recovery;
pub mod stdout;
pub mod temporary;
pub mod words;

pub use failure::Failure;
