//! All choices of drivers.

use super::{Random, load};
use ballesta::topology::groups::drivers::{Choice, DriversError, MAX_CHOICES, choices};
use ballesta::topology::groups::{Adjacency, CODES, analyse};
use std::collections::BTreeSet;

fn links(choice: &Choice) -> Vec<Vec<usize>> {
    choice.structure.groups.iter().map(|group| group.links.clone()).collect()
}

#[test]
fn a_four_bar_linkage_has_a_dyad_when_driven_at_the_frame_and_one_group_otherwise() {
    crate::root::at_root();
    let (_, adjacency, _) = load("four_bar");
    let found = choices(&adjacency).expect("few");
    let driven = |choice: &Choice| adjacency.pairs[choice.drivers()[0]].links;
    let seen: Vec<_> = found.iter().map(|choice| (driven(choice), links(choice), choice.cost())).collect();
    // n = 3 and 6: 2/3 27 + 2 9 = 36 and 2/3 216 + 2 36 = 216; n = 9: 2/3 729 + 2 81 = 648.
    let whole = vec![vec![1, 2, 3]];
    assert_eq!(
        seen,
        [
            ([0, 1], vec![vec![1], vec![2, 3]], 252),
            ([0, 3], vec![vec![3], vec![1, 2]], 252),
            ([1, 2], whole.clone(), 648),
            ([2, 3], whole, 648),
        ]
    );
}

#[test]
fn the_published_choice_is_among_those_of_the_worked_example() {
    crate::root::at_root();
    let (_, adjacency, structure) = load("epicyclic_cam");
    let found = choices(&adjacency).expect("few");
    let given: Vec<usize> = adjacency.pairs.iter().map(|pair| pair.inputs).collect();
    let published = found.iter().find(|choice| choice.inputs == given).expect("listed");
    assert_eq!(published.structure, structure);
    assert!(found.iter().all(|choice| choice.inputs.iter().sum::<usize>() == 2));
    // The rotation of arm 3 as input makes every link a group of its own, which no choice can better.
    assert_eq!(found[0].sizes(), [1, 1, 1, 1]);
    assert!(found[0].cost() < published.cost());
}

/// Every way to mark `wanted` freedoms of a matrix as inputs, each as a matrix of codes.
fn by_hand(codes: &[Vec<u8>], wanted: usize) -> BTreeSet<Vec<Vec<u8>>> {
    let mut freedoms = Vec::new();
    for (i, row) in codes.iter().enumerate() {
        for (j, &code) in row.iter().enumerate().skip(i + 1).filter(|(_, code)| **code > 0) {
            freedoms.extend(std::iter::repeat_n((i, j), CODES[code as usize].freedom));
        }
    }
    let mut all = BTreeSet::new();
    for mask in (0..1_u32 << freedoms.len()).filter(|mask| mask.count_ones() as usize == wanted) {
        let mut marked = codes.to_vec();
        for (i, row) in marked.iter_mut().enumerate() {
            for (j, code) in row.iter_mut().enumerate().filter(|(_, code)| **code > 0) {
                let place = (i.min(j), i.max(j));
                let inputs = (0..freedoms.len()).filter(|bit| mask >> bit & 1 == 1 && freedoms[*bit] == place).count();
                *code = match (CODES[*code as usize].freedom, inputs) {
                    (1, 0) => 1,
                    (1, _) => 3,
                    (_, 0) => 2,
                    (_, 1) => 4,
                    _ => 5,
                };
            }
        }
        all.insert(marked);
    }
    all
}

#[test]
fn choices_are_those_of_an_exhaustive_search() {
    crate::root::at_root();
    let mut random = Random(23);
    let (mut compared, mut determined) = (0, 0);
    for _ in 0..400 {
        let links = 2 + random.below(4);
        let mut codes = vec![vec![0_u8; links]; links];
        for (i, j) in (0..links).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let code = if random.below(3) > 0 { random.below(6) as u8 } else { 0 };
            (codes[i][j], codes[j][i]) = (code, code);
        }
        let adjacency = Adjacency::new(&codes, 0);
        let mobility = analyse(&adjacency).mobility;
        let found = match choices(&adjacency) {
            Err(error) => {
                assert!(mobility < 0 && error == DriversError::OverConstrained(mobility), "{codes:?}: {error}");
                continue;
            }
            Ok(found) => found,
        };
        let expected = by_hand(&codes, mobility as usize);
        assert_eq!(found.len(), expected.len(), "{codes:?}");
        // The same groups as with the matrix that says so.
        let structures = |choice: &Choice| format!("{:?}", choice.structure);
        let ours: BTreeSet<String> = found.iter().map(structures).collect();
        let theirs = expected.iter().map(|codes| format!("{:?}", analyse(&Adjacency::new(codes, 0)))).collect();
        assert_eq!(ours, theirs, "{codes:?}");
        let order: Vec<_> = found.iter().map(|choice| (!choice.structure.is_determined(), choice.cost())).collect();
        assert!(order.is_sorted(), "{order:?}");
        compared += found.len();
        determined += order.iter().filter(|(lacking, _)| !lacking).count();
    }
    println!("{compared} choices, {determined} of them determine their chain");
    assert!(determined > 300 && compared > determined);
}

#[test]
fn an_endless_number_of_choices_is_refused() {
    crate::root::at_root();
    let ring = |links: usize, code: u8| {
        let mut codes = vec![vec![0_u8; links]; links];
        let mut pair = |a: usize, b: usize| (codes[a][b], codes[b][a]) = (code, code);
        (1..links).for_each(|link| pair(link - 1, link));
        pair(links - 1, 0);
        Adjacency::new(&codes, 0)
    };
    // 12 revolutes, mobility 12 − 3: C(12, 3) choices; of 61 higher pairs C(61, 3) + 61 · 60.
    assert_eq!(choices(&ring(12, 1)).expect("few").len(), 220);
    assert_eq!(choices(&ring(61, 2)), Err(DriversError::TooMany(39_650)));
    const { assert!(MAX_CHOICES < 39_650) };
}
