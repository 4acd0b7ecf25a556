//! Parameter studies: many runs of one model, with a file that defines the variables and the kept values.
//!
//! ```text
//! study.toml ──Study::read──▶ Study ──Study::work(runs)──▶ Rows
//! Rows ──Journal::add──▶ RESULT.parquet.part ──Journal::finish──▶ RESULT.parquet
//! ```
//!
//! * [`Study`]: the file, the model and all files that they name, read once and validated; immutable, shared by
//!   threads. [`Study::hash`] covers the content of these files and the version of the program, but not their location.
//! * A run depends only on its number: [`Study::point`] returns its factors, [`Study::work`] computes its row. Rows are
//!   therefore bitwise equal on every worker and in any order.
//! * [`Rows`]: the rows of consecutive runs, as bytes with a checksum for files and other machines.
//! * [`Journal`]: the computed rows on disk. It accepts rows in any order, keeps each run once, and continues after an
//!   interruption. [`Journal::finish`] writes the result block by block, so memory use does not grow with the number of
//!   runs.
//!
//! A run is equivalent to `ballesta run --set …`: the model is compiled with its parameters, the step is compared with
//! the stability limit, and [`ballesta_run::simulation::run`] simulates it. A failed run gives a row with the reason.
//!
//! To work on other machines, write [`Study::files`] to an empty folder, [`Study::read`] the file [`Study::entry`]
//! there, and compare the hashes. Then [`Study::work`] on the blocks ([`Study::block`]) of [`Journal::missing`], and
//! send [`Rows::to_bytes`] back.

mod design;
mod diagnostics;
pub mod distribution;
mod files;
mod fold;
mod journal;
mod keep;
mod plan;
mod read_study;
mod result;
mod rows;
mod run;
pub mod study_schema;
mod table;
mod threads;
mod vary;

pub use design::Design;
pub use journal::{Journal, JournalState, Summary};
pub use keep::{KeptColumn, Quantity, Trace};
pub use plan::{Factor, Levels, Study, Target};
pub use result::{ResultFacts, Table, read_table, stored_facts};
pub use rows::{Row, Rows, Status, WrongRows};
pub use threads::work_on_threads;
