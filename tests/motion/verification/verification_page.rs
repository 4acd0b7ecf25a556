//! What docs/verification.md says of these tests: figures in its tables, and which models a test goes through, so that
//! "every model" there is what the tests do. `BALLESTA_REWRITE=1 cargo test --release --test motion verification`
//! writes both anew.

use crate::verification::support::{gallery, models_folder};
use std::path::PathBuf;
use std::sync::Mutex;

const BEGIN: &str =
    "<!-- generated: models of the tests -->\n| test | rigid models | left out of these |\n|---|---|---|\n";
const END: &str = "<!-- end -->\n";

/// The tests that report to the table, in its order.
const TESTS: [&str; 12] = [
    "closure and energy",
    "generalized-alpha at its own step",
    "step limit of generalized-alpha",
    "balance of every body",
    "lists in the opposite order",
    "world turned",
    "mirrored",
    "bodies split",
    "bodies of the joints exchanged",
    "directional derivatives",
    "eigenvalues, sum and product",
    "steps in halves",
];

/// Two tests must not write the page at the same time.
static PAGE: Mutex<()> = Mutex::new(());

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/verification.md")
}

/// The page before, in and after the table's rows.
fn parts(text: &str) -> (&str, Vec<String>, &str) {
    let (head, rest) = text.split_once(BEGIN).expect("the table's begin");
    let (rows, tail) = rest.split_once(END).expect("the table's end");
    (head, rows.lines().map(String::from).collect(), tail)
}

/// The name of a row's test.
fn test_of(row: &str) -> &str {
    row.split(" | ").next().and_then(|cell| cell.strip_prefix("| ")).expect("a row")
}

/// Whether a cell still says what a test has found: the same words, figures of the same size. Errors have two digits
/// and may change by a factor of 1.2, two steps of the last one; below 1e-12 they are the rounding of the last
/// operations, and may change at will; other figures by 2 %.
fn alike(written: &str, found: &str) -> bool {
    let tokens = |text: &str| -> Vec<String> {
        text.split([' ', ';', ',', '(', ')']).filter(|token| !token.is_empty()).map(String::from).collect()
    };
    let (written, found) = (tokens(written), tokens(found));
    written.len() == found.len()
        && written.iter().zip(&found).all(|(a, b)| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(x), Ok(y)) if a.contains('e') => (x <= 1e-12 && y <= 1e-12) || (x / y < 1.2 && y / x < 1.2),
            (Ok(x), Ok(y)) if a.contains('.') => (x - y).abs() <= 0.02 * y.abs(),
            _ => a == b,
        })
}

/// The cells of a row, empty ones too.
fn cells_of(row: &str) -> Vec<&str> {
    let inner = row.strip_prefix('|').and_then(|row| row.strip_suffix('|')).unwrap_or(row);
    inner.split('|').map(str::trim).collect()
}

/// Compares a cell of the one row of a section of docs/verification.md for which `is_row` says so of its cells, or
/// writes it.
pub fn figure(section: &str, is_row: impl Fn(&[&str]) -> bool, cell: usize, found: &str) {
    figure_in("docs/verification.md", section, is_row, cell, found);
}

/// The same on any page.
pub fn figure_in(page: &str, section: &str, is_row: impl Fn(&[&str]) -> bool, cell: usize, found: &str) {
    let _guard = PAGE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).expect("the page");
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let begin = lines.iter().position(|line| *line == format!("## {section}")).expect(section);
    let end = (begin + 1..lines.len()).find(|i| lines[*i].starts_with("## ")).unwrap_or(lines.len());
    let rows: Vec<usize> =
        (begin..end).filter(|i| lines[*i].starts_with("| ")).filter(|i| is_row(&cells_of(&lines[*i]))).collect();
    assert_eq!(rows.len(), 1, "{page}, {section}: rows of `{found}`");
    let mut cells = cells_of(&lines[rows[0]]);
    if std::env::var_os("BALLESTA_REWRITE").is_none() {
        assert!(alike(cells[cell], found), "{section}: {} there, {found} found (BALLESTA_REWRITE=1)", cells[cell]);
        return;
    }
    cells[cell] = found;
    // An empty cell is one blank.
    lines[rows[0]] = format!("| {} |", cells.join(" | ")).replace("|  |", "| |");
    std::fs::write(path, lines.join("\n") + "\n").expect("writable");
}

#[test]
fn figures_are_alike_by_their_size_and_words_by_their_letters() {
    for (written, found, wanted) in [
        ("1.6e-11 m", "1.9e-11 m", true),
        ("1.6e-11 m", "2.0e-11 m", false),
        ("1.6e-11 m", "1.3e-11 m", false),
        ("0.0e0 m", "7e-15 m", true),
        ("0.0e0 m", "7e-9 m", false),
        ("3.995", "3.870", false),
        ("2.000", "2.010", true),
        ("5 of 33334", "12 of 33334", false),
        ("1e-9 J; 1e-9 m", "1e-9 J; 1e-9 m/s", false),
        ("1e-9 m", "NaN m", false),
    ] {
        assert_eq!(alike(written, found), wanted, "{written}, {found}");
    }
}

/// Compares the models that a test has gone through with its row, or writes the row.
pub fn went_through(test: &str, models: &[&String]) {
    assert!(TESTS.contains(&test), "{test} is not in the list of tests");
    let all = gallery();
    assert!(models.iter().all(|name| all.contains(name)));
    let left: Vec<&str> = all.iter().filter(|name| !models.contains(name)).map(String::as_str).collect();
    let through: Vec<&str> = models.iter().map(|name| name.as_str()).collect();
    let left = match left.len() {
        0 => "none".to_string(),
        // The shorter list.
        count if count > through.len() => format!("all but {}", through.join(", ")),
        _ => left.join(", "),
    };
    let row = format!("| {test} | {} of {} | {left} |", models.len(), all.len());
    let _guard = PAGE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let text = std::fs::read_to_string(page()).expect("the page");
    let (head, rows, tail) = parts(&text);
    if std::env::var_os("BALLESTA_REWRITE").is_none() {
        assert!(rows.contains(&row), "docs/verification.md is not current (BALLESTA_REWRITE=1):\n{row}");
        return;
    }
    let written = TESTS.iter().filter_map(|known| {
        let old = rows.iter().find(|row| test_of(row) == *known);
        if *known == test { Some(row.clone()) } else { old.cloned() }
    });
    let written: String = written.map(|row| row + "\n").collect();
    std::fs::write(page(), format!("{head}{BEGIN}{written}{END}{tail}")).expect("writable");
}

#[test]
fn the_table_of_models_has_a_row_for_every_test_that_reports() {
    let _guard = PAGE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        return;
    }
    let text = std::fs::read_to_string(page()).expect("the page");
    let (_, rows, _) = parts(&text);
    assert_eq!(rows.iter().map(|row| test_of(row)).collect::<Vec<_>>(), TESTS);
}

/// The sentence above the table: what is not rigid, and where that is tested.
#[test]
fn the_page_names_the_models_that_are_not_rigid_or_have_tyres() {
    let rigid = gallery();
    let text = std::fs::read_to_string(page()).expect("the page");
    let (mut flexible, mut tyred) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(models_folder()).expect("the gallery") {
        let folder = entry.expect("readable").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let Ok(model) = std::fs::read_to_string(folder.join("model.toml")) else { continue };
        if !rigid.contains(&name) {
            if model.contains("[[flexible_body]]") { &mut flexible } else { &mut tyred }.push(name);
        }
    }
    for (what, names) in [("With flexible bodies", &mut flexible), ("On tyres", &mut tyred)] {
        names.sort();
        let line = format!("{what}: {}.", names.join(", "));
        assert!(names.len() > 1 && text.lines().any(|found| found == line), "docs/verification.md lacks:\n{line}");
    }
}
