//! `ballesta linearize`, `ballesta modes` of models, `--trim`, and the refusal of steps that are too long.

use super::*;

/// A cart on a spring with ω = 50 rad/s, undamped, hanging in its weight.
const SPRUNG: &str = r#"
[model]
name = "sprung"
gravity = [-10, 0, 0]
step = 1e-3

[experiment]
stop = 1

[[parameter]]
name = "stiffness"
value = 5000

[[body]]
name = "cart"
mass = 2
com = [0, 0, 0]

[[joint]]
name = "rail"
type = "prismatic"
bodies = ["ground", "cart"]
axis = [1, 0, 0]

[[joint_spring]]
name = "spring"
joint = "rail"
stiffness = "stiffness"

[[input]]
name = "push"
unit = "N"

[[drive]]
name = "motor"
joint = "rail"
value = "push"

[[output]]
name = "travel"
joint = "rail"
quantity = "position"

[[output]]
name = "acceleration"
joint = "rail"
quantity = "acceleration"
"#;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn the_state_space_of_a_cart_on_a_spring_is_the_one_of_textbooks() {
    let folder = Folder::new("linearize-cart");
    let model = folder.file("model.toml", SPRUNG);
    let found = ballesta(["linearize", &model, "--json"]).json();
    assert_eq!(found["states"], serde_json::json!(["rail", "der(rail)"]));
    for (matrix, row, column, exact) in [
        ("a", 0, 0, 0.0),
        ("a", 0, 1, 1.0),
        ("a", 1, 0, -2500.0),
        ("a", 1, 1, 0.0),
        ("b", 1, 0, 0.5),
        ("c", 0, 0, 1.0),
        ("c", 1, 0, -2500.0),
        ("d", 1, 0, 0.5),
    ] {
        let value = number(&found[matrix][row][column]);
        assert!((value - exact).abs() < 1e-6, "{matrix}[{row}][{column}] = {value}");
    }
    assert_eq!(found["eigenvalues"].as_array().unwrap().len(), 2);
    assert!((number(&found["eigenvalues"][0]["im"]) - 50.0).abs() < 1e-7);

    let script = folder.path("cart.m");
    let answer = ballesta(["linearize", &model, "-o", &script]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("Eigenvalues of A") && answer.stdout.contains("cart.m"));
    let text = fs::read_to_string(&script).unwrap();
    assert!(text.contains("states = {'rail', 'der(rail)'};") && text.contains("\nA = [\n  0e0 1e0\n"), "{text}");
}

#[test]
fn modes_of_a_model_are_those_of_its_equilibrium() {
    let folder = Folder::new("modes-cart");
    let model = folder.file("model.toml", SPRUNG);
    let found = ballesta(["modes", &model, "--trim", "--json"]).json();
    let frequency = number(&found["frequencies_hz"][0]);
    assert!((frequency * std::f64::consts::TAU / 50.0 - 1.0).abs() < 1e-9);
    assert_eq!((&found["zero_modes"], &found["trimmed"]), (&0.into(), &true.into()));
    let soft = ballesta(["modes", &model, "--set", "stiffness=50", "--json"]).json();
    assert!((number(&soft["frequencies_hz"][0]) * std::f64::consts::TAU / 5.0 - 1.0).abs() < 1e-9);
    let table = ballesta(["modes", &model]).stdout;
    assert!(table.contains("rail 100 %") && table.contains("about its initial state"), "{table}");
    assert_eq!(ballesta(["modes", "models/structures/truss", "--trim"]).code, 2);
    assert_eq!(ballesta(["modes", &model, "--supported"]).code, 2);
}

#[test]
fn trim_finds_the_sag_and_the_run_stays_there() {
    let folder = Folder::new("trim-cart");
    let model = folder.file("model.toml", SPRUNG);
    let found = ballesta(["check", &model, "--trim", "--json"]).json();
    assert!((number(&found["equilibrium"]["coordinates"]["rail"]) + 20.0 / 5000.0).abs() < 1e-14);
    assert!(number(&found["equilibrium"]["forces_left"]["rail"]).abs() < 1e-10);
    assert!(ballesta(["check", &model, "--trim"]).stdout.contains("Equilibrium\n"));
    let rows = ballesta(["run", &model, "--trim", "--set", "push=10", "--step", "0.5", "--csv", "-"]).stdout;
    for row in rows.lines().skip(1) {
        let travel: f64 = row.split(',').nth(1).unwrap().parse().unwrap();
        assert!((travel + 10.0 / 5000.0).abs() < 1e-14, "{row}");
    }
}

#[test]
fn without_an_equilibrium_trim_ends_with_3_and_names_the_coordinate() {
    let folder = Folder::new("no-equilibrium");
    let model = folder.file("model.toml", SPRUNG);
    for command in ["check", "run", "modes", "linearize"] {
        let answer = ballesta([command, &model, "--trim", "--set", "stiffness=0"]);
        assert_eq!((answer.code, answer.stdout.as_str()), (3, ""), "{command}: {}", answer.stderr);
        assert!(answer.stderr.contains("`rail`") && answer.stderr.contains("-2.000000e1 N"), "{}", answer.stderr);
    }
}

#[test]
fn a_step_that_makes_the_integrator_unstable_is_refused_with_its_limit() {
    let folder = Folder::new("long-step");
    for (integrator, limit) in [("rk4", 2.8296), ("heun", 0.2), ("semi_implicit_euler", 2.0)] {
        let with = |step: f64| {
            SPRUNG.replace("step = 1e-3", &format!("step = {step}\nintegrator = \"{integrator}\"")).to_string()
        };
        let found = ballesta(["check", &folder.file("short.toml", &with(0.99 * limit / 50.0)), "--json"]).json();
        assert!((number(&found["step"]["limit_s"]) * 50.0 / limit - 1.0).abs() < 1e-3, "{integrator}: {found}");
        assert_eq!(found["step"]["limiting_mode"]["coordinate"], "rail");
        let model = folder.file("long.toml", &with(1.01 * limit / 50.0));
        for command in ["check", "run", "export"] {
            let answer = ballesta([command, &model]);
            assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{integrator}: {}", answer.stderr);
            assert!(answer.stderr.starts_with(&format!("{model}:5:8: error: model.step: ")), "{}", answer.stderr);
            for words in ["unstable", "7.958 Hz", "`rail`", "at most"] {
                assert!(answer.stderr.contains(words), "{words} in {}", answer.stderr);
            }
        }
    }
}

/// A mass without a spring, and two masses on damped springs, which are not coupled.
fn three_masses(damping: &str) -> String {
    let mut model = "[model]\nname = \"masses\"\ngravity = [0, 0, 0]\nstep = 1e-3\n".to_string();
    model += "[[input]]\nname = \"push\"\nunit = \"N\"\n";
    for (name, stiffness) in [("free", 0.0), ("slow", 100.0), ("fast", 10000.0)] {
        model += &format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\ncom = [0, 0, 0]\n[[joint]]\nname = \"{name}\"\ntype = \
             \"prismatic\"\nbodies = [\"ground\", \"{name}\"]\naxis = [1, 0, 0]\n[[drive]]\nname = \
             \"{name}\"\njoint = \"{name}\"\nvalue = \"push\"\n[[output]]\nname = \"{name}.x\"\njoint = \
             \"{name}\"\nquantity = \"position\"\n"
        );
        if stiffness > 0.0 {
            model += &format!(
                "[[joint_spring]]\nname = \"{name}.spring\"\njoint = \"{name}\"\nstiffness = {stiffness}\n\
                 damping = {damping}\n"
            );
        }
    }
    model
}

#[test]
fn a_reduced_state_space_keeps_the_rigid_motion_and_says_what_it_loses() {
    let folder = Folder::new("linearize-reduced");
    let model = folder.file("model.toml", &three_masses("0.2"));
    // The output of the fast mass alone loses its resonance: 1/(2 ζ ω² √(1 − ζ²)), ω = 100, ζ = 0.001.
    let (omega, zeta) = (100.0, 0.001f64);
    let resonance = 1.0 / (2.0 * zeta * omega * omega * (1.0 - zeta * zeta).sqrt());
    for method in ["balanced", "modal"] {
        let answer = ballesta(["linearize", &model, "--reduce", "4", "--reduction", method, "--json"]);
        assert!(answer.stderr.is_empty(), "{}", answer.stderr);
        let found = answer.json();
        let report = &found["reduction"];
        let kept = if method == "modal" { 4 } else { 2 };
        assert_eq!((found["a"].as_array().unwrap().len(), &report["kept_states"]), (4, &kept.into()));
        assert_eq!(report["full_states"].as_array().unwrap().len(), 6);
        let (error, bound) = (number(&report["error"]), number(&report["error_bound"]));
        assert!((error / resonance - 1.0).abs() < 1e-3 && error <= bound, "{method}: {error} of {resonance}, {bound}");
        assert!((number(&report["error_frequency_hz"]) * std::f64::consts::TAU / omega - 1.0).abs() < 1e-3);
        let slow = found["eigenvalues"].as_array().unwrap().iter().map(|value| number(&value["im"]).abs());
        assert!(
            slow.fold(f64::INFINITY, |least, im| if im > 0.0 { least.min((im - 10.0).abs()) } else { least }) < 0.01
        );
    }
    let page = ballesta(["linearize", &model, "--to", "fast.x", "--reduce-to-error", "1"]).stdout;
    assert!(page.contains("2 of 6") && page.contains("Hankel singular values"), "{page}");
    let script = folder.path("small.m");
    assert_eq!(ballesta(["linearize", &model, "--reduce", "4", "-o", &script]).code, 0);
    let text = fs::read_to_string(&script).unwrap();
    assert!(text.contains("error bound") && text.contains("\nto_full = [\n"), "{text}");
}

#[test]
fn reductions_that_mean_nothing_are_refused_or_warned_of() {
    let folder = Folder::new("linearize-refused");
    let model = folder.file("model.toml", &three_masses("0.2"));
    for (options, words) in [
        (vec!["--reduce", "1"], "2 states that must be kept"),
        (vec!["--reduce", "7"], "exceeds the 6 states"),
        (vec!["--reduce", "4", "--to", "fats.x"], "did you mean `fast.x`?"),
        (vec!["--reduce", "4", "--from", "push", "--from", "push"], "selected twice"),
        (vec!["--to", "fast.x"], "add --reduce or --reduce-to-error"),
        (vec!["--reduction", "modal"], "add --reduce or --reduce-to-error"),
        (vec!["--reduce-to-error", "0"], "greater than 0"),
        (vec!["--reduce", "4", "--to", "fast.x=0"], "greater than 0"),
        (vec!["--reduce", "4", "--reduce-to-error", "1"], "cannot be used with"),
    ] {
        let answer = ballesta([vec!["linearize", &model], options].concat());
        assert_eq!(answer.code, 2, "{}", answer.stderr);
        assert!(answer.stderr.contains(words), "{}", answer.stderr);
    }
    let cut = ballesta(["linearize", &model, "--reduce", "3", "--json"]);
    assert!(cut.stderr.contains("split a pair"), "{}", cut.stderr);
    let undamped = folder.file("undamped.toml", &three_masses("0"));
    let answer = ballesta(["linearize", &undamped, "--reduce", "4"]);
    assert!(answer.code == 2 && answer.stderr.contains("none of the 6 eigenvalues decays"), "{}", answer.stderr);
    let answer = ballesta(["linearize", &undamped, "--reduce", "4", "--reduction", "modal", "--json"]);
    assert!(answer.stderr.contains("and has no bound"), "{}", answer.stderr);
    assert!(answer.json()["reduction"]["error_bound"].is_null());
}
