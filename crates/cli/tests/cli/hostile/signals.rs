//! Ctrl-C, SIGTERM, and a stdout that is not there.

use super::*;
use std::process::{Child, Stdio};

/// The program at work in `folder`, which is also its temporary folder.
fn start(folder: &Folder, arguments: &[&str]) -> Child {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(&folder.0).env("TMPDIR", &folder.0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program can be started")
}

/// Waits until `ready`, for a minute at most.
fn wait_for(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Exit code and stderr.
fn end(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Names of what lies in a folder.
fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Size of the file that is going to be the CSV.
fn partial(folder: &Folder) -> u64 {
    let entries = fs::read_dir(&folder.0).unwrap().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().contains(".partial-"))
        .map(|entry| entry.metadata().map_or(0, |found| found.len()))
        .sum()
}

#[test]
fn a_run_that_is_interrupted_keeps_its_rows() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let folder = Folder::new(&format!("signal-rows{signal}"));
        folder.file("rail.toml", RAIL);
        let run = ["run", "rail.toml", "--stop", "1e6", "--csv", "out.csv", "--plot", "out.svg", "--set", "push=1"];
        let child = start(&folder, &run);
        wait_for("rows", || partial(&folder) > 10_000);
        send(signal, &child);
        let (found, said) = end(child);
        assert_eq!(found, Some(code), "{said}");
        assert_eq!(names(&folder), ["out.csv", "out.svg", "rail.toml"]);
        let text = fs::read_to_string(folder.path("out.csv")).unwrap();
        let (header, rows) = read_csv(&text);
        assert!(text.ends_with('\n') && rows.len() > 100 && rows.iter().all(|row| row.len() == header.len()));
        let last = rows.last().unwrap()[0];
        assert!(last < 1e6 && last > 1.0);
        let words = format!("interrupted at t = {last} s; {} rows written to out.csv, drawn in out.svg", rows.len());
        assert!(said.contains(&words), "{said}\n{words}");
    }
}

#[test]
fn a_second_signal_ends_a_run_at_once_and_leaves_what_was_there() {
    let folder = Folder::new("signal-twice");
    folder.file("rail.toml", RAIL);
    folder.file("out.csv", "of an earlier run");
    // One communication step of 9e7 internal steps.
    let mut child = start(&folder, &["run", "rail.toml", "--stop", "9e5", "--step", "9e5", "--csv", "out.csv"]);
    wait_for("the file", || names(&folder).len() == 3);
    std::thread::sleep(Duration::from_millis(500));
    send("-INT", &child);
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "the first one waits for the end of the communication step");
    send("-INT", &child);
    let begun = Instant::now();
    assert_eq!(end(child).0, Some(130));
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(names(&folder), ["out.csv", "rail.toml"]);
    assert_eq!(fs::read_to_string(folder.path("out.csv")).unwrap(), "of an earlier run");
}

#[test]
fn commands_that_are_ended_leave_no_folders_and_no_files() {
    let folder = Folder::new("signal-bench");
    let (model, fmu) = (folder.file("rail.toml", RAIL), folder.path("rail.fmu"));
    let answer = ballesta(["export", &model, "-o", &fmu, "--library", &host_library()]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = start(&folder, &["bench", "rail.fmu", "--steps", "100000000"]);
        wait_for("the unpacked FMU", || names(&folder).iter().any(|name| name.starts_with("ballesta-fmu-")));
        send(signal, &child);
        let (found, said) = end(child);
        assert_eq!(found, Some(code), "{said}");
        assert_eq!(names(&folder), ["rail.fmu", "rail.toml"]);
    }
    let child = start(&folder, &["verify", "rail.toml", "--stop", "1e6", "--svg", "out.svg"]);
    std::thread::sleep(Duration::from_millis(300));
    send("-TERM", &child);
    assert_eq!(end(child).0, Some(143));
    assert_eq!(names(&folder), ["rail.fmu", "rail.toml"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_stdout_does_not_swallow_the_rows() {
    let folder = Folder::new("closed-stdout");
    let model = folder.file("rail.toml", RAIL);
    let shell = |redirection: &str| {
        let script = format!("exec '{PROGRAM}' run '{model}' --csv - {redirection}");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = shell(">&-");
    assert!(code == Some(2) && said.contains("cannot write stdout: stdout is closed"), "{code:?} {said}");
    let (code, said) = shell("> /dev/full");
    assert!(code == Some(2) && said.contains("No space left"), "{code:?} {said}");
    for taken in ["> /dev/null", "| head -n 1 > /dev/null"] {
        assert_eq!(shell(taken).0, Some(0), "{taken}");
    }
}
