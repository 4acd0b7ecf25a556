//! A study that was read: factors and their values in every run, the columns of the result.

use super::design::Design;
use super::distribution::Distribution;
use super::files::Layout;
use super::keep::{Kept, Trace};
use super::schema::{Sampling, StudyFile};
use crate::grid::Grid;
use crate::inputs::Inputs;
use crate::model::Assignment;
use ballesta::model::Document;
use std::fmt::Write;
use std::ops::Range;

/// A study, ready to run. Every run depends on its number alone.
pub struct Study {
    pub(super) file: StudyFile,
    pub(super) layout: Layout,
    pub(super) hash: [u8; 32],
    pub(super) document: Document,
    /// Folder of the model as diagnostics show it, which is no part of a reason.
    pub(super) model_folder: String,
    pub(super) grid: Grid,
    pub(super) constants: Vec<Assignment>,
    pub(super) factors: Vec<Factor>,
    /// Points of the distributions; 1 where there is none.
    pub(super) points: u64,
    pub(super) runs: u64,
    pub(super) design: Design,
    /// Inputs of all runs where no factor chooses them.
    pub(super) inputs: Option<Inputs>,
    pub(super) kept: Vec<Kept>,
    pub(super) traces: Vec<Trace>,
    pub(super) block: u64,
}

/// Something that varies from run to run: a column of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Number of its `[[vary]]` in the file; the columns of a table share one.
    pub entry: usize,
    /// Name of the column.
    pub name: String,
    /// Unit symbol of the model, empty where there is none.
    pub unit: String,
    /// The varied quantity.
    pub target: Target,
    /// Its values.
    pub levels: Levels,
}

/// What a factor varies.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A parameter or an input of the model, by name.
    Variable(String),
    /// The column of the input file with this index of an input is multiplied.
    Scale(usize),
    /// The input file: one of these.
    Inputs(Vec<Inputs>),
}

/// The values of a factor.
#[derive(Clone, Debug, PartialEq)]
pub enum Levels {
    /// Numbers of a list or a grid.
    List(Vec<f64>),
    /// A column of a table; `first`: it is the leftmost one. The columns of a table go through its rows together.
    Column {
        /// Values, one per row.
        values: Vec<f64>,
        /// Whether the next column to the left belongs to something else.
        first: bool,
    },
    /// Names of input files as the study's file has them.
    Files(Vec<String>),
    /// The coordinate of the design with this index, as a quantile.
    Distribution(Distribution, usize),
}

impl Factor {
    /// The input file of a value; none for a number.
    pub fn input_file(&self, value: f64) -> Option<&str> {
        match &self.levels {
            Levels::Files(files) => files.get(value as usize).map(String::as_str),
            _ => None,
        }
    }
}

impl Levels {
    /// Number of crossed levels; none for a distribution.
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
    /// The file as it was written.
    pub fn file(&self) -> &StudyFile {
        &self.file
    }

    /// Name of the model.
    pub fn model_name(&self) -> &str {
        &self.document.model.general.name
    }

    /// SHA-256 in hexadecimal over the study's file, all files that it and the model name but meshes, which decide no
    /// result, and the version of the program. Where the files lie does not matter, how they lie relative to each other
    /// does.
    pub fn hash(&self) -> String {
        self.hash.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Everything that reading the study needs: path below an empty folder, `/` between folders, and content.
    pub fn files(&self) -> &[(String, Vec<u8>)] {
        &self.layout.files
    }

    /// Path of the study's file among [`Study::files`].
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

    /// What varies, in the order of the file.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// Columns of numbers that are kept of every run.
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// Columns of lists.
    pub fn traces(&self) -> &[Trace] {
        &self.traces
    }

    /// How distributions are sampled, and the seed; none where there are none.
    pub fn sampling(&self) -> Option<(Sampling, u64)> {
        let sampled = self.factors.iter().any(|factor| factor.levels.crossed().is_none());
        sampled.then(|| (self.file.study.sampling.unwrap_or(Sampling::Sobol), self.file.study.seed.unwrap_or(1)))
    }

    /// Largest number of bytes of a row, names of reasons aside.
    pub fn row_bytes(&self) -> u64 {
        let numbers = self.factors.len() + self.kept.len() + self.traces.iter().map(Trace::points).sum::<usize>();
        8 * (numbers as u64 + 2)
    }

    /// The value of every factor in run `run` < [`Study::runs`]: a number in the unit of the model, or the index of an
    /// input file.
    ///
    /// Run = cell · points + point: the last of the crossed factors changes fastest among the cells, and every cell has
    /// the same points of the distributions.
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
