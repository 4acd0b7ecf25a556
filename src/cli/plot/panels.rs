//! Which curves share a panel.

use super::Curve;

/// Curves in one panel.
pub struct Panel<'a> {
    /// Heading; what the unit measures where there is none.
    pub title: Option<&'a str>,
    /// Unit in which they are shown.
    pub unit: &'a str,
    /// Shown value / value.
    pub factor: f64,
    /// The curves, in the order they were given.
    pub curves: Vec<Curve<'a>>,
    /// What they are drawn over, if not over time.
    pub along: Option<Along<'a>>,
}

/// The horizontal axis of a panel that is not over time.
pub struct Along<'a> {
    /// Name of the axis.
    pub name: &'a str,
    /// Unit in which it is shown.
    pub unit: &'a str,
    /// Shown value / value.
    pub factor: f64,
    /// One value per time.
    pub values: &'a [f64],
    /// Whether lengths in both directions are comparable.
    pub equal_scales: bool,
}

/// More curves in one panel can no longer be told apart.
const MOST_CURVES: usize = 8;

/// Curves of one unit differ in size by more than this: several panels.
const SIZE_RATIO: f64 = 1e3;

/// Groups curves by unit (and what is stepped apart from what is continuous) in the order of their first curve, then by
/// size, then into panels of at most eight.
pub fn panels<'a>(curves: &[Curve<'a>]) -> Vec<Panel<'a>> {
    let mut panels = Vec::new();
    let mut seen: Vec<(&str, bool)> = Vec::new();
    for curve in curves {
        let key = (curve.unit, curve.stepped);
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let same: Vec<Curve<'a>> = curves.iter().filter(|other| (other.unit, other.stepped) == key).copied().collect();
        for group in by_size(&same) {
            for chunk in group.chunks(MOST_CURVES) {
                let (unit, curves) = (curve.unit, chunk.to_vec());
                panels.push(Panel { title: None, unit, factor: 1.0, curves, along: None });
            }
        }
    }
    panels
}

/// Splits where sorted sizes jump by more than [`SIZE_RATIO`]; curves that are zero throughout go with the largest.
fn by_size<'a>(curves: &[Curve<'a>]) -> Vec<Vec<Curve<'a>>> {
    let size = |curve: &Curve| {
        curve.values.iter().filter(|value| value.is_finite()).fold(0.0_f64, |size, value| size.max(value.abs()))
    };
    let mut sizes: Vec<f64> = curves.iter().map(size).filter(|size| *size > 0.0).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let mut lower_ends: Vec<f64> =
        sizes.windows(2).filter(|pair| pair[0] > SIZE_RATIO * pair[1]).map(|pair| pair[0]).collect();
    lower_ends.push(0.0);
    let group_of = |curve: &Curve| match size(curve) {
        0.0 => 0,
        size => lower_ends.iter().position(|end| size >= *end).unwrap_or(0),
    };
    (0..lower_ends.len())
        .map(|group| curves.iter().filter(|curve| group_of(curve) == group).copied().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(curves: &[Curve]) -> Vec<Vec<String>> {
        panels(curves).iter().map(|panel| panel.curves.iter().map(|curve| curve.name.to_string()).collect()).collect()
    }

    fn curve<'a>(name: &'a str, unit: &'a str, values: &'a [f64]) -> Curve<'a> {
        Curve { name, unit, description: "", stepped: false, values }
    }

    #[test]
    fn a_panel_holds_one_unit_and_one_order_of_size() {
        let curves = [
            curve("x", "m", &[0.0, 1.0]),
            curve("angle", "rad", &[0.0, 1.0]),
            curve("gap", "m", &[1e-15, 1e-13]),
            curve("z", "m", &[0.0, 0.0]),
            curve("y", "m", &[0.1, f64::NAN]),
            Curve { stepped: true, ..curve("count", "1", &[0.0, 1.0]) },
        ];
        let expected = [vec!["x", "z", "y"], vec!["gap"], vec!["angle"], vec!["count"]];
        assert_eq!(names(&curves), expected);
    }

    #[test]
    fn a_crowded_panel_is_split() {
        let name: Vec<String> = (0..10).map(|i| format!("c{i}")).collect();
        let curves: Vec<Curve> = name.iter().map(|name| curve(name, "N", &[1.0])).collect();
        assert_eq!(names(&curves).iter().map(Vec::len).collect::<Vec<_>>(), [8, 2]);
    }
}
