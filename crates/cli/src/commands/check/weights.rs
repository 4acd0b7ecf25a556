//! Masses and loads in the report of `ballesta check`.

use crate::text::{self, short};
use ballesta::analysis::weights::Weights;

/// Section of the report; `place`: position of the model.
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

/// Zero for a coordinate at round-off.
fn round_off(value: f64) -> f64 {
    if value.abs() < 1e-9 { 0.0 } else { value }
}
