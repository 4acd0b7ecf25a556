//! Mirrored steering, road and vehicle give the mirrored motion.

use super::energy::Manoeuvre;
use super::*;
use crate::check::larger;

/// Largest difference that mirrored runs may have: m, rad, m/s, rad/s.
const EQUAL: f64 = 1e-9;

/// What is compared: outputs with the sign that they get in the mirror. `left` and `right` are swapped where `swap`.
fn compare(right: &Vehicle, left: &Vehicle, body: &str, swap: bool) -> f64 {
    let signs =
        [(".position", [1.0, -1.0, 1.0]), (".velocity", [1.0, -1.0, 1.0]), (".angular_velocity", [-1.0, 1.0, -1.0])];
    let mut largest = 0.0f64;
    for (quantity, signs) in signs {
        let (a, b) = (right.vector(&format!("{body}{quantity}")), left.vector(&format!("{body}{quantity}")));
        for k in 0..3 {
            largest = larger(largest, (a[k] - signs[k] * b[k]).abs());
        }
    }
    for tyre in &right.model.tyres {
        let other = match tyre.name.contains(".left.") {
            _ if !swap => tyre.name.clone(),
            true => tyre.name.replace(".left.", ".right."),
            false => tyre.name.replace(".right.", ".left."),
        };
        for (quantity, sign) in
            [("deflection", 1.0), ("longitudinal_slip", 1.0), ("slip_angle", -1.0), ("camber", -1.0)]
        {
            let (a, b) = (right.get(&format!("{}.{quantity}", tyre.name)), left.get(&format!("{other}.{quantity}")));
            largest = larger(largest, (a - sign * b).abs());
        }
    }
    largest
}

/// Largest difference of two vehicles, each with its own manoeuvre.
fn difference(documents: [&Document; 2], inputs: [Manoeuvre; 2], stop: f64, swap: bool) -> f64 {
    let mut vehicles = documents.map(|document| Vehicle::new(document, inputs[0].speed(), 1e-3, &[]));
    let mut largest = 0.0f64;
    let mut moved = 0.0f64;
    let mut time = 0.0;
    while time < stop {
        time += 0.5;
        for (vehicle, inputs) in vehicles.iter_mut().zip(&inputs) {
            inputs.drive(vehicle, time, |_| ());
        }
        largest = larger(largest, compare(&vehicles[0], &vehicles[1], "chassis", swap));
        moved = larger(moved, vehicles[0].get("chassis.position.y").abs());
    }
    assert!(moved > 1.0, "the van went straight");
    largest
}

#[test]
fn steering_the_other_way_mirrors_the_motion_of_the_van() {
    let plain = document("van", &text("van", "model.toml"));
    for manoeuvre in ["step_steer", "double_lane_change"] {
        let inputs = [Manoeuvre::read("van", manoeuvre), Manoeuvre::read("van", manoeuvre).mirrored()];
        let found = difference([&plain, &plain], inputs, 5.0, true);
        println!("van, {manoeuvre} to the other side: {found:.1e} from the mirrored motion");
        assert!(found <= EQUAL, "{manoeuvre}");
    }
}

#[test]
fn a_mirrored_van_loaded_on_one_side_on_a_mirrored_road_drives_the_mirrored_path() {
    // From the symmetric trim on: a load on one side, a bump under the wheels of one side, a slippery strip under the
    // others.
    let make = |side: f64| {
        let strip = |from: f64, to: f64| if side > 0.0 { [from, to] } else { [-to, -from] };
        let ([a, b], [c, d]) = (strip(0.2, 1.6), strip(-1.5, 0.0));
        let road = format!(
            "[[road]]\nname = \"road\"\n[[road.bump]]\nkind = \"sinusoidal\"\nstart = 30\nlength = 4\nheight = 0.05\n\
             y = [{a}, {b}]\n[[road.patch]]\nx = [10, 2000]\ny = [{c}, {d}]\nfriction = 0.6\n"
        );
        let load = format!(
            "\n[[input]]\nname = \"load\"\n[[force]]\nname = \"load\"\nbody = \"chassis\"\npoint = [-2.5, {y}, 1.1]\n\
             value = [0, 0, \"load\"]\n",
            y = 0.5 * side
        );
        let mirror = if side > 0.0 { "" } else { "\nmirror = \"y\"" };
        let text = text("van", "model.toml");
        let text = text.replacen("[[road]]\nname = \"road\"\n", &road, 1);
        let text = text.replacen("file = \"parts/van.toml\"", &format!("file = \"parts/van.toml\"{mirror}"), 1);
        document("van", &(text + &load))
    };
    // Guided coordinates are mirrored with the van: the same inputs steer to the other side.
    let inputs = || Manoeuvre::read("van", "step_steer").with("load", |t| -2000.0 * t.min(1.0));
    let found = difference([&make(1.0), &make(-1.0)], [inputs(), inputs()], 4.0, false);
    println!("mirrored van on a mirrored road: {found:.1e} from the mirrored motion");
    assert!(found <= EQUAL);
}
