//! Adjacency matrices of plane chains, the files of `ballesta groups`: schema, reading, validation.

use ballesta::document::Diagnostics;
use ballesta::document::nearest::did_you_mean;
use ballesta::document::{self, Reading, text_of};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The largest code of a pair.
const MAX_CODE: u64 = 5;

/// A file with an adjacency matrix.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AdjacencyFile {
    /// The plane chain.
    pub adjacency: Chain,
}

impl ballesta::document::FileSchema for AdjacencyFile {
    fn reading_schema() -> serde_json::Value {
        ballesta::document::embedded(include_str!("adjacency.json"))
    }
}

/// `[adjacency]`: links and pairs of a plane chain.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Name of the chain.
    pub name: String,
    /// Short description, one paragraph.
    #[serde(default)]
    pub description: String,
    /// Names of the links, in the order of the rows. Default: 1, 2, 3 and so on.
    #[serde(default)]
    pub links: Vec<String>,
    /// Name of the fixed link. Default: the first.
    pub ground: Option<String>,
    /// One row per link with one code per link. Codes: 0 no pair; 1 lower pair; 2 higher pair; 3 lower pair with an
    /// input; 4 higher pair with an input; 5 higher pair with two inputs. Symmetric, zeros on the diagonal.
    pub matrix: Vec<Vec<u64>>,
}

impl Chain {
    /// Number of the link that does not move.
    pub fn ground_link(&self) -> usize {
        self.ground.as_ref().and_then(|name| self.links.iter().position(|link| link == name)).unwrap_or(0)
    }

    /// The matrix as small integers.
    pub fn codes(&self) -> Vec<Vec<u8>> {
        self.matrix.iter().map(|row| row.iter().map(|&code| code as u8).collect()).collect()
    }
}

/// Whether the text of a file is an adjacency matrix instead of a model.
pub fn is_adjacency(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().trim_start_matches('[').trim_start().starts_with("adjacency"))
}

/// Reads a file and gives names to unnamed links.
///
/// # Errors
/// All faults of the file.
pub fn load(path: &Path) -> Result<Chain, Diagnostics> {
    parse(&text_of(path, "a file with an adjacency matrix")?, &path.display().to_string())
}

/// Reads a text; `file` is its name in diagnostics.
///
/// # Errors
/// All faults of the text.
pub fn parse(text: &str, file: &str) -> Result<Chain, Diagnostics> {
    let mut reading = document::read::<AdjacencyFile>(text, file)?;
    let complaints = validate(&reading);
    reading.diagnostics.0.extend(complaints.0);
    let mut chain = reading.value.adjacency;
    if chain.links.is_empty() {
        chain.links = (1..=chain.matrix.len()).map(|number| number.to_string()).collect();
    }
    reading.diagnostics.into_result(chain)
}

fn validate(reading: &Reading<AdjacencyFile>) -> Diagnostics {
    let (chain, source) = (&reading.value.adjacency, &reading.source);
    let mut diagnostics = Diagnostics::default();
    // Values that were replaced while reading have a message already.
    let sound =
        |key: &str| !reading.replaced.iter().any(|path| path.starts_with(key) || key.starts_with(path.as_str()));
    let mut complain = |key: &str, what: String, right: String| diagnostics.0.push(source.at(key, what, right));
    if sound("adjacency.name") && chain.name.trim().is_empty() {
        complain("adjacency.name", "the name is empty".into(), "write a name".into());
    }
    let right_type = |key: &str| !reading.replaced.iter().any(|path| path == key);
    let has_matrix = right_type("adjacency") && right_type("adjacency.matrix");
    // The matrix must have the right type before its size is compared with the names.
    if has_matrix {
        matrix(&chain.matrix, right_type, &mut complain);
    }
    let count = chain.matrix.len();
    if !sound("adjacency.links") {
        return diagnostics;
    }
    if has_matrix && count > 0 && !chain.links.is_empty() && chain.links.len() != count {
        let what = format!("{} names for {count} links", chain.links.len());
        complain("adjacency.links", what, format!("write {count} names, one per row, or remove the key"));
    }
    // Names of links are unique and not empty.
    for (i, name) in chain.links.iter().enumerate() {
        let key = format!("adjacency.links[{i}]");
        if name.trim().is_empty() {
            complain(&key, "the name is empty".into(), "write a name".into());
        } else if let Some(first) = chain.links[..i].iter().position(|other| other == name) {
            complain(
                &key,
                format!("the name `{name}` is already used by adjacency.links[{first}]"),
                "give each link a unique name".into(),
            );
        }
    }
    // The ground is one of the links, by number if they have no names.
    if let Some(ground) = chain.ground.as_ref().filter(|_| sound("adjacency.ground")) {
        let numbers: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
        let names: Vec<&str> =
            if chain.links.is_empty() { &numbers } else { &chain.links }.iter().map(String::as_str).collect();
        if !names.contains(&ground.as_str()) {
            complain("adjacency.ground", format!("there is no link `{ground}`"), did_you_mean(ground, &names));
        }
    }
    diagnostics
}

/// Checks that the matrix is square and symmetric, with codes 0 to 5 and a zero diagonal. Entries that are not numbers
/// were reported before.
fn matrix(rows: &[Vec<u64>], right_type: impl Fn(&str) -> bool, complain: &mut impl FnMut(&str, String, String)) {
    let count = rows.len();
    let place = |i: usize, j: usize| format!("adjacency.matrix[{i}][{j}]");
    // The ground and at least one moving link.
    if count < 2 {
        let what = format!("found {}", if count == 1 { "1 row" } else { "no rows" });
        complain("adjacency.matrix", what, "write one row per link, the ground and at least one that moves".into());
    }
    // Entries of a wrong type are skipped: they were reported while reading.
    let entry =
        |i: usize, j: usize| rows.get(i).and_then(|row| row.get(j)).copied().filter(|_| right_type(&place(i, j)));
    for (i, row) in rows.iter().enumerate() {
        let key = format!("adjacency.matrix[{i}]");
        if row.len() != count && right_type(&key) {
            let what = format!("{} codes in a row for {count} links", row.len());
            complain(&key, what, format!("write {count} codes; the matrix is square"));
        }
        for j in 0..count {
            let Some(code) = entry(i, j) else { continue };
            // Asymmetry is reported once, in the lower triangle.
            let across = entry(j, i).filter(|&across| j < i && across != code && across <= MAX_CODE);
            if i == j && code != 0 {
                complain(
                    &place(i, j),
                    format!("found {code} on the diagonal"),
                    "write 0; a link has no pair with itself".into(),
                );
            } else if code > MAX_CODE {
                let right = "write 0 (no pair), 1 (lower), 2 (higher), 3 (lower, one input), 4 (higher, one input) or \
                    5 (higher, two inputs)";
                complain(&place(i, j), format!("found the code {code}"), right.into());
            } else if let Some(across) = across {
                let what = format!("found {code}, but {} has {across}", place(j, i));
                complain(&place(i, j), what, "write the same code in both places; the matrix is symmetric".into());
            }
        }
    }
}
