//! Messages and exit codes for results: converging, too coarse, sensitive and non-smooth motions; energy errors of the
//! step and of the formulation.

use super::*;

/// A double pendulum in the plane, held out horizontally: chaotic in the long run.
const DOUBLE_PENDULUM: &str = concat!(
    include_str!("../../../../tests/fragments/double_pendulum.toml"),
    r#"
[model]
name = "double_pendulum"
gravity = [0, 0, -9.81]
step = 4e-3

[experiment]
stop = 2
step = 0.02

[[output]]
name = "shoulder.angle"
joint = "shoulder"
quantity = "position"
"#
);

/// A pendulum of large amplitude: never chaotic, but its errors grow with time.
const PENDULUM: &str = r#"
[model]
name = "pendulum"
gravity = [0, 0, -9.81]
step = 0.05
[experiment]
stop = 60
step = 0.05
[[body]]
name = "bob"
mass = 1
com = [1, 0, 0.5]
inertia = [0, 0.01, 0.01, 0, 0, 0]
[[joint]]
name = "pivot"
type = "revolute"
bodies = ["ground", "bob"]
axis = [0, 1, 0]
point = [0, 0, 0]
[[output]]
name = "angle"
joint = "pivot"
quantity = "position"
"#;

/// A five-bar under gravity, swung by a spring. Its own scheme converges within 4 s. A change of the start grows so
/// fast that a scheme of order 2 is off by a fraction of the size of the mechanism.
fn five_bar() -> String {
    let mut text = String::from(
        "[model]\nname = \"five_bar\"\ngravity = [0, -9.81, 0]\nstep = 1e-3\n[experiment]\nstop = 4\nstep = 0.01\n",
    );
    let bodies = [
        ("left", 0.5, [-0.05, 0.1], [0.002, 0.0005, 0.0025]),
        ("left_rod", 0.4, [0.0, 0.325], [0.002, 0.0012, 0.0032]),
        ("right_rod", 0.4, [0.2, 0.325], [0.002, 0.0012, 0.0032]),
        ("right", 0.5, [0.25, 0.1], [0.002, 0.0005, 0.0025]),
    ];
    for (name, mass, [x, y], [a, b, c]) in bodies {
        text += &format!(
            "[[body]]\nname = \"{name}\"\nmass = {mass}\ncom = [{x}, {y}, 0]\ninertia = [{a}, {b}, {c}, 0, 0, 0]\n"
        );
    }
    let joints = [
        ("A", "ground", "left", [0.0, 0.0]),
        ("B", "left", "left_rod", [-0.1, 0.2]),
        ("P", "left_rod", "right_rod", [0.1, 0.45]),
        ("D", "right_rod", "right", [0.3, 0.2]),
        ("E", "ground", "right", [0.2, 0.0]),
    ];
    for (name, first, second, [x, y]) in joints {
        text += &format!(
            "[[joint]]\nname = \"{name}\"\ntype = \"revolute\"\nbodies = [\"{first}\", \"{second}\"]\n\
             point = [{x}, {y}, 0]\naxis = [0, 0, 1]\n"
        );
    }
    text + "[[spring]]\nname = \"spring\"\nbodies = [\"ground\", \"right\"]\npoints = [[0.6, 0.3, 0], [0.3, 0.2, 0]]\n\
            stiffness = 400\ndamping = 5\n[[output]]\nname = \"P\"\nbody = \"left_rod\"\npoint = [0.1, 0.45, 0]\n\
            quantity = \"position\"\n"
}

#[test]
fn verify_separates_right_coarse_sensitive_and_regular_motions() {
    let folder = Folder::new("verdicts");
    let (double, single) = (folder.file("double.toml", DOUBLE_PENDULUM), folder.file("single.toml", PENDULUM));
    let five_bar = folder.file("five_bar.toml", &five_bar());
    // Arguments, exit code, whether the motion is sensitive, and what a failure says.
    let cases: [(&[&str], i32, bool, &str); 7] = [
        (&[&double], 0, false, ""),
        (&[&double, "--internal-step", "0.02", "--tolerance", "1e-8"], 3, false, "tolerance"),
        (&[&double, "--internal-step", "0.02", "--stop", "60", "--one-integrator"], 3, true, "does not converge"),
        (&[&five_bar], 3, true, "difference between"),
        (&[&single, "--one-integrator"], 3, false, "tolerance"),
        (&[&single, "--tolerance", "1e-7"], 3, false, "difference between"),
        (&["models/stick_slip", "--stop", "0.5"], 3, false, "does not converge"),
    ];
    for (arguments, code, sensitive, said) in cases {
        let answer = ballesta(["verify"].iter().chain(arguments).chain(&["--json"]));
        assert_eq!(answer.code, code, "{arguments:?}: {}", answer.stderr);
        let findings: Value = serde_json::from_str(&answer.stdout).unwrap();
        println!("{arguments:?}: {code}, {} {}", findings["sensitive"], findings["failures"]);
        assert_eq!(findings["converges"], code == 0, "{arguments:?}");
        assert_eq!(!findings["sensitive"].is_null(), sensitive, "{arguments:?}: {}", findings["sensitive"]);
        assert_eq!(answer.stderr.contains("the motion is sensitive (chaotic)"), sensitive, "{}", answer.stderr);
        assert!(answer.stderr.contains(said), "{arguments:?}: {}", answer.stderr);
    }
    let answer = ballesta(["verify", &five_bar]);
    assert!(answer.stdout.contains("\nNot verified: the motion is sensitive (chaotic)"), "{}", answer.stdout);
}

#[test]
fn a_tenth_of_the_energy_lost_by_the_step_ends_with_3_and_keeps_the_data() {
    let folder = Folder::new("wrong");
    let model = folder.file("model.toml", DOUBLE_PENDULUM);
    let csv = folder.path("out.csv");
    // The step loses 14 % of the energy exchanged, and 0.2 % with half of it.
    let run = |step: &str, stop: &str| {
        ballesta(["run", &model, "--internal-step", step, "--step", step, "--stop", stop, "--csv", &csv, "--json"])
    };
    let wrong = run("0.2", "10");
    assert_eq!(wrong.code, 3, "{}", wrong.stderr);
    assert!(wrong.stderr.contains("including numerical damping: use a shorter step"), "{}", wrong.stderr);
    assert!(!wrong.stderr.contains("--strict"), "{}", wrong.stderr);
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 52, "what was computed is kept");
    let findings: Value = serde_json::from_str(&wrong.stdout).unwrap();
    assert_eq!(findings["judgement"]["energy_cause"], "step");
    assert_eq!(run("0.1", "2").code, 0);
}

#[test]
fn what_a_formulation_leaves_out_is_computed_and_warned_of_and_no_fault_of_the_step() {
    for (model, change) in [("models/spinup_beam/model_1.toml", 10.23), ("models/spinup_beam/model_2.toml", 12.01)] {
        for step in ["1e-3", "1e-2"] {
            let answer = ballesta(["run", model, "--strict", "--internal-step", step, "--json"]);
            let findings: Value = serde_json::from_str(&answer.stdout).unwrap();
            let judgement = &findings["judgement"];
            assert_eq!((judgement["energy_cause"].as_str(), answer.code), (Some("formulation"), 3), "{judgement}");
            let of = |key: &str| judgement[key].as_f64().unwrap();
            let (found, left_out) = (of("energy_change_j"), of("energy_left_out_j"));
            // The limit is that of every other cause.
            assert!(found > 1e-3 * of("energy_exchanged_j"), "{judgement}");
            assert!(answer.stderr.contains("(limit 1e-3)"), "{}", answer.stderr);
            assert!(answer.stderr.contains("the error of the flexible body's formulation"), "{}", answer.stderr);
            if step == "1e-3" {
                assert!((found / change - 1.0).abs() < 1e-2, "{judgement}");
                assert!((found - left_out).abs() < 1e-2, "what is left is not the step's: {judgement}");
            }
        }
    }
    // A formulation that leaves nothing out is not named, whatever its name is.
    let answer = ballesta(["run", "models/spinup_beam/model_3.toml", "--json"]);
    let judgement = &answer.json()["judgement"];
    assert_eq!(judgement["energy_left_out_j"], 0.0, "{judgement}");
    assert!(judgement["energy_cause"].is_null() && judgement["outcome"] == "good", "{judgement}");
}

#[test]
fn numerical_damping_is_named_where_the_energy_stays_without_it() {
    // A spring of 1 kHz that rings at a step of 10 ms: half of the step does not resolve it either.
    let folder = Folder::new("damped");
    let model = |radius: &str| {
        format!(
            "[model]\nname = \"ring\"\nstep = 1e-2\nintegrator = \"generalized_alpha\"\n{radius}[experiment]\n\
             stop = 1\n[[body]]\nname = \"mass\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1, 0, 0, 0]\n\
             [[joint]]\nname = \"slide\"\ntype = \"prismatic\"\nbodies = [\"ground\", \"mass\"]\npoint = [0, 0, 0]\naxis = [1, 0, \
             0]\nspeed = 1\n[[joint_spring]]\nname = \"s\"\njoint = \"slide\"\nstiffness = 4e7\n"
        )
    };
    for (radius, cause) in [("", Some("numerical_damping")), ("spectral_radius = 1\n", None)] {
        let answer = ballesta(["run", &folder.file("model.toml", &model(radius)), "--json"]);
        assert_eq!(answer.json()["judgement"]["energy_cause"].as_str(), cause, "{radius}: {}", answer.stdout);
    }
}

#[test]
fn stiff_springs_name_the_implicit_integrator() {
    let folder = Folder::new("stiff");
    for stiffness in [1e8, 1e9, 1e18] {
        let model = PENDULUM.replace("step = 0.05\n[exp", "step = 1e-3\n[exp")
            + &format!("[[joint_spring]]\nname = \"s\"\njoint = \"pivot\"\nstiffness = {stiffness:e}\n");
        let answer = ballesta(["run", &folder.file("model.toml", &model)]);
        assert_eq!(answer.code, 1, "{}", answer.stderr);
        assert!(answer.stderr.contains("`integrator = \"generalized_alpha\"`"), "{}", answer.stderr);
        assert!(!answer.stderr.contains("0.000e0"), "{}", answer.stderr);
        // At 1e18 N m/rad the energy of the spring is round-off of the angle.
        if stiffness > 1e9 {
            continue;
        }
        let implicit = model.replace("step = 1e-3", "step = 1e-3\nintegrator = \"generalized_alpha\"");
        let answer = ballesta(["run", &folder.file("implicit.toml", &implicit), "--stop", "0.1", "--quiet"]);
        assert_eq!(answer.code, 0, "{stiffness:e}: {}", answer.stderr);
    }
}

/// A ball of 4 mm that flies at 100 m/s through a plate of 4 mm: no end of a step of h, h/2 or h/4 is inside.
const TUNNEL: &str = r#"
[model]
name = "tunnel"
step = 1e-3
[experiment]
stop = 0.03
step = 1e-3
[[body]]
name = "ball"
mass = 0.01
com = [0, 0, 0]
inertia = [1e-6, 1e-6, 1e-6, 0, 0, 0]
[[joint]]
name = "ball"
type = "floating"
bodies = ["ground", "ball"]
speed = [100, 0, 0, 0, 0, 0]
[[solid]]
name = "ball"
body = "ball"
type = "sphere"
point = [0, 0, 0]
radius = 0.002
[[solid]]
name = "plate"
body = "ground"
type = "box"
point = [1.012, 0, 0]
size = [0.004, 1, 1]
[[solid_contact]]
name = "hit"
solids = ["ball", "plate"]
stiffness = 1e9
restitution = 0.5
[[output]]
name = "x"
joint = "ball"
coordinate = "x"
quantity = "position"
"#;

/// `verify` with these arguments ends with 3 and says this.
fn assert_not_verified(arguments: &[&str], failure: &str) {
    let answer = ballesta(["verify"].iter().chain(arguments));
    assert_eq!(answer.code, 3, "{arguments:?}: {}", answer.stdout);
    assert!(answer.stdout.contains("\nNot verified: "), "{}", answer.stdout);
    assert!(answer.stderr.starts_with("fault: ") && answer.stderr.contains(failure), "{}", answer.stderr);
}

#[test]
fn what_all_runs_pass_over_is_not_verified() {
    let folder = Folder::new("passed-over");
    let (rail, tunnel) = (folder.file("rail.toml", RAIL), folder.file("tunnel.toml", TUNNEL));
    // A triangle of 0.1 ms between the ends of the steps, and one that the steps of 2.5 ms follow.
    let short = folder.file("short.csv", "time,push\n0,0\n0.45012,0\n0.45017,2000\n0.45022,0\n1,0\n");
    let long = folder.file("long.csv", "time,push\n0,0\n0.4,0\n0.5,20\n0.6,0\n1,0\n");
    let answer = ballesta(["verify", &rail, "--inputs", &long]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{}", answer.stdout);
    assert_not_verified(&[&rail, "--inputs", &short], "closer than the internal step of 0.0025 s");
    assert_not_verified(&[&tunnel], "with a step of 2.5e-4 s: contact `hit`: at t = ");
}

#[test]
fn a_prescribed_motion_that_the_step_cannot_resolve_is_warned_of_and_not_verified() {
    let folder = Folder::new("aliased");
    // 8 periods per step: all runs see the base at its maximum.
    let shaker = r#"
[model]
name = "shaker"
step = 0.005
[experiment]
stop = 0.5
step = 0.01
[[body]]
name = "base"
mass = 1
com = [0, 0, 0]
[[joint]]
name = "base"
type = "prismatic"
bodies = ["ground", "base"]
axis = [1, 0, 0]
[[guided]]
name = "shake"
joint = "base"
motion = { amplitude = 0.01, frequency = 1600, phase = 1.5707963267948966 }
[[body]]
name = "mass"
mass = 1
com = [0.1, 0, 0]
[[joint]]
name = "mass"
type = "prismatic"
bodies = ["ground", "mass"]
axis = [1, 0, 0]
[[spring]]
name = "spring"
bodies = ["base", "mass"]
points = [[0, 0, 0], [0.1, 0, 0]]
stiffness = 100
damping = 1
[[output]]
name = "x"
joint = "mass"
quantity = "position"
"#;
    let said = "the internal step of 0.005 s cannot resolve the prescribed motion `shake`, which contains 1600 Hz, 8 \
                periods per step (limit 0.5); use an internal step of at most 6.25e-5 s (10 steps per period)";
    let model = folder.file("model.toml", shaker);
    assert_not_verified(&[&model], said);
    let run = ballesta(["run", &model, "--quiet"]);
    assert!(run.code == 0 && run.stderr.contains(said), "{}", run.stderr);
    assert_eq!(ballesta(["run", &model, "--quiet", "--strict"]).code, 3);
    let check = ballesta(["check", &model]);
    assert!(check.code == 0 && check.stdout.contains(said), "{}", check.stdout);
    let slow = folder.file("slow.toml", &shaker.replace("frequency = 1600", "frequency = 4"));
    for command in ["run", "check"] {
        let answer = ballesta([command, &slow]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{command}");
        assert!(!answer.stdout.contains("cannot resolve"), "{}", answer.stdout);
    }
}
