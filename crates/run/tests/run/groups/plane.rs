//! Plane chains from adjacency matrices.

use super::{Random, gallery, load};
use ballesta::topology::groups::{Adjacency, CODES, Structure, analyse};
use ballesta_run::adjacency;
use serde_json::Value;
use std::collections::BTreeSet;

fn links(structure: &Structure) -> Vec<Vec<usize>> {
    structure.groups.iter().map(|group| group.links.clone()).collect()
}

fn names(chain: &adjacency::Chain, links: &[usize]) -> Vec<String> {
    links.iter().map(|&link| chain.links[link].clone()).collect()
}

/// Saura et al., section 4: groups I = {2, 3}, II = {4}, III = {5}, (N_m, L_c) = (2, 1), (1, 0), (1, 1).
#[test]
fn the_worked_example_of_the_paper_has_its_groups_and_its_results_matrix() {
    crate::root::at_root();
    let (chain, adjacency, structure) = load("epicyclic_cam");
    let groups: Vec<Vec<String>> = structure.groups.iter().map(|group| names(&chain, &group.links)).collect();
    assert_eq!(groups, [vec!["2", "3"], vec!["4"], vec!["5"]]);
    let parameters: Vec<_> =
        structure.groups.iter().map(|g| (g.mobility(), g.excess(), g.predecessors.clone())).collect();
    assert_eq!(parameters, [(1, 0, vec![0]), (0, 0, vec![0, 1]), (1, 0, vec![2])]);
    assert_eq!((structure.mobility, structure.inputs), (2, 2));
    let expected = [
        [0, 1, 1, 2, 3], // the group of every link
        [1, 0, 0, 0, 0], // the ground hands to 2
        [1, 0, 0, 1, 0], // and to 3, which hands to 4
        [1, 0, 0, 0, 1], // and to 4, which hands to 5
        [0, 0, 0, 0, 0],
    ];
    assert_eq!(structure.results(adjacency.links, adjacency.ground), expected);
}

/// Figure 2 of the paper: parameters of the groups of the four-bar linkage, steps 2 and 4.
#[test]
fn the_parameters_of_the_four_bar_linkage_are_those_of_the_paper() {
    crate::root::at_root();
    let (_, _, structure) = load("four_bar");
    let counts: Vec<_> =
        structure.groups.iter().map(|g| (g.freedom, g.inputs, g.links.len(), g.pairs.len(), g.mobility())).collect();
    assert_eq!(counts, [(1, 1, 1, 1, 1), (3, 0, 2, 3, 0)]);
}

/// tests/reference/structural_groups.json: link 0 is the ground, joints under `drivers` have one input.
#[test]
fn textbook_linkages_have_their_groups() {
    crate::root::at_root();
    let text = std::fs::read_to_string("tests/reference/structural_groups.json").expect("the reference");
    let cases: Value = serde_json::from_str(&text).expect("JSON");
    let numbers = |value: &Value| -> Vec<usize> {
        value.as_array().expect("numbers").iter().map(|n| n.as_u64().expect("a number") as usize).collect()
    };
    let cases = cases.as_object().expect("cases");
    assert_eq!(cases.len(), 7);
    for (name, case) in cases {
        let (chain, adjacency, structure) = load(name);
        let joints: Vec<Vec<usize>> = case["joints"].as_array().expect("joints").iter().map(numbers).collect();
        let drivers = numbers(&case["drivers"]);
        // The file is the matrix of the reference, with its inputs.
        for (i, row) in case["adjacency"].as_array().expect("rows").iter().enumerate() {
            for (j, entry) in numbers(row).into_iter().enumerate() {
                let driven = drivers.iter().any(|&joint| joints[joint][..2] == [i, j] || joints[joint][..2] == [j, i]);
                assert_eq!(chain.matrix[i][j] as usize, if driven { 3 } else { entry }, "{name} {i} {j}");
            }
        }
        let joint_of = |pair: usize| {
            let [a, b] = adjacency.pairs[pair].links;
            joints.iter().position(|joint| joint[..2] == [a, b] || joint[..2] == [b, a]).expect("a joint")
        };
        let sorted = |pairs: &[usize]| {
            let mut list: Vec<usize> = pairs.iter().map(|&pair| joint_of(pair)).collect();
            list.sort_unstable();
            list
        };
        assert_eq!(structure.mobility as i64, case["mobility"].as_i64().expect("a number"), "{name}");
        let expected = case["groups"].as_array().expect("groups");
        assert_eq!(structure.groups.len(), expected.len(), "{name}");
        for (group, expected) in structure.groups.iter().zip(expected) {
            assert_eq!(group.links, numbers(&expected["bodies"]), "{name}");
            assert_eq!(sorted(&group.pairs), numbers(&expected["joints"]), "{name}");
            assert_eq!(sorted(&group.driven), numbers(&expected["driven"]), "{name}");
            assert_eq!(sorted(&group.outer), numbers(&expected["external"]), "{name}");
            assert_eq!(group.excess() as i64, expected["excess"].as_i64().expect("a number"), "{name}");
        }
    }
}

/// (file, links of every group in order, mobility).
const HIGHER_PAIRS: [(&str, &[&[&str]], isize); 7] = [
    ("cam_follower", &[&["cam"], &["roller", "follower"]], 2),
    ("flat_follower", &[&["cam"], &["follower"]], 1),
    ("gear_pair", &[&["pinion"], &["wheel"]], 1),
    ("planetary_gear", &[&["sun"], &["ring"], &["carrier", "planet"]], 2),
    ("gripper_on_wheels", &[&["disc"], &["arm"], &["hand"]], 4),
    ("geared_five_bar", &[&["left"], &["right"], &["coupler_left", "coupler_right"]], 1),
    ("cam_driven_dyad", &[&["cam"], &["rocker"], &["coupler", "output"]], 1),
];

#[test]
fn cams_and_gears_have_the_groups_that_one_finds_by_hand() {
    crate::root::at_root();
    for (name, expected, mobility) in HIGHER_PAIRS {
        let (chain, _, structure) = load(name);
        let found: Vec<Vec<String>> = structure.groups.iter().map(|group| names(&chain, &group.links)).collect();
        assert_eq!(found, expected, "{name}");
        assert!(structure.is_determined(), "{name}");
        assert_eq!(structure.mobility, mobility, "{name}");
    }
}

#[test]
fn a_missing_input_is_named_and_putting_it_in_helps() {
    crate::root::at_root();
    for (name, missing) in [("five_bar_without_second_motor", 1), ("roller_free", 1)] {
        let (chain, adjacency, structure) = load(name);
        let last = structure.groups.last().expect("groups");
        assert_eq!((last.excess(), last.missing.len()), (-missing, missing as usize), "{name}");
        assert!(structure.groups.iter().all(|group| group.excess() <= 0));
        let mut codes = chain.codes();
        for &pair in &last.missing {
            let [a, b] = adjacency.pairs[pair].links;
            let code = if codes[a][b] == 1 { 3 } else { codes[a][b].max(3) + 1 };
            (codes[a][b], codes[b][a]) = (code, code);
        }
        assert!(analyse(&Adjacency::new(&codes, 0)).is_determined(), "{name}");
    }
}

#[test]
fn too_many_equations_are_found_where_they_are() {
    crate::root::at_root();
    let (chain, adjacency, structure) = load("four_bar_with_two_motors");
    let found: Vec<_> = structure.groups.iter().map(|g| (names(&chain, &g.links), g.excess())).collect();
    let name = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    assert_eq!(found, [(name(&["crank"]), 0), (name(&["rocker"]), 0), (name(&["coupler"]), 1)]);
    assert_eq!(structure.results(adjacency.links, 0)[0], [0, 1, 3, 2]);
    // A part that is sound in itself is not blamed.
    let (chain, _, structure) = load("parallelogram");
    let found: Vec<_> = structure.groups.iter().map(|g| (names(&chain, &g.links), g.excess())).collect();
    assert_eq!(found, [(name(&["crank"]), 0), (name(&["coupler", "rocker", "third"]), 1)]);
}

/// A chain with pairs between random links; `links` moving ones.
fn random_chain(random: &mut Random, links: usize) -> Vec<Vec<u8>> {
    let mut codes = vec![vec![0; links + 1]; links + 1];
    for _ in 0..links + random.below(links + 2) {
        let (a, b) = (random.below(links + 1), random.below(links + 1));
        if a != b {
            let code = [1, 1, 1, 1, 2, 3, 4, 5][random.below(8)];
            (codes[a][b], codes[b][a]) = (code, code);
        }
    }
    codes
}

/// The paper's search as it is written: chains of growing length, all of them tried. None where a chain has more
/// equations than unknowns, or as many beside no known link that they would fix it to nothing: of these the paper does
/// not speak.
fn exhaustive(codes: &[Vec<u8>]) -> Option<BTreeSet<BTreeSet<usize>>> {
    let moving = codes.len() - 1;
    let excess = |chain: usize, known: usize| {
        let mut equations = 0;
        for i in 0..codes.len() {
            for j in 0..i {
                let (a, b) = (1 << i, 1 << j);
                let counted = (chain & a > 0 && (chain | known) & b > 0) || (chain & b > 0 && (chain | known) & a > 0);
                let code = CODES[codes[i][j] as usize];
                equations += if counted { (3 - code.freedom + code.inputs) as isize } else { 0 };
            }
        }
        equations - 3 * chain.count_ones() as isize
    };
    let chains = || (1..1usize << moving).map(|chain| chain << 1);
    if chains().any(|chain| excess(chain, 1) > 0 || excess(chain, 0) > -3) {
        return None;
    }
    let (mut known, mut groups) = (1, BTreeSet::new());
    loop {
        let open = chains().filter(|chain| chain & known == 0 && excess(*chain, known) == 0);
        let Some(found) = open.min_by_key(|chain| (chain.count_ones(), *chain)) else { break };
        known |= found;
        groups.insert((0..codes.len()).filter(|link| found & (1 << link) > 0).collect());
    }
    Some(groups)
}

#[test]
fn the_groups_are_those_of_the_papers_exhaustive_search() {
    crate::root::at_root();
    let mut random = Random(3);
    let mut compared = 0;
    for _ in 0..20_000 {
        let links = 1 + random.below(6);
        let codes = random_chain(&mut random, links);
        let structure = analyse(&Adjacency::new(&codes, 0));
        match exhaustive(&codes) {
            None => assert!(structure.groups.iter().any(|group| group.redundant > 0), "{codes:?}"),
            Some(expected) => {
                assert!(structure.groups.iter().all(|group| group.redundant == 0), "{codes:?}");
                let determined = structure.groups.iter().filter(|group| group.excess() == 0);
                let found: BTreeSet<BTreeSet<usize>> = determined.map(|g| g.links.iter().copied().collect()).collect();
                assert_eq!(found, expected, "{codes:?}");
                compared += usize::from(!expected.is_empty());
            }
        }
    }
    assert!(compared > 3000, "only {compared} chains have groups");
}

#[test]
fn the_groups_account_for_every_link_pair_and_freedom() {
    crate::root::at_root();
    let mut random = Random(5);
    for _ in 0..3000 {
        let links = 1 + random.below(12);
        let adjacency = Adjacency::new(&random_chain(&mut random, links), 0);
        let structure = analyse(&adjacency);
        let mut all: Vec<usize> = structure.groups.iter().flat_map(|group| group.links.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (1..=links).collect::<Vec<_>>());
        let mut pairs: Vec<usize> = structure.groups.iter().flat_map(|group| group.pairs.clone()).collect();
        pairs.sort_unstable();
        assert_eq!(pairs, (0..adjacency.pairs.len()).collect::<Vec<_>>());
        let mobility: isize = structure.groups.iter().map(|group| group.mobility()).sum();
        assert_eq!(mobility, structure.mobility);
        for (index, group) in structure.groups.iter().enumerate() {
            assert!(group.predecessors.iter().all(|&number| number <= index), "in order");
            assert!(group.missing.len() <= group.lacking());
        }
    }
}

#[test]
fn renumbering_the_links_permutes_the_groups() {
    crate::root::at_root();
    let mut random = Random(7);
    for round in 0..3000 {
        let links = 1 + random.below(9);
        let codes = random_chain(&mut random, links);
        let mut order: Vec<usize> = (0..=links).collect();
        for i in (1..=links).rev() {
            order.swap(i, random.below(i + 1));
        }
        let mut moved = codes.clone();
        for i in 0..=links {
            for j in 0..=links {
                moved[order[i]][order[j]] = codes[i][j];
            }
        }
        let collect = |structure: &Structure, name: &dyn Fn(usize) -> usize| -> BTreeSet<(Vec<usize>, isize)> {
            let group = |group: &ballesta::topology::groups::Group| {
                let mut links: Vec<usize> = group.links.iter().map(|&link| name(link)).collect();
                links.sort_unstable();
                (links, group.excess())
            };
            structure.groups.iter().map(group).collect()
        };
        let before = collect(&analyse(&Adjacency::new(&codes, 0)), &|link| order[link]);
        let after = collect(&analyse(&Adjacency::new(&moved, order[0])), &|link| link);
        assert_eq!(before, after, "round {round}: {codes:?}");
    }
}

#[test]
fn the_matrix_says_the_same_with_another_row_as_ground() {
    crate::root::at_root();
    let (chain, _, structure) = load("epicyclic_cam");
    let mut codes = chain.codes();
    codes.swap(0, 3);
    codes.iter_mut().for_each(|row| row.swap(0, 3));
    let other = analyse(&Adjacency::new(&codes, 3));
    assert_eq!(other.results(5, 3)[0], structure.results(5, 0)[0]);
    assert_eq!(other.results(5, 3), structure.results(5, 0));
}

#[test]
fn sixty_links_and_more_take_no_time() {
    crate::root::at_root();
    // A ladder of dyads behind a crank, then one large group: every link hangs on the next by one pair, both ends on
    // the ground.
    for dyads in [30, 300] {
        let links = 2 + 2 * dyads;
        let mut codes = vec![vec![0u8; links]; links];
        let mut pair = |a: usize, b: usize, code: u8| (codes[a][b], codes[b][a]) = (code, code);
        pair(0, 1, 3);
        for k in 0..dyads {
            let (first, second) = (2 + 2 * k, 3 + 2 * k);
            pair(if k == 0 { 1 } else { first - 1 }, first, 1);
            pair(first, second, 1);
            pair(second, 0, 1);
        }
        let structure = analyse(&Adjacency::new(&codes, 0));
        assert_eq!(structure.groups.len(), 1 + dyads);
        assert!(structure.is_determined());
    }
    let mut random = Random(11);
    for _ in 0..20 {
        let codes = random_chain(&mut random, 60);
        let all: usize = links(&analyse(&Adjacency::new(&codes, 0))).iter().map(Vec::len).sum();
        assert_eq!(all, 60);
    }
}

#[test]
fn the_gallery_says_what_it_shows() {
    crate::root::at_root();
    let undetermined = ["five_bar_without_second_motor", "roller_free", "four_bar_with_two_motors", "parallelogram"];
    for path in gallery() {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_string();
        let (_, _, structure) = load(&name);
        assert_eq!(structure.is_determined(), !undetermined.contains(&name.as_str()), "{name}");
    }
}

/// A wheel that a slider pushes along a rail by a rod. Pure rolling has the two equations of a revolute pair. Written
/// as a higher pair with the sliding as an input, it has the same groups, but one freedom and one input more.
#[test]
fn pure_rolling_counts_as_a_lower_pair() {
    let with = |rolling: u8| {
        let rows = [[0, rolling, 0, 3], [rolling, 0, 1, 0], [0, 1, 0, 1], [3, 0, 1, 0]];
        analyse(&Adjacency::new(&rows.map(|row| row.to_vec()), 0))
    };
    let (lower, higher) = (with(1), with(4));
    assert_eq!(links(&lower), [vec![3], vec![1, 2]]);
    assert_eq!(links(&higher), links(&lower));
    assert!(lower.is_determined() && higher.is_determined());
    assert_eq!((lower.groups[1].mobility(), higher.groups[1].mobility()), (0, 1));
    assert_eq!([lower.mobility, higher.mobility, lower.inputs as isize, higher.inputs as isize], [1, 2, 1, 2]);
    // The rolling as an input places the wheel, and the slider follows.
    let driven =
        analyse(&Adjacency::new(&[[0, 3, 0, 1], [3, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]].map(|row| row.to_vec()), 0));
    assert_eq!(links(&driven), [vec![1], vec![2, 3]]);
}
