//! `ballesta verify` on the whole gallery: the table in docs/verification.md. `BALLESTA_REWRITE=1 cargo test --release
//! -p ballesta-cli --test gallery verify` writes it anew, which takes some minutes; without that the names of all
//! models
//! and the rows of a few are compared.

use ballesta::model;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = "docs/verification.md";
const BEGIN: &str = "<!-- verify: table of the gallery -->\n";
const END: &str = "<!-- end -->\n";
/// Internal steps of the model's own run, at most: seven times as many follow from the shorter steps, and as many
/// again from
/// the second integrator.
const STEPS: f64 = 500.0;
/// Rows that are computed in every test: small models of different kinds.
const QUICK: [&str; 6] = ["bricard", "camera_gimbal", "four_bar", "hammer", "pendulum", "scotch_yoke"];

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

/// The row of a model, and whether it was verified.
fn row(name: &str, path: &Path) -> String {
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
    let verdicts = |wanted: &str| outputs.iter().filter(|output| output["verdict"] == wanted).count();
    let counts: Vec<String> = [
        ("converges", "in order"),
        ("round_off", "round-off"),
        ("small", "small"),
        ("low_order", "lower order"),
        ("jumps", "jumps"),
        ("does_not_converge", "**not**"),
    ]
    .iter()
    .map(|(verdict, word)| (verdicts(verdict), word))
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    let run = &findings["runs"][0];
    let part = run["energy_change"].as_f64().unwrap() / run["energy_exchanged"].as_f64().unwrap().max(1e-300);
    let second = findings["runs"].get(3).map_or("–", |run| run["integrator"].as_str().unwrap());
    let verdict = if findings["converges"] == true { "verified" } else { "**not verified**" };
    format!(
        "| {name} | {} | {} | {stop} | {} (`{}`) | {} | {} | {} | {second} | {verdict} |\n",
        findings["integrator"].as_str().unwrap(),
        findings["step"],
        short(error(&worst)),
        worst["name"].as_str().unwrap(),
        counts.join(", "),
        number(&findings["step_for_tolerance"]),
        short(part),
    )
}

/// What a row claims: model, integrator, step, stop, second integrator, verdict, and the size of an error above 1e-8.
/// Below that
/// digits follow every change of the order of operations.
fn claims(row: &str) -> Vec<String> {
    let cells: Vec<&str> = row.trim().trim_matches('|').split(" | ").map(str::trim).collect();
    assert_eq!(cells.len(), 10, "{row}");
    let error: f64 = cells[4].split(' ').next().unwrap().parse().expect("the error is a number");
    let error = if error > 1e-8 { cells[4].to_string() } else { "below 1e-8".to_string() };
    [&cells[..4], &cells[8..]].concat().into_iter().map(String::from).chain([error]).collect()
}

#[test]
fn the_table_of_the_gallery_is_current() {
    crate::root::at_root();
    let text = fs::read_to_string(PAGE).unwrap();
    let (head, rest) = text.split_once(BEGIN).expect("the table's begin");
    let (table, tail) = rest.split_once(END).expect("the table's end");
    let mut lines = table.split_inclusive('\n');
    let title: String = lines.by_ref().take(2).collect();
    let written: Vec<&str> = lines.collect();
    let models = gallery();
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        let rows: String = models.iter().map(|(name, path)| row(name, path)).collect();
        fs::write(PAGE, format!("{head}{BEGIN}{title}{rows}{END}{tail}")).unwrap();
        return;
    }
    let names: Vec<&str> = written.iter().filter_map(|line| line.split(" | ").next()?.strip_prefix("| ")).collect();
    assert_eq!(names, models.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), "a row for every model");
    for quick in QUICK {
        let (place, (name, path)) = models.iter().enumerate().find(|(_, (name, _))| name == quick).unwrap();
        let computed = row(name, path);
        assert_eq!(claims(written[place]), claims(&computed), "BALLESTA_REWRITE=1 writes the table anew");
    }
}
