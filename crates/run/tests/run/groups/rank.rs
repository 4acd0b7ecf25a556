//! What counting says of plane chains against the rank of their equations with random dimensions.

use super::Random;
use ballesta::topology::groups::drivers::choices;
use ballesta::topology::groups::{Adjacency, Structure, analyse};

impl Random {
    /// A number between −1 and 1.
    fn number(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1 << 29) - 1.0
    }
}

/// Equations of the velocities (x, y, rotation) of all moving links: a lower pair is a hinge at a random point, a
/// higher one a contact at a random point with a random normal. The input of a hinge is its rotation, the first one of
/// a contact its rolling with a random radius: rotations alone that are driven round a loop depend on each other.
fn equations(adjacency: &Adjacency, random: &mut Random) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    for pair in &adjacency.pairs {
        let [x, y, nx, ny] = [0; 4].map(|_| random.number());
        // The velocity of the point against (a, b), and the rotation.
        let along = |a: f64, b: f64| [a, b, b * x - a * y];
        let turn = [0.0, 0.0, 1.0];
        let mut of_pair = if pair.freedom == 1 {
            vec![along(1.0, 0.0), along(0.0, 1.0), turn]
        } else {
            let (slide, radius) = (along(-ny, nx), random.number());
            vec![along(nx, ny), [0, 1, 2].map(|k| slide[k] + radius * turn[k]), turn]
        };
        of_pair.truncate(3 - pair.freedom + pair.inputs);
        for equation in of_pair {
            let mut row = vec![0.0; 3 * adjacency.links];
            for (link, sign) in pair.links.into_iter().zip([-1.0, 1.0]) {
                let known = link == adjacency.ground;
                equation.iter().enumerate().for_each(|(k, e)| row[3 * link + k] = if known { 0.0 } else { sign * e });
            }
            rows.push(row);
        }
    }
    rows
}

/// By elimination with full pivoting.
fn rank(mut rows: Vec<Vec<f64>>) -> usize {
    let mut found = 0;
    loop {
        let entries = rows.iter().enumerate().skip(found);
        let entries = entries.flat_map(|(i, row)| row.iter().enumerate().map(move |(j, e)| (e.abs(), i, j)));
        let Some((size, i, j)) = entries.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|entry| entry.0 > 1e-9) else {
            return found;
        };
        assert!(size.is_finite());
        rows.swap(found, i);
        let pivot = rows[found].clone();
        for row in &mut rows[found + 1..] {
            let factor = row[j] / pivot[j];
            row.iter_mut().zip(&pivot).for_each(|(entry, above)| *entry -= factor * above);
            row[j] = 0.0;
        }
        found += 1;
    }
}

/// (redundant equations, unknowns that nothing determines), by counting.
fn counted(structure: &Structure) -> (usize, usize) {
    (structure.groups.iter().map(|g| g.redundant).sum(), structure.groups.iter().map(|g| g.lacking()).sum())
}

/// The same by the rank.
fn measured(adjacency: &Adjacency, random: &mut Random) -> (usize, usize) {
    let rows = equations(adjacency, random);
    let (equations, unknowns) = (rows.len(), 3 * (adjacency.links - 1));
    let rank = rank(rows);
    (equations - rank, unknowns - rank)
}

/// Chains with many pairs between moving links and few at the ground, so that some hang on others and are driven
/// against themselves.
fn random_chain(random: &mut Random, links: usize) -> Vec<Vec<u8>> {
    let mut codes = vec![vec![0_u8; links]; links];
    for _ in 0..links + random.below(links) {
        let (a, b) = (random.below(links), random.below(links));
        if a != b && (a * b > 0 || random.below(2) == 0) {
            let code = [1, 1, 2, 3, 4, 5][random.below(6)];
            (codes[a][b], codes[b][a]) = (code, code);
        }
    }
    codes
}

#[test]
fn what_is_redundant_and_what_is_missing_is_what_the_rank_of_random_dimensions_says() {
    let mut random = Random(41);
    let (mut determined, mut both) = (0, 0);
    for _ in 0..20_000 {
        let links = 2 + random.below(7);
        let codes = random_chain(&mut random, links);
        let adjacency = Adjacency::new(&codes, 0);
        let structure = analyse(&adjacency);
        let found = counted(&structure);
        assert_eq!(found, measured(&adjacency, &mut random), "{codes:?}");
        assert_eq!(structure.is_determined(), found == (0, 0), "{codes:?}");
        determined += usize::from(found == (0, 0));
        both += usize::from(structure.groups.iter().any(|group| group.redundant > 0 && group.lacking() > 0));
    }
    assert!(determined > 500 && both > 500, "{determined} determined, {both} with both");
}

#[test]
fn choices_of_drivers_are_determined_where_the_rank_says_so() {
    // A linkage on an arm; a triangle that hangs on a rolling link: choices, and how many of them move every link.
    let arm = [[0, 3, 0, 0, 0], [3, 0, 3, 0, 1], [0, 3, 0, 1, 0], [0, 0, 1, 0, 1], [0, 1, 0, 1, 0]];
    let triangle = [[0, 2, 0, 0, 0], [2, 0, 1, 0, 0], [0, 1, 0, 3, 3], [0, 0, 3, 0, 3], [0, 0, 3, 3, 0]];
    let mut random = Random(43);
    for (codes, all, right) in [(arm, 10, 4), (triangle, 14, 1)] {
        let adjacency = Adjacency::new(&codes.map(|row| row.to_vec()), 0);
        let found = choices(&adjacency).expect("few");
        assert_eq!(found.len(), all);
        assert_eq!(found.iter().filter(|choice| choice.structure.is_determined()).count(), right);
        for choice in &found {
            let mut driven = adjacency.clone();
            driven.pairs.iter_mut().zip(&choice.inputs).for_each(|(pair, inputs)| pair.inputs = *inputs);
            assert_eq!(counted(&choice.structure), measured(&driven, &mut random), "{:?}", choice.drivers());
        }
    }
}

#[test]
fn two_motors_in_a_linkage_on_a_free_arm_are_one_too_many_and_one_is_missing_at_the_arm() {
    let codes = [[0, 1, 0, 0, 0], [1, 0, 3, 0, 3], [0, 3, 0, 1, 0], [0, 0, 1, 0, 1], [0, 3, 0, 1, 0]];
    let adjacency = Adjacency::new(&codes.map(|row| row.to_vec()), 0);
    let structure = analyse(&adjacency);
    assert!(!structure.is_determined());
    let [group] = &structure.groups[..] else { panic!("{structure:?}") };
    assert_eq!((group.excess(), group.redundant, group.lacking()), (0, 1, 1));
    let missing: Vec<[usize; 2]> = group.missing.iter().map(|&pair| adjacency.pairs[pair].links).collect();
    assert_eq!(missing, [[0, 1]]);
}
