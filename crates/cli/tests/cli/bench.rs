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
    // A step with its outputs is more than the outputs alone.
    let outputs = time("/stages_us/outputs/p50");
    assert!(outputs > 0.0 && time("/step_with_outputs_us/p50") > outputs, "{outputs} µs");
    assert!(time("/step_with_outputs_us/p50") <= time("/step_with_outputs_us/max"));
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

#[test]
fn evaluations_by_the_global_method_are_timed_with_the_sizes_of_its_matrices() {
    // By check: 28 coordinates of which 17 and the steering are independent.
    let check = ballesta(["check", "models/van", "--json"]).json();
    let number = |key: &str| check[key].as_u64().unwrap_or_else(|| panic!("{key}"));
    for method in ["dense", "faer", "sparse"] {
        let findings = ballesta(["bench", "models/van", "--method", method, "--steps", "50", "--json"]).json();
        let at = |path: &str| findings.pointer(path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!((at("/method").as_str(), at("/steps").as_u64()), (Some(method), Some(50)));
        assert_eq!(at("/dependent").as_u64(), Some(number("constraints") - number("redundant")));
        assert_eq!(
            (at("/jacobian/rows").as_u64(), at("/jacobian/columns")),
            (Some(number("constraints")), at("/dependent"))
        );
        assert_eq!((at("/factored/rows"), at("/redundant").as_u64()), (at("/dependent"), Some(number("redundant"))));
        for matrix in ["jacobian", "factored"] {
            let density = at(&format!("/{matrix}/density")).as_f64().unwrap();
            assert!(density > 0.1 && density < 0.6, "{matrix}: {density}");
        }
        let stages = at("/stages_us").as_object().unwrap();
        assert!(stages.len() == 10 && stages.values().all(|stage| stage["p50"].as_f64().unwrap() > 0.0), "{stages:?}");
        assert_eq!(at("/paper_stages").as_array().map(Vec::len), Some(9));
        let both =
            ["evaluation_us", "structured_evaluation_us"].map(|key| at(&format!("/{key}/p50")).as_f64().unwrap());
        assert!(both[0] > both[1] && both[1] > 0.0, "the solver is quicker: {both:?}");
    }
    let page = ballesta(["bench", "models/van", "--method", "sparse", "--steps", "50"]).stdout;
    for words in
        ["17 degrees of freedom", "sparse matrices of faer", "Φ_zd ", "% of its entries", "null_spaces", "solver"]
    {
        assert!(page.contains(words), "{words} in {page}");
    }
    let open = ballesta(["bench", "models/pendulum", "--method", "sparse", "--steps", "50"]);
    assert!(open.code == 0 && open.stdout.contains("no closure equations"), "{} {}", open.stdout, open.stderr);
}

#[test]
fn what_the_global_method_does_not_treat_is_refused() {
    let folder = Folder::new("bench-method");
    let fmu = folder.path("four_bar.fmu");
    for (arguments, code, words) in [
        (&["bench", "models/flexible_four_bar", "--method", "dense"][..], 2, "is a flexible body"),
        (&["bench", "models/bricard", "--realtime", "--method", "faer"][..], 2, "cannot be combined with --realtime"),
        (&["bench", &fmu, "--method", "faer"][..], 2, "an FMU has its own solver"),
        (
            &["bench", "models/four_bar", "--method", "lapack"][..],
            2,
            "[possible values: structured, dense, faer, sparse]",
        ),
    ] {
        let answer = ballesta(arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{words} in {}", answer.stderr);
    }
    // Its bars line up on the way.
    let answer = ballesta(["bench", "models/four_bar_windows_2", "--method", "dense", "--json"]);
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    assert!(answer.stderr.contains("near a singular position at t = "), "{}", answer.stderr);
    let findings: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert!(findings["steps"].as_u64().is_some_and(|steps| steps > 100), "{findings}");
}
