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
