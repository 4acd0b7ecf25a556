//! Outputs are continuous: quaternions in sign, angles beyond a full turn; and say in which axes they are.

use crate::verification::support::{Run, parse};
use ballesta::model::schema::Model;
use std::f64::consts::TAU;

/// A body that tumbles freely, with a wheel, a knee and a ball on it, all turning many times.
fn tumbling() -> Model {
    parse(
        r#"
        [model]
        name = "tumbling"
        step = 1e-3
        [[body]]
        name = "a"
        mass = 1
        com = [0, 0, 0]
        inertia = [0.01, 0.02, 0.025, 0, 0, 0]
        [[body]]
        name = "b"
        mass = 0.5
        com = [0.3, 0, 0]
        inertia = [0.003, 0.002, 0.004, 0, 0, 0]
        [[body]]
        name = "c"
        mass = 0.2
        com = [0.3, 0.2, 0]
        inertia = [0.001, 0.001, 0.001, 0, 0, 0]
        [[body]]
        name = "d"
        mass = 0.1
        com = [0.5, 0.2, 0]
        inertia = [0.001, 0.001, 0.001, 0, 0, 0]
        [[joint]]
        name = "free"
        type = "floating"
        bodies = ["ground", "a"]
        speed = [0, 0, 0, 5, 3, 4]
        [[joint]]
        name = "wheel"
        type = "revolute"
        bodies = ["b", "a"]
        point = [0.2, 0, 0]
        axis = [1, 2, 0.5]
        speed = 12
        [[joint]]
        name = "knee"
        type = "universal"
        bodies = ["b", "c"]
        point = [0.3, 0.1, 0]
        axis = [1, 0, 0]
        second_axis = [0, 1, 0]
        speed = [8, -0.5]
        [[joint]]
        name = "ball"
        type = "spherical"
        bodies = ["c", "d"]
        point = [0.4, 0.2, 0]
        speed = [2, 9, -7]
        [[output]]
        name = "a"
        quantity = "rotation"
        body = "a"
        [[output]]
        name = "b"
        quantity = "rotation"
        body = "b"
        [[output]]
        name = "c"
        quantity = "rotation"
        body = "c"
        [[output]]
        name = "d"
        quantity = "rotation"
        body = "d"
        [[output]]
        name = "wd"
        quantity = "angular_velocity"
        body = "d"
        "#,
    )
}

#[test]
fn quaternions_move_by_half_the_rotation_and_never_jump_in_sign() {
    let mut run = Run::new(&tumbling());
    let names = ["a", "b", "c", "d"];
    let mut last = names.map(|name| run.quaternion(name));
    let (mut worst, mut turned) = (0.0, [false; 4]);
    for k in 1..=3000 {
        run.advance(f64::from(k) * 1e-3);
        for (body, name) in names.iter().enumerate() {
            let now = run.quaternion(name);
            let step: f64 = now.iter().zip(&last[body]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            assert!(step.is_finite() && (now.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-9);
            if step > worst {
                worst = step;
            }
            turned[body] |= now[0] < -0.5;
            last[body] = now;
        }
    }
    println!("quaternions: at most {worst:.3} in a step of 1 ms");
    // Half of 60 rad/s · 1 ms; a jump would be 2.
    assert!(worst < 0.03, "{worst}");
    assert_eq!(turned, [true; 4], "the test turns beyond a full turn");
}

/// A disc that turns about z at a steady rate, free in space.
fn disc(integrator: &str) -> Model {
    parse(&format!(
        r#"
        [model]
        name = "disc"
        step = 1e-3
        integrator = "{integrator}"
        [[body]]
        name = "disc"
        mass = 1
        com = [0, 0, 0]
        inertia = [0.01, 0.01, 0.02, 0, 0, 0]
        [[joint]]
        name = "free"
        type = "floating"
        bodies = ["ground", "disc"]
        speed = [0, 0, 0, 0, 0, -7]
        [[output]]
        name = "attitude"
        quantity = "angles"
        body = "disc"
        [[output]]
        name = "relative"
        quantity = "angles"
        joint = "free"
        [[output]]
        name = "only"
        quantity = "angles"
        component = "z"
        body = "disc"
        "#
    ))
}

#[test]
fn yaw_counts_on_after_full_turns_and_belongs_to_the_state() {
    for integrator in ["rk4", "heun", "semi_implicit_euler", "generalized_alpha"] {
        let mut run = Run::new(&disc(integrator));
        let names = ["attitude.yaw", "relative.yaw", "only"];
        let mut saved = None;
        for k in 1..=100 {
            let time = f64::from(k) * 0.05;
            run.advance(time);
            for name in names {
                // A quaternion that is moved along its rate lags by (h ω)³/12 per step.
                assert!((run.get(name) + 7.0 * time).abs() < 1e-3, "{integrator}: {name} at {time}: {}", run.get(name));
            }
            assert!(run.get("attitude.roll").abs() < 1e-9 && run.get("attitude.pitch").abs() < 1e-9);
            if k == 60 {
                saved = Some((run.simulator().state().to_bytes(), run.get("attitude.yaw")));
            }
        }
        // A state that was saved three turns on comes back with its turns.
        let (bytes, yaw) = saved.expect("saved");
        assert!(yaw < -3.0 * TAU);
        let mut other = Run::new(&disc(integrator));
        let mut state = other.simulator().state().clone();
        assert!(state.copy_from_bytes(&bytes, other.simulator().system()));
        other.simulator().set_state(&state);
        other.refresh();
        assert_eq!(other.get("attitude.yaw").to_bits(), yaw.to_bits());
    }
}

#[test]
fn every_output_with_several_numbers_says_its_axes_and_reactions_say_what_they_include() {
    let mut model = disc("rk4");
    let more = parse(
        r#"
        [model]
        name = "m"
        [[body]]
        name = "disc"
        mass = 1
        com = [0, 0, 0]
        inertia = [0.01, 0.01, 0.02, 0, 0, 0]
        [[joint]]
        name = "free"
        type = "revolute"
        axis = [0, 0, 1]
        point = [0, 0, 0]
        bodies = ["ground", "disc"]
        [[output]]
        name = "force"
        quantity = "reaction_force"
        joint = "free"
        description = "Load of the bearing."
        [[output]]
        name = "moment"
        quantity = "reaction_moment"
        joint = "free"
        axes = "body"
        [[output]]
        name = "velocity"
        quantity = "velocity"
        body = "disc"
        [[output]]
        name = "rotation"
        quantity = "rotation"
        body = "disc"
        [[output]]
        name = "angle"
        quantity = "position"
        joint = "free"
        "#,
    );
    let description = |model: &Model, name: &str| {
        let system = crate::verification::support::compile(model);
        let found = system.interface().outputs.iter().find(|output| output.name == name).map(|o| o.description.clone());
        found.unwrap_or_else(|| panic!("{name}"))
    };
    model.general.name = "disc".into();
    assert_eq!(
        description(&model, "relative.yaw"),
        "yaw: Angles of `free`, of `disc` relative to the axes of `ground`; roll and yaw continue beyond a full turn"
    );
    assert_eq!(
        description(&more, "force.x"),
        "x: Load of the bearing; on `disc`, including drives, springs, friction and prescribed motions of the \
         joint, in world axes"
    );
    assert_eq!(
        description(&more, "moment.y"),
        "y: Reaction moment of `free`, on `disc` about the joint's point on it, including drives, springs, friction \
         and prescribed motions of the joint, in the axes of `disc`"
    );
    assert_eq!(description(&more, "velocity.z"), "z: Velocity of `disc`, in world axes");
    assert_eq!(
        description(&more, "rotation.w"),
        "w: Rotation of `disc`, transforms the axes of `disc` to world axes, continuous in sign"
    );
    assert_eq!(description(&more, "angle"), "Position of `free`");
}
