//! `--json`: one object on stdout from every command, and failures as one line of JSON on stderr.

use super::*;

/// The failure on the last line of stderr.
fn failure(answer: &Answer) -> Value {
    let last = answer.stderr.lines().last().unwrap_or_default();
    let failure: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {}", answer.stderr));
    assert_eq!(failure["exit_code"], answer.code, "{failure}");
    failure
}

/// A diagnostic as the program prints it without `--json`.
fn line(diagnostic: &Value) -> String {
    let text = |key: &str| diagnostic[key].as_str().unwrap_or_else(|| panic!("{key} of {diagnostic}"));
    let number = |key: &str| diagnostic[key].as_u64().unwrap_or_else(|| panic!("{key} of {diagnostic}"));
    let place = if number("line") > 0 { format!(":{}:{}", number("line"), number("column")) } else { String::new() };
    let key = if text("key").is_empty() { String::new() } else { format!("{}: ", text("key")) };
    format!("{}{place}: error: {key}{}; {}", text("file"), text("found"), text("expected"))
}

/// The diagnostics of a wrong file, as the program prints them without `--json`.
pub fn lines(answer: &Answer) -> Vec<String> {
    let failure = failure(answer);
    assert_eq!(failure["error"], "input", "{failure}");
    failure["diagnostics"].as_array().expect("diagnostics").iter().map(line).collect()
}

/// Names of the files of a folder with an ending, sorted.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(Path::new(ROOT).join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| name.ends_with(ending)).map(|name| format!("{folder}/{name}")).collect();
    names.sort();
    names
}

/// Runs `command` with `--json` and compares what it says of `file` with the lines of a transcript.
fn compare(command: &[&str], file: &str, transcript: &str) {
    let answer = ballesta([command, &["--json"]].concat());
    if file.ends_with("no_reduced_model.toml") {
        let message = failure(&answer)["message"].as_str().unwrap().to_string();
        assert!(message.contains("is a model, not a reduced model"), "{message}");
        return;
    }
    assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{file}: {}", answer.stderr);
    let lines = lines(&answer);
    // Long texts are cut where people read them.
    for told in transcript.lines().filter(|line| !line.contains(" characters … ")) {
        assert!(lines.iter().any(|found| found == told), "{file}: {told} is not in\n{}", lines.join("\n"));
    }
    assert!(!lines.is_empty(), "{file}");
}

/// The transcript of a broken file, if it has one: some are what others were before.
fn transcript(file: &str, ending: &str) -> Option<String> {
    let stem = file.rsplit_once('.').unwrap().0;
    fs::read_to_string(Path::new(ROOT).join(format!("{stem}.{ending}"))).ok()
}

#[test]
fn every_broken_file_gives_the_places_of_its_transcript() {
    let folder = Folder::new("broken");
    let out = folder.path("out.m");
    let mut number = 0;
    for (of, command) in [
        ("tests/broken", &["check"][..]),
        ("tests/broken_adjacency", &["groups"]),
        ("tests/broken_roms", &["convert", "--state-space", &out]),
        ("tests/broken_structures", &["reduce", "-o", &out]),
    ] {
        for file in files(of, ".toml") {
            let Some(told) = transcript(&file, "txt") else { continue };
            compare(&[command, &[file.as_str()]].concat(), &file, &told);
            number += 1;
        }
    }
    assert!(number >= 130, "{number}");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "nothing was written");
}

/// Matrices belong to a structure, which the files leave out.
#[test]
fn every_broken_matrix_gives_the_places_of_its_transcript() {
    let of = "tests/broken_matrices";
    let folder = Folder::new("broken-matrices");
    for entry in fs::read_dir(Path::new(ROOT).join(of)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), folder.0.join(entry.file_name())).unwrap();
        }
    }
    let (out, mut number) = (folder.path("out.rom.toml"), 0);
    for file in files(of, ".toml") {
        let Some(told) = transcript(&file, "transcript") else { continue };
        let name = file.rsplit_once('/').unwrap().1;
        let text = fs::read_to_string(Path::new(ROOT).join(&file)).unwrap();
        let structure = folder.file(name, &(text + "\n[structure]\nname = \"broken\"\n"));
        compare(&["reduce", &structure, "-o", &out], &file, &told.replace(of, &folder.0.display().to_string()));
        number += 1;
    }
    assert!(number >= 50 && !Path::new(&out).exists(), "{number}");
}

#[test]
fn every_broken_robot_gives_the_places_of_its_transcript() {
    let folder = Folder::new("broken-robots");
    let (out, mut number) = (folder.path("robot"), 0);
    for (of, ending) in [("tests/broken_import", ".urdf"), ("tests/broken_import/mjcf", ".xml")] {
        for file in files(of, ending) {
            compare(&["import", &file, "-o", &out], &file, &transcript(&file, "txt").expect("a transcript"));
            number += 1;
        }
    }
    assert!(number >= 18, "{number}");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "nothing was written");
}

/// Tyre files in the place of the van's.
#[test]
fn every_broken_tyre_gives_the_places_of_its_transcript() {
    let folder = Folder::new("broken-tyres");
    let van = folder.path("van");
    assert_eq!(ballesta(["new", "vehicle", "-o", &van]).code, 0);
    let (place, mut number) = (folder.path("van/van.tir"), 0);
    for file in files("tests/tyres/broken", ".tir") {
        let Some(told) = transcript(&file, "txt") else { continue };
        fs::copy(Path::new(ROOT).join(&file), &place).unwrap();
        compare(&["check", &van], &file, &told.replace(&file, &place));
        number += 1;
    }
    assert!(number >= 15, "{number}");
}

#[test]
fn every_command_answers_with_one_object() {
    let folder = Folder::new("objects");
    let of = |name: &str| folder.path(name);
    let rail = folder.file("rail.toml", RAIL);
    let library = host_library();
    let (csv, svg, html, fmu) = (of("a.csv"), of("a.svg"), of("a.html"), of("a.fmu"));
    let (rom, flat, lumped, fresh, space) =
        (of("a.rom.toml"), of("flat.toml"), of("lumped.toml"), of("fresh"), of("a.m"));
    let cantilever = "models/structures/cantilever";
    let (demo, parquet, robot, tyre) = (of("demo"), of("a.parquet"), of("robot"), of("tyre.csv"));
    let commands = vec![
        vec!["export", &rail, "-o", &fmu, "--library", &library],
        vec!["demo", "--out", &demo, "--library", &library],
        vec!["check", &rail],
        vec!["run", &rail, "--set", "push=4", "--csv", &csv, "--plot", &svg, "--html", &html],
        vec!["study", "models/studies/pendulum/study.toml", "-o", &parquet, "--report", &html],
        vec!["manoeuvre", "models/van", "step_steer", "--stop", "0.1", "--csv", &csv],
        vec!["manoeuvre", "--list"],
        vec!["verify", &rail],
        vec!["bench", &rail, "--steps", "50"],
        vec!["modes", "models/pendulum"],
        vec!["modes", cantilever],
        vec!["linearize", &rail],
        vec!["rig", "models/van", "kc", "--points", "3"],
        vec!["spectrum", &csv],
        vec!["tyre", "models/van/van.tir", "--csv", &tyre, "--plot", &svg],
        vec!["groups", "models/four_bar"],
        vec!["reduce", cantilever, "-o", &rom],
        vec!["convert", &rom, "--state-space", &space],
        vec!["new", "pendulum", "-o", &fresh],
        vec!["new", "--adjacency", "models/adjacency/four_bar.toml"],
        vec!["import", "tests/import/arm.urdf", "-o", &robot],
        vec!["lump", cantilever, "--elements", "3", "-o", &lumped],
        vec!["lump", cantilever, "--elements", "3", "--compare"],
        vec!["lump", cantilever, "--elements", "3"],
        vec!["expand", &rail, "-o", &flat],
        vec!["expand", &rail],
        vec!["view", &rail, "-o", &svg],
        vec!["schema"],
        vec!["completions", "bash"],
    ];
    for mut command in commands {
        command.push("--json");
        let answer = ballesta(command.iter().copied());
        let found = answer.json();
        for path in found["written"].as_array().into_iter().flatten() {
            assert!(Path::new(path.as_str().expect("a path")).is_file(), "{command:?}: {path}");
        }
        let wrote = ["-o", "--csv", "--out", "--state-space"].iter().any(|option| command.contains(option));
        let told = wrote && !matches!(command[0], "reduce" | "linearize");
        assert_eq!(found["written"].is_array(), told, "{command:?}: {found}");
    }
}

#[test]
fn a_comparison_has_its_numbers() {
    let found = ballesta(["lump", "models/structures/cantilever", "--elements", "7", "--compare", "--json"]).json();
    let comparison = &found["comparison"];
    assert_eq!((&comparison["columns"][0], &comparison["rows"][1][0]), (&"elements".into(), &7.0.into()));
    assert!(comparison["rows"][1][2].as_f64().is_some_and(|hertz| hertz > 0.0), "{comparison}");
}

#[test]
fn a_run_tells_its_outputs_and_its_judgement() {
    let folder = Folder::new("told");
    let found = ballesta(["run", &folder.file("rail.toml", RAIL), "--set", "push=4", "--json"]).json();
    // a = F/m = 2 m/s²: s = t², after one second 1 m.
    let travel = &found["outputs"][0];
    assert_eq!((&travel["name"], &travel["unit"]), (&"cart.travel".into(), &"m".into()));
    let number = |value: &Value| value.as_f64().expect("a number");
    assert!((number(&travel["last"]) - 1.0).abs() < 1e-9 && number(&travel["min"]) == 0.0, "{travel}");
    assert_eq!(number(&found["judgement"]["steps"]), 100.0);
    assert_eq!(found["judgement"]["warning"], Value::Null);
}

#[test]
fn failures_of_every_kind_are_one_line() {
    let folder = Folder::new("kinds");
    let faulty = folder.file("out_of_reach.toml", OUT_OF_REACH);
    for (command, error, code) in [
        (&["run", &faulty, "--json"][..], "fault", 3),
        (&["run", "models/four_bar", "--json", "--stpo", "1"], "usage", 2),
        (&["run", "models/four_bar", "--json", "--csv", "-"], "usage", 2),
        (&["chekc", "--json"], "usage", 2),
        (&["check", "models/nowhere", "--json"], "file", 2),
        (&["check", "models/structures/frame", "--json"], "usage", 2),
    ] {
        let answer = ballesta(command.iter().copied());
        let failure = failure(&answer);
        assert_eq!((&failure["error"], answer.code, answer.stdout.as_str()), (&error.into(), code, ""), "{failure}");
        let message = failure["message"].as_str().expect("a message");
        assert!(!message.is_empty() && !message.starts_with("error: ") && !message.starts_with("fault: "), "{message}");
    }
}

#[test]
fn files_of_another_kind_are_named() {
    for (command, words) in [
        (
            &["run", "models/truck/frame.rom.toml"][..],
            "is a reduced model, not a model; use it with `ballesta modes` or `convert`",
        ),
        (
            &["check", "models/structures/frame"],
            "is a structure, not a model; use it with `ballesta modes` or `reduce`",
        ),
        (&["run", "models/adjacency/four_bar.toml"], "is an adjacency matrix, not a model"),
        (&["view", "models/van/van.tir"], "is a tyre file, not a model; name it in [[tyre]] of a model"),
        (&["reduce", "models/four_bar"], "is a model, not a structure"),
        (&["convert", "models/four_bar/model.toml", "--simscape", "x.m"], "is a model, not a reduced model"),
        (&["new", "--adjacency", "models/four_bar/model.toml"], "is a model, not an adjacency matrix"),
    ] {
        let answer = ballesta(command.iter().copied());
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{command:?}");
        assert!(answer.stderr.contains(words), "{command:?}: {}", answer.stderr);
    }
}

/// The text of a description says nothing about the kind of a file.
#[test]
fn words_in_a_description_do_not_change_the_kind() {
    let folder = Folder::new("words");
    let text = fs::read_to_string(Path::new(ROOT).join("models/pendulum/model.toml")).unwrap();
    let begin = text.find("description = ").unwrap();
    let end = begin + text[begin..].find('\n').unwrap();
    let text = format!("{}description = \"\"\"\nadjacency of links\n\"\"\"{}", &text[..begin], &text[end..]);
    let found = ballesta(["modes", &folder.file("words.toml", &text), "--json"]).json();
    assert_eq!(found["name"], "pendulum");
}
