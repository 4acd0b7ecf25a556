//! `[[wheel_port]]` as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[wheel_port]]`: a wheel whose tyre is computed outside: the motion of the hub goes out, the load of the road comes
/// in. Loading adds its inputs and outputs.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WheelPort {
    /// Unique structured name; its variables begin with it: `wheel_FL.pos.x`.
    pub name: String,
    /// The wheel's revolute joint: its second body is the wheel, its point the wheel's centre. A `[[tyre]]` on this
    /// joint is left out, and so are the outputs that look at it.
    pub joint: String,
}
