//! A flexible body for tests of the modes alone.

use crate::system::{Flexible, StiffeningModel};

/// Modes of these frequencies (rad/s) with the damping matrix D.
pub fn body(omega: &[f64], damping: &[f64]) -> Flexible {
    let none = || vec![];
    Flexible {
        name: String::new(),
        body: 1,
        q: 0..omega.len(),
        v: 0..omega.len(),
        residual: 0,
        linear: true,
        tangent: None,
        starts_static: false,
        model: StiffeningModel::None,
        axes: Default::default(),
        centre: Default::default(),
        mass: 1.0,
        inertia: Default::default(),
        translation: std::array::from_fn(|_| none()),
        rotation: std::array::from_fn(|_| none()),
        position: std::array::from_fn(|_| none()),
        product: std::array::from_fn(|_| none()),
        stiffness: omega.iter().map(|omega| omega * omega).collect(),
        lowest: f64::INFINITY,
        unstiffened: [true; 3],
        damping: damping.to_vec(),
        stiffening: Default::default(),
        axial: vec![],
        links: vec![],
        nodes: vec![],
        sections: vec![],
        places: vec![],
    }
}
