//! `ballesta bench --realtime`. Of measured times only bounds are asserted that hold on any machine.
#![cfg(target_os = "linux")]

use super::*;
use std::io::Write;

/// An FMU of another make, whose steps last as long as its input says.
fn sleeper(folder: &Folder) -> String {
    let sources = Path::new(ROOT).join("crates/cli/tests/cli/foreign");
    let (library, fmu) = (folder.path("sleeper.so"), folder.path("sleeper.fmu"));
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-o", &library])
        .arg(sources.join("sleeper.c"))
        .status();
    assert!(status.expect("a C compiler").success());
    let platform = ballesta_package::Platform::host().expect("tests run on a platform that FMUs know");
    let mut archive = zip::ZipWriter::new(fs::File::create(&fmu).unwrap());
    let entries = [
        ("modelDescription.xml".to_string(), sources.join("modelDescription.xml")),
        (format!("binaries/{}/sleeper.so", platform.folder()), PathBuf::from(library)),
    ];
    for (name, file) in entries {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&fs::read(file).unwrap()).unwrap();
    }
    archive.finish().unwrap();
    fmu
}

fn number(findings: &Value, path: &str) -> f64 {
    findings.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {findings}"))
}

/// The step at 0.015 s lasts 50 ms in periods of 5 ms: it ends after ten more releases at the earliest.
#[test]
fn a_step_of_50_ms_misses_the_deadlines_of_its_periods_and_is_told_apart_from_a_late_wake_up() {
    let folder = Folder::new("realtime-sleeper");
    let fmu = sleeper(&folder);
    let rows = "time,pause\n0,0\n0.0125,0\n0.0125,0.05\n0.0175,0.05\n0.0175,0\n";
    let inputs = folder.file("in.csv", rows);
    let findings = ballesta(["bench", &fmu, "--realtime", "--duration", "0.4", "--inputs", &inputs, "--json"]).json();
    let deadline = |key: &str| number(&findings, &format!("/deadline/{key}"));
    assert_eq!((&findings["model"], &findings["generation_tool"]), (&"Sleeper".into(), &"by hand".into()));
    assert_eq!((number(&findings, "/step_s"), deadline("period_us"), deadline("periods")), (0.005, 5000.0, 80.0));
    assert!(deadline("skipped_periods") >= 10.0 && deadline("overruns") >= 1.0, "{findings}");
    assert!(deadline("overruns_by_execution") >= 1.0, "{findings}");
    assert_eq!(deadline("misses"), deadline("overruns") + deadline("skipped_periods"));
    assert_eq!(number(&findings, "/steps"), 80.0 - deadline("skipped_periods"));
    assert!((deadline("lag_s") - 0.005 * deadline("skipped_periods")).abs() < 1e-12);
    // Within the resolution of the histogram.
    assert!(deadline("execution_us/max") >= 49_950.0 && deadline("response_us/max") >= 49_950.0, "{findings}");
    // The longest step is named with its time: the fourth, unless the system skipped periods before it.
    let worst = findings["deadline"]["worst_steps"].as_array().unwrap();
    assert_eq!(worst.len(), 10);
    let responses: Vec<f64> = worst.iter().map(|step| step["response_us"].as_f64().unwrap()).collect();
    assert!(responses.is_sorted_by(|a, b| a >= b), "{responses:?}");
    let pauses = |step: &&Value| step["execution_us"].as_f64().unwrap() >= 50_000.0;
    let pausing: Vec<f64> = worst.iter().filter(pauses).map(|step| step["at_s"].as_f64().unwrap()).collect();
    assert!(pausing.contains(&0.015), "{pausing:?}");
    // The same periods without a model: no step is as long as the pause, unless the system takes as long.
    let reference = |path: &str| number(&findings, &format!("/reference/{path}"));
    assert!(reference("execution_us/p50") < 5_000.0 && reference("response_us/max") >= reference("execution_us/p50"));
    assert!(findings["machine"]["platform"].as_str().unwrap().starts_with("linux "), "{findings}");
    assert!(findings["machine"]["kernel"].is_string(), "{findings}");
}

#[test]
fn limits_decide_the_exit_code_after_the_report() {
    let folder = Folder::new("realtime-limits");
    let fmu = sleeper(&folder);
    let inputs = folder.file("in.csv", "time,pause\n0,0.003\n");
    let start = ["bench", &fmu, "--realtime", "--steps", "10", "--inputs", &inputs, "--no-reference"];
    let bench = |more: &[&str]| ballesta(start.iter().chain(more));
    // Every step lasts 3 ms or more, in periods of 2 ms.
    let answer = bench(&["--period", "2e-3", "--max-misses", "9", "--max-us", "2999"]);
    assert_eq!(answer.code, 3);
    assert!(answer.stdout.contains("deadlines of 10 were MISSED"), "{}", answer.stdout);
    assert!(!answer.stdout.contains("fixed arithmetic"), "{}", answer.stdout);
    for words in ["--max-misses 9: 10 deadlines of 10 missed", "--max-us 2999: the longest response took "] {
        assert!(answer.stderr.contains(words), "{words} in {}", answer.stderr);
    }
    // An hour is enough on any machine.
    let answer = bench(&["--period", "2e-3", "--max-misses", "10", "--max-us", "3.6e9"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let answer = bench(&["--max-us", "-1"]);
    assert!(answer.code == 2 && answer.stderr.contains("--max-us"), "{}", answer.stderr);
}

#[test]
fn every_step_misses_where_every_step_lasts_longer_than_its_period() {
    let folder = Folder::new("realtime-slow");
    let fmu = sleeper(&folder);
    let inputs = folder.file("in.csv", "time,pause\n0,0.003\n");
    let picture = folder.path("out.svg");
    let arguments = ["--realtime", "--period", "2e-3", "--steps", "40", "--inputs", &inputs, "--svg", &picture];
    let answer = ballesta(["bench", &fmu].iter().chain(&arguments));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("deadlines of 40 were MISSED"), "{}", answer.stdout);
    for words in [
        "FMU by by hand",
        "Machine: ",
        "wake-up latency",
        "execution",
        "response",
        "p99.99",
        "Scheduling in force:",
        "fixed arithmetic",
        "without (system alone)",
        "longest responses",
    ] {
        assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout);
    }
    let svg = fs::read_to_string(picture).unwrap();
    for words in ["Sleeper in real time", "wake-up latency", "without a model", "deadline", "prefers-color-scheme"] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn a_model_is_paced_without_allocations_and_its_stages_are_told() {
    let folder = Folder::new("realtime-model");
    let model = folder.file("model.toml", RAIL);
    let inputs = folder.file("in.csv", "time,push\n0,0\n1,6\n");
    let arguments =
        ["bench", &model, "--realtime", "--period", "1e-3", "--steps", "300", "--inputs", &inputs, "--json"];
    let findings = ballesta(arguments).json();
    assert_eq!(
        (&findings["model"], &findings["dof"], &findings["allocations_in_step"]),
        (&"rail".into(), &1.into(), &0.into())
    );
    for path in ["/step_us/p50", "/evaluation_us/p50", "/stages_us/mass/p50", "/realtime_factor"] {
        assert!(number(&findings, path) > 0.0, "{path}");
    }
    for times in ["latency_us", "execution_us", "response_us"] {
        let at = |key: &str| number(&findings, &format!("/deadline/{times}/{key}"));
        let ordered = ["p50", "p90", "p99", "p999", "p9999", "max"].map(at);
        assert!(ordered.is_sorted() && at("mean") <= ordered[5], "{times} {ordered:?}");
    }
    assert!(findings["scheduling"]["cpus"].as_array().is_some_and(|cpus| !cpus.is_empty()));
}

#[test]
fn what_the_system_does_not_permit_is_said_and_strict_stops_there() {
    let arguments = ["bench", "models/pendulum", "--realtime", "--steps", "5", "--cpu", "1023"];
    let answer = ballesta(arguments);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let message = "--cpu 1023: sched_setaffinity failed: Invalid argument (os error 22); allowed CPUs: ";
    assert!(answer.stderr.starts_with(&format!("warning: {message}")), "{}", answer.stderr);
    let answer = ballesta(arguments.iter().chain(&["--strict"]));
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.starts_with(&format!("error: {message}")), "{}", answer.stderr);
}

#[test]
fn a_fault_ends_with_3_after_the_report_of_the_steps_before() {
    let folder = Folder::new("realtime-fault");
    let fmu = sleeper(&folder);
    let inputs = folder.file("in.csv", "time,pause\n0,0\n0.0475,0\n0.0475,-1\n");
    let answer = ballesta(["bench", &fmu, "--realtime", "--steps", "2000", "--inputs", &inputs, "--json"]);
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    let findings: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(findings["steps"], Value::from(10));
    let failure: Value = serde_json::from_str(answer.stderr.lines().last().unwrap()).unwrap();
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("fmi2DoStep returned fmi2Error\n10 steps measured before."), "{message}");
}

#[test]
fn options_of_paced_steps_need_realtime() {
    for option in [["--period", "1e-3"], ["--priority", "5"], ["--svg", "x.svg"], ["--max-misses", "0"]] {
        let answer = ballesta(["bench", "models/pendulum"].iter().chain(&option));
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains("--realtime"), "{}", answer.stderr);
    }
    let answer = ballesta(["bench", "models/pendulum", "--realtime", "--steps", "5", "--inputs", "none.csv"]);
    assert_eq!(answer.code, 2);
    let answer = ballesta(["bench", "models/pendulum", "--realtime", "--priority", "100"]);
    assert!(answer.code == 2 && answer.stderr.contains("1..=99"), "{}", answer.stderr);
}
