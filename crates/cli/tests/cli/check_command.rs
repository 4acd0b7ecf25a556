//! `ballesta check`.

use super::*;

#[test]
fn the_four_bar_written_with_spatial_joints_has_three_redundant_equations() {
    let findings = ballesta(["check", "models/four_bar", "--json"]).json();
    for (key, value) in [
        ("dof", 1),
        ("coordinates", 3),
        ("bodies", 3),
        ("joints", 4),
        ("loops", 1),
        ("rods", 0),
        ("constraints", 5),
        ("redundant", 3),
    ] {
        assert_eq!(findings[key], value, "{key} in {findings:#}");
    }
    let groups = findings["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "the solver gives the angle between two rods");
    assert_eq!(
        (&groups[0]["rank"], &groups[0]["equations"], &groups[0]["mobility"]),
        (&2.into(), &5.into(), &1.into())
    );
    assert_eq!(groups[0]["predecessors"], serde_json::json!([0]));
    assert_eq!(findings["model"], "four_bar");
    assert_eq!(findings["cuts"].as_array().unwrap().len(), 1);
    let block = &findings["blocks"][0];
    assert_eq!((&block["equations"], &block["rank"]), (&5.into(), &2.into()));
    assert_eq!(block["independent"].as_array().unwrap().len(), 1);
    assert_eq!(block["redundant"][0]["equations"], 3);
    assert_eq!(block["redundant"][0]["joints"].as_array().unwrap().len(), 4);
    assert_eq!(findings["step"]["evaluations_per_step"], 4);
}

#[test]
fn a_folder_and_its_model_file_are_the_same_model() {
    let folder = ballesta(["check", "models/four_bar"]);
    let file = ballesta(["check", "models/four_bar/model.toml"]);
    assert_eq!((folder.code, &folder.stdout), (0, &file.stdout));
    for words in ["degrees of freedom    1", "3 redundant", "left.angle", "Inputs: none", "rk4"] {
        assert!(folder.stdout.contains(words), "{words} in {}", folder.stdout);
    }
}

#[test]
fn a_wrong_model_ends_with_1_and_every_mistake_with_its_place() {
    let folder = Folder::new("wrong-model");
    let text = RAIL.replace("mass = 2", "mas = 2").replace("type = \"prismatic\"", "type = \"prismatc\"");
    let model = folder.file("model.toml", &text);
    for arguments in [vec!["check", &model], vec!["run", &model], vec!["export", &model]] {
        let answer = ballesta(&arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{}", answer.stderr);
        let lines: Vec<&str> = answer.stderr.lines().collect();
        assert!(lines[0].starts_with(&format!("{model}:19:1: error: ")) && lines[0].contains("`mass`"), "{lines:#?}");
        assert!(lines[1].starts_with(&format!("{model}:24:8: error")) && lines[1].contains("prismatic"), "{lines:#?}");
        assert_eq!(lines[2..], ["2 errors"]);
    }
}

#[test]
fn parameters_can_be_set_within_their_range() {
    let folder = Folder::new("set");
    let model = folder.file("model.toml", RAIL);
    let findings = ballesta(["check", &model, "--json", "--set", "damper.damping=3"]).json();
    assert_eq!(findings["parameters"][0]["name"], "damper.damping");
    for (set, hint) in [
        ("damper.dmping=3", "did you mean `damper.damping`?"),
        ("damper.damping=11", "outside of the range 0 to 10"),
        ("push=1", "no such parameter"),
    ] {
        let answer = ballesta(["check", &model, "--set", set]);
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains(hint), "{}", answer.stderr);
    }
}

#[test]
fn the_topology_can_be_drawn() {
    let folder = Folder::new("topology");
    let svg = folder.path("topology.svg");
    assert_eq!(ballesta(["check", "models/four_bar", "--svg", &svg]).code, 0);
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.contains("<svg") && svg.contains("coupler"), "{svg}");
}

#[test]
fn the_counts_of_a_publication_stand_beside_those_of_the_model() {
    // A floating joint is six joints with five massless bodies between them: chassis and axle; the spherical ones of
    // the tree are three each, the cut ones one. The guided rack is no joint.
    let findings = ballesta(["check", "models/van", "--json"]).json();
    let (published, model) = (&findings["published"]["published"], &findings["published"]["model"]);
    assert_eq!(
        (&published["bodies"], &published["massless_bodies"], &published["joints"]),
        (&43.into(), &17.into(), &47.into())
    );
    assert_eq!(published["jacobian"]["rows"], 28);
    assert_eq!((&model["bodies"], &model["massless_bodies"], &model["joints"]), (&28.into(), &14.into(), &29.into()));
    assert_eq!((&model["dof"], &model["coordinates"], &model["rods"]), (&17.into(), &28.into(), &4.into()));
    assert_eq!((&model["jacobian"]["rows"], &model["jacobian"]["rank"]), (&10.into(), &10.into()));

    let page = ballesta(["check", "models/van"]).stdout;
    let start = page.find("Compared with ").expect("the table");
    let table = page[start..].split("\n\n").next().expect("its end");
    assert_eq!(table, COMPARED_WITH_THE_PAPER, "\n{table}");
    for large in ["models/van/paper.toml", "models/truck/paper.toml"] {
        let findings = ballesta(["check", large, "--json"]).json();
        let (published, model) = (&findings["published"]["published"], &findings["published"]["model"]);
        for key in ["dof", "bodies", "massless_bodies", "joints", "guided"] {
            assert!(published[key].is_u64() && published[key] == model[key], "{large}: {key}");
        }
        for key in ["rows", "columns"] {
            assert!(published["jacobian"][key].is_u64(), "{large}: {key}");
            assert_eq!(published["jacobian"][key], model["jacobian"][key], "{large}: {key}");
        }
    }
    let without = ballesta(["check", "models/four_bar", "--json"]).json();
    assert!(without.get("published").is_none());
}

const COMPARED_WITH_THE_PAPER: &str = "\
Compared with Hidalgo & García de Jalón (2013), section 5.1
                        published  this model
  degrees of freedom    17         17
  bodies                43         28          a tree joint with n coordinates counts as n joints with n − 1 massless bodies
  without mass          17         14
  joints                47         29          includes cut joints, excludes driven joints
  rods                  4          4
  driven coordinates    1          1
  relative coordinates  –          28
  Jacobian              28 × 25    10 × 10     closure equations × dependent coordinates
  its rank              –          10
  redundant equations   3          0
  its density           22 %       28 %        at the start
  by structure          –          34 %        nonzero for every coordinate in the loop of an equation";

#[test]
fn loops_are_those_of_the_topology() {
    let folder = Folder::new("loops");
    let svg = folder.path("topology.svg");
    let mut numbers = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join("models")).unwrap() {
        let model = entry.unwrap().path();
        if !model.join("model.toml").is_file() {
            continue;
        }
        let model = model.display().to_string();
        let loops = ballesta(["check", &model, "--json", "--svg", &svg]).json()["loops"].as_u64().expect("a number");
        let drawn = fs::read_to_string(&svg).unwrap();
        let words = if loops == 1 { "1 independent loop".to_string() } else { format!("{loops} independent loops") };
        assert!(drawn.contains(&words), "{model}: {loops}");
        numbers.push(loops);
    }
    assert!(numbers.len() >= 50 && numbers.iter().any(|loops| *loops > 9) && numbers.contains(&0), "{numbers:?}");
}
