//! `[page]` as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[page]`: what drives the model in a live page (`ballesta view --live`). It changes no result.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Sliders in their order, and what drives them. Inputs and tunable parameters that have none here are below these,
    /// folded away.
    #[serde(rename = "control")]
    pub controls: Vec<Control>,
}

/// `[[page.control]]`: the slider of an input or of a tunable parameter, and the keys and parts of a gamepad that drive
/// it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Name of the input or tunable parameter.
    pub variable: String,
    /// Further inputs that get its value while somebody moves it, such as the brakes of other wheels. Default: none.
    #[serde(default)]
    pub also: Vec<String>,
    /// What stands at the slider. Default: the name of the variable.
    pub label: Option<String>,
    /// From and to of the slider. Default: `min` and `max` of the variable; where it has none, twice what it begins
    /// with.
    pub range: Option<[f64; 2]>,
    /// Keys and parts of a gamepad that raise it. Default: none.
    #[serde(default)]
    pub up: Vec<String>,
    /// Keys and parts of a gamepad that lower it. Default: none.
    #[serde(default)]
    pub down: Vec<String>,
    /// `true`: goes back to where it began when let go; a stick or trigger then gives the value itself, up to the end
    /// of the range. `false`: stays. Default `true`.
    #[serde(default = "returns")]
    pub returns: bool,
    /// Time from one end of the range to the other while a key is held, in s. Default: 1.2 if it goes back, else 6.
    pub sweep: Option<f64>,
}

fn returns() -> bool {
    true
}

impl Control {
    /// Time from one end of the range to the other while a key is held, s.
    pub fn sweep(&self) -> f64 {
        self.sweep.unwrap_or(if self.returns { 1.2 } else { 6.0 })
    }
}

/// What [`Control::up`] and [`Control::down`] may name, besides letters and digits: other keys, and parts of a gamepad
/// of the standard layout.
pub const TRIGGERS: [&str; 23] = [
    "arrow_left",
    "arrow_right",
    "arrow_up",
    "arrow_down",
    "space",
    "left_stick_left",
    "left_stick_right",
    "left_stick_up",
    "left_stick_down",
    "right_stick_left",
    "right_stick_right",
    "right_stick_up",
    "right_stick_down",
    "left_trigger",
    "right_trigger",
    "button_a",
    "button_b",
    "button_x",
    "button_y",
    "dpad_left",
    "dpad_right",
    "dpad_up",
    "dpad_down",
];
