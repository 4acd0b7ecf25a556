//! Solids that touch each other, beside closed formulas: rest, restitution, slopes, rolling, stacks, edges, drops.

use crate::check::Random;
use crate::models;
use crate::verification::support::{Run, compile, models_folder, parse};
use ballesta::analysis::modal;
use ballesta::analysis::stability::explicit_limit;
use ballesta::math::larger;
use ballesta::model::schema::{Integrator, Model};
use ballesta::simulate::Simulator;
use ballesta::system::Workspace;
use std::sync::Arc;

const SCHEMES: [Integrator; 2] = [Integrator::Rk4, Integrator::GeneralizedAlpha];

fn model(file: &str) -> Model {
    let path = models_folder().join("contacts").join(file);
    models::load(&path).model
}

/// A body of 3 kg that floats, with its solid, above the plane z = 0 and whatever `more` says.
fn above_a_plane(solid: &str, z: f64, speed: &str, gravity: [f64; 3], law: &str, more: &str) -> String {
    // That of a cube of 0.2 m; of a sphere of 0.2 m.
    let inertia = if solid.contains("\"box\"") { 0.02 } else { 0.012 };
    format!(
        r#"
        [model]
        name = "drop"
        gravity = {gravity:?}
        step = 5e-4
        [[body]]
        name = "body"
        mass = 3
        com = [0, 0, {z}]
        inertia = [{inertia}, {inertia}, {inertia}, 0, 0, 0]
        [[joint]]
        name = "free"
        type = "floating"
        bodies = ["ground", "body"]
        point = [0, 0, {z}]
        speed = {speed}
        [[solid]]
        name = "floor"
        body = "ground"
        type = "plane"
        point = [0, 0, 0]
        [[solid]]
        name = "solid"
        body = "body"
        {solid}
        [[solid_contact]]
        name = "contact"
        solids = ["solid", "floor"]
        {law}
        {more}
        [[output]]
        name = "x"
        body = "body"
        quantity = "position"
        [[output]]
        name = "v"
        body = "body"
        quantity = "velocity"
        [[output]]
        name = "spin"
        body = "body"
        quantity = "angular_velocity"
        [[output]]
        name = "force"
        contact = "contact"
        quantity = "force"
        [[output]]
        name = "normal"
        contact = "contact"
        quantity = "normal_force"
        [[output]]
        name = "distance"
        contact = "contact"
        quantity = "distance"
        [[output]]
        name = "balance"
        quantity = "energy_balance"
        "#
    )
}

fn with(text: &str, step: f64, integrator: Integrator) -> Model {
    let mut model = parse(text);
    (model.general.step, model.general.integrator) = (step, integrator);
    model
}

const BOX: &str = "type = \"box\"\npoint = [0, 0, 0.1]\nsize = [0.2, 0.2, 0.2]";
const STILL: &str = "[0, 0, 0, 0, 0, 0]";

fn law(stiffness: f64, friction: f64, more: &str) -> String {
    format!("stiffness = {stiffness:e}\nrestitution = 0.3\nfriction = {friction}\ntangential_stiffness = 1e5\n{more}")
}

#[test]
fn a_face_and_a_sphere_leave_with_their_restitution_and_the_error_falls_with_the_step() {
    let sphere = "type = \"sphere\"\npoint = [0, 0, 0.1]\nradius = 0.1";
    for (solid, stiffness, restitution) in [(BOX, 1e7, 0.3), (BOX, 1e7, 0.8), (sphere, 5e8, 0.5), (sphere, 5e8, 1.0)] {
        let law = format!("stiffness = {stiffness:e}\nrestitution = {restitution}\nimpact_speed = 2");
        let solid = solid.replace("0, 0, 0.1", "0, 0, 0.3");
        let text = above_a_plane(&solid, 0.3, "[0, 0, -2, 0, 0, 0]", [0.0; 3], &law, "");
        let errors = [4e-4, 1e-4, 2.5e-5].map(|step| {
            let mut run = Run::new(&with(&text, step, Integrator::Rk4));
            run.advance(0.2);
            (run.get("v.z") / 2.0 - restitution).abs()
        });
        println!("{solid}, restitution {restitution}: errors {errors:?}");
        assert!(errors[0] < 5e-4 && errors[1] < 5e-5 && errors[2] < 2e-6, "{errors:?}");
    }
}

#[test]
fn a_box_sticks_below_the_angle_of_friction_for_a_minute_and_slides_above() {
    let angle = 20f64.to_radians();
    let gravity = [9.81 * angle.sin(), 0.0, -9.81 * angle.cos()];
    for scheme in SCHEMES {
        let text = |friction| above_a_plane(BOX, 0.1, STILL, gravity, &law(1e7, friction, ""), "");
        let mut run = Run::new(&with(&text(1.02 * angle.tan()), 1e-3, scheme));
        run.advance(2.0);
        let at = run.get("x.x");
        run.advance(60.0);
        let (moved, speed) = (run.get("x.x") - at, run.get("v.x"));
        println!("{scheme:?}: {moved:.1e} m in 58 s, {speed:.1e} m/s at the end");
        assert!(moved.abs() < 1e-9 && speed.abs() < 1e-9);
        assert!((run.get("force.x") + 3.0 * gravity[0]).abs() < 1e-6);
        assert!((run.get("normal") + 3.0 * gravity[2]).abs() < 1e-4);
        // The moment of the weight about the floor tilts the box; its middle is as deep as without.
        let depth = -3.0 * gravity[2] / (1e7 * 0.04);
        assert!((0.1 - run.get("x.z") - depth).abs() < 0.02 * depth, "{} {depth}", 0.1 - run.get("x.z"));
        let mut run = Run::new(&with(&text(0.2), 1e-3, scheme));
        run.advance(1.0);
        let v = run.get("v.x");
        run.advance(2.0);
        let (found, expected) = (run.get("v.x") - v, gravity[0] + 0.2 * gravity[2]);
        assert!((found - expected).abs() < 1e-4 * expected, "{found} {expected}");
    }
}

#[test]
fn a_sphere_rolls_with_five_sevenths_less_its_resistance_and_stands_on_gentle_slopes() {
    let sphere = "type = \"sphere\"\npoint = [0, 0, 0.1]\nradius = 0.1";
    let (resistance, inertia) = (2e-3, 0.012);
    for scheme in SCHEMES {
        for degrees in [1f64, 6.0] {
            let gravity = [9.81 * degrees.to_radians().sin(), 0.0, -9.81 * degrees.to_radians().cos()];
            let law = law(1e9, 0.5, &format!("rolling_resistance = {resistance}"));
            let mut run = Run::new(&with(&above_a_plane(sphere, 0.1, STILL, gravity, &law, ""), 5e-4, scheme));
            run.advance(1.0);
            let (x, v) = (run.get("x.x"), run.get("v.x"));
            run.advance(3.0);
            // m a = m g sin − F, J a/R = F R − N r.
            let pull = gravity[0] + gravity[2] * resistance / 0.1;
            let expected = larger(0.0, pull) / (1.0 + inertia / (3.0 * 0.01));
            let (found, moved) = ((run.get("v.x") - v) / 2.0, run.get("x.x") - x);
            println!("{scheme:?}, {degrees}°: {found} m/s² of {expected}, {moved:.1e} m");
            assert!((found - expected).abs() < 5e-3 * expected + 1e-7);
            assert!(pull > 0.0 || moved.abs() < 1e-9);
        }
    }
}

#[test]
fn a_spinning_disc_stops_after_the_time_of_its_friction() {
    // A flat cylinder under even pressure: 2/3 μ N R. J = 3 kg (0.1 m)²/2 would be 0.015.
    let disc = "type = \"cylinder\"\npoint = [0, 0, 0.05]\nradius = 0.1\nlength = 0.1";
    let text = above_a_plane(disc, 0.05, "[0, 0, 0, 0, 0, 20]", [0.0, 0.0, -9.81], &law(1e7, 0.2, ""), "");
    let mut run = Run::new(&with(&text, 5e-4, Integrator::Rk4));
    run.advance(0.1);
    let before = run.get("spin.z");
    run.advance(0.2);
    let (found, expected) = ((before - run.get("spin.z")) / 0.1, 2.0 / 3.0 * 0.2 * 3.0 * 9.81 * 0.1 / 0.012);
    assert!((found / expected - 1.0).abs() < 1e-2, "{found} {expected}");
    run.advance(2.0);
    assert!(run.get("spin.z").abs() < 1e-6, "{}", run.get("spin.z"));
}

#[test]
fn a_stack_stands_for_a_minute_without_creeping() {
    let mut run = Run::new(&{
        let mut model = model("stacked_boxes.toml");
        model.general.step = 1e-3;
        model
    });
    let names = ["box1", "box2", "box3", "box4"];
    let before = run.get("energy_balance");
    run.advance(25.0);
    let places = |run: &Run| names.map(|name| run.vector(&format!("{name}.position")));
    let at = places(&run);
    run.advance(85.0);
    let moved = places(&run).iter().zip(&at).map(|(a, b)| (a - b).norm()).fold(0.0, larger);
    let gained = run.get("energy_balance") - before;
    println!("moved by {moved:.1e} m in 60 s, energy off by {gained:.1e} J");
    assert!(moved < 1e-6 && gained.abs() < 0.02, "{moved:e} {gained:e}");
    assert!(at.iter().enumerate().all(|(k, place)| (place.z - 0.1 - 0.2 * k as f64).abs() < 2e-3), "{at:?}");
    // The sum of magnitudes: where a box stands over the edge of another the force leans by depth over width.
    assert!((run.get("normal_force") - 10.0 * 8.0 * 9.81).abs() < 0.01);
}

#[test]
fn an_edge_on_an_edge_rocks_and_comes_to_rest() {
    let mut run = Run::new(&model("edge_on_edge.toml"));
    let before = run.get("energy_balance");
    run.advance(1.0);
    let rocks = |run: &Run| run.vector("beam.angular_velocity").norm();
    assert!(rocks(&run) > 0.2 && run.get("beam.position.z") > -0.16, "{}", rocks(&run));
    run.advance(12.0);
    let off = run.get("energy_balance") - before;
    println!("{:.2e} rad/s after 12 s, {off:.1e} J, at {}", rocks(&run), run.get("beam.position.z"));
    assert!((run.get("beam.position.z") + 0.15).abs() < 3e-3 && off.abs() < 1e-4, "{off}");
    assert!(rocks(&run) < 1e-6 && (run.get("normal_force") - 5.0 * 9.81).abs() < 0.02, "{}", rocks(&run));
}

#[test]
fn the_last_ball_of_a_cradle_leaves_with_the_speed_of_the_first() {
    let mut run = Run::new(&model("newtons_cradle.toml"));
    let before = run.get("energy_balance");
    run.advance(0.28);
    let speed = run.get("speed1");
    run.advance(0.3);
    let (last, first) = (run.get("speed5"), run.get("speed1"));
    println!("{speed} rad/s before, {first} and {last} after");
    assert!((last / speed - 1.0).abs() < 0.01 && first.abs() < 0.01 * speed.abs());
    run.advance(2.0);
    let off = run.get("energy_balance") - before;
    assert!(off.abs() < 1e-3 * 0.257, "{off:e}");
}

#[test]
fn a_conveyor_carries_with_the_speed_of_its_belt_and_its_work_is_accounted_for() {
    let mut run = Run::new(&model("conveyor.toml"));
    let before = run.get("energy_balance");
    run.advance(1.0);
    assert!((run.get("parcel.velocity.x") - 0.8).abs() < 1e-6);
    // The work of the belt goes into the speed and, as much, into sliding: the balance holds.
    let off = run.get("energy_balance") - before;
    assert!(off.abs() < 4e-3, "{off:e}");
    run.set_input("belt", 0.0);
    run.advance(1.6);
    assert!(run.get("parcel.velocity.x").abs() < 1e-6, "{}", run.get("parcel.velocity.x"));
    run.set_input("belt", 0.8);
    run.advance(8.0);
    let speeds = ["x", "y", "z"].map(|axis| run.get(&format!("parcel.velocity.{axis}")).abs());
    let place = [run.get("parcel.position.x"), run.get("parcel.position.z")];
    println!("parcel at {place:?} with {speeds:?}, ball at {}", run.get("ball.position.x"));
    assert!(speeds.iter().all(|speed| *speed < 1e-4) && place[0] < 1.8 && place[1] > 0.0 && place[1] < 0.3);
}

#[test]
fn a_hull_in_a_corner_of_three_planes_comes_to_rest() {
    let hull = "type = \"hull\"\npoints = [[-0.1, -0.12, 0.5], [0.12, -0.1, 0.52], [0.1, 0.1, 0.49], \
                [-0.1, 0.1, 0.5], [0, 0.02, 0.7], [0.05, 0, 0.34]]";
    let wall = |name: &str, point: &str, axis: &str| {
        let head = format!("[[solid]]\nname = \"{name}\"\nbody = \"ground\"\ntype = \"plane\"");
        format!("{head}\npoint = {point}\naxis = {axis}\n")
    };
    let walls = wall("one", "[0.3, 0, 0]", "[-1, 0, 0]") + &wall("two", "[0, 0.3, 0]", "[0, -1, 0]");
    let text = above_a_plane(hull, 0.5, "[1, 1.5, 0, 2, 0, 1]", [4.0, 4.0, -9.81], &law(2e7, 0.3, ""), &walls)
        .replace("[\"solid\", \"floor\"]", "[\"solid\"]\nothers = [\"floor\", \"one\", \"two\"]");
    let mut run = Run::new(&parse(&text));
    let before = run.get("balance");
    run.advance(6.0);
    let speed = ["x", "y", "z"].map(|axis| run.get(&format!("v.{axis}")).abs()).iter().sum::<f64>();
    println!("{speed:.1e} m/s, {:.1e} J", run.get("balance") - before);
    assert!(speed < 1e-6 && run.get("x.x") < 0.3 && run.get("x.y") < 0.3 && run.get("x.z") > 0.0);
    assert!((run.get("balance") - before).abs() < 0.02);
}

/// How many random drops: more by the environment variable.
fn drops() -> u64 {
    std::env::var("BALLESTA_DROPS").ok().and_then(|number| number.parse().ok()).unwrap_or(200)
}

/// A random solid of 0.1 to 0.3 m about a place.
fn random_solid(random: &mut Random, kind: usize, at: [f64; 3]) -> String {
    let mut size = || 0.1 + 0.1 * (1.0 + random.number());
    let [x, y, z] = at;
    match kind % 5 {
        0 => format!("type = \"box\"\npoint = {at:?}\nsize = [{}, {}, {}]", size(), size(), size()),
        1 => format!("type = \"sphere\"\npoint = {at:?}\nradius = {}", 0.5 * size()),
        2 => format!(
            "type = \"capsule\"\npoint = {at:?}\nlength = {}\nradius = {}\naxis = [1, 0.3, 0]",
            size(),
            0.4 * size()
        ),
        3 => format!(
            "type = \"cylinder\"\npoint = {at:?}\nlength = {}\nradius = {}\naxis = [1, 0, 0.4]",
            size(),
            0.5 * size()
        ),
        _ => {
            let corner = |k: usize, r: f64| {
                let angle = 2.4 * k as f64;
                format!("[{}, {}, {}]", x + r * angle.cos(), y + r * angle.sin(), z + 0.1 * (k as f64 / 3.5 - 1.0))
            };
            let corners: Vec<String> = (0..8).map(|k| corner(k, 0.6 * size())).collect();
            format!("type = \"hull\"\npoints = [{}]", corners.join(", "))
        }
    }
}

#[test]
fn random_solids_that_are_dropped_on_each_other_gain_no_energy_and_do_not_pass_through() {
    let mut worst: f64 = 0.0;
    for seed in 0..drops() {
        let mut random = Random(seed);
        let solid = random_solid(&mut random, seed as usize, [0.0, 0.0, 0.75]);
        let speed: Vec<f64> = (0..6).map(|_| random.number()).collect();
        let under = random_solid(&mut random, seed as usize / 5, [0.04, 0.03, 0.2]);
        let more = format!("[[solid]]\nname = \"under\"\nbody = \"ground\"\n{under}\n");
        let text = above_a_plane(&solid, 0.75, &format!("{speed:?}"), [0.0, 0.0, -9.81], &law(5e7, 0.4, ""), &more)
            .replace("[\"solid\", \"floor\"]", "[\"solid\"]\nothers = [\"floor\", \"under\"]");
        let mut run = Run::new(&with(&text, 1e-4, Integrator::Rk4));
        let before = run.get("balance");
        for time in [0.2, 0.35, 0.5, 0.65] {
            run.advance(time);
            let (z, distance) = (run.get("x.z"), run.get("distance"));
            assert!(z > 0.0 && distance > -0.04, "seed {seed}: at {z}, {distance}\n{text}");
        }
        let gained = (run.get("balance") - before) / (3.0 * 9.81 * 0.75);
        worst = larger(worst, gained);
        assert!(gained < 1e-3, "seed {seed}: gained {gained:e}\n{text}");
    }
    println!("at most {worst:.1e} of the energy of the fall gained in {} drops", drops());
}

#[test]
fn what_moves_by_more_than_half_a_thickness_in_a_step_is_told() {
    let bar = "type = \"box\"\npoint = [0, 0, 0.5]\nsize = [0.2, 0.2, 0.02]";
    let more =
        "[[solid]]\nname = \"plate\"\nbody = \"ground\"\ntype = \"box\"\npoint = [0, 0, 0.2]\nsize = [1, 1, 0.01]\n";
    for (speed, told) in [(-30.0, true), (-1.0, false)] {
        let text = above_a_plane(bar, 0.5, &format!("[0, 0, {speed}, 0, 0, 0]"), [0.0; 3], &law(1e7, 0.0, ""), more)
            .replace("[\"solid\", \"floor\"]", "[\"solid\", \"plate\"]");
        let mut run = Run::new(&with(&text, 1e-3, Integrator::Rk4));
        (1..20).for_each(|k| run.advance(1e-3 * f64::from(k)));
        let simulator = run.simulator();
        let found = simulator.judgement().warning(simulator.system(), true).unwrap_or_default();
        assert_eq!(
            found.contains("contact `contact`") && found.contains("of the thickness of 1.000e-2 m"),
            told,
            "{found}"
        );
    }
}

#[test]
fn a_cylinder_rolls_down_a_slope_with_the_acceleration_of_its_radius_to_the_centre_of_the_patch() {
    let (radius, length, stiffness, mass, inertia) = (0.1f64, 0.2, 1e9, 3.0, 0.012);
    let angle = 5f64.to_radians();
    let gravity = [9.81 * angle.sin(), 0.0, -9.81 * angle.cos()];
    // Of the segment with the half angle a: area, and with both depths the force on the length.
    let force = |a: f64| {
        let area = radius * radius * (a - a.sin() * a.cos());
        let depth = radius * (1.0 - a.cos());
        0.5 * stiffness * length * (area + depth * 2.0 * radius * a.sin())
    };
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if force(middle) < -mass * gravity[2] { low = middle } else { high = middle }
    }
    let arm = 2.0 * radius * low.sin().powi(3) / (3.0 * (low - low.sin() * low.cos()));
    let z = radius * low.cos();
    let law = format!("stiffness = {stiffness:e}\nrestitution = 1\nfriction = 0.5\ntangential_stiffness = 1e5");
    for scheme in SCHEMES {
        // Both ways of seeing it: the floor is a plane, or the upper side of a box.
        for floor in ["type = \"plane\"\npoint = [0, 0, 0]", "type = \"box\"\npoint = [0, 0, -0.5]\nsize = [20, 20, 1]"]
        {
            let solid =
                format!("type = \"cylinder\"\npoint = [0, 0, {z}]\naxis = [0, 1, 0]\nradius = 0.1\nlength = 0.2");
            let text = above_a_plane(&solid, z, STILL, gravity, &law, "")
                .replace("type = \"plane\"\n        point = [0, 0, 0]", floor);
            assert!(text.contains(floor));
            let mut run = Run::new(&with(&text, 2e-4, scheme));
            run.advance(0.5);
            let v = run.get("v.x");
            run.advance(1.5);
            let (found, expected) = (run.get("v.x") - v, gravity[0] / (1.0 + inertia / (mass * arm * arm)));
            println!("{scheme:?}: {found} m/s² of {expected}, {:.1e}", found / expected - 1.0);
            assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
            assert!(run.get("v.y").abs() + run.get("spin.x").abs() + run.get("spin.z").abs() < 1e-9);
        }
    }
}

/// A turn of the world: what its directions become.
type Turn = [[f64; 3]; 3];

const UNTURNED: Turn = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn turned(turn: &Turn, v: [f64; 3]) -> [f64; 3] {
    turn.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// Three perpendicular unit vectors.
fn random_axes(random: &mut Random) -> Turn {
    let mut vector = || ballesta::math::Vec3::new(random.number(), random.number(), random.number()).normalize();
    let x = vector();
    let y = x.cross(&vector()).normalize();
    [x, y, x.cross(&y)].map(|axis| [axis.x, axis.y, axis.z])
}

const KINDS: [&str; 6] = ["plane", "box", "cylinder", "hull", "capsule", "sphere"];

/// A random solid around a place: its text in a turned world, and how far it reaches.
fn drawn(random: &mut Random, kind: &str, at: [f64; 3]) -> (impl Fn(&Turn) -> String + use<>, [f64; 3], f64) {
    let axes = random_axes(random);
    let sizes: [f64; 3] = std::array::from_fn(|_| 0.12 + 0.04 * random.number());
    let corners: Vec<[f64; 3]> = (0..7).map(|_| random_axes(random)[0].map(|x| 0.1 * x)).collect();
    let kind = kind.to_string();
    let reach = match kind.as_str() {
        "plane" => 0.0,
        "box" => sizes.map(|size| 0.25 * size * size).iter().sum::<f64>().sqrt(),
        "cylinder" => (0.25 * sizes[0] * sizes[0] + 0.25 * sizes[1] * sizes[1]).sqrt(),
        "hull" => 0.1,
        "capsule" => 0.5 * (sizes[0] + sizes[1]),
        _ => 0.5 * sizes[0],
    };
    let text = move |turn: &Turn| {
        let place = format!("type = \"{kind}\"\npoint = {:?}\n", turned(turn, at));
        let round = format!("radius = {}\n", 0.5 * sizes[0]);
        let long = format!("{round}length = {}\naxis = {:?}\n", sizes[1], turned(turn, axes[0]));
        match kind.as_str() {
            "plane" => format!("{place}axis = {:?}\n", turned(turn, axes[0])),
            "box" => {
                let [x, y] = [axes[0], axes[1]].map(|axis| turned(turn, axis));
                format!("{place}size = {sizes:?}\nx_axis = {x:?}\ny_axis = {y:?}\n")
            }
            "hull" => {
                let corner = |corner: &[f64; 3]| turned(turn, std::array::from_fn(|k| at[k] + corner[k]));
                format!("type = \"hull\"\npoints = {:?}\n", corners.iter().map(corner).collect::<Vec<_>>())
            }
            "sphere" => place + &round,
            _ => place + &long,
        }
    };
    (text, axes[0], reach)
}

/// Two solids that fly at each other, as the model file of a turned world with the names in an order.
fn meeting(random: &mut Random, kinds: [&str; 2]) -> impl Fn(&Turn, &str) -> String + use<> {
    let (first, axis, reach) = drawn(random, kinds[0], [0.0; 3]);
    let way = if kinds[0] == "plane" { axis } else { random_axes(random)[0] };
    let mut second = random.clone();
    let far = drawn(random, kinds[1], [0.0; 3]).2;
    let at = way.map(|x| x * (0.8 * (reach + far) + 0.005));
    let (second, ..) = drawn(&mut second, kinds[1], at);
    let mut numbers = |size: f64| -> [f64; 3] { std::array::from_fn(|_| size * random.number()) };
    let (spins, aside) = ([numbers(2.0), numbers(6.0)], numbers(0.2));
    move |turn, names| {
        let body = |name: &str, at: [f64; 3], solid: String, v: [f64; 3], spin: [f64; 3]| {
            let at = turned(turn, at);
            let speed = [turned(turn, v), turned(turn, spin)].concat();
            let output = |name: &str, body: &str, quantity: &str| {
                format!("[[output]]\nname = \"{body}.{name}\"\nbody = \"{body}\"\nquantity = \"{quantity}\"\n")
            };
            format!(
                "[[body]]\nname = \"{name}\"\nmass = 1.3\ncom = {at:?}\ninertia = [0.004, 0.004, 0.004, 0, 0, 0]\n\
                 [[joint]]\nname = \"{name}\"\ntype = \"floating\"\nbodies = [\"ground\", \"{name}\"]\npoint = {at:?}\n\
                 speed = {speed:?}\n[[solid]]\nname = \"{name}\"\nbody = \"{name}\"\n{solid}{}{}",
                output("x", name, "position"),
                output("v", name, "velocity"),
            )
        };
        let v = std::array::from_fn(|k| aside[k] - 2.0 * way[k]);
        format!(
            "[model]\nname = \"pair\"\ngravity = [0, 0, 0]\nstep = 1e-4\n{}{}[[solid_contact]]\nname = \"contact\"\n\
             solids = {names}\nstiffness = 3e7\nrestitution = 0.5\nfriction = 0.4\ntangential_stiffness = 4e4\n\
             time = 1e-3\nrolling_resistance = 1e-3\nspinning_resistance = 1e-3\n\
             [[output]]\nname = \"normal\"\ncontact = \"contact\"\nquantity = \"normal_force\"\n\
             [[output]]\nname = \"balance\"\nquantity = \"energy_balance\"\n",
            body("one", [0.0; 3], first(turn), [0.0; 3], spins[0]),
            body("two", at, second(turn), v, spins[1]),
        )
    }
}

#[test]
fn neither_the_order_of_names_nor_a_turn_of_the_world_changes_the_motion_of_any_pair_of_shapes() {
    let pairs = (0..6).flat_map(|a| (a..6).map(move |b| [KINDS[a], KINDS[b]])).skip(1);
    let poses = std::env::var("BALLESTA_POSES").ok().and_then(|number| number.parse().ok()).unwrap_or(2u64);
    let mut count = 0;
    for kinds in pairs {
        let (mut touched, mut swapped, mut in_turned, mut balance): (_, f64, f64, f64) = (0, 0.0, 0.0, 0.0);
        for seed in 0..poses {
            let mut random = Random(100 * count + seed);
            let turn = random_axes(&mut random);
            let model = meeting(&mut random, kinds);
            let after = |turn: &Turn, names: &str| {
                let mut run = Run::new(&parse(&model(turn, names)));
                let (before, mut normal) = (run.get("balance"), 0.0);
                // Until the contact has pushed for some time: later a small difference has grown.
                for k in 1..60 {
                    run.advance(1e-3 * f64::from(k));
                    normal += run.get("normal");
                    if normal > 400.0 {
                        break;
                    }
                }
                let vector = |name: &str| ["x", "y", "z"].map(|axis| run.get(&format!("{name}.{axis}")));
                let vectors = ["one.x", "one.v", "two.x", "two.v"].map(vector);
                (vectors, (run.get("balance") - before).abs(), normal)
            };
            let (vectors, off, normal) = after(&UNTURNED, "[\"one\", \"two\"]");
            let (mirrored, ..) = after(&UNTURNED, "[\"two\", \"one\"]");
            let (seen, ..) = after(&turn, "[\"one\", \"two\"]");
            let apart = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, larger);
            for k in 0..4 {
                swapped = larger(swapped, apart(&vectors[k], &mirrored[k]));
                in_turned = larger(in_turned, apart(&turned(&turn, vectors[k]), &seen[k]));
            }
            balance = larger(balance, off);
            touched += u64::from(normal > 0.0);
        }
        println!("{kinds:?}: {touched} touch; names {swapped:.1e}, turn {in_turned:.1e}, balance {balance:.1e} J");
        assert!(touched > 0 && swapped < 1e-9 && in_turned < 1e-9, "{kinds:?}: {swapped:e} {in_turned:e}");
        count += 1;
    }
    assert_eq!(count, 20);
}

/// Two equal solids, one on the other by 1 mm, whose sides are flush, as the model file of a turned world.
fn flush(kind: &str, turn: &Turn) -> String {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| turned(turn, axis));
    let solid = |name: &str, body: &str, height: f64| {
        let place = turned(turn, [0.0, 0.0, height]);
        let form = match kind {
            "box" => format!("x_axis = {x:?}\ny_axis = {y:?}\nsize = [0.2, 0.15, 0.18]"),
            _ => format!("axis = {z:?}\nradius = 0.1\nlength = 0.18"),
        };
        format!("[[solid]]\nname = \"{name}\"\nbody = \"{body}\"\ntype = \"{kind}\"\npoint = {place:?}\n{form}\n")
    };
    let com = turned(turn, [0.0, 0.0, 0.179]);
    format!(
        "[model]\nname = \"flush\"\nstep = 1e-5\n[[body]]\nname = \"b\"\nmass = 1\ncom = {com:?}\ninertia = [0.01, \
         0.01, 0.01, 0, 0, 0]\n[[joint]]\nname = \"j\"\ntype = \"floating\"\nbodies = [\"ground\", \"b\"]\n{}{}\
         [[solid_contact]]\nname = \"c\"\nsolids = [\"lower\", \"upper\"]\nstiffness = 2e6\nrestitution = 0.2\n\
         friction = 0.3\ntangential_stiffness = 2e4\n",
        solid("lower", "ground", 0.0),
        solid("upper", "b", 0.179),
    )
}

#[test]
fn a_turn_of_the_world_does_not_change_the_stable_step_of_solids_with_flush_sides() {
    let mut random = Random(11);
    for kind in ["box", "cylinder"] {
        let limit = |turn: &Turn| {
            let system = compile(&parse(&flush(kind, turn)));
            let state = Simulator::new(Arc::new(compile(&parse(&flush(kind, turn))))).state().clone();
            explicit_limit(&system, &state, &mut Workspace::new(&system)).unwrap().step
        };
        let upright = limit(&UNTURNED);
        let mut most = 0.0;
        for _ in 0..60 {
            most = larger(most, (limit(&random_axes(&mut random)) / upright - 1.0).abs());
        }
        println!("{kind}: a step of {upright:.2e} s is stable, changed by at most {most:.1e} of it");
        assert!(most < 1e-2, "{kind}: {most}");
    }
}

#[test]
fn a_linear_model_of_a_sphere_holds_only_what_friction_holds() {
    // Vertical; with friction also sliding along and across and drilling, each against the spring of the contact.
    for (law, oscillations) in
        [("friction = 0.0", 1), ("friction = 0.5", 4), ("friction = 0.5\nrolling_resistance = 1e-4", 6)]
    {
        let law = format!("stiffness = 2e6\nrestitution = 1.0\ntangential_stiffness = 1e5\n{law}");
        let solid = "type = \"sphere\"\npoint = [0, 0, 0.1]\nradius = 0.1";
        let text = above_a_plane(solid, 0.1, "[0, 0, 0, 0, 0, 0]", [0.0, 0.0, -9.81], &law, "");
        let mut simulator = Simulator::new(Arc::new(compile(&parse(&text))));
        simulator.initialize(0.0).unwrap();
        simulator.trim().unwrap_or_else(|error| panic!("{law}: {error}"));
        let modes = modal::modes(&simulator.linearize().unwrap()).unwrap().modes;
        let found: Vec<f64> = modes.iter().filter(|mode| mode.oscillates()).map(|mode| mode.frequency_hz()).collect();
        println!("{law}: {found:?} Hz");
        assert_eq!(found.iter().filter(|frequency| **frequency > 0.01).count(), oscillations, "{law}: {found:?}");
    }
}
