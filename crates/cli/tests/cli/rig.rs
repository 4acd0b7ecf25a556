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
        ("roll centre, rear", figure(&found, 1, None, "roll_centre.height"), 0.40, 0.02),
        ("wheel rate, rear", figure(&found, 1, Some(1), "rate"), 68e3, 1.0),
        ("load, front", figure(&found, 0, Some(0), "load"), 6.80e3, 10.0),
        ("load, rear", figure(&found, 1, Some(0), "load"), 7.91e3, 10.0),
        // The wheel stands in its design position.
        ("radius", found["axles"][0]["wheels"][0]["radius_m"].as_f64().unwrap(), 0.33712, 1e-4),
        ("steering ratio", figure(&found, 0, None, "steering_ratio"), 18.5, 0.2),
        ("wheelbase", found["axles"][0]["wheelbase_m"].as_f64().unwrap(), 3.3, 1e-9),
    ] {
        assert!((value - expected).abs() <= tolerance, "{name}: {value}, expected {expected}");
    }
}

/// Two lower rods and a V above hold an air-sprung axle sideways where the lines of the V meet, 0.25 m above its
/// centre; a leaf spring in its seat, 0.06 m above. The kingpins are inclined by 10 degrees, without caster.
#[test]
fn the_axles_of_the_truck_have_the_figures_of_their_links() {
    let found = ballesta(["rig", "models/truck", "kc", "--fix", "trailer", "--json", "--points", "3"]).json();
    for (axle, above) in [(0, 0.06), (1, 0.25), (2, 0.25), (3, 0.25), (4, 0.25)] {
        let radius = found["axles"][axle]["wheels"][0]["radius_m"].as_f64().unwrap();
        let height = figure(&found, axle, None, "roll_centre.height");
        assert!((height - radius - above).abs() < 1e-5, "axle {axle}: {height}, radius {radius}");
    }
    let degree = std::f64::consts::PI / 180.0;
    // 1.5e6 N/m across each of two leaf springs, and a force on each of two wheels.
    let lateral = &found["axles"][0]["wheels"][0]["compliance"][0];
    assert_eq!((&lateral["load"], &lateral["opposite"]), (&"lateral".into(), &false.into()));
    assert!((lateral["left"].as_f64().unwrap() * 1.5e6 - 1.0).abs() < 1e-6, "{lateral}");
    for wheel in [0, 1] {
        // The beam gives way a little to what the steering does to it.
        assert!((figure(&found, 0, Some(wheel), "inclination") / degree - 10.0).abs() < 0.1);
        assert!((figure(&found, 0, Some(wheel), "caster") / degree).abs() < 0.01);
    }
}

#[test]
fn what_nothing_holds_is_named() {
    let answer = ballesta(["rig", "models/truck", "kc"]);
    assert_eq!(answer.code, 3, "{}", answer.stdout);
    assert!(answer.stderr.contains("`fifth_wheel") && answer.stderr.contains("--fix"), "{}", answer.stderr);
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
        (ballesta(["rig", "models/four_bar", "kc"]), "no [[tyre]]; name the wheel joints"),
        (ballesta(corner.iter().chain(&["--wheel", "left.bearing"]).copied()), "give --radius"),
        (ballesta(corner.iter().chain(&["--wheel", "left.baring"]).copied()), "did you mean `left.bearing`"),
        (ballesta(corner.iter().chain(&["--wheel", "heave", "--radius", "1"]).copied()), "`revolute` joint"),
        (van(&["--fix", "chasis"]), "did you mean `chassis`"),
        (van(&["--without", "axle1.left.dampr"]), "did you mean `axle1.left.damper`"),
        (van(&["--steering", "target_speed"]), "input of a [[guided]] coordinate"),
        (van(&["--travel", "0"]), "greater than 0"),
        (van(&["--points", "2"]), "3..=1001"),
        (van(&["--units"]), "add --csv"),
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
