//! Comparison of all choices of drivers of a plane chain.
//!
//! A chain of mobility L needs L inputs. The analyst chooses the driven freedoms, and this choice determines the groups
//! of the chain (Saura et al., section 2: thick lines of the structural graph). This module analyses every choice.
//!
//! Cost of a choice. The positions of a group of N_m links are n = 3 N_m unknowns with as many equations; an iteration
//! of Newton's method factors and solves one dense system per group, Σ (2/3 n³ + 2 n²) operations (Golub, Van Loan:
//! Matrix Computations, section 3.2). The number compares choices with each other and with one system of all links; it
//! is not a time.
//!
//! Limits. The number of choices grows binomially: more than [`MAX_CHOICES`] are rejected.
//!
//! Verified by: crates/run/tests/run/groups/drivers.rs (counted by hand, exhaustive search on random
//! chains).

use super::{Adjacency, Structure, analyse};
use alloc::{vec, vec::Vec};

/// Largest number of choices analysed.
pub const MAX_CHOICES: usize = 20_000;

/// Inputs for a chain, and the resulting structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Number of inputs of every pair, in the order of the pairs.
    pub inputs: Vec<usize>,
    /// The groups with these inputs.
    pub structure: Structure,
}

impl Choice {
    /// The driven pairs, ascending; a pair with two inputs is listed twice.
    pub fn drivers(&self) -> Vec<usize> {
        let repeated = |(pair, &count): (usize, &usize)| core::iter::repeat_n(pair, count);
        self.inputs.iter().enumerate().flat_map(repeated).collect()
    }

    /// Number of links of each group, in the order of the groups.
    pub fn sizes(&self) -> Vec<usize> {
        self.structure.groups.iter().map(|group| group.links.len()).collect()
    }

    /// Operations of an iteration through all groups.
    pub fn cost(&self) -> usize {
        self.sizes().into_iter().map(operations).sum()
    }
}

/// Operations to factor and solve the 3 N_m equations of `links` moving links at once, rounded.
pub fn operations(links: usize) -> usize {
    let n = 3 * links;
    (2 * n.pow(3) + 6 * n.pow(2)) / 3
}

/// Reason why the choices cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriversError {
    /// The mobility without inputs is negative: there are too many equations even without drivers.
    OverConstrained(isize),
    /// There are more choices than [`MAX_CHOICES`].
    TooMany(usize),
}

impl core::fmt::Display for DriversError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            DriversError::OverConstrained(mobility) => {
                write!(f, "the chain has mobility {mobility} without any input; free a pair")
            }
            DriversError::TooMany(count) => write!(f, "there are {count} choices, more than {MAX_CHOICES}"),
        }
    }
}

impl core::error::Error for DriversError {}

/// Every choice of inputs whose number equals the mobility of the chain: cheapest first, undetermined choices last.
/// Existing inputs of the chain are ignored.
///
/// # Errors
/// See [`DriversError`].
pub fn choices(adjacency: &Adjacency) -> Result<Vec<Choice>, DriversError> {
    let mut free = adjacency.clone();
    free.pairs.iter_mut().for_each(|pair| pair.inputs = 0);
    let mobility = analyse(&free).mobility;
    let wanted = usize::try_from(mobility).map_err(|_| DriversError::OverConstrained(mobility))?;
    let capacities: Vec<usize> = free.pairs.iter().map(|pair| pair.freedom).collect();
    let count = number_of_choices(&capacities, wanted);
    if count > MAX_CHOICES {
        return Err(DriversError::TooMany(count));
    }
    let mut found = Vec::with_capacity(count);
    let mut inputs = vec![0; capacities.len()];
    distribute(&capacities, 0, wanted, &mut inputs, &mut |inputs: &[usize]| {
        free.pairs.iter_mut().zip(inputs).for_each(|(pair, &count)| pair.inputs = count);
        found.push(Choice { inputs: inputs.to_vec(), structure: analyse(&free) });
    });
    found.sort_by_key(|choice| (!choice.structure.is_determined(), choice.cost(), choice.drivers()));
    Ok(found)
}

/// Number of ways to place `wanted` inputs in pairs with these freedoms.
fn number_of_choices(capacities: &[usize], wanted: usize) -> usize {
    let mut ways = vec![0_usize; wanted + 1];
    ways[0] = 1;
    for &capacity in capacities {
        let before = &ways;
        let here = |total: usize| (0..=capacity.min(total)).map(move |inputs| before[total - inputs]);
        ways = (0..=wanted).map(|total| here(total).fold(0, usize::saturating_add)).collect();
    }
    ways[wanted]
}

fn distribute(capacities: &[usize], pair: usize, left: usize, inputs: &mut [usize], found: &mut impl FnMut(&[usize])) {
    if pair == capacities.len() {
        if left == 0 {
            found(inputs);
        }
        return;
    }
    if left > capacities[pair..].iter().sum::<usize>() {
        return;
    }
    for count in (0..=capacities[pair].min(left)).rev() {
        inputs[pair] = count;
        distribute(capacities, pair + 1, left - count, inputs, found);
    }
    inputs[pair] = 0;
}
