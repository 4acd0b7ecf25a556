//! `ballesta verify`, and what `ballesta run` says about itself.

use super::*;
use ballesta::math::larger;

/// A double pendulum in the plane, without damping: regular for some seconds, chaotic in the long run.
const DOUBLE_PENDULUM: &str = concat!(
    include_str!("../../../../tests/fragments/double_pendulum.toml"),
    r#"
[model]
name = "double_pendulum"
gravity = [0, 0, -9.81]
step = 1e-3

[experiment]
stop = 2
step = 0.02

[[output]]
name = "shoulder.angle"
joint = "shoulder"
quantity = "position"

[[output]]
name = "energy"
quantity = "energy_balance"

[[output]]
name = "change"
quantity = "energy_change"

[[output]]
name = "questionable"
quantity = "questionable"
"#
);

#[test]
fn a_run_ends_with_its_judgement_and_a_good_one_without_a_warning() {
    let folder = Folder::new("judgement");
    let model = folder.file("model.toml", DOUBLE_PENDULUM);
    for extra in [&[][..], &["--strict"][..]] {
        let answer = ballesta(["run", &model].iter().chain(extra));
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        for line in ["Run diagnostics", "energy balance error", "near-singular steps", "longest communication"] {
            assert!(answer.stdout.contains(line), "{line}: {}", answer.stdout);
        }
        assert!(!answer.stdout.contains("largest gap"), "there is no loop: {}", answer.stdout);
    }
    assert!(ballesta(["run", "models/four_bar", "--stop", "1"]).stdout.contains("largest velocity gap"));
}

#[test]
fn a_step_that_is_too_long_is_a_warning_and_with_strict_exit_code_3() {
    let folder = Folder::new("long-step");
    let model = folder.file("model.toml", DOUBLE_PENDULUM);
    let csv = folder.path("out.csv");
    let long = ["run", &model, "--internal-step", "0.1", "--step", "0.1", "--csv", &csv];
    let answer = ballesta(long);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.starts_with("warning: double_pendulum: the energy balance error is -"), "{}", answer.stderr);
    assert!(answer.stderr.contains("use a shorter step"), "{}", answer.stderr);
    assert_eq!(answer.stderr.lines().count(), 1, "{}", answer.stderr);
    // The figures are outputs too: the change at the end is the largest deviation of the balance on the way.
    let text = fs::read_to_string(&csv).unwrap();
    let (header, rows) = read_csv(&text);
    let column = |name: &str| header.iter().position(|other| *other == name).unwrap();
    let (energy, change) = (column("energy"), column("change"));
    let largest = rows.iter().map(|row| (row[energy] - rows[0][energy]).abs());
    let largest = largest.fold(0.0, larger);
    assert!((rows.last().unwrap()[change].abs() - largest).abs() < 1e-12, "{largest}");
    assert!(largest > 1e-3 * 10.0, "{largest}");

    let answer = ballesta(long.iter().chain(&["--strict"]));
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.starts_with("fault: double_pendulum: the energy balance error is -"), "{}", answer.stderr);
    assert_eq!(fs::read_to_string(&csv).unwrap(), text, "what was computed is kept");
}

#[test]
fn losses_under_numerical_damping_are_told_apart_by_words() {
    let folder = Folder::new("damped");
    let damped =
        DOUBLE_PENDULUM.replace("step = 1e-3", "step = 0.02\nintegrator = \"generalized_alpha\"\nspectral_radius = 0");
    let model = folder.file("model.toml", &damped);
    let answer = ballesta(["run", &model]);
    assert_eq!(answer.code, 0);
    assert!(answer.stderr.contains("error is -") && answer.stderr.contains("numerical damping"), "{}", answer.stderr);
}

#[test]
fn a_right_model_is_verified_with_the_order_of_its_scheme() {
    let folder = Folder::new("verified");
    let model = folder.file("model.toml", DOUBLE_PENDULUM);
    let svg = folder.path("errors.svg");
    // At 1 ms the error is round-off.
    let answer = ballesta(["verify", &model, "--json", "--internal-step", "4e-3", "-o", &svg]);
    let findings = answer.json();
    assert_eq!((findings["converges"].as_bool(), findings["failures"].as_array().unwrap().len()), (Some(true), 0));
    assert_eq!(findings["runs"].as_array().unwrap().len(), 5);
    let angle = &findings["outputs"][0];
    assert_eq!(angle["name"], "shoulder.angle");
    assert!((angle["order"].as_f64().unwrap() - 4.0).abs() < 0.2, "{angle}");
    // The estimate beside a run that is much finer.
    let end = |step: &str| {
        let answer = ballesta(["run", &model, "--internal-step", step, "--csv", "-"]);
        read_csv(&answer.stdout).1.iter().map(|row| row[1]).collect::<Vec<f64>>()
    };
    let distances = end("4e-3").into_iter().zip(end("1e-4")).map(|(a, b)| (a - b).abs());
    let error = distances.fold(0.0, larger);
    let estimate = angle["error"].as_f64().unwrap();
    assert!((estimate / error - 1.0).abs() < 0.1, "{estimate} for {error}");
    let drawn = fs::read_to_string(svg).unwrap();
    assert!(drawn.contains("shoulder.angle") && drawn.contains("log10 of the step"), "{drawn}");
    // The step for a tolerance gives that error.
    let wanted =
        ballesta(["verify", &model, "--json", "--internal-step", "4e-3", "--tolerance", "1e-7", "--one-integrator"])
            .json();
    let step = wanted["outputs"][0]["step_for_tolerance"].as_f64().unwrap();
    let at = ballesta(["verify", &model, "--json", "--internal-step", &step.to_string(), "--one-integrator"]).json();
    let relative = at["outputs"][0]["relative_error"].as_f64().unwrap();
    assert!(relative > 0.5e-7 && relative < 2e-7, "{relative} with a step of {step}");
}

#[test]
fn bending_that_no_step_finds_is_warned_of() {
    let arm = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/serial_arm");
    let folder = Folder::new("verify-bending");
    for entry in fs::read_dir(arm).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), folder.path(entry.file_name().to_str().unwrap())).unwrap();
    }
    let text = fs::read_to_string(format!("{arm}/model.toml")).unwrap();
    // 2000 m/s² bend the tubes of the arm by more than a tenth of their length.
    let heavy = folder.file("model.toml", &text.replace("gravity = [0, 0, -9.81]", "gravity = [0, 0, -2000]"));
    let answer = ballesta(["verify", &heavy, "--stop", "0.02", "--tolerance", "1", "--json"]);
    assert!(answer.stderr.contains("warning: serial_arm: flexible body `upper` bends by 0.18"), "{}", answer.stderr);
    // Some of its forces do not converge within this time, which is not the point here.
    let warnings =
        |answer: &Answer| serde_json::from_str::<Value>(&answer.stdout).unwrap()["warnings"].as_array().unwrap().len();
    assert_eq!(warnings(&answer), 1);
    let light = folder.file("model.toml", &text);
    let answer = ballesta(["verify", &light, "--stop", "0.02", "--tolerance", "1", "--json"]);
    assert!(!answer.stderr.contains("warning:"), "{}", answer.stderr);
    assert_eq!(warnings(&answer), 0);
}

#[test]
fn errors_at_round_off_are_no_failure() {
    let folder = Folder::new("round-off");
    let model = folder.file("model.toml", RAIL);
    let answer = ballesta(["verify", &model, "--set", "push=4"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("converges, error at round-off"), "{}", answer.stdout);
    assert!(answer.stdout.contains("Verified: all results converge"), "{}", answer.stdout);
}

#[test]
fn results_that_do_not_converge_are_a_failure() {
    let folder = Folder::new("chaos");
    let model = folder.file("model.toml", DOUBLE_PENDULUM);
    let answer = ballesta(["verify", &model, "--stop", "60", "--internal-step", "0.02", "--one-integrator"]);
    assert_eq!(answer.code, 3, "{}", answer.stdout);
    assert!(answer.stderr.starts_with("fault: double_pendulum is not verified: "), "{}", answer.stderr);
    assert!(answer.stderr.contains("`shoulder.angle` does not converge"), "{}", answer.stderr);
    let json = ballesta(["verify", &model, "--stop", "60", "--internal-step", "0.02", "--one-integrator", "--json"]);
    assert_eq!(json.code, 3);
    let findings: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(findings["converges"], false);
    let until = findings["outputs"][0]["agree_until"].as_f64().unwrap();
    assert!(until > 1.0 && until < 50.0, "{until}");
}

#[test]
fn a_run_that_stops_is_a_failure_with_its_reason() {
    let folder = Folder::new("stops");
    let model = folder.file("model.toml", OUT_OF_REACH);
    let answer = ballesta(["verify", &model]);
    assert_eq!(answer.code, 3, "{}", answer.stdout);
    assert!(answer.stderr.contains("the run with a step of 0.001 s failed: the loop closed by"), "{}", answer.stderr);
}

#[test]
fn a_stiff_model_has_its_second_opinion_from_the_augmented_lagrangian_form() {
    let folder = Folder::new("one-integrator");
    let stiff = RAIL
        .replace("damping = \"damper.damping\"", "stiffness = 2e8\ndamping = 10")
        .replace("step = 0.01", "step = 0.01\nintegrator = \"generalized_alpha\"");
    let stiff = stiff.replacen(
        "[[parameter]]\nname = \"damper.damping\"\nvalue = 0\nmin = 0\nmax = 10\ntunable = true\n",
        "",
        1,
    );
    let model = folder.file("model.toml", &stiff);
    let answer = ballesta(["verify", &model, "--set", "push=4"]);
    assert!(answer.stdout.contains("augmented_lagrangian  0.0025"), "{}", answer.stdout);
}

/// A wheel that its brake stops at 0.24 s and holds.
const BRAKED_WHEEL: &str = r#"
[model]
name = "braked_wheel"
step = 1e-3
integrator = "generalized_alpha"

[experiment]
stop = 0.5
step = 0.01

[[body]]
name = "wheel"
mass = 1
com = [0, 0, 0]
inertia = [0.01, 0.012, 0.015, 0, 0, 0]

[[joint]]
name = "axle"
type = "revolute"
bodies = ["ground", "wheel"]
point = [0, 0, 0]
axis = [0, 1, 0]
speed = 10

[[brake]]
name = "brake"
joint = "axle"
torque = 0.5

[[output]]
name = "speed"
joint = "axle"
quantity = "speed"
"#;

#[test]
fn a_wheel_that_its_brake_stops_is_confirmed_by_a_scheme_that_holds_brakes() {
    let folder = Folder::new("verify-brake");
    let answer = ballesta(["verify", &folder.file("wheel.toml", BRAKED_WHEEL)]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("\n  rk4                2.5e-4 "), "{}", answer.stdout);
    // A mass on a spring of 1e4 rad/s, for which rk4 would need steps below 0.28 ms.
    let stiff = format!(
        "{BRAKED_WHEEL}[[body]]\nname = \"mass\"\nmass = 2\ncom = [0, 0, 0]\n[[joint]]\nname = \"slide\"\n\
         type = \"prismatic\"\nbodies = [\"ground\", \"mass\"]\naxis = [1, 0, 0]\n[[joint_spring]]\n\
         name = \"spring\"\njoint = \"slide\"\nstiffness = 2e8\n"
    );
    let answer = ballesta(["verify", &folder.file("stiff.toml", &stiff)]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let remark = "Note: second integrator: generalized_alpha with spectral_radius = 0.5, because rk4 does not apply";
    assert!(answer.stdout.contains(remark), "{}", answer.stdout);
}
