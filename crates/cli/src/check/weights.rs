//! Masses and loads of the report of `ballesta check`.

use crate::text::{self, short};
use ballesta::analysis::weights::Weights;
use serde::Serialize;
use std::collections::BTreeMap;

/// `weights` of `check --json`.
#[derive(Serialize)]
pub struct Findings {
    /// kg.
    mass: f64,
    /// In the world, m.
    centre_of_mass: Option<[f64; 3]>,
    /// N.
    wheel_loads: BTreeMap<String, f64>,
    /// N.
    axle_loads: BTreeMap<String, f64>,
}

impl From<&Weights> for Findings {
    fn from(weights: &Weights) -> Findings {
        Findings {
            mass: weights.mass,
            centre_of_mass: weights.centre.map(Into::into),
            wheel_loads: weights.wheels.iter().cloned().collect(),
            axle_loads: weights.axles().into_iter().collect(),
        }
    }
}

/// The section of the report; `place`: where the model stands.
pub fn lines(weights: &Weights, place: &str) -> String {
    let mut rows = vec![vec!["mass".to_string(), format!("{} kg", short(weights.mass, 6))]];
    if let Some(centre) = weights.centre {
        let centre = [centre.x, centre.y, centre.z].map(|value| short(round_off(value), 6)).join(", ");
        rows.push(vec!["centre of mass".into(), format!("{centre} m")]);
    }
    let load = |load: f64| format!("{} N", short(load, 5));
    rows.extend(weights.wheels.iter().map(|(name, of)| vec![format!("load of {name}"), load(*of)]));
    rows.extend(weights.axles().into_iter().map(|(name, of)| vec![format!("load of {name}"), load(of)]));
    format!("\nMass{place}\n{}", text::table(&rows))
}

/// Zero where nothing but rounding is left of a coordinate.
fn round_off(value: f64) -> f64 {
    if value.abs() < 1e-9 { 0.0 } else { value }
}
