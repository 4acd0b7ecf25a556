//! The two case studies of Míguez et al. by the program alone: `reduce`, `run`, `spectrum`, and the frequencies of
//! `modes --supported` beside them. The tables of docs/papers/miguez.md and the pictures are written anew with
//! `BALLESTA_REWRITE=1`.

use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = "docs/papers/miguez.md";

/// Runs the program in the folder of the project.
fn ballesta(arguments: &[&str]) -> String {
    let answer = Command::new(env!("CARGO_BIN_EXE_ballesta")).args(arguments).output().expect("the program runs");
    assert!(answer.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&answer.stderr));
    String::from_utf8(answer.stdout).expect("UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&ballesta(arguments)).expect("JSON")
}

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().expect("an array").iter().map(|value| value.as_f64().expect("a number")).collect()
}

/// A case study.
struct Case {
    structure: &'static str,
    model: &'static str,
    rom: &'static str,
    /// Number of frequencies in the paper's table.
    count: usize,
}

const TRUSS: Case = Case { structure: "truss", model: "step_loaded_truss", rom: "truss.rom.toml", count: 4 };
const FRAME: Case = Case { structure: "crane", model: "step_loaded_frame", rom: "frame.rom.toml", count: 7 };

impl Case {
    /// Frequencies of the full structure on its supports, Hz.
    fn full(&self) -> Vec<f64> {
        let structure = format!("models/structures/{}", self.structure);
        let found = json(&["modes", &structure, "--supported", "--count", &self.count.to_string(), "--json"]);
        let all = numbers(&found["frequencies_hz"]);
        assert_eq!(all.len(), self.count);
        all
    }

    /// Coordinates of the reduced model, and the peaks of the spectrum after the step of force, Hz; the picture where
    /// one is wanted. `modes` in place of what the structure says; without its residual vectors where they are `plain`.
    fn peaks(&self, modes: Option<usize>, plain: bool, svg: Option<&Path>) -> (usize, Vec<f64>) {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = |name: &str| folder.path().join(name).display().to_string();
        let text =
            fs::read_to_string(format!("models/structures/{}/structure.toml", self.structure)).expect("readable");
        let kept = |line: &&str| !(line.starts_with("#:schema") || plain && line.starts_with("residual"));
        let text: String = text.lines().filter(kept).map(|line| line.to_string() + "\n").collect();
        fs::write(inside("structure.toml"), text).expect("writable");
        fs::copy(format!("models/{}/model.toml", self.model), inside("model.toml")).expect("readable");
        let (structure, rom, model) = (inside("structure.toml"), inside(self.rom), inside("model.toml"));
        let count = modes.map(|count| count.to_string());
        let mut reduce = vec!["reduce", "--no-comparison", "--json", "-o", &rom, &structure];
        reduce.extend(count.iter().flat_map(|count| ["--modes", count]));
        ballesta(&reduce);
        let rom = ballesta::rom::parse(&fs::read_to_string(&rom).expect("readable"), &rom).expect("a reduced model");
        // The name of the file is the title of the picture.
        let csv = inside(&format!("{}.csv", self.model));
        ballesta(&["run", &model, "--csv", &csv]);
        let mut spectrum = vec!["spectrum", &csv, "--column", "load.displacement", "--up-to", "300", "--json"];
        spectrum.extend(svg.iter().flat_map(|path| ["--svg", path.to_str().expect("UTF-8")]));
        let found = json(&spectrum);
        let peaks = found["columns"][0]["peaks"].as_array().expect("peaks");
        (rom.size(), peaks.iter().map(|peak| peak["hz"].as_f64().expect("a number")).collect())
    }
}

/// Cells of a row of a table: frequencies and differences to the full structure; the largest of them, relative.
fn row(out: &mut String, what: &str, full: &[f64], peaks: &[f64]) -> f64 {
    assert!(peaks.len() >= full.len(), "{what}: {peaks:?}");
    let mut worst = 0.0_f64;
    write!(out, "| {what} |").expect("a string");
    for (full, peak) in full.iter().zip(peaks) {
        let error = peak / full - 1.0;
        assert!(error > -1e-5, "{what}: a reduced structure is not softer, {full} {peak}");
        worst = if error.abs() > worst { error.abs() } else { worst };
        write!(out, " {peak:.3} ({:+.3} %) |", 100.0 * error).expect("a string");
    }
    out.push('\n');
    worst
}

fn header(out: &mut String, full: &[f64]) {
    let cells: Vec<String> = full.iter().map(|full| format!(" {full:.3} |")).collect();
    writeln!(out, "| full structure, Hz |{}", cells.concat()).expect("a string");
    writeln!(out, "|---|{}", "---|".repeat(full.len())).expect("a string");
}

/// Compares the text after a mark of the page, or writes it.
fn compare(mark: &str, table: &str) {
    // Tests of one binary share the page.
    static PAGE_LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = PAGE_LOCK.lock();
    let page = fs::read_to_string(PAGE).expect("the page");
    let begin = format!("<!-- {mark} -->\n");
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("{PAGE} has no mark {mark}"));
    let (kept, after) = rest.split_once("<!-- end -->").expect("an end");
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        fs::write(PAGE, format!("{before}{begin}{table}<!-- end -->{after}")).expect("writable");
    } else {
        assert!(kept == table, "{PAGE}, {mark}, is not current (BALLESTA_REWRITE=1):\n{table}");
    }
}

/// Draws a picture of the documentation when asked to; in any case its captions have to be those of the kept one.
fn picture(case: &Case, name: &str) -> Vec<f64> {
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("new.svg");
    let (_, peaks) = case.peaks(None, false, Some(&made));
    let kept = Path::new("docs/pictures").join(name);
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        fs::copy(&made, &kept).expect("writable");
    }
    let captions = |path: &Path| -> Vec<String> {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.lines().filter(|line| line.starts_with("<text")).map(String::from).collect()
    };
    assert!(captions(&made) == captions(&kept), "{} is out of date: BALLESTA_REWRITE=1", kept.display());
    peaks
}

#[test]
fn the_truss_rings_with_its_frequencies_the_nearer_the_more_modes_are_kept() {
    crate::root::at_root();
    let full = TRUSS.full();
    let mut table = String::new();
    header(&mut table, &full);
    let mut worst = Vec::new();
    for modes in [3, 5, 7, 12] {
        let (coordinates, peaks) = TRUSS.peaks(Some(modes), false, None);
        let what = format!("{modes} modes, {coordinates} of 24 coordinates");
        worst.push(row(&mut table, &what, &full, &peaks));
    }
    print!("{table}");
    assert!(worst.windows(2).all(|pair| pair[1] < pair[0]), "{worst:?}");
    // Seven modes are what leaves the fourth frequency 0.29 % high.
    assert!((worst[2] - 2.9e-3).abs() < 2e-4 && worst[3] < 2e-4, "{worst:?}");
    compare("truss: peaks by number of modes", &table);
}

#[test]
fn the_frame_rings_with_its_first_seven_frequencies() {
    crate::root::at_root();
    let full = FRAME.full();
    let mut table = String::new();
    header(&mut table, &full);
    let bars = [(true, 1e-2, "seven modes"), (false, 1e-3, "and their residual vectors")];
    for (plain, bar, name) in bars {
        let (coordinates, peaks) = FRAME.peaks(None, plain, None);
        let worst = row(&mut table, &format!("{name}, {coordinates} of 81 coordinates"), &full, &peaks);
        assert!(worst < bar, "{name}: {worst}");
    }
    print!("{table}");
    compare("frame: peaks", &table);
}

#[test]
fn pictures_of_the_spectra_are_current() {
    crate::root::at_root();
    for (case, name) in [(TRUSS, "miguez_truss.svg"), (FRAME, "miguez_frame.svg")] {
        let peaks = picture(&case, name);
        assert!(peaks.len() >= case.count, "{name}: {peaks:?}");
    }
}
