//! Force elements of vehicles.
//!
//! | table of the file | module | acts on | stores | dissipates | input work | states |
//! |---|---|---|---|---|---|---|
//! | `[[damper]]` | [`damper`] | points of two bodies | gas | yes | | |
//! | `[[leaf_spring]]` | [`leaf_spring`] | a seat of two bodies | yes | yes | | 1 |
//! | `[[air_spring]]` | [`air_spring`] | points of two bodies | yes | | | |
//! | `[[torsion_bar]]` | [`torsion_bar`] | a joint coordinate | yes | yes | | |
//! | `[[anti_roll_bar]]` | [`anti_roll_bar`] | three bodies | yes | yes | | |
//! | `[[brake]]` | [`brake`] | a joint coordinate | | yes | | 1 |
//! | `[[brake_line]]` | [`brake_line`] | inputs of the model | | | | 1 |
//! | `[[engine]]` | [`engine`] | a joint coordinate | | | yes | 1 |
//! | `[[clutch]]`, `[[gearbox]]` | [`clutch`], [`gearbox`] | joint coordinates | | yes | | 1 |
//! | `[[torque_converter]]` | [`torque_converter`] | two joint coordinates | | yes | | |
//! | `[[aerodynamic_drag]]` | [`aerodynamic_drag`] | a point of a body | | yes | wind | |
//! | `[[speed_control]]` | [`speed_control`] | joint coordinates | | | yes | 1 |
//! | `[[driver]]` | [`driver`] | inputs of the model | | | | 5 |
//! | `[[wheel_port]]` | [`wheel_port`] | a wheel | | | yes | |
//!
//! Torsion bars become joint springs. Friction (leaves, brakes, clutches) has the one law of [`super::bristle`].
//! How to choose the parameters, and their sources: docs/vehicles.md.

pub(crate) mod aerodynamic_drag;
pub mod air_spring;
pub(crate) mod anti_roll_bar;
pub(crate) mod brake;
pub mod brake_line;
pub mod clutch;
pub mod damper;
pub mod driver;
pub(crate) mod engine;
pub mod gearbox;
pub mod leaf_spring;
pub(crate) mod speed_control;
pub(crate) mod torque_converter;
pub mod torsion_bar;
pub(crate) mod wheel_port;

pub use aerodynamic_drag::AerodynamicDrag;
pub use air_spring::AirSpring;
pub use anti_roll_bar::AntiRollBar;
pub use brake::Brake;
pub use brake_line::BrakeLine;
pub use clutch::Clutch;
pub use damper::Damper;
pub use driver::Driver;
pub use engine::Engine;
pub use leaf_spring::LeafSpring;
pub use speed_control::SpeedControl;
pub use torque_converter::TorqueConverter;
pub use wheel_port::WheelPort;
