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
            "Group 3 is over-constrained: 1 equation too many for coupler; free a pair or take away an input",
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
    assert!(page.contains("1 input for the mobility 1: every link follows with 7 of 7 choices"), "{page}");
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
        (
            vec!["groups", chain, "--graph", &picture],
            "a picture is .svg or .png by the ending of its name; a graph may be .dot too",
        ),
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
        answer.code == 0 && answer.stdout.contains("every link follows with 1 of 1 choice"),
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
    for name in ["four_bar", "epicyclic_cam"] {
        let folder = Folder::new(name);
        let svg = folder.path("out.svg");
        assert_eq!(ballesta(["groups", &format!("models/adjacency/{name}.toml"), "--graph", &svg]).code, 0);
        let drawn = fs::read_to_string(&svg).expect("written");
        let kept = Path::new(ROOT).join(format!("docs/pictures/graph_{name}.svg"));
        if std::env::var_os("BALLESTA_REWRITE").is_some() {
            fs::write(&kept, &drawn).expect("writable");
        }
        assert!(fs::read_to_string(&kept).unwrap_or_default() == drawn, "{} is not current", kept.display());
    }
}
