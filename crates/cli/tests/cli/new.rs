//! `ballesta new`.

use super::*;
use std::collections::BTreeSet;

/// The links of every group, in order.
fn groups(subject: &str, key: &str) -> Vec<BTreeSet<String>> {
    let answer = ballesta(["groups", subject, "--json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let names = |group: &Value| group[key].as_array().expect("names").iter().map(name).collect();
    answer.json()["groups"].as_array().expect("groups").iter().map(names).collect()
}

fn name(value: &Value) -> String {
    let name = value.as_str().expect("a name");
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("link_{name}") } else { name.to_string() }
}

#[test]
fn models_of_plane_chains_assemble_run_and_have_the_groups_of_their_matrices() {
    let folder = Folder::new("new");
    let model = folder.path("model.toml");
    for (chain, sliders) in [
        ("four_bar", &[][..]),
        ("four_bar_driven_at_coupler", &[]),
        ("slider_crank", &[]),
        ("slider_crank", &["--prismatic", "0,3"]),
        ("watt_I_six_bar", &[]),
        ("stephenson_III_driven_at_outer_crank", &[]),
        ("stephenson_III_driven_in_four_bar", &[]),
        ("whitworth_quick_return", &[]),
    ] {
        let file = format!("models/adjacency/{chain}.toml");
        let answer = ballesta([&["new", "--adjacency", &file, "-o", &model][..], sliders].concat());
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""), "{chain}");
        let check = ballesta(["check", &model, "--json"]);
        assert_eq!(check.code, 0, "{chain}: {}", check.stderr);
        let change = check.json()["assembly"]["largest_change"].as_f64().expect("a number");
        assert!(change < 1e-12, "{chain}: assembled as written, but for {change:e}");
        let ordered = |groups: Vec<BTreeSet<String>>| groups.into_iter().collect::<BTreeSet<_>>();
        assert_eq!(ordered(groups(&model, "bodies")), ordered(groups(&file, "links")), "{chain} {sliders:?}");
        let run = ballesta(["run", &model, "--strict", "--csv", "-"]);
        assert_eq!(run.code, 0, "{chain}: {}", run.stderr);
        let (header, rows) = read_csv(&run.stdout);
        let column = |end: &str| header.iter().position(|name| name.ends_with(end)).expect("an output");
        let largest = |column: usize| ballesta::math::largest(rows.iter().map(|row| row[column]));
        assert!(largest(column("gap")) < 1e-9 && largest(column(".position")) > 0.009, "{chain}");
    }
}

#[test]
fn dimensions_are_parameters_and_any_of_them_assembles() {
    let folder = Folder::new("new-parameters");
    let model = folder.path("model.toml");
    let answer = ballesta(["new", "--adjacency", "models/adjacency/slider_crank.toml", "-o", &model]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let text = fs::read_to_string(&model).unwrap();
    assert_eq!(text.matches("[[joint]]").count(), 4);
    assert!(text.contains("name = \"link_1_link_2.x\""), "{text}");
    let changed = ballesta(["check", &model, "--set", "link_1_link_2.x=0.123", "--json"]);
    assert_eq!(changed.code, 0, "{}", changed.stderr);
    assert!(changed.json()["assembly"]["largest_change"].as_f64().expect("a number") < 1e-12);
}

#[test]
fn what_has_no_geometry_or_is_not_determined_is_refused() {
    let folder = Folder::new("new-wrong");
    let out = folder.path("model.toml");
    let slider = "models/adjacency/slider_crank.toml";
    // A loop of four sliders cannot turn, whatever counting says.
    let all = ["0,1", "1,2", "2,3", "0,3"];
    let sliders: Vec<&str> = all.iter().flat_map(|pair| ["--prismatic", pair]).collect();
    for (arguments, code, words) in [
        (
            vec!["models/adjacency/flat_follower.toml"],
            1,
            "flat_follower.toml:9:12: error: adjacency.matrix[1][2]: found 2, a higher pair",
        ),
        (vec!["models/adjacency/four_bar_with_two_motors.toml"], 1, "mobility 1 and 2 inputs"),
        (vec!["models/adjacency/five_bar_without_second_motor.toml"], 1, "every group is determined"),
        (vec!["models/van/model.toml"], 2, "is a model, not an adjacency matrix"),
        (vec!["models/adjacency/none.toml"], 2, "cannot read"),
        (vec![slider, "--prismatic", "0"], 2, "expected two links"),
        (vec![slider, "--prismatic", "0,slider"], 2, "there is no link `slider`; there are 0, 1, 2, 3"),
        (vec![slider, "--prismatic", "0,2"], 2, "no pair between"),
        ([&[slider][..], &sliders].concat(), 1, "singular in every position"),
    ] {
        let answer = ballesta([&["new", "-o", &out, "--adjacency"][..], &arguments].concat());
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{arguments:?}: {}", answer.stderr);
        assert!(!Path::new(&out).exists());
    }
}

#[test]
fn every_template_runs_as_it_is_and_is_kept() {
    let folder = Folder::new("templates");
    let names = ["pendulum", "four-bar", "quarter-car", "robot-arm", "vehicle", "flexible-link", "structure"];
    let help = ballesta(["new", "--help"]).stdout;
    for name in names {
        assert!(help.contains(&format!("- {name}:")), "{help}");
        let place = folder.path(name);
        let answer = ballesta(["new", name, "-o", &place]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{name}");
        // What it says to do next, without the program's name.
        let next: Vec<&str> = answer.stdout.lines().filter_map(|line| line.trim().strip_prefix("ballesta ")).collect();
        assert_eq!(next.len(), 2, "{}", answer.stdout);
        for command in next {
            let mut words: Vec<&str> = command.split(' ').collect();
            let rom = folder.path("template.rom.toml");
            if words[0] == "reduce" {
                words.extend(["-o", &rom]);
            }
            let answer = ballesta(words.iter().copied());
            assert_eq!(answer.code, 0, "{command}: {}", answer.stderr);
            assert!(!answer.stderr.contains("warning"), "{command}: {}", answer.stderr);
        }
        let again = ballesta(["new", name, "-o", &place]);
        assert_eq!(again.code, 2, "{name}");
        assert!(again.stderr.contains("is there already"), "{}", again.stderr);
    }
}

#[test]
fn files_of_a_template_name_the_schema_beside_them() {
    let folder = Folder::new("template-schemas");
    let mut count = 0;
    for name in ["pendulum", "vehicle", "flexible-link", "structure"] {
        let place = folder.path(name);
        assert_eq!(ballesta(["new", name, "-o", &place]).code, 0);
        let mut folders = vec![PathBuf::from(&place)];
        while let Some(inside) = folders.pop() {
            for entry in fs::read_dir(&inside).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                    continue;
                }
                let text = fs::read_to_string(&entry).unwrap();
                let Some(schema) = text.lines().next().and_then(|line| line.strip_prefix("#:schema ")) else {
                    continue;
                };
                let kind = Path::new(schema).file_name().unwrap().to_str().unwrap().split('.').next().unwrap();
                let printed: Value = serde_json::from_str(&ballesta(["schema", kind]).stdout).unwrap();
                let beside: Value = serde_json::from_str(&fs::read_to_string(inside.join(schema)).unwrap()).unwrap();
                assert_eq!(beside, printed, "{}", entry.display());
                count += 1;
            }
        }
    }
    assert!(count >= 12, "{count} files name a schema");
}

#[test]
fn the_name_of_a_template_without_a_file_is_answered_with_what_makes_one() {
    for name in ["quarter-car", "quarter_car", "quarter_car.toml"] {
        let answer = ballesta(["run", name]);
        assert_eq!(answer.code, 2);
        assert!(
            answer.stderr.contains(
                "quarter-car is a template, and `ballesta new quarter-car` writes it into the folder quarter_car"
            ),
            "{}",
            answer.stderr
        );
    }
    assert!(!ballesta(["run", "elsewhere/pendulum"]).stderr.contains("template"));
}

/// Errors at the step of the file, in parts of the largest value.
#[test]
fn results_of_the_templates_are_converged() {
    let folder = Folder::new("converged");
    for (name, tolerance) in [
        ("pendulum", "1e-6"),
        ("four-bar", "1e-6"),
        ("quarter-car", "1e-3"),
        ("robot-arm", "1e-6"),
        ("flexible-link", "0.02"),
    ] {
        let place = folder.path(name);
        assert_eq!(ballesta(["new", name, "-o", &place]).code, 0);
        let answer = ballesta(["verify", &place, "--tolerance", tolerance]);
        assert_eq!(answer.code, 0, "{name}: {}{}", answer.stdout, answer.stderr);
        assert!(!answer.stdout.contains("needs a step"), "{name}: {}", answer.stdout);
    }
}
