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

/// Every chain of the gallery is a model that runs. Where the matrix lacks an input or has one too many, the model is
/// that of the matrix with other codes: (link, link, code).
#[test]
fn models_of_all_plane_chains_run_closed_and_have_the_groups_of_their_matrices() {
    let folder = Folder::new("new");
    let (model, changed) = (folder.path("model.toml"), folder.path("changed.toml"));
    let files = fs::read_dir(Path::new(ROOT).join("models/adjacency")).unwrap().map(|entry| entry.unwrap().path());
    let mut chains: Vec<(String, &[&str])> =
        files.map(|file| (file.file_stem().unwrap().to_str().unwrap().to_string(), &[][..])).collect();
    chains.sort();
    assert_eq!(chains.len(), 19);
    chains.push(("slider_crank".into(), &["--prismatic", "0,3"]));
    for (chain, options) in &chains {
        let file = format!("models/adjacency/{chain}.toml");
        let answer = ballesta([&["new", "--adjacency", &file, "-o", &model][..], options].concat());
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""), "{chain}");
        let text = fs::read_to_string(&model).unwrap();
        let check = ballesta(["check", &model, "--json"]);
        assert_eq!(check.code, 0, "{chain}: {}", check.stderr);
        let change = check.json()["assembly"]["largest_change"].as_f64().expect("a number");
        assert!(change < 1e-9, "{chain}: assembled as written, but for {change:e}");

        let [remark, place, code] = match chain.as_str() {
            "five_bar_without_second_motor" => ["replaced by springs and dampers: ground_rocker.", "0 4", "3"],
            "roller_free" => ["replaced by springs and dampers: ground_follower.", "0 3", "3"],
            "four_bar_with_two_motors" => ["because other inputs already move their links: ground_rocker.", "0 3", "1"],
            "parallelogram" => ["parallel and of equal length", "", ""],
            _ => ["", "", ""],
        };
        assert!(text.contains(remark), "{chain}: {text}");
        let mut wanted = groups(&file, "links");
        if let Some((i, j)) = place.split_once(' ') {
            let (i, j) = (i.parse().unwrap(), j.parse().unwrap());
            let mut table: toml::Table = fs::read_to_string(Path::new(ROOT).join(&file)).unwrap().parse().unwrap();
            let matrix = &mut table["adjacency"]["matrix"];
            let code = toml::Value::Integer(code.parse().unwrap());
            for (i, j) in [(i, j), (j, i)] as [(usize, usize); 2] {
                matrix[i][j] = code.clone();
            }
            fs::write(&changed, table.to_string()).unwrap();
            wanted = groups(&changed, "links");
        }
        if chain == "parallelogram" {
            // Counting has an equation too many and one group of it; the rank tells the third crank apart.
            let of = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
            wanted = vec![of(&["crank"]), of(&["coupler", "rocker"]), of(&["third"])];
        }
        let of_bodies =
            |group: &BTreeSet<String>| group.iter().filter(|name| !name.ends_with("_pin")).cloned().collect();
        let found: BTreeSet<BTreeSet<String>> = groups(&model, "bodies").iter().map(of_bodies).collect();
        assert_eq!(found, wanted.into_iter().collect(), "{chain} {options:?}");

        let run = ballesta(["run", &model, "--strict", "--stop", "1", "--csv", "-"]);
        assert_eq!(run.code, 0, "{chain}: {}", run.stderr);
        let (header, rows) = read_csv(&run.stdout);
        let column = |end: &str| header.iter().position(|name| name.ends_with(end)).expect("an output");
        let largest = |column: usize| ballesta::math::largest(rows.iter().map(|row| row[column]));
        let balance = column("energy_balance");
        let drift = ballesta::math::largest(rows.iter().map(|row| (row[balance] - rows[0][balance]).abs()));
        println!("{chain}: gap {:.1e} m, energy {drift:.1e} J, change {change:.1e}", largest(column("gap")));
        assert!(largest(column("gap")) < 1e-9 && drift < 1e-6, "{chain}");
        assert!(largest(column(".position")) > 0.009 && largest(column("near_singular")) == 0.0, "{chain}");
    }
}

/// Σ ratio · coordinate stays 0 for every output `joint` of a model with wheels, with the groups of the matrix.
#[test]
fn wheels_of_plane_chains_turn_as_their_teeth_say() {
    let folder = Folder::new("new-gears");
    let model = folder.path("model.toml");
    type Sums<'a> = &'a [&'a [(&'a str, f64)]];
    let cases: [(&str, &[&str], Sums); 4] = [
        ("gear_pair", &["wheel,pinion,40,20"], &[&[("ground_pinion", 20.0), ("ground_wheel", 40.0)]]),
        ("geared_five_bar", &["left,right,30,30"], &[&[("ground_left", 1.0), ("ground_right", 1.0)]]),
        // Wheel 1 is fixed, and the angle of arm 3 is a third of that of wheel 2.
        ("epicyclic_cam", &["1,2,60,30"], &[&[("ground_link_2", 1.0), ("ground_link_3", -3.0)]]),
        // Willis.
        (
            "planetary_gear",
            &["sun,planet,24,24", "planet,ring,24,-72"],
            &[&[("ground_sun", 24.0), ("ground_ring", 72.0), ("ground_carrier", -96.0)]],
        ),
    ];
    for (chain, gears, sums) in cases {
        let file = format!("models/adjacency/{chain}.toml");
        let gears: Vec<&str> = gears.iter().flat_map(|gear| ["--gear", gear]).collect();
        let answer = ballesta([&["new", "--adjacency", &file, "-o", &model][..], &gears].concat());
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{chain}");
        let found: BTreeSet<_> = groups(&model, "bodies").into_iter().collect();
        assert_eq!(found, groups(&file, "links").into_iter().collect(), "{chain}");
        let mut text = fs::read_to_string(&model).unwrap();
        assert!(chain == "epicyclic_cam" || !text.contains("[[curve]]"), "{chain}: wheels have no curve");
        for (joint, _) in sums.concat() {
            text += &format!("\n[[output]]\nname = 'of.{joint}'\njoint = '{joint}'\n");
            text += "coordinate = 'angle'\nquantity = 'position'\n";
        }
        fs::write(&model, text).unwrap();
        let run = ballesta(["run", &model, "--strict", "--stop", "1", "--csv", "-"]);
        assert_eq!(run.code, 0, "{chain}: {}", run.stderr);
        let (header, rows) = read_csv(&run.stdout);
        let column = |name: &str| header.iter().position(|found| *found == name).expect("an output");
        for sum in sums {
            let size = |row: &Vec<f64>| row[column(&format!("of.{}", sum[0].0))].abs();
            assert!(rows.iter().any(|row| size(row) > 0.05), "{chain} turns");
            for row in &rows {
                let left: f64 = sum.iter().map(|(joint, ratio)| ratio * row[column(&format!("of.{joint}"))]).sum();
                assert!(left.abs() < 1e-9, "{chain}: {left:e}");
            }
        }
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
fn what_cannot_move_or_is_not_tied_is_refused() {
    let folder = Folder::new("new-wrong");
    let out = folder.path("model.toml");
    // A braced triangle, and a link that no pair ties.
    let [rigid, loose] =
        [("rigid", "[[0, 1, 1], [1, 0, 1], [1, 1, 0]]"), ("loose", "[[0, 3, 0], [3, 0, 0], [0, 0, 0]]")].map(
            |(name, matrix)| {
                let path = folder.path(&format!("{name}.toml"));
                fs::write(&path, format!("[adjacency]\nname = \"{name}\"\n\nmatrix = {matrix}\n")).unwrap();
                path
            },
        );
    let slider = "models/adjacency/slider_crank.toml";
    let gears = "models/adjacency/gear_pair.toml";
    // A loop of four sliders cannot turn, whatever counting says.
    let all = ["0,1", "1,2", "2,3", "0,3"];
    let sliders: Vec<&str> = all.iter().flat_map(|pair| ["--prismatic", pair]).collect();
    for (arguments, code, words) in [
        (vec![rigid.as_str()], 1, "rigid.toml:4:10: error: adjacency.matrix: the chain cannot move"),
        (vec![loose.as_str()], 1, "loose.toml:4:10: error: adjacency.matrix: inputs at all pairs do not determine"),
        (vec!["models/adjacency/flat_follower.toml", "--prismatic", "cam,follower"], 2, "found a higher pair"),
        (vec![gears, "--gear", "pinion,wheel"], 2, "expected two links and their numbers of teeth"),
        (vec![gears, "--gear", "pinion,wheel,20,0"], 2, "expected whole numbers of teeth other than 0"),
        (vec![gears, "--gear", "pinion,wheel,20,-20"], 2, "a ring gear must have more teeth"),
        (vec![gears, "--gear", "frame,pinion,20,20"], 2, "found a lower pair"),
        (vec![gears, "--gear", "pinion,whel,20,20"], 2, "unknown link `whel`; did you mean `wheel`?"),
        (
            vec!["models/adjacency/gripper_on_wheels.toml", "--gear", "ground,disc,20,20"],
            2,
            "no link is connected to both wheels",
        ),
        (vec!["models/van/model.toml"], 2, "is a model, not an adjacency matrix"),
        (vec!["models/adjacency/none.toml"], 2, "cannot read"),
        (vec![slider, "--prismatic", "0"], 2, "expected two links"),
        (vec![slider, "--prismatic", "0,slider"], 2, "unknown link `slider`; expected one of 0, 1, 2, 3"),
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
    let names = ["pendulum", "four-bar", "quarter-car", "robot-arm", "vehicle", "car", "flexible-link", "structure"];
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
        assert!(again.stderr.contains("exists already"), "{}", again.stderr);
    }
}

#[test]
fn files_of_a_template_name_the_schema_beside_them() {
    let folder = Folder::new("template-schemas");
    let mut count = 0;
    for name in ["pendulum", "vehicle", "car", "flexible-link", "structure"] {
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
            answer
                .stderr
                .contains("quarter-car is a template: `ballesta new quarter-car` writes it to the folder quarter_car"),
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
