//! `ballesta groups`.

use super::*;

#[test]
fn the_matrix_of_the_worked_example_is_printed_as_in_the_paper() {
    let page = ballesta(["groups", "models/adjacency/epicyclic_cam.toml"]).stdout;
    let start = page.find("Results matrix\n").expect("the matrix");
    assert_eq!(&page[start..], MATRIX, "\n{page}");
    let findings = ballesta(["groups", "models/adjacency/epicyclic_cam.toml", "--json"]).json();
    assert_eq!(findings["results"][0], serde_json::json!([0, 1, 1, 2, 3]));
    assert_eq!(findings["groups"][0]["links"], serde_json::json!(["2", "3"]));
    assert_eq!((&findings["mobility"], &findings["determined"]), (&2.into(), &true.into()));
}

const MATRIX: &str = "\
Results matrix
         1  2  3  4  5
  group  0  1  1  2  3
  2      1  0  0  0  0
  3      1  0  0  1  0
  4      1  0  0  0  1
  5      0  0  0  0  0
";

#[test]
fn what_is_wrong_with_a_chain_is_said_in_words() {
    for (file, words) in [
        (
            "four_bar_with_two_motors",
            "Group 3 is over-constrained: 1 equation too many for coupler; free a pair or remove an input",
        ),
        (
            "five_bar_without_second_motor",
            "1 input missing for coupler_left, coupler_right, rocker, possible at frame–rocker",
        ),
    ] {
        let answer = ballesta(["groups", &format!("models/adjacency/{file}.toml")]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        assert!(answer.stdout.contains(words), "{}", answer.stdout);
    }
}

#[test]
fn diagrams_have_every_group_and_its_predecessors() {
    let folder = Folder::new("groups");
    let (dot, svg) = (folder.path("out.dot"), folder.path("out.svg"));
    for subject in ["models/adjacency/watt_I_six_bar.toml", "models/watt_six_bar"] {
        let answer = ballesta(["groups", subject, "--dot", &dot, "--svg", &svg, "--json"]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let groups = answer.json()["groups"].as_array().expect("groups").clone();
        let (dot, svg) = (fs::read_to_string(&dot).expect("written"), fs::read_to_string(&svg).expect("written"));
        assert!(dot.starts_with("digraph") && svg.starts_with("<svg"));
        for group in groups {
            for before in group["predecessors"].as_array().expect("numbers") {
                assert!(dot.contains(&format!("g{before} -> g{};", group["number"])), "{dot}");
            }
            assert!(svg.contains(&format!(">{} (", group["number"])), "{svg}");
        }
    }
}

/// The graph has a line per freedom, a thick one per input, and an arrow for every freedom that is handed on.
#[test]
fn the_structural_graph_has_a_line_per_freedom_and_a_thick_one_per_input() {
    let folder = Folder::new("graph");
    let (dot, svg) = (folder.path("out.dot"), folder.path("out.svg"));
    // Freedoms, inputs, and freedoms of pairs between groups, counted in the paper's figures 2b and 4b.
    for (name, freedoms, inputs, handed) in [("four_bar", 4, 1, 3), ("epicyclic_cam", 8, 2, 7)] {
        let file = format!("models/adjacency/{name}.toml");
        let answer = ballesta(["groups", &file, "--graph", &dot, "--graph", &svg]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        let (dot, svg) = (fs::read_to_string(&dot).expect("written"), fs::read_to_string(&svg).expect("written"));
        let count = |text: &str, what: &str| text.matches(what).count();
        assert_eq!((count(&svg, "class=\"pair"), count(&svg, "class=\"pair input\"")), (freedoms, inputs), "{svg}");
        assert_eq!((count(&dot, " -> "), count(&dot, "penwidth=3")), (freedoms, inputs), "{dot}");
        assert_eq!((count(&svg, "class=\"tip\""), count(&dot, "dir=forward")), (handed, handed), "{svg}{dot}");
        let groups = ballesta(["groups", &file, "--json"]).json()["groups"].as_array().expect("groups").len();
        assert_eq!((count(&svg, "class=\"outline\""), count(&dot, "subgraph")), (groups, groups));
    }
}

#[test]
fn all_choices_of_drivers_are_compared() {
    let subject = "models/adjacency/watt_I_six_bar.toml";
    let answer = ballesta(["groups", subject, "--drivers", "all", "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let findings = answer.json();
    let choices = findings["choices"].as_array().expect("choices");
    // Seven revolutes, mobility 1.
    assert_eq!((choices.len(), &findings["mobility"], &findings["cost_of_one_system"]), (7, &1.into(), &2700.into()));
    let costs: Vec<u64> = choices.iter().map(|choice| choice["cost"].as_u64().expect("a number")).collect();
    // Crank and two dyads: 36 + 2 · 216.
    assert!(costs.is_sorted() && costs[0] == 468 && costs[6] > 468, "{costs:?}");
    let given: Vec<_> = choices.iter().filter(|choice| choice["given"] == true).collect();
    let groups = ballesta(["groups", subject, "--json"]).json()["groups"].clone();
    let links: Vec<_> = groups.as_array().expect("groups").iter().map(|group| group["links"].clone()).collect();
    assert_eq!((given.len(), given[0]["groups"].as_array()), (1, Some(&links)));
    let page = ballesta(["groups", subject, "--drivers", "all"]).stdout;
    assert!(page.contains("1 input for mobility 1: 7 of 7 choices determine the motion of all links"), "{page}");
}

#[test]
fn wrong_use_of_graph_and_drivers_is_refused() {
    let folder = Folder::new("graph-wrong");
    let picture = folder.path("out.pdf");
    let rigid = folder.file("rigid.toml", "[adjacency]\nname = \"a\"\nmatrix = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]\n");
    let over = "[adjacency]\nname = \"a\"\nmatrix = [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]\n";
    let over = folder.file("over.toml", over);
    let chain = "models/adjacency/four_bar.toml";
    for (arguments, words) in [
        (vec!["groups", chain, "--graph", &picture], ", or .dot"),
        (vec!["groups", chain, "--drivers", "some"], "invalid value 'some'"),
        (vec!["groups", chain, "--drivers", "all", "--svg", "x.svg"], "cannot be used with"),
        (vec!["groups", "models/bricard", "--drivers", "all"], "--drivers: models/bricard/model.toml is a model"),
        (vec!["groups", "models/bricard", "--graph", "x.svg"], "--graph: models/bricard/model.toml is a model"),
        (vec!["groups", &over, "--drivers", "all"], "mobility -3 without any input"),
    ] {
        let answer = ballesta(&arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{arguments:?}: {}", answer.stderr);
        assert!(!Path::new(&picture).exists() && !Path::new(ROOT).join("x.svg").exists());
    }
    // A rigid triangle: nothing to drive is one choice.
    let answer = ballesta(["groups", &rigid, "--drivers", "all"]);
    assert!(
        answer.code == 0 && answer.stdout.contains("1 of 1 choice determine the motion of all links"),
        "{}{}",
        answer.stdout,
        answer.stderr
    );
}

#[test]
fn wrong_files_end_with_1_and_wrong_usage_with_2() {
    let folder = Folder::new("broken-groups");
    let file = folder.file("chain.toml", "[adjacency]\nname = \"a\"\nmatrix = [[0, 7], [7, 0]]\n");
    let answer = ballesta(["groups", &file]);
    assert_eq!((answer.code, answer.stdout.as_str()), (1, ""));
    assert!(answer.stderr.starts_with(&format!("{file}:3:15: error: adjacency.matrix[0][1]: ")), "{}", answer.stderr);
    let answer = ballesta(["groups", "models/adjacency/four_bar.toml", "--set", "a=1"]);
    assert_eq!(answer.code, 2);
    assert_eq!(ballesta(["groups", "models/adjacency/none.toml"]).code, 2);
}

/// `BALLESTA_REWRITE=1 cargo test -p ballesta-cli --features full --test cli` brings them up to date.
#[test]
fn the_page_about_groups_shows_what_the_program_prints_and_draws() {
    assert!(help::compare_blocks("docs/groups.md").len() >= 6);
    assert_eq!(help::compare_blocks("docs/papers/saura.md").len(), 1);
    for (name, subject) in
        [("epicyclic_cam", "models/adjacency/epicyclic_cam.toml"), ("van", "models/van"), ("truck", "models/truck")]
    {
        let folder = Folder::new(name);
        let svg = folder.path("out.svg");
        assert_eq!(ballesta(["groups", subject, "--svg", &svg]).code, 0);
        let drawn = fs::read_to_string(&svg).expect("written");
        let kept = Path::new(ROOT).join(format!("docs/pictures/groups_{name}.svg"));
        if std::env::var_os("BALLESTA_REWRITE").is_some() {
            fs::write(&kept, &drawn).expect("writable");
        }
        assert!(fs::read_to_string(&kept).unwrap_or_default() == drawn, "{} is not current", kept.display());
    }
    for (kept, name, arguments) in [
        ("graph_four_bar", "four_bar", &["--graph"][..]),
        ("graph_epicyclic_cam", "epicyclic_cam", &["--graph"]),
        ("groups_epicyclic_cam_circles", "epicyclic_cam", &["--circles", "--svg"]),
    ] {
        let folder = Folder::new(kept);
        let (svg, subject) = (folder.path("out.svg"), format!("models/adjacency/{name}.toml"));
        let typed = [&["groups", subject.as_str()][..], arguments, &[svg.as_str()]].concat();
        assert_eq!(ballesta(typed).code, 0);
        let drawn = fs::read_to_string(&svg).expect("written");
        let kept = Path::new(ROOT).join(format!("docs/pictures/{kept}.svg"));
        if std::env::var_os("BALLESTA_REWRITE").is_some() {
            fs::write(&kept, &drawn).expect("writable");
        }
        assert!(fs::read_to_string(&kept).unwrap_or_default() == drawn, "{} is not current", kept.display());
    }
}

/// The first row of a run that starts with the crank elsewhere has what the groups have.
#[test]
fn positions_group_by_group_are_those_in_which_a_run_starts() {
    let folder = Folder::new("solve");
    let model = fs::read_to_string(Path::new(ROOT).join("models/four_bar/model.toml")).expect("the model");
    let speed = "speed = -1  # the top of the rod starts at +1 m/s in x";
    assert!(model.contains(speed));
    let outputs = ["A0", "A1"].map(|joint| {
        format!("\n[[output]]\nname = \"{joint}.solved\"\njoint = \"{joint}\"\nquantity = \"position\"\n")
    });
    let model = folder.file("model.toml", &(model.replace(speed, "position = 0.5") + &outputs.concat()));
    let csv = folder.path("run.csv");
    let run = ballesta(["run", &model, "--stop", "0", "--csv", &csv]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = fs::read_to_string(&csv).expect("written");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let started = |name: &str| {
        let column = rows[0].iter().position(|column| *column == name).expect("a column");
        rows[1][column].parse::<f64>().expect("a number")
    };
    let answer = ballesta(["groups", "models/four_bar", "--solve", "--at", "B0=-0.5", "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let solution = answer.json();
    let groups = solution["groups"].as_array().expect("groups");
    let unknowns = groups.iter().flat_map(|group| group["unknowns"].as_array().expect("unknowns"));
    let mut compared = 0;
    for unknown in unknowns {
        let (name, value) = (unknown["coordinate"].as_str().expect("a name"), unknown["value"].as_f64());
        let column = format!("{name}.solved");
        if rows[0].contains(&column.as_str()) {
            let value = value.expect("a number");
            // A parallelogram: the coupler turns back against the cranks by what these turn.
            assert!((value - started(&column)).abs() < 1e-10 && (value.abs() - 0.5).abs() < 1e-10, "{name} {value}");
            compared += 1;
        }
    }
    assert_eq!(compared, 2, "{solution}");
    assert!(solution["difference"].as_f64().is_some_and(|difference| difference < 1e-10));
    let page = ballesta(["groups", "models/four_bar", "--solve", "--at", "B0=-0.5"]).stdout;
    for words in ["Group 1: left, right, coupler; after ground", "iterations, condition", "redundant", "e = ("] {
        assert!(page.contains(words), "{page}");
    }
}

#[test]
fn positions_over_a_motion_are_a_table() {
    let folder = Folder::new("solve-motion");
    let csv = folder.path("out.csv");
    let subject = "models/epicyclic_cam";
    let sweep = ["groups", subject, "--solve", "--csv", &csv, "--sweep", "link_5=-0.5:0.5", "--points", "5", "--json"];
    let answer = ballesta(sweep);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert!(answer.json()["positions"] == 5 && answer.json()["largest_difference"].as_f64().is_some_and(|d| d < 1e-10));
    let text = fs::read_to_string(&csv).expect("written");
    assert!(text.starts_with("link_5 swept,") && text.lines().count() == 6, "{text}");
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("-0.5,")), "{text}");
    let run = ballesta(["groups", subject, "--solve", "--csv", "-", "--stop", "0.02", "--step", "0.01"]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 4), "{}", run.stderr);
    assert!(run.stdout.starts_with("time,") && run.stdout.contains("group 2 condition"), "{}", run.stdout);
    for (arguments, words) in [
        (vec!["groups", subject, "--at", "link_5=1"], "--solve"),
        (vec!["groups", subject, "--solve", "--at", "arm_3=1"], "is an unknown of group 1"),
        (vec!["groups", subject, "--solve", "--csv", "-", "--sweep", "link_5=1"], "expected COORDINATE=FROM:TO"),
        (vec!["groups", subject, "--solve", "--csv", "-", "--json"], "give the table a file"),
        (vec!["groups", subject, "--solve", "--csv", &csv, "--at", "link_5=1"], "needs --sweep"),
        (vec!["groups", "models/adjacency/four_bar.toml", "--solve"], "not an adjacency matrix"),
    ] {
        let answer = ballesta(&arguments);
        assert_eq!(answer.code, 2, "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{arguments:?}: {}", answer.stderr);
    }
}

#[test]
fn chains_and_groups_are_enumerated_into_files_that_groups_and_new_read() {
    let folder = Folder::new("synthesis");
    let chains = folder.path("chains");
    let answer = ballesta(["groups", "--chains", "6", "-o", &chains, "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let found = answer.json();
    assert_eq!((&found["count"], &found["mechanisms"]), (&2.into(), &5.into()));
    // Watt's and Stephenson's chain: four binary and two ternary links each.
    assert!(
        found["found"]
            .as_array()
            .expect("chains")
            .iter()
            .all(|chain| chain["links_by_pairs"] == serde_json::json!([4, 2]))
    );
    for number in 1..=2 {
        let file = format!("{chains}/chain_6_1_0_{number}.toml");
        let read = ballesta(["groups", &file, "--json"]).json();
        assert_eq!((&read["mobility"], &read["determined"]), (&1.into(), &true.into()), "{file}");
        let model = folder.path(&format!("model_{number}.toml"));
        assert_eq!(ballesta(["new", "--adjacency", &file, "-o", &model]).code, 0);
        assert_eq!(ballesta(["check", &model]).code, 0);
    }
    let page = ballesta(["groups", "--structural-groups", "2"]).stdout;
    assert!(page.starts_with("1 structural group of 2 moving links, mobility 0, 0 higher pairs\n"), "{page}");
    assert!(ballesta(["groups", "--chains", "10"]).stdout.starts_with("230 closed chains of 10 links, mobility 1"));
    for (arguments, words) in [
        (vec!["groups"], "<MODEL | ADJACENCY>"),
        (vec!["groups", "--chains", "7"], "--chains: no chain of 7 links with 0 higher pairs has the mobility 1"),
        (vec!["groups", "--chains", "40"], "2 to 12 links"),
        (vec!["groups", "--structural-groups", "0"], "2 to 12 links"),
        (vec!["groups", "models/four_bar", "--mobility", "2"], "--chains"),
        (vec!["groups", "models/four_bar", "--chains", "4"], "cannot be used with"),
    ] {
        let answer = ballesta(&arguments);
        assert_eq!(answer.code, 2, "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{arguments:?}: {}", answer.stderr);
    }
}

#[test]
fn circles_have_the_parameters_of_the_groups_and_the_ground_0() {
    let folder = Folder::new("circles");
    let (dot, svg) = (folder.path("out.dot"), folder.path("out.svg"));
    for (subject, titles) in [
        ("models/adjacency/four_bar.toml", &["0", "1 (1, 1)", "2 (2, 0)"][..]),
        ("models/adjacency/epicyclic_cam.toml", &["0", "1 (2, 1)", "2 (1, 0)", "3 (1, 1)"]),
    ] {
        let answer = ballesta(["groups", subject, "--circles", "--dot", &dot, "--svg", &svg]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        let (dot, svg) = (fs::read_to_string(&dot).expect("written"), fs::read_to_string(&svg).expect("written"));
        assert_eq!((svg.matches("<circle").count(), svg.matches("<rect class=\"box").count()), (titles.len(), 0));
        assert!(titles.iter().all(|title| svg.contains(&format!(">{title}<"))), "{svg}");
        assert!(titles.iter().all(|title| dot.contains(&format!("[label=\"{title}\""))), "{dot}");
    }
    let answer = ballesta(["groups", "models/adjacency/four_bar.toml", "--circles"]);
    assert!(answer.code == 2 && answer.stderr.contains("add --svg or --dot"), "{}", answer.stderr);
}

/// Section 1 of the paper: θ₂, θ₃ or x_C, y_C.
#[test]
fn unknowns_and_equations_are_shown_by_coordinates() {
    let answer = ballesta(["groups", "models/adjacency/four_bar.toml", "--coordinates", "--json"]).json();
    let two = serde_json::json!({ "unknowns": 2, "equations": 2 });
    let sizes = &answer["groups"][1]["coordinates"];
    assert_eq!((&sizes["relative"], &sizes["natural"]), (&two, &two));
    assert_eq!(sizes["reference_point"]["unknowns"], 6);
    let page = ballesta(["groups", "models/four_bar", "--coordinates"]).stdout;
    assert!(
        page.contains("Unknowns, equations by coordinates") && page.contains("2, 5      6, 7     18, 21"),
        "{page}"
    );
    let flexible = ballesta(["groups", "models/flexible_four_bar", "--coordinates"]);
    assert!(flexible.code == 2 && flexible.stderr.contains("flexible bodies"), "{}", flexible.stderr);
}
