//! A validated study: factors and their values in every run, and the columns of the result.

use super::design::Design;
use super::distribution::Distribution;
use super::files::Layout;
use super::keep::{KeptColumn, Trace};
use super::study_schema::{Sampling, StudyFile};
use ballesta::model::Document;
use ballesta_run::grid::Grid;
use ballesta_run::inputs::Inputs;
use ballesta_run::model::Assignment;
use std::fmt::Write;
use std::ops::Range;

/// A study, ready to run. Every run depends only on its number.
pub struct Study {
    pub(super) file: StudyFile,
    pub(super) layout: Layout,
    pub(super) hash: [u8; 32],
    pub(super) document: Document,
    /// Folder of the model in diagnostics, which is removed from reasons.
    pub(super) model_folder: String,
    pub(super) grid: Grid,
    pub(super) constants: Vec<Assignment>,
    pub(super) factors: Vec<Factor>,
    /// Number of points of the distributions; 1 without distributions.
    pub(super) points: u64,
    pub(super) runs: u64,
    pub(super) design: Design,
    /// Inputs of all runs, unless a factor selects the input file.
    pub(super) inputs: Option<Inputs>,
    pub(super) kept: Vec<KeptColumn>,
    pub(super) traces: Vec<Trace>,
    pub(super) block: u64,
}

/// A factor: a varied quantity with a column in the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Number of its `[[vary]]` in the file; the columns of a table share one.
    pub entry: usize,
    /// Name of the column.
    pub name: String,
    /// Unit symbol of the model, empty if there is none.
    pub unit: String,
    /// The varied quantity.
    pub target: Target,
    /// Its values.
    pub levels: Levels,
}

/// What a factor varies.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A parameter or an input of the model, given by its name.
    Variable(String),
    /// The factor multiplies the column of the input with this index in the input file.
    Scale(usize),
    /// The factor selects the input file.
    Inputs(Vec<Inputs>),
}

/// The values of a factor.
#[derive(Clone, Debug, PartialEq)]
pub enum Levels {
    /// Numbers of a list or a grid.
    List(Vec<f64>),
    /// A column of a table; the columns of a table vary together, row by row.
    Column {
        /// Values, one per row.
        values: Vec<f64>,
        /// Whether this is the leftmost column of the table.
        first: bool,
    },
    /// Names of input files as in the study file.
    Files(Vec<String>),
    /// Quantile at the coordinate of the design with this index.
    Distribution(Distribution, usize),
}

impl Factor {
    /// The input file of a value; `None` for a number.
    pub fn input_file(&self, value: f64) -> Option<&str> {
        match &self.levels {
            Levels::Files(files) => files.get(value as usize).map(String::as_str),
            _ => None,
        }
    }
}

impl Levels {
    /// Number of crossed levels; `None` for a distribution.
    pub fn crossed(&self) -> Option<u64> {
        match self {
            Levels::List(values) | Levels::Column { values, first: true } => Some(values.len() as u64),
            Levels::Column { .. } => Some(1),
            Levels::Files(files) => Some(files.len() as u64),
            Levels::Distribution(..) => None,
        }
    }
}

impl Study {
    /// Content of the study file.
    pub fn file(&self) -> &StudyFile {
        &self.file
    }

    /// Name of the model.
    pub fn model_name(&self) -> &str {
        &self.document.model.general.name
    }

    /// SHA-256 in hexadecimal over the study file, all files that it and the model name except meshes, and the version
    /// of the program. Meshes do not affect results. The hash depends on the relative paths of the files, not on their
    /// location.
    pub fn hash(&self) -> String {
        self.hash.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// All files needed to read the study: path below an empty folder, with `/` between folders, and content.
    pub fn files(&self) -> &[(String, Vec<u8>)] {
        &self.layout.files
    }

    /// Path of the study file among [`Study::files`].
    pub fn entry(&self) -> &str {
        &self.layout.entry
    }

    /// Number of runs, at least 1.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Number of runs of a block; the last block may be shorter.
    pub fn block_size(&self) -> u64 {
        self.block
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.runs.div_ceil(self.block)
    }

    /// Runs of a block, `index` < [`Study::blocks`].
    pub fn block(&self, index: u64) -> Range<u64> {
        index * self.block..((index + 1) * self.block).min(self.runs)
    }

    /// The communication points of every run.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Factors, in the order of the file.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// Columns with one kept number per run.
    pub fn kept(&self) -> &[KeptColumn] {
        &self.kept
    }

    /// Columns of lists.
    pub fn traces(&self) -> &[Trace] {
        &self.traces
    }

    /// How distributions are sampled, and the seed; `None` without distributions.
    pub fn sampling(&self) -> Option<(Sampling, u64)> {
        let sampled = self.factors.iter().any(|factor| factor.levels.crossed().is_none());
        sampled.then(|| (self.file.study.sampling.unwrap_or(Sampling::Sobol), self.file.study.seed.unwrap_or(1)))
    }

    /// Largest number of bytes of a row, without the texts of reasons.
    pub fn row_bytes(&self) -> u64 {
        let numbers = self.factors.len() + self.kept.len() + self.traces.iter().map(Trace::points).sum::<usize>();
        8 * (numbers as u64 + 2)
    }

    /// The value of every factor in run `run` < [`Study::runs`]: a number in the unit of the model, or the index of an
    /// input file.
    ///
    /// Run = cell · points + point: the last crossed factor changes fastest, and every cell has the same points of the
    /// distributions.
    pub fn point(&self, run: u64) -> Vec<f64> {
        let (mut cell, point) = (run / self.points, run % self.points);
        let unit = self.design.point(point);
        let mut row = None;
        let mut values: Vec<f64> = self
            .factors
            .iter()
            .rev()
            .map(|factor| {
                let mut level = |count: usize| {
                    let level = cell % count as u64;
                    cell /= count as u64;
                    level as usize
                };
                match &factor.levels {
                    Levels::List(values) => values[level(values.len())],
                    Levels::Column { values, first } => {
                        let at = *row.get_or_insert_with(|| level(values.len()));
                        if *first {
                            row = None;
                        }
                        values[at]
                    }
                    Levels::Files(files) => level(files.len()) as f64,
                    Levels::Distribution(distribution, dimension) => distribution.quantile(unit[*dimension]),
                }
            })
            .collect();
        values.reverse();
        values
    }
}
