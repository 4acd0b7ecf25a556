//! Unknowns and equations of groups in three kinds of coordinates.

use super::{Random, gallery, load};
use ballesta::analysis::groups::group_equations::spatial_sizes;
use ballesta::analysis::groups::structural_groups;
use ballesta::compile;
use ballesta::model;
use ballesta::topology::groups::plane_coordinates::{Size, Sizes, sizes};
use ballesta::topology::groups::{Adjacency, analyse};
use std::path::Path;

fn size(unknowns: usize, equations: usize) -> Size {
    Size { unknowns, equations }
}

/// Section 1 and figure 1 of the paper: the second group adds x_C, y_C in natural coordinates, θ₂, θ₃ in relative ones;
/// the first one x_B, y_B beside the known θ₁.
#[test]
fn the_four_bar_linkage_has_the_unknowns_of_the_paper() {
    crate::root::at_root();
    let (_, adjacency, structure) = load("four_bar");
    let wanted = [
        Sizes { relative: size(0, 0), natural: size(2, 2), reference_point: size(3, 3) },
        Sizes { relative: size(2, 2), natural: size(2, 2), reference_point: size(6, 6) },
    ];
    assert_eq!(sizes(&adjacency, &structure), wanted);
}

/// Wheel 2 has one lower pair, its centre, and needs a second point; its input is one equation more. By hand: centre
/// and second point 4 unknowns; the length on the wheel, the length of the arm, the teeth and the input 4 equations.
#[test]
fn the_worked_example_is_counted_by_hand() {
    crate::root::at_root();
    let (_, adjacency, structure) = load("epicyclic_cam");
    let sizes = sizes(&adjacency, &structure);
    assert_eq!(sizes[0], Sizes { relative: size(2, 2), natural: size(4, 4), reference_point: size(6, 6) });
    // The follower has a known point and that of link 5; link 5 a known point and one in addition.
    assert_eq!(sizes[1], Sizes { relative: size(1, 1), natural: size(2, 2), reference_point: size(3, 3) });
    assert_eq!(sizes[2], Sizes { relative: size(0, 0), natural: size(2, 2), reference_point: size(3, 3) });
}

#[test]
fn in_all_coordinates_as_many_equations_are_too_many() {
    crate::root::at_root();
    let mut chains: Vec<Adjacency> = Vec::new();
    for path in gallery() {
        chains.push(load(path.file_stem().and_then(|stem| stem.to_str()).expect("a name")).1);
    }
    let mut random = Random(5);
    for _ in 0..2000 {
        let links = 2 + random.below(6);
        let mut codes = vec![vec![0u8; links]; links];
        (0..links).for_each(|a| (a + 1..links).for_each(|b| codes[a][b] = [0, 0, 1, 1, 2, 3, 4, 5][random.below(8)]));
        chains.push(Adjacency::new(&codes, random.below(links)));
    }
    let mut surplus = 0;
    for adjacency in &chains {
        let structure = analyse(adjacency);
        for (group, sizes) in structure.groups.iter().zip(sizes(adjacency, &structure)) {
            for size in [sizes.relative, sizes.natural, sizes.reference_point] {
                assert_eq!(size.equations as isize - size.unknowns as isize, group.excess(), "{group:?} {sizes:?}");
            }
            surplus += usize::from(group.excess() > 0);
        }
    }
    assert!(surplus > 100);
}

fn of_model(name: &str) -> (Vec<Sizes>, Vec<usize>) {
    let document = model::load(&Path::new("models").join(name)).unwrap_or_else(|errors| panic!("{errors}"));
    let values = document.model.parameter_values();
    let system = compile::compile(&document, &values).unwrap_or_else(|errors| panic!("{errors}"));
    let groups = structural_groups(&system);
    let sizes = spatial_sizes(&document, &values, &system, &groups).expect("rigid bodies");
    (sizes, groups.groups.iter().map(|group| group.surplus()).collect())
}

/// Four-bar linkage in space, by hand; its given coordinate is at the coupler, so it is one group. Axes are parallel
/// to that of the ground, a known vector of length 1. Both moving points have 3 unknowns; each of the three bodies has
/// a length and a right angle to the axis, and the given coordinate is an equation. Reference points: 6 unknowns per
/// body, 5 equations per revolute.
#[test]
fn a_four_bar_linkage_in_space_is_counted_by_hand() {
    crate::root::at_root();
    let (sizes, _) = of_model("four_bar");
    assert_eq!(sizes, [Sizes { relative: size(2, 5), natural: size(6, 7), reference_point: size(18, 21) }]);
}

#[test]
fn reference_point_coordinates_have_the_redundant_equations_of_relative_ones() {
    crate::root::at_root();
    for name in ["four_bar", "watt_six_bar", "epicyclic_cam", "bricard", "van", "truck"] {
        let (sizes, surplus) = of_model(name);
        for (sizes, surplus) in sizes.iter().zip(surplus) {
            assert_eq!(sizes.reference_point.equations, sizes.reference_point.unknowns + surplus, "{name} {sizes:?}");
            assert_eq!(sizes.relative.equations, sizes.relative.unknowns + surplus, "{name}");
            assert!(sizes.natural.equations >= sizes.natural.unknowns, "{name} {sizes:?}");
        }
    }
}
