//! Experiments with vehicles: driving manoeuvres with their measures, suspensions on a virtual rig (kinematics and
//! compliance), and the characteristics of tyre files.

pub mod manoeuvre;
pub mod rig;
pub mod tyre;
