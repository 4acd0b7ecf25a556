//! Equality constraints: joints that close loops, and couplings of coordinates.

use super::{NamedJoint, Reader};
use crate::frame::Pose;
use crate::mjcf::defaults::Spec;
use crate::robot::{Coupler, Joint, is_single, unique};
use crate::xml::Element;
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::JointKind as Kind;

/// Largest distance, m, or rotation, rad, between coincident sites.
const COINCIDENCE_TOLERANCE: f64 = 1e-6;
/// Default of `polycoef`.
const POLYNOMIAL: [f64; 5] = [0.0, 1.0, 0.0, 0.0, 0.0];
/// Intervals of the table of a polynomial; the spline error for x⁴ over 2 rad is 1e-8 rad.
const ROWS: usize = 128;
/// Intervals beyond the range at either end; the end effect of a natural spline falls by a factor of 0.27 per interval.
const EXTRA_INTERVALS: f64 = 12.0;

impl<'e> Reader<'e> {
    pub fn equality(&mut self, root: &'e Element) {
        for equality in root.all("equality") {
            for (number, element) in (1..).zip(&equality.children) {
                let spec = self.defaults.of_tag(self.files, element, None, "equality");
                spec.note_given(&["solref", "solimp", "torquescale"], ": the constraint is rigid");
                if spec.text("active") == Some("false") {
                    element.mark_all();
                    self.files.note(element.place, format!("inactive <{}>", element.name));
                    continue;
                }
                let usual = format!("equality_{number}");
                let given = element.text("name").unwrap_or(&usual).to_string();
                // The class of elements of the file outlives the fields of the reader.
                match element.name.as_str() {
                    "connect" => self.closure(element, &given, Kind::Spherical),
                    "weld" => self.closure(element, &given, Kind::Fixed),
                    "joint" => self.coupling(element, &given, ["joint1", "joint2"]),
                    "tendon" => self.coupling(element, &given, ["tendon1", "tendon2"]),
                    other => self.files.note(element.place, format!("<{other}> of <equality>")),
                }
            }
        }
    }

    /// Two bodies that share a point or are welded.
    fn closure(&mut self, element: &'e Element, given: &str, kind: Kind) {
        let found = self.bodies_of(element, kind);
        let Some((bodies, point)) = found else { return };
        if bodies[0] == bodies[1] {
            let cure = "name two different bodies";
            return self.files.wrong(element.place, &element.name, "the constraint connects a body to itself", cure);
        }
        let name = unique(&mut self.robot.names.constraints, given);
        self.robot.joints.push(Joint { is_closure: true, ..Joint::new(name, kind, bodies, point, element.place) });
    }

    /// The bodies of a closure, and its position in W.
    fn bodies_of(&self, element: &'e Element, kind: Kind) -> Option<([String; 2], Vec3)> {
        let spec = self.defaults.of_tag(self.files, element, None, "equality");
        // Sites define the closure by two frames that must coincide at the zero position.
        if spec.has("site1") || spec.has("site2") {
            let site = |key: &str| {
                let name = spec.text(key).unwrap_or_default();
                let site = self.sites.get(name).cloned();
                if site.is_none() {
                    spec.wrong(key, format!("there is no site \"{name}\""), "name two sites defined in this file");
                }
                site
            };
            let (one, two) = (site("site1")?, site("site2")?);
            let turned = (one.pose.turn - two.pose.turn).norm();
            let apart = (one.pose.at - two.pose.at).norm();
            if apart > COINCIDENCE_TOLERANCE || (kind == Kind::Fixed && turned > COINCIDENCE_TOLERANCE) {
                let found = format!("the sites are {apart:.3e} m apart at the zero position");
                spec.wrong("site1", found, "let the sites coincide there, with equal axes for <weld>");
            }
            return Some(([one.body, two.body], one.pose.at));
        }
        // Otherwise two bodies; without `body2` the second is the world.
        let one = self.named_body(&spec, "body1")?;
        let two = match spec.has("body2") {
            true => self.named_body(&spec, "body2")?,
            false => ("ground".to_string(), Pose::world()),
        };
        let anchor = spec.numbers::<3>("anchor").map_or(Vec3::zeros(), Vec3::from);
        // The anchor is in the frame of the first body for <connect>, and of the second body for <weld>.
        if kind == Kind::Spherical {
            return Some(([one.0, two.0], one.1.point(&anchor)));
        }
        self.is_at_zero(&spec, &one.1, &two.1);
        Some(([one.0, two.0], two.1.point(&anchor)))
    }

    /// Checks that a weld is satisfied at the zero position: a given relative pose of the second body in the first.
    fn is_at_zero(&self, spec: &Spec, one: &Pose, two: &Pose) {
        let Some([x, y, z, quaternion @ ..]) = spec.numbers::<7>("relpose") else { return };
        let Some(turn) = crate::frame::of_quaternion(quaternion) else { return };
        let found = one.inverse().then(two);
        let apart = (found.at - Vec3::new(x, y, z)).norm();
        let turned = (found.turn.transpose() * turn - Mat3::identity()).norm();
        if apart > COINCIDENCE_TOLERANCE || turned > COINCIDENCE_TOLERANCE {
            let angle = 2.0 * (turned / 8f64.sqrt()).min(1.0).asin();
            let what =
                format!("at the zero position the relative pose is {apart:.3e} m and {angle:.3e} rad from relpose");
            spec.wrong("relpose", what, "move the bodies until the weld is satisfied, or remove relpose");
        }
    }

    /// A joint that follows another joint or is fixed.
    fn coupling(&mut self, element: &'e Element, given: &str, keys: [&str; 2]) {
        let Some((first, second, polynomial)) = self.coupled(element, keys) else { return };
        let [offset, ratio, beyond @ ..] = polynomial;
        let second = second.filter(|_| [ratio, beyond[0], beyond[1], beyond[2]] != [0.0; 4]);
        let Some(second) = second else {
            return self.robot.held.push((first.name, offset));
        };
        let table = match beyond == [0.0; 3] {
            true => Vec::new(),
            false => self.table(element, &second, &polynomial),
        };
        let name = unique(&mut self.robot.names.constraints, given);
        let (joints, place) = ([second.name, first.name], element.place);
        self.robot.couple(self.files, Coupler { name, joints, ratio, offset, table, place });
    }

    /// A polynomial as a table over the range of the leading joint. The natural spline through it deviates from the
    /// polynomial near its ends, so the ends are beyond the range.
    fn table(&self, element: &'e Element, leads: &NamedJoint, polynomial: &[f64; 5]) -> Vec<[f64; 2]> {
        let stop = self.robot.stops.iter().find(|stop| stop.joint == leads.name);
        let Some((lower, upper)) = stop.and_then(|stop| stop.lower.zip(stop.upper)) else {
            let spec = self.defaults.of_tag(self.files, element, None, "equality");
            let cure =
                format!("give joint \"{}\" a `range`: the model file tabulates the coupling over it", leads.name);
            spec.wrong("polycoef", "nonlinear coupling of a joint without limits", &cure);
            return Vec::new();
        };
        let beyond = EXTRA_INTERVALS * (upper - lower) / ROWS as f64;
        let (from, over) = (lower - beyond, upper - lower + 2.0 * beyond);
        let row = |k: usize| {
            let x = from + over * k as f64 / ROWS as f64;
            [x, polynomial.iter().rev().fold(0.0, |value, factor| value * x + factor)]
        };
        (0..=ROWS).map(row).collect()
    }

    /// Following joint, leading joint and their polynomial. MuJoCo's polynomial uses positions relative to the zero
    /// position, like the coordinates.
    fn coupled(
        &self,
        element: &'e Element,
        [one, two]: [&str; 2],
    ) -> Option<(NamedJoint, Option<NamedJoint>, [f64; 5])> {
        let spec = self.defaults.of_tag(self.files, element, None, "equality");
        let named = |key: &str| match key.starts_with("tendon") {
            true => self.named_tendon(&spec, key),
            false => self.named_joint(&spec, key),
        };
        let first = named(one)?;
        let second = if spec.has(two) { Some(named(two)?) } else { None };
        if !is_single(first.kind) || second.as_ref().is_some_and(|joint| !is_single(joint.kind)) {
            spec.wrong(one, "the coupling names a ball or free joint", "couple joints of type hinge or slide");
        }
        let polynomial = spec.list("polycoef").unwrap_or_default();
        let of = |degree: usize| polynomial.get(degree).copied().unwrap_or(POLYNOMIAL[degree]);
        Some((first, second, std::array::from_fn(of)))
    }
}
