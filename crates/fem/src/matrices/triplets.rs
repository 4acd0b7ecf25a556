//! Entries of a matrix as a file lists them, and the symmetric matrix that they define.

use super::data_lines::complaint;
use super::dof_map::DofMap;
use crate::model::MODAL;
use ballesta::document::Diagnostic;

/// Largest difference of the halves of a matrix, relative to √(aᵢᵢ aⱼⱼ), due to rounding in the program that assembled
/// it.
pub const ASYMMETRY: f64 = 1e-12;

/// A diagonal entry this many times the median is a penalty, not a stiffness or a mass.
const PENALTY: f64 = 1e8;

/// An entry and the line that gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// 0-based.
    pub row: usize,
    /// 0-based.
    pub column: usize,
    /// Value in the units of the file.
    pub value: f64,
    /// 1-based.
    pub line: usize,
}

/// Off-diagonal entries in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Entries of both halves.
    Full,
    /// Entries of one half, each in either position.
    Half,
    /// Unspecified: both halves if any entry occurs in both positions.
    Unknown,
}

/// A matrix as in its file.
#[derive(Clone, Debug)]
pub struct Triplets {
    /// Name of the file.
    pub file: String,
    /// Given entries.
    pub storage: Storage,
    /// Entries.
    pub entries: Vec<Entry>,
}

impl Triplets {
    /// Makes the matrix symmetric: one entry for each pair, row ≤ column, and the measured asymmetry.
    ///
    /// # Errors
    /// Duplicate entries; halves that differ.
    pub fn symmetric(mut self, map: &DofMap) -> Result<(Triplets, f64), Diagnostic> {
        let place = |entry: &Entry| (entry.row.max(entry.column), entry.row.min(entry.column));
        // Stable: entries of one position keep the order of the file.
        self.entries.sort_by_key(|entry| place(entry));
        let groups = || self.entries.chunk_by(|a, b| place(a) == place(b));
        let mirrored = |group: &[Entry]| group.iter().any(|entry| entry.row != group[0].row);
        let full = match self.storage {
            Storage::Full => true,
            Storage::Half => false,
            Storage::Unknown => groups().any(mirrored),
        };
        let mut diagonal = vec![0.0; map.rows.len()];
        for entry in self.entries.iter().filter(|entry| entry.row == entry.column) {
            diagonal[entry.row] = entry.value;
        }
        let (mut entries, mut largest, mut first): (_, f64, Option<Diagnostic>) = (Vec::new(), 0.0, None);
        let mut refuse = |entry: &Entry, found: String, expected: &str| {
            if first.as_ref().is_none_or(|first| entry.line < first.line) {
                first = Some(complaint(&self.file, (entry.line, 1), found, expected));
            }
        };
        for group in groups() {
            let last = group[group.len() - 1];
            let repeated = (1..group.len()).find(|i| group[..*i].iter().any(|entry| entry.row == group[*i].row));
            if let Some(i) = repeated {
                let names = (map.name(group[i].row), map.name(group[i].column));
                let earlier = group.iter().find(|entry| entry.row == group[i].row).map_or(0, |entry| entry.line);
                let found = format!("duplicate entry of {} and {}, first in line {earlier}", names.0, names.1);
                refuse(&group[i], found, "give each entry once");
                continue;
            }
            let other = match group {
                [_, other] => other.value,
                [only] if full && only.row != only.column => 0.0,
                _ => group[0].value,
            };
            let value = group[0].value;
            let (row, column) = (last.row.min(last.column), last.row.max(last.column));
            let scale = (diagonal[row] * diagonal[column]).abs().sqrt();
            let asymmetry = if value == other {
                0.0
            } else {
                (value - other).abs() / if scale > 0.0 { scale } else { value.abs().max(other.abs()) }
            };
            if !(asymmetry <= ASYMMETRY) {
                let names = (map.name(last.row), map.name(last.column));
                let (found, expected) = match group {
                    [first, _] => (
                        format!(
                            "the entry of {} and {} is {:e}, but {:e} in the other half in line {}",
                            names.0, names.1, last.value, first.value, first.line
                        ),
                        "export symmetric matrices, without follower loads, friction or gyroscopic terms",
                    ),
                    _ => (
                        format!("the entry of {} and {} has no counterpart in the other half", names.0, names.1),
                        "give both halves, or one half and declare it in the header",
                    ),
                };
                refuse(&last, found, expected);
                continue;
            }
            largest = largest.max(asymmetry);
            let value = 0.5 * (value + other);
            if value != 0.0 {
                entries.push(Entry { row, column, value, line: last.line });
            }
        }
        match first {
            Some(diagnostic) => Err(diagnostic),
            None => Ok((Triplets { file: self.file, storage: Storage::Half, entries }, largest)),
        }
    }

    /// Rejects penalties on the diagonal of translations or of rotations: supports and rigid links that the other
    /// program enforces by large numbers.
    pub fn refuse_penalties(&self, map: &DofMap) -> Result<(), Diagnostic> {
        for kind in 0..3 {
            // Translations, rotations, modal coordinates.
            let of_kind = |entry: &&Entry| entry.row == entry.column && map.rows[entry.row].direction / 3 == kind;
            let mut sizes: Vec<f64> = self.entries.iter().filter(of_kind).map(|entry| entry.value.abs()).collect();
            sizes.sort_by(f64::total_cmp);
            let Some(median) = sizes.get(sizes.len() / 2) else { continue };
            let penalties = self.entries.iter().filter(of_kind).filter(|entry| entry.value.abs() > PENALTY * median);
            if let Some(entry) = penalties.min_by_key(|entry| entry.line) {
                let name = map.name(entry.row);
                let found = format!("penalty {:e} on the diagonal at {name} (median {median:e})", entry.value);
                let expected = "export the structure without supports and penalty rigid links";
                return Err(complaint(&self.file, (entry.line, 1), found, expected));
            }
        }
        Ok(())
    }

    /// Rejects a stiffness matrix with rows without a diagonal entry, because it was truncated or the map is too long.
    /// Only the interfaces of a reduced body may have none.
    pub fn expect_every_diagonal(&self, map: &DofMap) -> Result<(), Diagnostic> {
        let reduced = map.has_modal();
        let mut present: Vec<bool> = map.rows.iter().map(|row| reduced && row.direction != MODAL).collect();
        for entry in self.entries.iter().filter(|entry| entry.row == entry.column) {
            present[entry.row] = true;
        }
        let Some(row) = present.iter().position(|present| !present) else { return Ok(()) };
        let missing = present.iter().filter(|present| !**present).count();
        let found = format!("{missing} of {} rows have no diagonal stiffness, first {}", present.len(), map.name(row));
        let expected =
            format!("check for a truncated file, directions without stiffness, or a wrong map `{}`", map.file);
        Err(complaint(&self.file, (0, 0), found, expected))
    }
}
