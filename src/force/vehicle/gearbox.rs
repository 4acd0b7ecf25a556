//! Gearbox: a [`Clutch`] between input and output whose ratio follows a signal; its law stands there.

use super::Clutch;
use super::clutch::Gears;
use crate::force::{Bristle, Coefficient, Lookup};
use crate::model::schema;

/// The gearbox of a validated table of the model file.
pub(crate) fn build(gearbox: &schema::Gearbox, lookup: &dyn Lookup) -> Clutch {
    let number = |number: &schema::Number| lookup.number(number);
    let on = gearbox.coordinates.iter().zip([1.0, -1.0]).map(|(on, sense)| {
        let ratio = on.ratio.as_ref().map_or(1.0, number);
        (lookup.coordinate(&on.joint, on.coordinate.as_deref()), sense * ratio)
    });
    Clutch {
        name: gearbox.name.clone(),
        on: on.collect(),
        gears: Some(Gears {
            gear: lookup.coefficient(&gearbox.gear),
            forward: gearbox.ratios.iter().map(number).collect(),
            reverse: gearbox.reverse.as_ref().map_or(0.0, |ratio| -number(ratio)),
        }),
        torque: lookup.coefficient(&gearbox.torque),
        engagement: Coefficient::Value(1.0),
        viscous: Coefficient::Value(0.0),
        bristle: Bristle::sharp(number(&gearbox.presliding), number(&gearbox.time)),
        state: 0,
    }
}
