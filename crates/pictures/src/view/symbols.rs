//! Symbols of joints and force elements, in px on the page.

use super::outline::{Point, distance};
use super::scene::{Sign, StrutKind};
use std::fmt::Write;

/// Half the length of a symbol along its axis, px.
const HALF_LENGTH: f64 = 7.0;
/// Half the width of a symbol, px.
const HALF_WIDTH: f64 = 3.6;
/// Projected fraction of its length below which an axis points at the viewer.
const MIN_PROJECTED_FRACTION: f64 = 0.35;

/// A symbol at `at`; `axis`: its axis on the page, with length 1 in the page plane and 0 towards the viewer; `up`: the
/// direction of the load of a leaf spring, likewise.
pub fn sign(sign: Sign, at: Point, axis: Point, up: Point) -> String {
    let length = axis.0.hypot(axis.1);
    let seen_along = length < MIN_PROJECTED_FRACTION;
    let direction = if seen_along { (1.0, 0.0) } else { (axis.0 / length, axis.1 / length) };
    let to = |along: f64, across: f64| {
        (at.0 + along * direction.0 - across * direction.1, at.1 + along * direction.1 + across * direction.0)
    };
    let block =
        |half: f64, wide: f64| polygon("joint", &[to(-half, -wide), to(half, -wide), to(half, wide), to(-half, wide)]);
    let stroke = |a: Point, b: Point| path("stroke", &[a, b]);
    let reach = HALF_LENGTH * length;
    match sign {
        Sign::Revolute if seen_along => circle("joint", at, 4.5) + &circle("dot", at, 1.4),
        Sign::Revolute => block(reach, HALF_WIDTH) + &stroke(to(-reach - 3.0, 0.0), to(reach + 3.0, 0.0)),
        Sign::Prismatic if seen_along => {
            block(4.5, 4.5) + &stroke(to(-4.5, -4.5), to(4.5, 4.5)) + &stroke(to(-4.5, 4.5), to(4.5, -4.5))
        }
        Sign::Prismatic => block(1.4 * reach, 4.0) + &stroke(to(-2.2 * reach, 0.0), to(2.2 * reach, 0.0)),
        Sign::Cylindrical if seen_along => circle("joint", at, 5.5) + &circle("joint", at, 2.8),
        Sign::Cylindrical => {
            block(1.4 * reach, 4.0) + &stroke(to(-2.2 * reach, 0.0), to(2.2 * reach, 0.0)) + &circle("joint", at, 2.5)
        }
        Sign::Universal => {
            circle("joint", at, 5.0) + &stroke(to(-5.0, 0.0), to(5.0, 0.0)) + &stroke(to(0.0, -5.0), to(0.0, 5.0))
        }
        Sign::Spherical => circle("ball", at, 4.0),
        Sign::Planar => stroke(to(-2.0, -8.0), to(-2.0, 8.0)) + &stroke(to(2.0, -8.0), to(2.0, 8.0)),
        Sign::Fixed => polygon("ball", &[to(-3.2, -3.2), to(3.2, -3.2), to(3.2, 3.2), to(-3.2, 3.2)]),
        Sign::Constraint => polygon("joint", &[to(-5.0, 0.0), to(0.0, -5.0), to(5.0, 0.0), to(0.0, 5.0)]),
        Sign::Bushing => circle("joint", at, 6.0) + &circle("spring", at, 3.5),
        Sign::LeafSpring => (0..3)
            .map(|leaf| {
                // The longest leaf is on the side of the load, and all are bent towards it at their ends.
                let (half, drop) = ((26.0 - 8.0 * f64::from(leaf)) * length.max(0.2), 3.0 * f64::from(leaf));
                let at = |along: f64, high: f64| {
                    (at.0 + along * direction.0 + high * up.0, at.1 + along * direction.1 + high * up.1)
                };
                let bend = if seen_along { 0.0 } else { 5.0 };
                let (start, bend, end) = (at(-half, bend - drop), at(0.0, -bend - drop), at(half, bend - drop));
                format!(
                    "<path class=\"spring\" d=\"M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}\"/>\n",
                    start.0, start.1, bend.0, bend.1, end.0, end.1
                )
            })
            .collect(),
    }
}

/// A rod, spring or damper between two points.
pub fn strut(kind: StrutKind, [a, b]: [Point; 2]) -> String {
    // Unit vector from one end to the other; coincident ends point upwards in the picture.
    let length = distance(a, b);
    let direction = if length > 0.0 { ((b.0 - a.0) / length, (b.1 - a.1) / length) } else { (0.0, -1.0) };
    let to = |along: f64, across: f64| {
        (a.0 + along * direction.0 - across * direction.1, a.1 + along * direction.1 + across * direction.0)
    };
    // The standard symbol needs a minimum length; shorter elements have a compact symbol.
    match kind {
        StrutKind::Rod => path("rod", &[a, b]) + &circle("rodend", a, 2.6) + &circle("rodend", b, 2.6),
        StrutKind::Spring if length > 12.0 => {
            let turns = ((length - 8.0) / 5.0).clamp(4.0, 16.0) as usize;
            let pitch = (length - 8.0) / turns as f64;
            let zigzag = (0..turns).map(|i| to(4.0 + (i as f64 + 0.5) * pitch, if i % 2 == 0 { 5.0 } else { -5.0 }));
            let points: Vec<Point> =
                [a, to(4.0, 0.0)].into_iter().chain(zigzag).chain([to(length - 4.0, 0.0), b]).collect();
            path("spring", &points)
        }
        StrutKind::Spring => circle("spring", a, 5.0) + &circle("spring", a, 2.5),
        StrutKind::Damper if length > 14.0 => {
            let (head, foot) = (0.32 * length, 0.68 * length);
            let cup = [to(foot, -4.0), to(head, -4.0), to(head, 4.0), to(foot, 4.0)];
            path("damper", &[a, to(head, 0.0)])
                + &path("damper", &cup)
                + &path("damper", &[to(0.55 * length, -3.0), to(0.55 * length, 3.0)])
                + &path("damper", &[to(0.55 * length, 0.0), b])
        }
        // Two lobes per side between the end plates.
        StrutKind::Damper => polygon("damper", &[to(-4.0, -4.0), to(4.0, -4.0), to(4.0, 4.0), to(-4.0, 4.0)]),
        StrutKind::AirSpring => {
            let wide = 7.0;
            let bulge = |from: f64, till: f64, side: f64| {
                let (s, c, e) =
                    (to(from, side * wide), to(0.5 * (from + till), 1.7 * side * wide), to(till, side * wide));
                format!("M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}", s.0, s.1, c.0, c.1, e.0, e.1)
            };
            let mut lobes = String::new();
            for side in [-1.0, 1.0] {
                lobes += &bulge(0.0, 0.5 * length, side);
                lobes += &bulge(0.5 * length, length, side);
            }
            format!("<path class=\"spring\" d=\"{lobes}\"/>\n")
                + &path("spring", &[to(0.0, -wide), to(0.0, wide)])
                + &path("spring", &[to(length, -wide), to(length, wide)])
        }
        StrutKind::BumpStop => path("stop", &[a, b]) + &path("stopend", &[to(0.0, -4.0), to(0.0, 4.0)]),
        StrutKind::AntiRollBar => path("bar", &[a, b]) + &circle("barend", a, 2.2) + &circle("barend", b, 2.2),
    }
}

/// Attachment to the ground: a hatched foot.
pub fn foot(at: Point) -> String {
    let mut d = format!("M{:.1} {:.1}l-6 9h12z", at.0, at.1);
    for i in 0..4 {
        _ = write!(d, "M{:.1} {:.1}l-4 4", at.0 - 6.0 + 4.0 * f64::from(i), at.1 + 9.0);
    }
    format!("<path class=\"ground\" d=\"{d}\"/>\n")
}

/// A centre of mass: a circle with two filled quarters.
pub fn centre(at: Point) -> String {
    let (x, y) = at;
    format!(
        "<circle class=\"centre\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/><path class=\"quarters\" d=\"M{x:.1} \
         {y:.1}v-4a4 4 0 0 1 4 4z\
         M{x:.1} {y:.1}v4a4 4 0 0 1 -4 -4z\"/>\n"
    )
}

/// A force.
pub fn force(at: Point) -> String {
    format!("<path class=\"force\" d=\"M{:.1} {:.1}l-4 -9h8zv-9v-9\"/>\n", at.0, at.1)
}

/// An open line.
pub fn path(class: &str, points: &[Point]) -> String {
    format!("<path class=\"{class}\" d=\"{}\"/>\n", trace(points))
}

/// A closed line.
pub fn polygon(class: &str, points: &[Point]) -> String {
    format!("<path class=\"{class}\" d=\"{}Z\"/>\n", trace(points))
}

/// A circle.
pub fn circle(class: &str, at: Point, radius: f64) -> String {
    format!("<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"/>\n", at.0, at.1)
}

fn trace(points: &[Point]) -> String {
    let mut d = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        _ = write!(d, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
    }
    d
}
