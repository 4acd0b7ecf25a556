//! How models move: reference problems, closed forms, conservation, random mechanisms, vehicles, flexible bodies.

#[allow(dead_code)]
#[path = "../../src/math/check.rs"]
mod check;
#[path = "../shared/counting.rs"]
mod counting;
mod flexible_exact;
mod flexible_gallery;
mod flexible_modes;
mod flexible_spinup;
mod force_elements;
mod groups;
mod mechanisms;
mod references;
mod roads;
mod robots;
#[path = "../shared/rom_difference.rs"]
mod rom_difference;
mod second_opinion;
#[path = "../shared/transcripts.rs"]
mod transcripts;
mod trim;
mod trusted_loops;
mod tyre_law;
mod vehicle_elements;
mod vehicles;
mod verification;
mod verify_gallery;
mod wheel_ports;

use ballesta::math::larger;
