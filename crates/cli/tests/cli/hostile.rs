//! Input that comes from anywhere: refused with a message, in bounded time and memory, and nothing is lost by it.

mod causes;
mod fmus;
#[cfg(unix)]
mod signals;
mod sizes;
mod structures;
#[cfg(target_os = "linux")]
mod writing;

use super::*;
use std::time::{Duration, Instant};

/// The program refuses `arguments` with exit code `code` and all of `words`.
fn refused(arguments: &[&str], code: i32, words: &[&str]) {
    let answer = ballesta(arguments);
    assert_eq!(answer.code, code, "{arguments:?}: {}", answer.stderr);
    words.iter().for_each(|word| assert!(answer.stderr.contains(word), "{arguments:?}: {}", answer.stderr));
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
}

/// A copy of a gallery model's folder; one file is changed by `change`.
fn changed(folder: &Folder, model: &str, file: &str, change: impl Fn(String) -> String) -> String {
    for entry in fs::read_dir(Path::new(ROOT).join("models").join(model)).unwrap().flatten() {
        if entry.path().is_file() {
            fs::copy(entry.path(), folder.0.join(entry.file_name())).unwrap();
        }
    }
    let text = fs::read_to_string(folder.path(file)).unwrap();
    fs::write(folder.path(file), change(text)).unwrap();
    folder.path("model.toml")
}

#[test]
fn outputs_replace_neither_what_is_read_nor_one_another() {
    let folder = Folder::new("hostile-outputs");
    let model = folder.file("rail.toml", RAIL);
    let csv = folder.path("rail.csv");
    refused(&["run", &model, "--csv", &model], 2, &["would overwrite the input"]);
    let svg = folder.path("rail.svg");
    refused(&["run", &model, "--csv", &svg, "--plot", &svg], 2, &["would overwrite the output of --csv"]);
    refused(&["run", &model, "--plot", &csv], 2, &["must end in .svg or .png"]);
    refused(&["run", &model, "--html", &csv], 2, &["ends in .html"]);
    refused(&["export", &model, "-o", &model, "--library", &host_library()], 2, &["would overwrite"]);
    refused(&["verify", &model, "--svg", &model], 2, &["must end in .svg or .png"]);
    refused(&["check", &model, "--svg", &model], 2, &["must end in .svg or .png"]);
    assert_eq!(fs::read_to_string(&model).unwrap(), RAIL);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing else was written");
}

#[cfg(unix)]
#[test]
fn an_export_to_a_device_or_a_pipe_goes_into_it() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new("hostile-devices");
    let model = folder.file("rail.toml", RAIL);
    refused(&["export", &model, "-o", "/dev/full", "--library", &host_library()], 2, &["/dev/full", "No space left"]);
    assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read(pipe).unwrap())
    };
    let answer = ballesta(["export", &model, "-o", &pipe, "--library", &host_library()]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(reader.join().unwrap().starts_with(b"PK"));
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_read() {
    let folder = Folder::new("hostile-inputs");
    let model = folder.file("rail.toml", RAIL);
    let [pipe, fmu, result] = ["pipe", "pipe.fmu", "pipe.parquet"].map(|name| folder.path(name));
    assert!(Command::new("mkfifo").args([&pipe, &fmu, &result]).status().unwrap().success());
    for (arguments, file) in [
        (&["run", &model, "--inputs"][..], "/dev/zero"),
        (&["check"], "/dev/zero"),
        (&["check"], &pipe),
        (&["groups"], &pipe),
        (&["new", "--adjacency"], "/dev/zero"),
        (&["new", "--adjacency"], "/dev/stdin"),
        (&["new", "--adjacency"], &pipe),
        (&["spectrum"], "/dev/zero"),
        (&["spectrum"], "/dev/stdin"),
        (&["spectrum"], &pipe),
        (&["tyre"], "/dev/zero"),
        (&["tyre"], &pipe),
        (&["bench"], &fmu),
        #[cfg(feature = "parquet")]
        (&["study", "--report", "page.html"], &result),
    ] {
        let (code, stderr) = within_seconds(Command::new(PROGRAM).args(arguments).arg(file));
        assert_eq!(code, Some(2), "{arguments:?} {file}: {stderr}");
        assert!(stderr.contains(file) && stderr.contains("may never end"), "{arguments:?} {file}: {stderr}");
    }
}

/// Exit code and stderr of a command whose stdin never ends; it is killed, and has no code, when it has not ended after
/// 20 s.
#[cfg(unix)]
fn within_seconds(command: &mut Command) -> (Option<i32>, String) {
    use std::process::Stdio;
    let mut child = command.current_dir(ROOT).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut stderr).unwrap();
    (child.wait().unwrap().code(), stderr)
}

#[test]
fn work_without_bound_is_refused_with_a_number() {
    let folder = Folder::new("hostile-work");
    let model = folder.file("rail.toml", RAIL);
    refused(
        &["run", &model, "--internal-step", "1e-300"],
        2,
        &["internal steps of 1e-300 s", "exceed the limit of 1e10"],
    );
    refused(&["run", &model, "--stop", "1e300"], 2, &["communication steps"]);
    refused(&["run", &model, "--stop", "1e9", "--step", "1e2"], 2, &["internal steps"]);
    refused(&["run", &model, "--stop", "1e8", "--step", "0.11"], 2, &["rows of", "longer --step"]);
    refused(&["bench", &model, "--steps", "4294967295"], 2, &["100000000"]);
    for (stop, step) in [("1e300", "0.1"), ("1e9", "1e8")] {
        let text = RAIL.replace("stop = 1\nstep = 0.1", &format!("stop = {stop}\nstep = {step}"));
        let (long, fmu) = (folder.file("long.toml", &text), folder.path("long.fmu"));
        let answer = ballesta(["export", &long, "-o", &fmu, "--library", &host_library()]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        assert!(
            answer.stderr.contains("ends early") && fs::metadata(&fmu).unwrap().len() < 20 << 20,
            "{}",
            answer.stderr
        );
    }
    let begun = Instant::now();
    let table: String = (0..100_000).map(|k| format!("[{k}, x], ")).collect();
    let wide =
        folder.file("wide.toml", &RAIL.replace("damping = \"", &format!("damping_table = [{table}]\ndamping = \"")));
    refused(&["check", &wide], 1, &["wide.toml:31:22", "1 error"]);
    assert!(begun.elapsed() < Duration::from_secs(60), "a long line is read in a time in proportion to it");
}

#[test]
fn nested_brackets_meet_a_limit_before_the_stack_does() {
    let folder = Folder::new("hostile-nested");
    let deep = "[".repeat(40_000);
    let model =
        changed(&folder, "flexible_slider_crank", "rod.rom.toml", |text| text.replacen("= [", &format!("= {deep}"), 1));
    refused(&["check", &model], 1, &["rod.rom.toml", "recurs"]);
    let nested = folder.file("nested.toml", &RAIL.replace("axis = [", &format!("axis = {deep}")));
    refused(&["check", &nested], 1, &["recurs"]);
}

#[test]
fn tyre_data_beyond_reason_fault_with_a_message() {
    for (key, value) in
        [("UNLOADED_RADIUS", "1e200"), ("FNOMIN", "1e-200"), ("VERTICAL_STIFFNESS", "1e160"), ("PTX3", "1e5")]
    {
        let folder = Folder::new(&format!("hostile-tyre-{key}"));
        let model = changed(&folder, "van", "van.tir", |text| {
            let line = text.lines().find(|line| line.trim_start().starts_with(key)).expect("the key").to_string();
            text.replace(&line, &format!("{key} = {value}"))
        });
        let answer = ballesta(["run", &model, "--stop", "0.2"]);
        assert!([1, 3].contains(&answer.code), "{key}: {} {}", answer.code, answer.stderr);
        assert!(!answer.stderr.contains("panicked"), "{key}: {}", answer.stderr);
    }
}

#[test]
fn unused_keys_of_a_tyre_file_are_named() {
    let answer = ballesta(["check", "models/van"]);
    assert!(answer.code == 0 && answer.stdout.contains("van.tir:198: MBELT: not used"), "{}", answer.stdout);
}

#[test]
fn a_loop_that_a_misalignment_locks_is_named_with_its_size() {
    let folder = Folder::new("hostile-lock");
    let text = fs::read_to_string(Path::new(ROOT).join("models/four_bar_3d/model.toml")).unwrap();
    let at = text.find("point = \"B\"").unwrap();
    let skew = [&text[..at], &text[at..].replacen("axis = [1, 2, 2]", "axis = [1, 2, 2.005]", 1)].concat();
    let model = folder.file("skew.toml", &skew);
    let answer = ballesta(["run", &model, "--stop", "0.1"]);
    for words in ["locks the loop", "misalignment of about 6.9e-4", "speed 9 was requested, but the loops require 0"] {
        assert!(answer.stderr.contains(words), "{}", answer.stderr);
    }
    // A prescribed motion takes the last freedom of a loop by design, at a dead centre too.
    let answer = ballesta(["run", "tests/trust/dead_guided_in.toml", "--stop", "0.01"]);
    assert!(!answer.stderr.contains("locks the loop"), "{}", answer.stderr);
    let answer = ballesta(["run", "models/four_bar_3d", "--stop", "0.1"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
}
