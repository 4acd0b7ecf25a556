//! `ballesta rig`: what it writes, and what it refuses.

use super::*;

fn figure(found: &Value, axle: usize, wheel: Option<usize>, name: &str) -> f64 {
    let axle = &found["axles"][axle];
    let owner = wheel.map_or(axle, |wheel| &axle["wheels"][wheel]);
    owner["home"][name].as_f64().unwrap_or_else(|| panic!("no figure {name} in {owner}"))
}

/// docs/vehicles/van.md tells them, from the design of the van.
#[test]
fn the_van_has_the_figures_of_its_design() {
    let found = ballesta(["rig", "models/van", "kc", "--json", "--points", "9"]).json();
    let degree = std::f64::consts::PI / 180.0;
    for (name, value, expected, tolerance) in [
        ("roll centre, front", figure(&found, 0, None, "roll_centre.height"), 0.18, 0.005),
        ("toe per bump", figure(&found, 0, Some(0), "toe_gradient") / degree, -5.4, 0.1),
        ("camber per bump", figure(&found, 0, Some(0), "camber_gradient") / degree, -11.0, 0.5),
        ("wheel rate, front", figure(&found, 0, Some(0), "rate"), 51e3, 1e3),
        ("wheel rate, rear", figure(&found, 1, Some(1), "rate"), 68e3, 1.5e3),
        ("steering ratio", figure(&found, 0, None, "steering_ratio"), 18.5, 0.2),
        ("wheelbase", found["axles"][0]["wheelbase_m"].as_f64().unwrap(), 3.3, 1e-9),
    ] {
        assert!((value - expected).abs() <= tolerance, "{name}: {value}, expected {expected}");
    }
}

#[test]
fn a_table_has_a_row_per_point_and_all_figures() {
    let folder = Folder::new("rig_table");
    let csv = folder.path("a.csv");
    let answer = ballesta(["rig", "models/van", "kc", "--points", "4", "--csv", &csv, "--units"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let text = fs::read_to_string(&csv).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let columns = |line: &str| line.split(',').count();
    // Three tests with five points: one is added to an even number.
    assert_eq!(lines.len(), 2 + 3 * 5);
    assert!(lines.iter().all(|line| columns(line) == columns(lines[0])));
    assert!(lines[0].starts_with("time,test,along,axle1.left.height,axle1.left.load"), "{}", lines[0]);
    assert!(lines[1].starts_with("s,1,1,m,N,rad"), "{}", lines[1]);
    assert!(answer.stdout.contains("axle2"), "{}", answer.stdout);
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let van = |more: &[&str]| ballesta(["rig", "models/van", "kc"].iter().chain(more).copied());
    let corner = ["rig", "models/double_wishbone_axle", "kc"];
    for (answer, part) in [
        (ballesta(["rig", "models/four_bar", "kc"]), "no [[tyre]] to take off; name the joints"),
        (ballesta(corner.iter().chain(&["--wheel", "left.bearing"]).copied()), "give --radius"),
        (ballesta(corner.iter().chain(&["--wheel", "left.baring"]).copied()), "did you mean `left.bearing`"),
        (ballesta(corner.iter().chain(&["--wheel", "heave", "--radius", "1"]).copied()), "`revolute` joint"),
        (van(&["--fix", "chasis"]), "did you mean `chassis`"),
        (van(&["--without", "axle1.left.dampr"]), "did you mean `axle1.left.damper`"),
        (van(&["--steering", "target_speed"]), "input that leads a [[guided]] coordinate"),
        (van(&["--travel", "0"]), "greater than 0"),
        (van(&["--points", "2"]), "3..=1001"),
        (van(&["--units"]), "give --csv"),
        (van(&["--set", "nothing=1"]), "--set nothing"),
    ] {
        assert_eq!(answer.code, 2, "{part}: {}", answer.stderr);
        assert!(answer.stderr.contains(part), "{part}: {}", answer.stderr);
    }
}

#[test]
fn a_test_that_cannot_go_on_ends_where_it_is() {
    // Arms of a third of a metre do not swing by a metre.
    let found = ballesta(["rig", "models/van", "kc", "--travel", "1", "--points", "11", "--json"]).json();
    let bump = &found["tests"][0];
    assert!(bump["along"].as_array().unwrap().len() < 11, "{}", bump["along"]);
    assert!(bump["ended"][0].as_str().unwrap().starts_with("before "), "{}", bump["ended"]);
}
