//! How models move: reference problems, closed forms, conservation, random mechanisms, vehicles, flexible bodies.

mod armature;
#[allow(dead_code)]
#[path = "../../crates/solver/src/check/numbers.rs"]
mod check;
mod contact_classics;
mod contact_motion;
#[path = "../shared/counting.rs"]
mod counting;
mod curve_pairs;
mod curves;
mod flexible_modes;
mod force_elements;
mod laws;
mod load_friction;
mod mechanisms;
#[allow(dead_code)]
#[path = "../shared/models.rs"]
mod models;
mod pairs;
mod robots;
mod second_opinion;
mod solids;
mod trim;
mod trusted_loops;
mod tyre_law;
mod vehicle_elements;
mod vehicles;
mod verification;
mod wheel_ports;

use ballesta::math::larger;
