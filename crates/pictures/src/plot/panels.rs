//! Assignment of curves to panels.

use super::Curve;

/// Curves in one panel.
pub struct Panel<'a> {
    /// Heading; if absent, the quantity of the unit.
    pub title: Option<&'a str>,
    /// Display unit.
    pub unit: &'a str,
    /// Shown value / value.
    pub factor: f64,
    /// The curves, in the given order.
    pub curves: Vec<Curve<'a>>,
    /// Whether the panel is low.
    pub low: bool,
    /// Horizontal quantity, if not time.
    pub along: Option<Along<'a>>,
}

/// The horizontal axis of a panel that is not over time.
pub struct Along<'a> {
    /// Name of the axis.
    pub name: &'a str,
    /// Display unit.
    pub unit: &'a str,
    /// Shown value / value.
    pub factor: f64,
    /// One value per time.
    pub values: &'a [f64],
    /// Whether lengths in both directions are comparable.
    pub equal_scales: bool,
    /// Marks on the curves.
    pub marks: Marks,
}

/// Marks on curves that are not over time.
pub enum Marks {
    /// Start and direction of time.
    Time,
    /// Texts next to points, in the units of the values.
    Texts(Vec<(f64, f64, String)>),
    /// Texts of carpet plots, which have shifted points and no horizontal scale.
    Carpet(Vec<(f64, f64, String)>),
}

/// Maximum number of curves in one panel; more are not distinguishable.
const MAX_CURVES: usize = 8;

/// Ratio of the range of a panel to the range of a curve above which the curve is flat.
const FLAT_CURVE_RATIO: f64 = 25.0;

/// Groups curves by unit (stepped and continuous curves separately) in the order of their first curve. It then splits
/// groups so that no curve is flat, and forms panels of at most eight. Diagnostic curves are last, in low panels.
pub fn panels<'a>(curves: &[Curve<'a>]) -> Vec<Panel<'a>> {
    let mut panels = Vec::new();
    for diagnostic in [false, true] {
        let mut seen: Vec<(&str, bool)> = Vec::new();
        for curve in curves.iter().filter(|curve| curve.diagnostic == diagnostic) {
            let key = (curve.unit, curve.stepped);
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let alike = |other: &&Curve| other.diagnostic == diagnostic && (other.unit, other.stepped) == key;
            let same: Vec<Curve<'a>> = curves.iter().filter(alike).copied().collect();
            for group in by_range(&same) {
                for chunk in group.chunks(MAX_CURVES) {
                    let (unit, curves) = (curve.unit, chunk.to_vec());
                    panels.push(Panel { title: None, unit, factor: 1.0, curves, low: diagnostic, along: None });
                }
            }
        }
    }
    panels
}

/// Smallest and largest finite value of a curve; `None` without finite values.
fn range(curve: &Curve) -> Option<(f64, f64)> {
    let finite = curve.values.iter().copied().filter(|value| value.is_finite());
    finite.fold(None, |range, value| {
        Some(range.map_or((value, value), |(l, u): (f64, f64)| (l.min(value), u.max(value))))
    })
}

fn union((l, u): (f64, f64), (lower, upper): (f64, f64)) -> (f64, f64) {
    (l.min(lower), u.max(upper))
}

/// Curves that share a panel, by their indices.
struct Group {
    members: Vec<usize>,
    /// Combined range.
    range: (f64, f64),
    /// Length of the shortest range of the moving curves.
    shortest: f64,
}

impl Group {
    fn push(&mut self, member: usize, range: (f64, f64), length: f64) {
        self.members.push(member);
        self.range = union(self.range, range);
        self.shortest = self.shortest.min(length);
    }
}

/// Groups in which no curve that moves is flat, in the order of their first curve.
///
/// Curves are processed by length of range, longest first. Each joins the first group in whose extended range neither
/// it nor a curve of the group is flat. Constant curves (to a millionth of their size, or to round-off, 1e-12 of the
/// largest) cannot be made visible. They join the first group in which they make no curve flat, otherwise they share a
/// group.
fn by_range<'a>(curves: &[Curve<'a>]) -> Vec<Vec<Curve<'a>>> {
    // A curve is constant if its range is at the level of round-off.
    let ranges: Vec<(f64, f64)> = curves.iter().map(|curve| range(curve).unwrap_or((0.0, 0.0))).collect();
    let length = |(lower, upper): (f64, f64)| upper - lower;
    let largest = ranges.iter().fold(0.0_f64, |most, (lower, upper)| most.max(lower.abs()).max(upper.abs()));
    let size = |(lower, upper): (f64, f64)| lower.abs().max(upper.abs());
    let moves = |i: &usize| length(ranges[*i]) > (1e-12 * largest).max(1e-6 * size(ranges[*i]));
    // Longest range first: the group range then grows least.
    let mut order: Vec<usize> = (0..curves.len()).filter(moves).collect();
    order.sort_by(|i, j| length(ranges[*j]).total_cmp(&length(ranges[*i])));
    let mut groups: Vec<Group> = Vec::new();
    for i in order {
        let own = length(ranges[i]);
        let fits =
            |group: &&mut Group| length(union(group.range, ranges[i])) <= FLAT_CURVE_RATIO * group.shortest.min(own);
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(i, ranges[i], own),
            None => groups.push(Group { members: vec![i], range: ranges[i], shortest: own }),
        }
    }
    // Constant curves join a group only if they do not compress its curves.
    let mut still = Vec::new();
    for i in (0..curves.len()).filter(|i| !moves(i)) {
        match groups.iter_mut().find(|group| length(union(group.range, ranges[i])) <= FLAT_CURVE_RATIO * group.shortest)
        {
            Some(group) => group.push(i, ranges[i], f64::INFINITY),
            None => still.push(i),
        }
    }
    // The order of the outputs is kept in and between the groups.
    let mut members: Vec<Vec<usize>> = groups.into_iter().map(|group| group.members).collect();
    members.extend((!still.is_empty()).then_some(still));
    members.iter_mut().for_each(|members| members.sort_unstable());
    members.sort_unstable();
    members.into_iter().map(|members| members.into_iter().map(|i| curves[i]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(curves: &[Curve]) -> Vec<Vec<String>> {
        panels(curves).iter().map(|panel| panel.curves.iter().map(|curve| curve.name.to_string()).collect()).collect()
    }

    fn curve<'a>(name: &'a str, unit: &'a str, values: &'a [f64]) -> Curve<'a> {
        Curve { name, unit, description: "", stepped: false, diagnostic: false, values }
    }

    #[test]
    fn a_panel_holds_one_unit_and_curves_that_can_be_seen() {
        let curves = [
            curve("x", "m", &[0.0, 1.0]),
            curve("angle", "rad", &[0.0, 1.0]),
            Curve { diagnostic: true, ..curve("gap", "m", &[1e-15, 1e-13]) },
            curve("z", "m", &[0.0, 0.0]),
            curve("noise", "m", &[0.0, 1e-17]),
            curve("y", "m", &[0.1, f64::NAN]),
            curve("small", "m", &[0.0, 0.03]),
            curve("smaller", "m", &[0.0, -0.02]),
            Curve { stepped: true, diagnostic: true, ..curve("count", "1", &[0.0, 1.0]) },
        ];
        let expected =
            [vec!["x", "z", "noise", "y"], vec!["small", "smaller"], vec!["angle"], vec!["gap"], vec!["count"]];
        assert_eq!(names(&curves), expected);
        assert_eq!(
            panels(&curves).iter().map(|panel| panel.low).collect::<Vec<_>>(),
            [false, false, false, true, true]
        );
    }

    #[test]
    fn curves_that_move_little_and_far_apart_are_not_flat() {
        let curves =
            [curve("front", "m", &[2.0, 2.01]), curve("rear", "m", &[-1.0, -1.02]), curve("next", "m", &[2.01, 2.03])];
        assert_eq!(names(&curves), [vec!["front", "next"], vec!["rear"]]);
        let quaternion = [curve("w", "1", &[1.0, 1.0 - 1e-8]), curve("x", "1", &[0.0, 1e-4])];
        assert_eq!(names(&quaternion), [["w"], ["x"]]);
        // Wheel loads that differ by a half and vary by a tenth should share a panel.
        let loads = [curve("a", "N", &[6700.0, 7400.0]), curve("b", "N", &[8000.0, 8900.0])];
        assert_eq!(names(&loads), [["a", "b"]]);
    }

    #[test]
    fn a_crowded_panel_is_split() {
        let name: Vec<String> = (0..10).map(|i| format!("c{i}")).collect();
        let curves: Vec<Curve> = name.iter().map(|name| curve(name, "N", &[1.0])).collect();
        assert_eq!(names(&curves).iter().map(Vec::len).collect::<Vec<_>>(), [8, 2]);
    }
}
