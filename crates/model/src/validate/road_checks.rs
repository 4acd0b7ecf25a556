//! Roads: ranges of their numbers, and hollows that are too narrow for a wheel.

use super::check::{Check, Use};
use crate::schema::{Bump, BumpKind, Number, RandomProfile, Road};

/// Smallest radius of a hollow of a bump, m: larger than a wheel, which then touches the road at one point.
pub const MIN_HOLLOW_RADIUS: f64 = 0.6;
/// Largest number of waves in one period of a random profile.
const MAX_WAVES: f64 = 1e5;

pub(super) fn check(check: &mut Check) {
    for (index, road) in check.model.roads.iter().enumerate() {
        let item = format!("road[{index}]");
        // Plane: height, slope and bank.
        for (key, number) in [("height", &road.height), ("slope", &road.slope), ("bank", &road.bank)] {
            check.number(&format!("{item}.{key}"), number, Use::Fixed);
        }
        // Friction and patches; a patch must be smaller than the road.
        check.not_negative(&format!("{item}.friction"), &road.friction, Use::Fixed, "write 0 or more");
        for (index, patch) in road.patches.iter().enumerate() {
            let item = format!("{item}.patch[{index}]");
            for (key, ends) in [("x", &patch.x), ("y", &patch.y)] {
                range(check, &format!("{item}.{key}"), ends);
            }
            if patch.x.is_none() && patch.y.is_none() {
                check.report(
                    &item,
                    "the patch covers the whole road",
                    "add `x` or `y`, or change the road's `friction`",
                );
            }
            check.not_negative(&format!("{item}.friction"), &patch.friction, Use::Fixed, "write 0 or more");
            positive(check, &format!("{item}.blend"), &patch.blend, "give a length in m");
        }
        // Bumps, height map and random profile.
        for (index, table) in road.bumps.iter().enumerate() {
            bump(check, &format!("{item}.bump[{index}]"), table, check.model.enveloped(road));
        }
        map(check, &item, road);
        if let Some(table) = &road.random {
            random(check, &format!("{item}.random"), table);
        }
    }
}

/// Position of the height map.
fn map(check: &mut Check, item: &str, road: &Road) {
    for (axis, number) in road.map_start.iter().enumerate() {
        check.number(&format!("{item}.map_start[{axis}]"), number, Use::Fixed);
    }
    check.number(&format!("{item}.map_heading_deg"), &road.map_heading_deg, Use::Fixed);
    let zero = Number::Value(0.0);
    let given = [
        ("map_start", road.map_start.iter().any(|number| *number != zero)),
        ("map_heading_deg", road.map_heading_deg != zero),
        ("fill_hollows", road.fill_hollows),
    ];
    for (key, given) in given {
        if given && road.height_map.is_none() && (road.friction_map.is_none() || key == "fill_hollows") {
            let key = format!("{item}.{key}");
            check.report(&key, "there is no height map", "remove it, or name a file in `height_map`");
        }
    }
}

/// A number that must be positive.
fn positive(check: &mut Check, key: &str, number: &Number, expected: &str) -> Option<f64> {
    let value = check.number(key, number, Use::Fixed)?;
    if !(value > 0.0) {
        check.report(key, format!("found {value}"), expected);
        return None;
    }
    Some(value)
}

/// Two ends, the first below the second.
fn range(check: &mut Check, key: &str, ends: &Option<[Number; 2]>) {
    let Some(ends) = ends else { return };
    let [from, to] = [0, 1].map(|end| check.number(&format!("{key}[{end}]"), &ends[end], Use::Fixed));
    if let (Some(from), Some(to)) = (from, to)
        && !(from < to)
    {
        check.report(key, format!("the range is from {from} to {to}"), "write the smaller number first");
    }
}

fn bump(check: &mut Check, item: &str, bump: &Bump, enveloped: bool) {
    // Values of each key.
    check.number(&format!("{item}.start"), &bump.start, Use::Fixed);
    check.number(&format!("{item}.angle_deg"), &bump.angle_deg, Use::Fixed);
    range(check, &format!("{item}.y"), &bump.y);
    positive(check, &format!("{item}.side_blend"), &bump.side_blend, "give a length in m");
    let length = positive(check, &format!("{item}.length"), &bump.length, "give the length in m");
    let blend = positive(check, &format!("{item}.blend"), &bump.blend, "give a length in m; kinks must be rounded");
    let height_key = format!("{item}.height");
    let height = check.number(&height_key, &bump.height, Use::Fixed);
    if height == Some(0.0) {
        check.report(&height_key, "found 0", "give the height in m; a pothole has a negative height");
    }
    let ramp_key = format!("{item}.ramp");
    let ramp = match (&bump.ramp, bump.kind) {
        (Some(ramp), BumpKind::FlatTop) => positive(check, &ramp_key, ramp, "give the length of each ramp in m"),
        (None, BumpKind::FlatTop) => {
            let expected = "add `ramp`: the length of each ramp in m";
            check.report(&ramp_key, "a flat top needs `ramp`", expected);
            None
        }
        (Some(_), _) => {
            check.report(&ramp_key, "only a flat top has ramps", "remove `ramp`, or write `kind = \"flat_top\"`");
            None
        }
        (None, _) => None,
    };
    // Relations between the values.
    let (Some(length), Some(blend), Some(height)) = (length, blend, height) else { return };
    repetition(check, item, bump, length + blend);
    if let Some(ramp) = ramp
        && 2.0 * ramp > length
    {
        let found = format!("two ramps of {ramp} m are longer than the bump, {length} m");
        return check.report(&ramp_key, found, "increase `length`, which includes both ramps and the plateau");
    }
    // Largest slope, and curvature of the hollows of the shape itself.
    let rise = height.abs();
    let (slope, own) = match bump.kind {
        BumpKind::Round if 2.0 * rise >= length => {
            let found = format!("an arc of length {length} m cannot be {rise} m high");
            return check.report(&height_key, found, "give a height below half the length");
        }
        BumpKind::Round => {
            let radius = (0.25 * length * length + rise * rise) / (2.0 * rise);
            (0.5 * length / (radius - rise), if height < 0.0 { 1.0 / radius } else { 0.0 })
        }
        BumpKind::Sinusoidal => {
            let wave = std::f64::consts::TAU / length;
            (0.0, 0.5 * rise * wave * wave)
        }
        BumpKind::FlatTop => match ramp {
            Some(ramp) => (rise / ramp, 0.0),
            None => return,
        },
    };
    if enveloped {
        return;
    }
    // A wheel with one contact point must fit into every hollow.
    if own * MIN_HOLLOW_RADIUS > 1.0 {
        let found = format!("the bump has a concave radius of {:.2} m", 1.0 / own);
        let expected = format!(
            "make it lower or longer, or write `enveloping = true` for the road; a wheel with one contact point needs \
             a radius of at least {MIN_HOLLOW_RADIUS} m"
        );
        check.report(&height_key, found, expected);
    } else if 1.5 * slope / blend * MIN_HOLLOW_RADIUS > 1.0 {
        let found = format!(
            "rounded over {blend} m, the ramp of slope {:.2} has a concave radius of {:.2} m",
            slope,
            blend / (1.5 * slope)
        );
        let needed = (1.5 * slope * MIN_HOLLOW_RADIUS * 100.0).ceil() / 100.0;
        let expected = format!(
            "write at least {needed}, or `enveloping = true` for the road; a wheel with one contact point needs a \
             radius of at least {MIN_HOLLOW_RADIUS} m"
        );
        check.report(format!("{item}.blend"), found, expected);
    }
}

/// Number and distance of bumps; `needed`: length of one bump, m.
fn repetition(check: &mut Check, item: &str, bump: &Bump, needed: f64) {
    let key = format!("{item}.spacing");
    if bump.count == 0 {
        check.report(format!("{item}.count"), "found 0", "write 1 or more, or remove the bump");
    }
    match &bump.spacing {
        None if bump.count > 1 => {
            let found = format!("{} bumps need `spacing`", bump.count);
            check.report(key, found, "add `spacing`: the distance between the starts of two bumps in m");
        }
        Some(spacing) => {
            if let Some(value) = check.number(&key, spacing, Use::Fixed)
                && value < needed
            {
                let found = format!("bumps {value} m apart overlap");
                check.report(key, found, format!("write {needed} (`length` plus `blend`) or more"));
            }
        }
        None => {}
    }
}

fn random(check: &mut Check, item: &str, random: &RandomProfile) {
    let roughness_key = format!("{item}.roughness");
    // Roughness level by class (ISO 8608) or by value.
    match (&random.class, &random.roughness) {
        (None, None) => check.report(item, "the road has no roughness level", "add `class` or `roughness`"),
        (Some(_), Some(_)) => {
            check.report(&roughness_key, "both `class` and `roughness` are given", "give one of them")
        }
        (None, Some(roughness)) => {
            check.not_negative(&roughness_key, roughness, Use::Fixed, "write 0 or more, in m³");
        }
        (Some(_), None) => {}
    }
    // The period must contain the longest wave, and a limited number of the shortest ones.
    let [lowest, highest] = random.band;
    let band_key = format!("{item}.band");
    if !(lowest > 0.0 && lowest < highest) {
        let found = format!("the band is from {lowest} to {highest} cycles/m");
        check.report(&band_key, found, "write two positive frequencies, the lower one first");
    } else if !(random.period * lowest >= 1.0) {
        let found = format!("{} m are shorter than a wave of {lowest} cycles/m", random.period);
        let expected = format!("write at least {}", (1.0 / lowest).ceil());
        check.report(format!("{item}.period"), found, expected);
    } else if random.period * highest > MAX_WAVES {
        let found = format!("one period contains {:.0} of the shortest waves", random.period * highest);
        let expected = format!("at most {MAX_WAVES} fit into memory; use a shorter period or a lower band");
        check.report(format!("{item}.period"), found, expected);
    }
    // Distance of the tracks for the coherence between left and right, start and fade-in.
    if let Some(track) = &random.track {
        positive(check, &format!("{item}.track"), track, "give the distance of the wheel tracks in m, or remove it");
    }
    check.number(&format!("{item}.start"), &random.start, Use::Fixed);
    positive(check, &format!("{item}.fade"), &random.fade, "give a length in m");
}
