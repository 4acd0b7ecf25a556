//! The kinds of mechanisms, each as a builder of a [`Draft`].

use super::draft::{Carrier, Draft};
use ballesta::math::rotation::{about, complement};
use ballesta::math::{Mat3, Vec3};
use std::f64::consts::PI;

/// Adds a tree of `count` bodies. `floating`: how many of the floating joints between bodies stay; within loops none,
/// because the tree could come to them from the wrong end.
fn tree(draft: &mut Draft, count: usize, kinds: &[&'static str], floating: f64) {
    let mut anchors: Vec<(Carrier, Vec3)> = vec![(None, draft.vector(0.3))];
    for _ in 0..count {
        // Chains rather than stars.
        let last = anchors.len() - 1;
        let (parent, place) = if draft.chance(0.5) { anchors[last] } else { draft.pick(&anchors) };
        let mut kind = draft.pick(kinds);
        if kind == "floating" && parent.is_some() && !draft.chance(floating) {
            kind = "spherical";
        }
        let step = draft.direction() * draft.between(0.3, 0.7);
        let point = place + step;
        let (body, axis) = (draft.body(&point), draft.direction());
        let joint = draft.joint(kind, [parent, Some(body)], point, axis, true);
        draft.set_speed(joint);
        anchors.push((Some(body), point));
    }
}

const ALL: [&str; 8] =
    ["revolute", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "floating"];
const CLOSING: [&str; 7] = ["revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "fixed"];

/// An open tree.
pub fn open_tree(draft: &mut Draft) {
    let count = 1 + draft.below(7);
    tree(draft, count, &ALL, 0.3);
    for joint in 0..draft.joints.len() {
        if draft.chance(0.5) {
            draft.set_position(joint, 0.6);
        }
    }
    if draft.chance(0.15) {
        let (body, place) = (draft.below(draft.bodies.len()), draft.vector(1.0));
        let fixed = draft.body(&place);
        draft.joint("fixed", [Some(body), Some(fixed)], place, Vec3::x(), true);
    }
}

/// Two bodies, or a body and the ground, that a closure may join, and a place between them.
fn gap(draft: &mut Draft) -> ([Carrier; 2], Vec3) {
    let bodies = draft.carriers();
    let place = 0.5 * (draft.centre(bodies[0]) + draft.centre(bodies[1])) + draft.vector(0.3);
    (bodies, place)
}

/// One closing constraint of any kind.
pub fn close(draft: &mut Draft) {
    let (bodies, place) = gap(draft);
    let axis = draft.direction();
    match draft.below(10) {
        0..=5 => {
            let kind = draft.pick(&CLOSING);
            let joint = draft.joint(kind, bodies, place, axis, false);
            draft.joints[joint].cut = draft.pick(&[None, None, Some(true)]);
        }
        6 | 7 => {
            let other = draft.centre(bodies[0]) + draft.vector(0.4);
            let mass = draft.pick(&[0.0, 0.0, 0.5, 2.0]);
            draft.rod(bodies, [other, place + axis * 0.3], mass);
        }
        8 => draft.point_on_line(bodies, place, axis),
        _ => draft.point_in_plane(bodies, place, axis),
    }
}

/// A tree that closures are then added to.
pub fn tree_to_close(draft: &mut Draft) {
    let count = 3 + draft.below(5);
    tree(draft, count, &ALL, 0.0);
    let count = draft.joints.len();
    if draft.chance(0.4) {
        // One of the joints may be cut instead.
        let joint = draft.below(count);
        draft.joints[joint].tree = false;
        draft.joints[joint].cut = Some(true);
    }
    thin_speeds(draft);
}

/// Loops take the speeds of few joints.
fn thin_speeds(draft: &mut Draft) {
    for joint in 0..draft.joints.len() {
        if draft.chance(0.6) {
            draft.joints[joint].speed = None;
        }
    }
}

/// Something that moves, or the ground, for a mechanism to stand on.
fn base(draft: &mut Draft) -> Carrier {
    if draft.chance(0.6) {
        return None;
    }
    let kinds = ["revolute", "prismatic", "spherical", "floating", "universal"];
    let count = 1 + draft.below(2);
    tree(draft, count, &kinds, 0.0);
    Some(draft.bodies.len() - 1)
}

/// A shaft in two or three bearings on one axis.
pub fn shaft(draft: &mut Draft) {
    let carrier = base(draft);
    let (origin, axis) = (draft.vector(0.5), draft.direction());
    let body = draft.body(&origin);
    let bearings = 2 + draft.below(2);
    for bearing in 0..bearings {
        let kind = match bearing {
            0 => draft.pick(&["revolute", "cylindrical"]),
            _ => draft.pick(&["revolute", "cylindrical", "cylindrical", "spherical"]),
        };
        let point = origin + axis * (0.4 * bearing as f64 + draft.between(0.0, 0.3));
        let joint = draft.joint(kind, [carrier, Some(body)], point, axis, bearing == 0);
        if bearing == 0 {
            draft.set_speed(joint);
        }
    }
    if draft.chance(0.4) {
        let place = origin + draft.vector(0.5);
        let (other, axis) = (draft.body(&place), draft.direction());
        let kind = draft.pick(&["revolute", "spherical", "universal", "prismatic"]);
        let joint = draft.joint(kind, [Some(body), Some(other)], place, axis, true);
        draft.set_speed(joint);
    }
}

/// Bodies that move in one plane, in any position in space, with joints of space: everything across the plane is
/// redundant.
pub fn planar(draft: &mut Draft) {
    let carrier = base(draft);
    let normal = draft.direction();
    let origin = draft.vector(0.5);
    let (first, second) = complement(&normal);
    let in_plane = |draft: &Draft, size: f64| first * (size * draft.number()) + second * (size * draft.number());
    let mut places: Vec<(Carrier, Vec3)> = vec![(carrier, origin)];
    for _ in 0..3 + draft.below(4) {
        let (parent, place) = if draft.chance(0.5) { *places.last().expect("one") } else { draft.pick(&places) };
        let point = place + in_plane(draft, 0.6);
        let body = draft.body(&point);
        let kind = draft.pick(&["revolute", "revolute", "revolute", "prismatic", "planar"]);
        let axis = if kind == "prismatic" { draft.across(&normal) } else { normal };
        // Joints stand beside the plane as well.
        let beside = normal * draft.between(-0.3, 0.3);
        let joint = draft.joint(kind, [parent, Some(body)], point + beside, axis, true);
        draft.set_speed(joint);
        places.push((Some(body), point));
    }
    for _ in 0..1 + draft.below(3) {
        let choice: Vec<Carrier> = places.iter().map(|(body, _)| *body).collect();
        let (a, b) = (draft.pick(&choice), draft.pick(&choice));
        if a == b {
            continue;
        }
        let point = in_plane(draft, 0.8) + origin;
        match draft.below(9) {
            0..=3 => {
                draft.joint("revolute", [a, b], point + normal * draft.number(), normal, false);
            }
            4 => {
                let axis = draft.across(&normal);
                draft.joint("prismatic", [a, b], point, axis, false);
            }
            5 => {
                let kind = draft.pick(&["cylindrical", "planar", "universal", "spherical"]);
                draft.joint(kind, [a, b], point, normal, false);
            }
            6 => {
                let other = origin + in_plane(draft, 0.8);
                draft.rod([a, b], [other, point], draft.pick(&[0.0, 0.7]));
            }
            7 => draft.point_on_line([a, b], point, draft.across(&normal)),
            _ => draft.point_in_plane([a, b], point, draft.across(&normal)),
        }
    }
    thin_speeds(draft);
}

/// Bodies that turn about one point.
pub fn spherical(draft: &mut Draft) {
    let (carrier, centre) = (base(draft), draft.vector(0.5));
    let mut bodies: Vec<Carrier> = vec![carrier];
    for _ in 0..3 + draft.below(2) {
        let place = centre + draft.vector(0.5);
        let (body, axis, parent) = (draft.body(&place), draft.direction(), *bodies.last().expect("one"));
        let kind = draft.pick(&["revolute", "revolute", "revolute", "universal"]);
        // A revolute joint may have its point anywhere on its axis.
        let point = if kind == "revolute" { centre + axis * draft.between(-0.5, 0.5) } else { centre };
        let joint = draft.joint(kind, [parent, Some(body)], point, axis, true);
        draft.set_speed(joint);
        bodies.push(Some(body));
    }
    for _ in 0..1 + draft.below(2) {
        let (a, b) = (draft.pick(&bodies), draft.pick(&bodies));
        if a == b {
            continue;
        }
        let axis = draft.direction();
        match draft.below(4) {
            0 | 1 => {
                draft.joint("revolute", [a, b], centre + axis * draft.between(-0.5, 0.5), axis, false);
            }
            2 => {
                let kind = draft.pick(&["universal", "spherical"]);
                draft.joint(kind, [a, b], centre, axis, false);
            }
            _ => {
                let points = [centre + draft.vector(0.6), centre + draft.vector(0.6)];
                draft.rod([a, b], points, draft.pick(&[0.0, 0.7]));
            }
        }
    }
    thin_speeds(draft);
}

/// Bodies that do not turn.
pub fn translational(draft: &mut Draft) {
    let carrier = base(draft);
    let mut bodies: Vec<Carrier> = vec![carrier];
    for _ in 0..3 + draft.below(3) {
        let place = draft.vector(0.8);
        let (body, axis, parent) = (draft.body(&place), draft.direction(), draft.pick(&bodies));
        let joint = draft.joint("prismatic", [parent, Some(body)], place, axis, true);
        draft.set_speed(joint);
        bodies.push(Some(body));
    }
    for _ in 0..1 + draft.below(2) {
        let (a, b) = (draft.pick(&bodies), draft.pick(&bodies));
        if a == b {
            continue;
        }
        let (point, axis) = (draft.vector(0.8), draft.direction());
        match draft.below(4) {
            0 | 1 => {
                let kind = draft.pick(&["prismatic", "planar", "cylindrical"]);
                draft.joint(kind, [a, b], point, axis, false);
            }
            2 => draft.point_on_line([a, b], point, axis),
            _ => draft.point_in_plane([a, b], point, axis),
        }
    }
    thin_speeds(draft);
}

/// A closed chain of revolute joints on `lines` (point, direction): the first link is the base.
fn chain(draft: &mut Draft, carrier: Carrier, lines: &[(Vec3, Vec3)]) {
    let mut links = vec![carrier];
    for pair in lines.windows(2) {
        let middle = 0.5 * (pair[0].0 + pair[1].0);
        links.push(Some(draft.body(&middle)));
    }
    links.push(carrier);
    let open = draft.below(lines.len());
    for (k, (point, axis)) in lines.iter().enumerate() {
        let along = *axis * draft.between(-0.2, 0.2);
        draft.joint("revolute", [links[k], links[k + 1]], point + along, *axis, k != open);
    }
    let first = draft.joints.len() - lines.len();
    let driven = first + (open + 1) % lines.len();
    draft.set_speed(driven);
}

/// A frame on its way along a chain of Denavit and Hartenberg: turned by `angle` about z, then by `length` along x and
/// `twist` about x.
fn next(frame: (Mat3, Vec3), angle: f64, length: f64, twist: f64) -> (Mat3, Vec3) {
    let turned = frame.0 * about(&Vec3::z(), angle);
    (turned * about(&Vec3::x(), twist), frame.1 + turned * (Vec3::x() * length))
}

/// Four skew revolute axes that move for their proportions alone: a / sin α = b / sin β.
pub fn bennett(draft: &mut Draft) {
    let carrier = base(draft);
    let (alpha, beta) = (draft.between(0.4, 1.2), draft.between(1.5, 2.6));
    let a = draft.between(0.3, 0.8);
    let b = a * beta.sin() / alpha.sin();
    let theta = draft.between(0.7, 2.4);
    // tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2) / sin((β − α)/2).
    let other = 2.0 * ((0.5 * (beta + alpha)).sin() / (0.5 * (beta - alpha)).sin() / (0.5 * theta).tan()).atan();
    let start = (draft.rotation(), draft.vector(0.5));
    let (mut frame, mut lines) = (start, vec![]);
    for (angle, length, twist) in [(theta, a, alpha), (other, b, beta), (-theta, a, alpha), (-other, b, beta)] {
        lines.push((frame.1, frame.0 * Vec3::z()));
        frame = next(frame, angle, length, twist);
    }
    let open = (frame.1 - start.1).norm() + (frame.0 - start.0).norm();
    assert!(open < 1e-12, "Bennett's loop stays open by {open}");
    chain(draft, carrier, &lines);
}

/// Six revolute axes, three of them the others turned by half a turn about a line.
pub fn bricard(draft: &mut Draft) {
    let carrier = base(draft);
    let (centre, axis) = (draft.vector(0.5), draft.direction());
    let half_turn = about(&axis, PI);
    let half: Vec<(Vec3, Vec3)> = (0..3)
        .map(|_| {
            let place = centre + draft.vector(0.6) + draft.across(&axis) * 0.5;
            (place, draft.direction())
        })
        .collect();
    let other = half.iter().map(|(p, u)| (centre + half_turn * (p - centre), half_turn * u));
    let lines: Vec<_> = half.iter().copied().chain(other).collect();
    chain(draft, carrier, &lines);
}

/// Two sets of three parallel hinges: a platform that moves straight.
pub fn sarrus(draft: &mut Draft) {
    let carrier = base(draft);
    let (centre, up) = (draft.vector(0.5), draft.direction());
    let legs = 2 + draft.below(2);
    let height = draft.between(0.5, 0.9);
    let platform = draft.body(&(centre + up * height));
    let first = draft.across(&up);
    let turn = draft.between(0.8, 2.0);
    for leg in 0..legs {
        let out = about(&up, turn * leg as f64) * first;
        let hinge = up.cross(&out);
        let (foot, head) =
            (centre + out * draft.between(0.2, 0.4), centre + up * height + out * draft.between(0.2, 0.4));
        let knee = 0.5 * (foot + head) + out * draft.between(0.2, 0.5);
        let (lower, upper) = (draft.body(&(0.5 * (foot + knee))), draft.body(&(0.5 * (knee + head))));
        let bodies = [carrier, Some(lower), Some(upper), Some(platform)];
        for (k, point) in [foot, knee, head].into_iter().enumerate() {
            draft.joint("revolute", [bodies[k], bodies[k + 1]], point, hinge, leg == 0 || k == 0);
        }
    }
    let count = draft.joints.len();
    draft.set_speed(count - 3 * legs);
}

/// Parallel cranks of one length between a frame and a coupling link, more of them than needed, in a plane anywhere.
pub fn parallelogram(draft: &mut Draft) {
    let carrier = base(draft);
    let (origin, normal) = (draft.vector(0.5), draft.direction());
    let crank = draft.across(&normal) * draft.between(0.3, 0.6);
    let link = draft.body(&(origin + crank));
    let cranks = 3 + draft.below(2);
    for k in 0..cranks {
        let sideways = about(&normal, 0.5 + 0.4 * draft.number()) * crank;
        let foot = origin + sideways * (1.0 + k as f64) + normal * draft.between(-0.2, 0.2);
        if k > 0 && draft.chance(0.4) {
            draft.rod([carrier, Some(link)], [foot, foot + crank], draft.pick(&[0.0, 0.4]));
            continue;
        }
        let body = draft.body(&(foot + crank * 0.5));
        let first = draft.joint("revolute", [carrier, Some(body)], foot, normal, k == 0);
        let kind = if k == 0 { "revolute" } else { draft.pick(&["revolute", "revolute", "cylindrical", "spherical"]) };
        draft.joint(kind, [Some(body), Some(link)], foot + crank, normal, k == 0);
        if k == 0 {
            draft.set_speed(first);
        }
    }
}

/// A wheel carrier on two triangular arms and a track rod; one arm may be mounted in bushings; springs on the arms.
pub fn wishbone(draft: &mut Draft) {
    let turn = draft.rotation();
    let offset = draft.vector(0.5);
    let at = |x: f64, y: f64, z: f64| offset + turn * Vec3::new(x, y, z);
    let chassis = if draft.chance(0.5) {
        None
    } else {
        let body = draft.body(&at(0.0, 0.0, 0.3));
        draft.bodies[body].mass *= 10.0;
        let kind = draft.pick(&["floating", "prismatic", "spherical"]);
        let axis = turn * Vec3::z();
        let joint = draft.joint(kind, [None, Some(body)], at(0.1, -0.2, 0.3), axis, true);
        draft.set_speed(joint);
        Some(body)
    };
    let knuckle = draft.body(&at(0.0, 0.8, 0.25));
    let mut arms = vec![];
    for (height, reach) in [(0.1, 0.75), (0.45, 0.65)] {
        let mounts = [
            at(draft.between(0.1, 0.3), 0.2, height + draft.number() * 0.03),
            at(draft.between(-0.3, -0.1), 0.25, height),
        ];
        let ball = at(draft.number() * 0.05, reach, height - 0.02 + 0.04 * draft.number());
        let arm = draft.body(&(0.5 * (ball + mounts[0])));
        if draft.chance(0.35) {
            let joint = draft.joint("floating", [chassis, Some(arm)], mounts[0], Vec3::x(), false);
            draft.joints[joint].tree = false;
            for mount in mounts {
                draft.bushing([chassis, Some(arm)], mount);
            }
        } else {
            let redundant = draft.chance(0.3);
            let joint = draft.joint("revolute", [chassis, Some(arm)], mounts[0], mounts[1] - mounts[0], true);
            draft.set_speed(joint);
            if redundant {
                let kind = draft.pick(&["cylindrical", "spherical", "revolute"]);
                draft.joint(kind, [chassis, Some(arm)], mounts[1], mounts[1] - mounts[0], false);
            }
        }
        draft.joint("spherical", [Some(arm), Some(knuckle)], ball, Vec3::x(), false);
        arms.push(arm);
    }
    let rod = [at(0.15, 0.3, 0.2), at(0.15 + 0.02 * draft.number(), 0.75, 0.2)];
    draft.rod([chassis, Some(knuckle)], rod, draft.pick(&[0.0, 0.3]));
    let wheel = draft.body(&at(0.0, 0.9, 0.25));
    let joint = draft.joint("revolute", [Some(knuckle), Some(wheel)], at(0.0, 0.9, 0.25), turn * Vec3::y(), true);
    draft.set_speed(joint);
    let arm = draft.pick(&arms);
    draft.spring([chassis, Some(arm)], [at(0.0, 0.3, 0.8), draft.bodies[arm].com]);
}

/// Couplers and racks between the coordinates of a tree, the last of them now and then what follows from the others.
pub fn gears(draft: &mut Draft) {
    let carrier = base(draft);
    let mut coordinates = vec![];
    let mut parents = vec![carrier];
    for _ in 0..3 + draft.below(4) {
        let place = draft.vector(0.8);
        let (body, axis, parent) = (draft.body(&place), draft.direction(), draft.pick(&parents));
        let kind = draft.pick(&["revolute", "revolute", "prismatic", "cylindrical", "universal", "planar"]);
        let joint = draft.joint(kind, [parent, Some(body)], place, axis, true);
        draft.set_speed(joint);
        let names = super::draft::coordinates(kind);
        coordinates.push((joint, draft.pick(names)));
        parents.push(Some(body));
    }
    let start = draft.below(coordinates.len() - 2);
    let mut product = 1.0;
    let count = 1 + draft.below(2);
    for k in start..start + count {
        let ends = [coordinates[k], coordinates[k + 1]];
        let ratio = draft.pick(&[-1.0, 1.0]) * draft.between(0.3, 2.0);
        product *= ratio;
        let angle = |(_, name): (usize, &str)| name.contains("angle");
        if angle(ends[0]) && !angle(ends[1]) && draft.chance(0.5) {
            draft.rack(ends[0], ends[1], ratio);
        } else {
            draft.coupler(ends, ratio);
        }
    }
    if count == 2 && draft.chance(0.5) {
        draft.coupler([coordinates[start], coordinates[start + 2]], product);
    }
    thin_speeds(draft);
}

/// A screw, a belt drive and the like inside a loop: a tree, one closure, a coupler.
pub fn geared_loop(draft: &mut Draft) {
    tree_to_close(draft);
    let all: Vec<_> = (0..6).filter_map(|_| draft.coordinate()).collect();
    if let Some((first, second)) = all.first().zip(all.iter().find(|other| other.0 != all[0].0)) {
        let ratio = draft.pick(&[-1.0, 1.0]) * draft.between(0.3, 2.0);
        draft.coupler([*first, *second], ratio);
    }
}

/// Differentials and planetary gears: three or four coordinates of a tree in one coupler, some of them in a second one;
/// open or to be closed.
pub fn differential(draft: &mut Draft) {
    tree_to_close(draft);
    let mut all: Vec<_> = (0..12).filter_map(|_| draft.coordinate()).collect();
    all.sort_unstable();
    all.dedup_by_key(|coordinate| coordinate.0);
    let count = 3 + draft.below(2);
    for shift in 0..1 + draft.below(2) {
        let some = all.iter().skip(shift).take(count);
        let terms: Vec<_> = some.map(|&on| (on, draft.pick(&[-1.0, 1.0]) * draft.between(0.3, 2.0))).collect();
        if terms.len() > 2 {
            draft.sum(&terms);
        }
    }
    thin_speeds(draft);
}

/// One coordinate follows a motion in time; open or to be closed.
pub fn guided(draft: &mut Draft) {
    tree_to_close(draft);
    let Some(coordinate) = draft.coordinate() else { return };
    draft.joints[coordinate.0].speed = None;
    draft.guide(coordinate);
}
