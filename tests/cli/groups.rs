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

/// `BALLESTA_REWRITE=1 cargo test --test cli` brings them up to date.
#[test]
fn the_page_about_groups_shows_what_the_program_prints_and_draws() {
    assert!(help::compare_blocks("docs/groups.md").len() >= 5);
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
}
