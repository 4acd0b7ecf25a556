//! `ballesta verify` on the whole gallery: the table in docs/verification.md. `BALLESTA_REWRITE=1 cargo test --release
//! -p ballesta-cli --test gallery verify` writes it in some minutes. Without the variable, the test compares the names
//! of all models and computes the results of a few.

use ballesta::model;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = "docs/verification.md";
const BEGIN: &str = "<!-- verify: table of the gallery -->\n";
const END: &str = "<!-- end -->\n";
/// Beginning of the list of the models without a row.
const OTHERS: &str = "\nOther models, all verified, with errors of at most 1e-6 at h and at most 1e-3 at 4 h: ";
/// Largest relative error of a model without a row.
const MAX_UNLISTED_ERROR: f64 = 1e-6;
/// A model without a row keeps the tolerance of 1e-3 up to this multiple of its step; 4 is the largest that
/// `ballesta verify` reports.
const MIN_UNLISTED_MULTIPLE: f64 = 3.9;
/// Internal steps of the model's own run, at most. The shorter steps and the second integrator add eight times as many.
const STEPS: f64 = 500.0;
/// Models that every test verifies, small and of different kinds, and the bounds of their largest errors.
const QUICK: [(&str, f64); 7] = [
    ("bricard", 1e-8),
    ("camera_gimbal", 2.9e-8),
    ("four_bar", 1e-8),
    ("hammer", 1e-8),
    ("pendulum", 1e-8),
    ("scotch_yoke", 1e-8),
    ("stick_slip", 1.7e-5),
];

/// Every model of the gallery, by the name that the table gives it.
fn gallery() -> Vec<(String, PathBuf)> {
    let folders = fs::read_dir("models").expect("the gallery is there").map(|entry| entry.expect("readable").path());
    let mut models: Vec<(String, PathBuf)> = folders
        .filter(|folder| folder.join("model.toml").is_file())
        .map(|folder| (folder.file_name().unwrap().to_string_lossy().into_owned(), folder))
        .collect();
    for name in ["truck/flexible", "truck/paper", "van/paper"] {
        models.push((name.into(), format!("models/{name}.toml").into()));
    }
    models.sort();
    models
}

/// Stop time of the comparison: that of the experiment, or after [`STEPS`] steps.
fn stop(path: &Path) -> f64 {
    let model = model::load(path).unwrap_or_else(|error| panic!("{error}")).model;
    let (start, step) = (model.experiment.start, model.general.step);
    let interval = model.experiment.step.unwrap_or(step);
    // Whole intervals, so that the last point is one of the experiment's.
    let most = (STEPS * step / interval).floor().max(1.0) * interval;
    model.experiment.stop.min(start + most)
}

fn short(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.1e}") }
}

/// What `ballesta verify` finds for a model.
struct Finding {
    /// Largest relative error of all outputs.
    error: f64,
    /// The row of the table, if the model needs one.
    row: Option<String>,
}

fn verify(name: &str, path: &Path) -> Finding {
    let stop = stop(path);
    let answer = Command::new(env!("CARGO_BIN_EXE_ballesta"))
        .args(["verify", &path.display().to_string(), "--json", "--stop", &stop.to_string()])
        .output()
        .expect("the program can be started");
    let text = String::from_utf8(answer.stdout).unwrap();
    let findings: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{name}: {error}\n{text}\n{}", String::from_utf8_lossy(&answer.stderr)));
    assert_eq!(answer.status.code(), Some(if findings["converges"] == true { 0 } else { 3 }), "{name}");
    let number = |value: &Value| value.as_f64().map_or("–".into(), short);
    let outputs = findings["outputs"].as_array().unwrap();
    let error = |output: &&Value| output["relative_error"].as_f64().unwrap_or(f64::INFINITY);
    let worst = outputs.iter().max_by(|a, b| error(a).total_cmp(&error(b))).unwrap();
    let error = error(&worst);
    let step = findings["step"].as_f64().unwrap();
    let multiple = findings["step_for_tolerance"].as_f64().map_or(0.0, |longest| longest / step);
    let verified = findings["converges"] == true;
    if verified && error <= MAX_UNLISTED_ERROR && multiple >= MIN_UNLISTED_MULTIPLE {
        return Finding { error, row: None };
    }
    let row = format!(
        "| {name} | {} | {} | {} (`{}`) | {} | {} |\n",
        findings["integrator"].as_str().unwrap(),
        findings["step"],
        short(error),
        worst["name"].as_str().unwrap(),
        number(&findings["step_for_tolerance"]),
        if verified { "verified" } else { "**not verified**" },
    );
    Finding { error, row: Some(row) }
}

/// The model of a row.
fn model_of(row: &str) -> &str {
    row.split(" | ").next().and_then(|cell| cell.strip_prefix("| ")).expect("a row")
}

#[test]
fn the_table_of_the_gallery_is_current() {
    crate::root::at_root();
    let text = fs::read_to_string(PAGE).unwrap();
    let (head, rest) = text.split_once(BEGIN).expect("the table's begin");
    let (generated, tail) = rest.split_once(END).expect("the table's end");
    let (table, others) = generated.split_once(OTHERS).expect("the list of the other models");
    let mut lines = table.split_inclusive('\n');
    let title: String = lines.by_ref().take(2).collect();
    let written: Vec<&str> = lines.collect();
    let models = gallery();
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        let (mut rows, mut others) = (String::new(), Vec::new());
        for (name, path) in &models {
            match verify(name, path).row {
                Some(row) => rows += &row,
                None => others.push(name.as_str()),
            }
        }
        let others = others.join(", ");
        fs::write(PAGE, format!("{head}{BEGIN}{title}{rows}{OTHERS}{others}.\n{END}{tail}")).unwrap();
        return;
    }
    let others: Vec<&str> = others.trim_end().trim_end_matches('.').split(", ").collect();
    let mut names: Vec<&str> = written.iter().map(|row| model_of(row)).chain(others).collect();
    names.sort_unstable();
    assert_eq!(names, models.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), "every model occurs once");
    for (quick, bound) in QUICK {
        let (name, path) = models.iter().find(|(name, _)| name == quick).unwrap();
        let finding = verify(name, path);
        assert!(finding.error <= bound, "{name}: error {:.1e} above {bound:.1e}", finding.error);
        let row = written.iter().find(|row| model_of(row) == quick).copied();
        assert_eq!(row, finding.row.as_deref(), "BALLESTA_REWRITE=1 writes the table");
    }
}
