//! Writes the model of a four-bar linkage with N windows (IFToMM benchmark A02) to standard output:
//!
//! ```text
//! cargo run --example four_bar_windows -- 5 > model.toml
//! ```
//!
//! N + 1 vertical rods stand on ground pins 1 m apart; N horizontal rods join their tops. Every rod is uniform and
//! slender, 1 m long, 1 kg. The verification tests use the same function for every N.

use std::fmt::Write;

/// Moment of inertia of a uniform slender rod of 1 kg and 1 m about its centre, kg m².
const ROD_INERTIA: f64 = 1.0 / 12.0;

/// The model file of the linkage with `windows` ≥ 1 windows.
pub fn four_bar_windows(windows: usize) -> String {
    let mut text = format!(
        r#"# Four-bar linkage with {windows} windows (IFToMM benchmark A02): {verticals} vertical rods on ground pins, joined by {windows} horizontal
# ones. All rods are uniform and slender, 1 m and 1 kg. The mechanism passes the singular position in which all rods line up.
# Written by `cargo run --example four_bar_windows -- {windows}`.

[model]
name = "four_bar_windows_{windows}"
description = "Four-bar linkage with {windows} windows that swings through its singular positions"
gravity = [0, -9.81, 0]
step = 1e-3
integrator = "rk4"

[experiment]
start = 0
stop = 10
step = 1e-2

[points]
"#,
        verticals = windows + 1,
    );
    for i in 0..=windows {
        writeln!(text, "A{i} = [{i}, 0, 0]\nB{i} = [{i}, 1, 0]").expect("a String takes everything");
    }
    for i in 0..=windows {
        add_vertical(&mut text, i);
    }
    for i in 0..windows {
        add_horizontal(&mut text, i);
    }
    for i in 0..=windows {
        add_output(
            &mut text,
            &format!("B[{i}]"),
            &format!("body = \"vertical_{i}\"\npoint = \"B{i}\"\nquantity = \"position\""),
        );
    }
    add_output(&mut text, "vertical[0].angle", "joint = \"A0\"\nquantity = \"position\"");
    for quantity in ["gap", "velocity_gap", "near_singular", "repartitions", "energy_balance"] {
        add_output(&mut text, quantity, &format!("quantity = \"{quantity}\""));
    }
    text
}

/// Vertical rod `i` on its ground pin; the top of the first one starts at +1 m/s in x.
fn add_vertical(text: &mut String, i: usize) {
    let speed = if i == 0 { "\nspeed = -1" } else { "" };
    write!(
        text,
        r#"
[[body]]
name = "vertical_{i}"
mass = 1
com = [{i}, 0.5, 0]
inertia = [{ROD_INERTIA}, 0, {ROD_INERTIA}, 0, 0, 0]

[[joint]]
name = "A{i}"
type = "revolute"
bodies = ["ground", "vertical_{i}"]
point = "A{i}"
axis = [0, 0, 1]{speed}
"#
    )
    .expect("a String takes everything");
}

/// Horizontal rod `i` between the tops of the vertical rods `i` and `i + 1`.
fn add_horizontal(text: &mut String, i: usize) {
    let next = i + 1;
    write!(
        text,
        r#"
[[body]]
name = "horizontal_{i}"
mass = 1
com = [{i}.5, 1, 0]
inertia = [0, {ROD_INERTIA}, {ROD_INERTIA}, 0, 0, 0]

[[joint]]
name = "left_{i}"
type = "revolute"
bodies = ["vertical_{i}", "horizontal_{i}"]
point = "B{i}"
axis = [0, 0, 1]

[[joint]]
name = "right_{i}"
type = "revolute"
bodies = ["horizontal_{i}", "vertical_{next}"]
point = "B{next}"
axis = [0, 0, 1]
"#
    )
    .expect("a String takes everything");
}

fn add_output(text: &mut String, name: &str, rest: &str) {
    write!(text, "\n[[output]]\nname = \"{name}\"\n{rest}\n").expect("a String takes everything");
}

#[allow(dead_code)] // the tests include this file for `four_bar_windows`
fn main() {
    let windows = std::env::args().nth(1).and_then(|word| word.parse().ok());
    match windows {
        Some(windows) if windows >= 1 => print!("{}", four_bar_windows(windows)),
        _ => {
            eprintln!("usage: four_bar_windows N, with N ≥ 1 windows");
            std::process::exit(2);
        }
    }
}
