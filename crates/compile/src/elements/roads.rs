//! Roads from their tables.

use ballesta_model::schema::{self, BumpKind, Number};
use ballesta_solver::force::road::{
    Bump, BumpGeometry, HeightGrid, HeightMap, Patch, RandomProfile, RandomRoughness, Range, Road, Shape, Surface,
};

/// The road of a table, with the content of its `height_map` and `friction_map`; `number` substitutes parameters.
pub fn road(table: &schema::Road, maps: [Option<&HeightMap>; 2], number: &dyn Fn(&Number) -> f64) -> Road {
    let plane = Surface {
        height: number(&table.height),
        slope_x: number(&table.slope),
        slope_y: number(&table.bank),
        friction: number(&table.friction),
    };
    let patches = table.patches.iter().map(|patch| {
        let blend = number(&patch.blend);
        let range =
            |ends: &Option<[Number; 2]>| ends.as_ref().map(|ends| Range::new(ends.each_ref().map(number), blend));
        Patch { x: range(&patch.x), y: range(&patch.y), friction: number(&patch.friction) }
    });
    Road {
        name: table.name.clone(),
        enveloping: table.enveloping,
        plane,
        patches: patches.collect(),
        bumps: table.bumps.iter().map(|row| bump(row, number)).collect(),
        random: table.random.as_ref().map(|profile| random(profile, number)),
        map: maps[0].map(|map| grid(map, table, number)),
        friction: maps[1].map(|map| {
            let range = map.heights.iter().fold([f64::MAX, 0.0], |[a, b], factor| [factor.min(a), factor.max(b)]);
            (grid(map, table, number), range)
        }),
    }
}

/// A map of a road at the position given in its table.
fn grid(map: &HeightMap, table: &schema::Road, number: &dyn Fn(&Number) -> f64) -> HeightGrid {
    let heading = number(&table.map_heading_deg).to_radians();
    HeightGrid::new(map, table.map_start.each_ref().map(number), heading)
}

fn bump(table: &schema::Bump, number: &dyn Fn(&Number) -> f64) -> Bump {
    let (length, height) = (number(&table.length), number(&table.height));
    let shape = match table.kind {
        BumpKind::Round => Shape::round(length, height),
        BumpKind::Sinusoidal => Shape::sinusoidal(length, height),
        BumpKind::FlatTop => Shape::FlatTop { height, ramp: table.ramp.as_ref().map_or(0.5 * length, number) },
    };
    let side_blend = number(&table.side_blend);
    Bump::new(&BumpGeometry {
        start: number(&table.start),
        angle: number(&table.angle_deg).to_radians(),
        shape,
        length,
        blend: number(&table.blend),
        side: table.y.as_ref().map(|ends| Range::new(ends.each_ref().map(number), side_blend)),
        count: table.count,
        spacing: table.spacing.as_ref().map_or(f64::INFINITY, number),
    })
}

fn random(table: &schema::RandomProfile, number: &dyn Fn(&Number) -> f64) -> RandomProfile {
    let roughness = table.roughness.as_ref().map(number);
    RandomProfile::new(&RandomRoughness {
        start: number(&table.start),
        fade: number(&table.fade),
        roughness: roughness.or(table.class.map(|class| class.roughness())).unwrap_or(0.0),
        waviness: table.waviness,
        band: table.band,
        period: table.period,
        track: table.track.as_ref().map(number),
        seed: table.seed,
    })
}
