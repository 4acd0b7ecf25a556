//! Times of the stages of one evaluation as tables: by name, and as the rows of the paper.

use super::{Distribution, Median};
pub use ballesta_tools::stages::{STAGES, StageTimer, time_in_a_row};
use serde::Serialize;
use std::collections::BTreeMap;

/// Evaluations in the tables of the paper: 5 s at 1 ms with four evaluations per step.
const EVALUATIONS_OF_THE_PAPER: f64 = 20_000.0;

/// A row of the tables in the paper with our time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PaperRow {
    /// Name of the row in the paper.
    pub row: &'static str,
    /// Our stage.
    pub stage: &'static str,
    /// Time in s of 20 000 evaluations, from the median.
    pub seconds: f64,
}

/// Medians by name of the stage, and the rows of the paper; `times` in s, one series per entry of [`STAGES`].
pub fn tables(times: &[Vec<f64>]) -> (BTreeMap<&'static str, Median>, Vec<PaperRow>) {
    let median = |times: &Vec<f64>| if times.is_empty() { f64::NAN } else { Distribution::new(times).p50 };
    let named = || STAGES.iter().zip(times.iter().map(median));
    let medians = named().map(|((name, _), p50)| (*name, Median { p50 })).collect();
    let row = |((stage, row), p50): (&(&'static str, &'static str), f64)| PaperRow {
        row,
        stage,
        seconds: p50 * 1e-6 * EVALUATIONS_OF_THE_PAPER,
    };
    (medians, named().skip(1).map(row).collect())
}
