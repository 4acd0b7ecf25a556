//! Structural synthesis against the literature and against exhaustive search.

use super::Random;
use ballesta::topology::groups::synthesis::{SynthesisError, SynthesizedChain, Wanted, chains, groups};
use ballesta::topology::groups::{Adjacency, analyse};
use ballesta_run::adjacency;
use ballesta_run::groups::adjacency_files::{file, of_chain, of_group};
use std::collections::BTreeSet;

fn found(links: usize, mobility: usize, higher: usize) -> Vec<SynthesizedChain> {
    chains(Wanted { links, mobility, higher }).unwrap_or_else(|error| panic!("{error}"))
}

/// Mruthyunjaya, Mechanism and Machine Theory 38 (2003) 279-320: kinematic chains with simple joints. Baranov trusses,
/// mobility 0: Manolescu, Mechanism and Machine Theory 8 (1973) 3-22.
#[test]
fn there_are_as_many_chains_as_the_literature_counts() {
    for (mobility, counts) in [
        (0, &[(3, 1), (5, 1), (7, 3), (9, 28)][..]),
        (1, &[(4, 1), (6, 2), (8, 16), (10, 230)]),
        (2, &[(5, 1), (7, 4), (9, 40)]),
        (3, &[(6, 1), (8, 7), (10, 98)]),
    ] {
        for &(links, count) in counts {
            assert_eq!(found(links, mobility, 0).len(), count, "{links} links, mobility {mobility}");
        }
    }
}

/// Distinct mechanisms of mobility 1 with four, six, eight and ten links: 1, 5, 71, 1834 (Mruthyunjaya, 2003).
#[test]
fn the_choice_of_the_ground_makes_as_many_mechanisms_as_the_literature_counts() {
    for (links, count) in [(4, 1), (6, 5), (8, 71), (10, 1834)] {
        let mechanisms: usize = found(links, 1, 0).iter().map(|chain| chain.grounds.len()).sum();
        assert_eq!(mechanisms, count, "{links} links");
    }
}

/// Assur groups with two, four, six and eight links: 1, 2, 10, 173 (Peisakh, 2007).
#[test]
fn there_are_as_many_assur_groups_as_the_literature_counts() {
    for (moving, count) in [(2, 1), (4, 2), (6, 10), (8, 173)] {
        let found = groups(Wanted { links: moving + 1, mobility: 0, higher: 0 }).expect("groups");
        assert_eq!(found.len(), count, "{moving} links");
    }
}

/// The smallest matrix under all orders of the links.
fn smallest(codes: &[u8], n: usize, orders: &[Vec<usize>]) -> Vec<u8> {
    let moved = |order: &Vec<usize>| {
        let mut other = vec![0; n * n];
        for (place, &code) in codes.iter().enumerate() {
            other[order[place / n] * n + order[place % n]] = code;
        }
        other
    };
    orders.iter().map(moved).min().expect("an order")
}

fn orders(n: usize) -> Vec<Vec<usize>> {
    match n {
        0 => vec![Vec::new()],
        _ => orders(n - 1)
            .into_iter()
            .flat_map(|order| {
                (0..n).map(move |place| {
                    let mut longer = order.clone();
                    longer.insert(place, n - 1);
                    longer
                })
            })
            .collect(),
    }
}

/// 3 (k − 1) less the equations of the pairs within a part of the links.
fn mobility(codes: &[u8], n: usize, part: usize) -> isize {
    let inside = |link: usize| part >> link & 1 == 1;
    let pairs = (0..n * n).filter(|place| place / n < place % n && inside(place / n) && inside(place % n));
    let taken: isize = pairs.map(|place| [0, 2, 1][usize::from(codes[place])]).sum();
    3 * (part.count_ones() as isize - 1) - taken
}

/// Whether a matrix is a chain as the synthesis has them, from the definitions.
fn is_chain(codes: &[u8], n: usize) -> bool {
    let row = |link: usize| codes[link * n..(link + 1) * n].iter().enumerate().filter(|(_, code)| **code > 0);
    let mut reached = 1usize;
    for _ in 0..n {
        for link in (0..n).filter(|link| reached >> link & 1 == 1).collect::<Vec<_>>() {
            row(link).for_each(|(other, _)| reached |= 1 << other);
        }
    }
    let parts = 1..(1usize << n) - 1;
    (0..n).all(|link| row(link).count() >= 2)
        && reached + 1 == 1 << n
        && parts.into_iter().filter(|part| part.count_ones() > 1).all(|part| mobility(codes, n, part) >= 1)
}

/// All matrices with pairs of `kinds` codes.
fn exhaustive(n: usize, kinds: u8) -> BTreeSet<(isize, usize, Vec<u8>)> {
    let places: Vec<(usize, usize)> = (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let orders = orders(n);
    let mut all = BTreeSet::new();
    for mut number in 0..usize::from(kinds).pow(places.len() as u32) {
        let mut codes = vec![0u8; n * n];
        for &(a, b) in &places {
            let code = (number % usize::from(kinds)) as u8;
            (codes[a * n + b], codes[b * n + a]) = (code, code);
            number /= usize::from(kinds);
        }
        let whole = mobility(&codes, n, (1 << n) - 1);
        if whole >= 0 && is_chain(&codes, n) {
            let higher = codes.iter().filter(|code| **code == 2).count() / 2;
            all.insert((whole, higher, smallest(&codes, n, &orders)));
        }
    }
    all
}

#[test]
fn exhaustive_search_finds_the_same_chains() {
    for (n, kinds) in [(3, 3), (4, 3), (5, 3), (6, 2)] {
        let all = exhaustive(n, kinds);
        let orders = orders(n);
        let mut count = 0;
        for mobility in 0..=3 * (n - 1) {
            for higher in 0..=if kinds == 3 { n * (n - 1) / 2 } else { 0 } {
                let Ok(found) = chains(Wanted { links: n, mobility, higher }) else { continue };
                count += found.len();
                for chain in &found {
                    let form = smallest(&chain.codes.concat(), n, &orders);
                    assert!(all.contains(&(mobility as isize, higher, form)), "{chain:?}");
                }
            }
        }
        // None twice, none missed.
        assert_eq!(count, all.len(), "{n} links");
        assert!(n < 5 || count > 2);
    }
}

#[test]
fn every_chain_becomes_a_file_with_the_mobility_that_was_asked_for() {
    let mut random = Random(7);
    for (links, mobility, higher) in [(6, 1, 0), (8, 1, 0), (8, 3, 0), (5, 1, 1), (6, 1, 2), (10, 1, 0)] {
        let all = found(links, mobility, higher);
        for _ in 0..all.len().min(12) {
            let chain = &all[random.below(all.len())];
            for &ground in &chain.grounds {
                let text = file(&of_chain(chain, ground, "a", "A chain"));
                let read = adjacency::parse(&text, "a.toml").unwrap_or_else(|errors| panic!("{errors}"));
                let structure = analyse(&Adjacency::new(&read.codes(), read.ground_link()));
                assert_eq!((structure.mobility, structure.inputs), (mobility as isize, mobility));
                assert!(structure.is_determined(), "{text}");
            }
        }
    }
}

/// The analysis of section 2 of the paper takes every group of the synthesis for one group.
#[test]
fn every_group_becomes_a_file_in_which_the_analysis_finds_it() {
    let mut single = 0;
    for (moving, mobility, higher) in
        [(2, 0, 0), (4, 0, 0), (6, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 2), (1, 2, 1), (3, 1, 0), (2, 1, 1), (3, 0, 3)]
    {
        let found = groups(Wanted { links: moving + 1, mobility, higher }).unwrap_or_else(|error| panic!("{error}"));
        single += usize::from(moving == 1) * found.len();
        for group in &found {
            let chain = of_group(group, "a", "A group");
            let read = adjacency::parse(&file(&chain), "a.toml").unwrap_or_else(|errors| panic!("{errors}"));
            let structure = analyse(&Adjacency::new(&read.codes(), read.ground_link()));
            let last = structure.groups.last().expect("a group");
            assert!(structure.is_determined(), "{chain:?}");
            assert_eq!((last.links.len(), last.mobility(), last.inputs), (moving, mobility as isize, mobility));
        }
    }
    // Group III, group II and further single links: a driven pair, a lower and a higher pair.
    assert_eq!(single, 4);
    // Group I of the worked example: two links, a driven higher pair and two lower ones.
    let first = groups(Wanted { links: 3, mobility: 1, higher: 1 }).expect("groups");
    assert!(
        first.iter().any(|group| group.outer == [vec![4], vec![1]] || group.outer == [vec![1], vec![4]]),
        "{first:?}"
    );
}

#[test]
fn numbers_without_a_chain_are_refused_with_what_would_be_right() {
    let wanted = Wanted { links: 7, mobility: 1, higher: 0 };
    let error = chains(wanted).expect_err("an odd number");
    assert_eq!(error, SynthesisError::Pairs(wanted));
    assert!(error.to_string().contains("must be even"), "{error}");
    assert_eq!(chains(Wanted { links: 13, mobility: 0, higher: 0 }), Err(SynthesisError::Links(13)));
    assert_eq!(chains(Wanted { links: 1, mobility: 0, higher: 0 }), Err(SynthesisError::Links(1)));
}
