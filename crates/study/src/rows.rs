//! Rows of a result, each with the kept values of a run, and their serialisation for the journal and for other
//! machines.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `BSR1` |
//! | 32 | hash of the study |
//! | 8, 8 | number of the first run, number of rows |
//! | 4, 4 | numbers and traces of a row |
//! | … | rows: status (1), length of the reason (4), the reason; numbers (8 each); traces: length (4), numbers |
//! | 32 | SHA-256 of all before |
//!
//! All numbers are little-endian; a missing number is NaN.

use super::plan::Study;
use sha2::{Digest, Sha256};
use std::fmt;
use std::ops::Range;

const MAGIC: &[u8; 4] = b"BSR1";
/// Length of the header and of the checksum, in bytes.
const HEAD: usize = 4 + 32 + 8 + 8 + 4 + 4;
const CHECKSUM: usize = 32;

/// Status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The run was completed without warnings.
    Done,
    /// The run was completed with warnings, which are the reason.
    Questionable,
    /// The run stopped with a fault.
    Fault,
    /// The run did not start: the model rejects the values, or its step is too long.
    Refused,
    /// The run was completed, but its result is wrong for the given reason.
    Wrong,
}

impl Status {
    /// All statuses, in the order of their codes.
    pub const ALL: [Status; 5] = [Status::Done, Status::Questionable, Status::Fault, Status::Refused, Status::Wrong];

    /// Word in the result.
    pub fn word(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Questionable => "questionable",
            Status::Fault => "fault",
            Status::Refused => "refused",
            Status::Wrong => "wrong",
        }
    }

    /// Whether the run was completed and has values.
    pub fn has_values(self) -> bool {
        matches!(self, Status::Done | Status::Questionable | Status::Wrong)
    }

    /// Corresponding exit code of `ballesta run`.
    pub fn exit_code(self) -> u8 {
        match self {
            Status::Done | Status::Questionable => 0,
            Status::Refused => 1,
            Status::Fault | Status::Wrong => 3,
        }
    }
}

/// Kept values of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Status of the run.
    pub status: Status,
    /// Reason of a status other than done, on one line; otherwise empty.
    pub reason: String,
    /// One number per column of [`Study::kept`], NaN for missing values.
    pub numbers: Vec<f64>,
    /// One list per column of [`Study::traces`], empty for an incomplete run.
    pub traces: Vec<Vec<f64>>,
}

/// Rows of consecutive runs of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    pub(super) hash: [u8; 32],
    pub(super) first: u64,
    pub(super) rows: Vec<Row>,
}

/// The bytes are not rows of this study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongRows(pub String);

impl fmt::Display for WrongRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongRows {}

impl Rows {
    /// Range of run numbers.
    pub fn runs(&self) -> Range<u64> {
        self.first..self.first + self.rows.len() as u64
    }

    /// The rows, in the order of the runs.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Rows of a subset of the runs.
    pub(super) fn part(&self, runs: Range<u64>) -> Rows {
        let at = |run: u64| (run - self.first) as usize;
        Rows { hash: self.hash, first: runs.start, rows: self.rows[at(runs.start)..at(runs.end)].to_vec() }
    }

    /// Serialises the rows; equal rows give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (numbers, traces) = self.rows.first().map_or((0, 0), |row| (row.numbers.len(), row.traces.len()));
        let mut bytes = Vec::new();
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.hash);
        bytes.extend_from_slice(&self.first.to_le_bytes());
        bytes.extend_from_slice(&(self.rows.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(numbers as u32).to_le_bytes());
        bytes.extend_from_slice(&(traces as u32).to_le_bytes());
        for row in &self.rows {
            bytes.push(row.status as u8);
            bytes.extend_from_slice(&(row.reason.len() as u32).to_le_bytes());
            bytes.extend_from_slice(row.reason.as_bytes());
            row.numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            for trace in &row.traces {
                bytes.extend_from_slice(&(trace.len() as u32).to_le_bytes());
                trace.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            }
        }
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// Deserialises rows of this study written by [`Rows::to_bytes`].
    ///
    /// # Errors
    /// Invalid or damaged bytes, or rows of another study.
    pub fn from_bytes(bytes: &[u8], study: &Study) -> Result<Rows, WrongRows> {
        let wrong = |what: &str| WrongRows(what.to_string());
        if bytes.len() < HEAD + CHECKSUM || !bytes.starts_with(MAGIC) {
            return Err(wrong("the data are not rows of a study"));
        }
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if Sha256::digest(content)[..] != *checksum {
            return Err(wrong("the rows are corrupt: checksum mismatch"));
        }
        if content[4..36] != study.hash {
            let message = "the rows belong to another study, other files or another program version";
            return Err(wrong(message));
        }
        let mut reader = Reader { rest: &content[36..] };
        let rows = reader.rows(study).ok_or_else(|| wrong("the rows do not match the columns of the study"))?;
        Ok(rows)
    }
}

/// Reads from the front; `None` if too few bytes are left.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn rows(&mut self, study: &Study) -> Option<Rows> {
        let (first, count) = (self.long()?, self.long()?);
        let columns = (self.short()? as usize, self.short()? as usize);
        let fits = count > 0 && first.checked_add(count)? <= study.runs();
        if !fits || columns != (study.kept.len(), study.traces.len()) {
            return None;
        }
        let mut rows = Vec::new();
        for _ in 0..count {
            rows.push(self.row(study)?);
        }
        self.rest.is_empty().then_some(Rows { hash: study.hash, first, rows })
    }

    fn row(&mut self, study: &Study) -> Option<Row> {
        let status = *Status::ALL.get(usize::from(*self.take(1)?.first()?))?;
        let length = self.short()? as usize;
        let reason = String::from_utf8(self.take(length)?.to_vec()).ok()?;
        let numbers = self.numbers(study.kept.len())?;
        let mut traces = Vec::new();
        for trace in &study.traces {
            let length = self.short()? as usize;
            if length != if status.has_values() { trace.points() } else { 0 } {
                return None;
            }
            traces.push(self.numbers(length)?);
        }
        Some(Row { status, reason, numbers, traces })
    }

    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        let bytes = self.take(count.checked_mul(8)?)?;
        Some(bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap_or_default())).collect())
    }

    fn long(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
}
