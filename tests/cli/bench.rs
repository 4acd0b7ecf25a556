//! `ballesta bench`.

use super::*;

#[test]
fn the_distribution_of_step_times_is_ordered_and_nothing_is_allocated() {
    let findings = ballesta(["bench", "models/four_bar", "--steps", "2000", "--json"]).json();
    for (key, value) in [("model", Value::from("four_bar")), ("dof", 1.into()), ("coordinates", 3.into())] {
        assert_eq!(findings[key], value);
    }
    assert_eq!((&findings["step_s"], &findings["steps"]), (&1e-3.into(), &2000.into()));
    assert_eq!((&findings["evaluations_per_step"], &findings["allocations_in_step"]), (&4.into(), &0.into()));
    let time = |path: &str| findings.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}"));
    let ordered = ["p50", "p90", "p99", "p999", "max"].map(|name| time(&format!("/step_us/{name}")));
    assert!(ordered[0] > 0.0 && ordered.is_sorted(), "{ordered:?}");
    assert!(time("/step_us/mean") <= ordered[4]);
    assert!(time("/evaluation_us/p50") > 0.0 && time("/evaluation_us/p50") < ordered[4]);
    assert!(time("/evaluation_in_a_row_us/p50") > 0.0 && time("/evaluation_in_a_row_us/p50") < ordered[4]);
    assert!(
        (time("/realtime_factor") - time("/step_us/mean") * 1e-3).abs() < 1e-9,
        "computing time per simulated time"
    );
    let rows = findings["paper_stages"].as_array().unwrap();
    assert_eq!(rows.len(), 9, "the rows of the paper's tables");
    for row in rows {
        let stage = row["stage"].as_str().unwrap();
        let median = time(&format!("/stages_us/{stage}/p50"));
        assert!((row["seconds"].as_f64().unwrap() - 0.02 * median).abs() < 1e-12, "{stage}");
    }
}

#[test]
fn an_experiment_shorter_than_the_measurement_is_repeated() {
    let folder = Folder::new("bench");
    let model = folder.file("model.toml", RAIL);
    let answer = ballesta(["bench", &model, "--steps", "250"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for words in ["rail: 1 degree of freedom", "250 steps measured", "p99.9", "Allocations in steps: none"] {
        assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout);
    }
}

#[test]
fn a_fault_ends_with_3_after_the_report() {
    let folder = Folder::new("bench-fault");
    let model = folder.file("model.toml", OUT_OF_REACH);
    let answer = ballesta(["bench", &model, "--json"]);
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    let findings: Value = serde_json::from_str(&answer.stdout).unwrap();
    let steps = findings["steps"].as_u64().unwrap();
    assert!(steps > 100 && steps < 10_000, "{steps}");
    assert!(answer.stderr.contains(&format!("{steps} steps measured before.")), "{}", answer.stderr);
}
