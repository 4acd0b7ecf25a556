//! `[page]` as plain data.

use serde::{Deserialize, Serialize};

/// `[page]`: controls of a live page (`ballesta view --live`). They do not affect results.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Sliders in their order, with keys and gamepad. All other inputs and tunable parameters are collapsed below them.
    #[serde(rename = "control")]
    pub controls: Vec<Control>,
}

/// `[[page.control]]`: slider of an input or tunable parameter, with the keys and gamepad parts that move it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Name of the input or tunable parameter.
    pub variable: String,
    /// Further inputs that get the same value while the slider moves, such as the brakes of other wheels. Default:
    /// none.
    #[serde(default)]
    pub also: Vec<String>,
    /// Label of the slider. Default: the name of the variable.
    pub label: Option<String>,
    /// Ends of the slider. Default: `min` and `max` of the variable, or twice its initial value if it has none.
    pub range: Option<[f64; 2]>,
    /// Keys and gamepad parts that increase the value. Default: none.
    #[serde(default)]
    pub up: Vec<String>,
    /// Keys and gamepad parts that decrease the value. Default: none.
    #[serde(default)]
    pub down: Vec<String>,
    /// `true`: returns to the initial value on release, and a stick or trigger sets the value directly, up to the end
    /// of the range. `false`: keeps its value. Default `true`.
    #[serde(default = "returns")]
    pub returns: bool,
    /// Time in s from one end of the range to the other while a key is held. Default: 1.2 if the value returns,
    /// otherwise 6.
    pub sweep: Option<f64>,
}

fn returns() -> bool {
    true
}

impl Control {
    /// Time in s from one end of the range to the other while a key is held.
    pub fn sweep(&self) -> f64 {
        self.sweep.unwrap_or(if self.returns { 1.2 } else { 6.0 })
    }
}

/// Names for [`Control::up`] and [`Control::down`] in addition to letters and digits: other keys, and parts of a
/// standard gamepad.
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
