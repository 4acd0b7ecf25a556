//! Tyres from their tables.

use super::Lookup;
use ballesta_model::schema;
use ballesta_solver::force::tyre::{Envelope, Tyre};
use ballesta_solver::tyre::{Law, Side};
use std::sync::Arc;

/// Builds the tyre of a validated table.
pub fn tyre(tyre: &schema::Tyre, lookup: &dyn Lookup) -> Tyre {
    let (properties, road) = lookup.tyre(tyre);
    let side = match tyre.side {
        schema::Side::Left => Side::Left,
        schema::Side::Right => Side::Right,
    };
    let law = Law::new(&properties, side);
    let turns = tyre.turn_slip.unwrap_or(law.turns());
    let law = Arc::new(law.with_turn_slip(turns));
    let wheel = lookup.wheel(&tyre.joint);
    let spacing = tyre.twin_spacing.as_ref().map(|number| 0.5 * lookup.number(number));
    Tyre {
        name: tyre.name.clone(),
        wheel: wheel.body,
        coordinate: lookup.coordinate(&tyre.joint, None),
        centre: wheel.centre,
        axis: wheel.axis,
        origin: lookup.origin(),
        envelope: tyre.enveloping.unwrap_or(road.enveloping).then(|| Envelope::new(&law.cams())),
        law,
        road,
        offsets: spacing.map_or([0.0; 2], |half| [half, -half]),
        count: 1 + usize::from(spacing.is_some()),
        pressure: tyre.pressure.as_ref().map_or(0.0, |number| lookup.number(number)),
        road_height: lookup.coefficient(&tyre.road_height),
        friction: lookup.coefficient(&tyre.friction),
        first: 0,
        patch: 0,
    }
}
