//! All choices of drivers of a plane chain, compared.
//!
//! A chain of mobility L takes L inputs. Which freedoms of its pairs they are is the analyst's choice and decides into
//! which groups the chain falls (Saura et al., section 2: thick lines of the structural graph). Here every choice is
//! analysed.
//!
//! Cost of a choice. The positions of a group of N_m links are n = 3 N_m unknowns with as many equations; an iteration
//! of Newton's method factors and solves one dense system per group, Σ (2/3 n³ + 2 n²) operations (Golub, Van Loan:
//! Matrix Computations, section 3.2). The number compares choices with each other and with all links in one system; it
//! is no time.
//!
//! Limits. The number of choices grows binomially: more than [`MOST_CHOICES`] are refused.
//!
//! Proved by: crates/experiment/tests/experiment/groups/drivers.rs (counted by hand, exhaustive search on random
//! chains).

use super::{Adjacency, Structure, analyse};

/// So many choices are analysed at most.
pub const MOST_CHOICES: usize = 20_000;

/// Inputs for a chain, and the resulting structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Number of inputs of every pair, in the order of the pairs.
    pub inputs: Vec<usize>,
    /// The groups with these inputs.
    pub structure: Structure,
}

impl Choice {
    /// The driven pairs, ascending; one with two inputs stands twice.
    pub fn drivers(&self) -> Vec<usize> {
        let repeated = |(pair, &count): (usize, &usize)| std::iter::repeat_n(pair, count);
        self.inputs.iter().enumerate().flat_map(repeated).collect()
    }

    /// Numbers of links of the groups, in their order.
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

/// Why the choices are not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DriversError {
    /// The mobility without inputs is negative: there are too many equations before anything is driven.
    OverConstrained(isize),
    /// There are more choices than [`MOST_CHOICES`].
    TooMany(usize),
}

impl std::fmt::Display for DriversError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DriversError::OverConstrained(mobility) => {
                write!(f, "the chain has mobility {mobility} without any input; free a pair")
            }
            DriversError::TooMany(count) => write!(f, "there are {count} choices, more than {MOST_CHOICES}"),
        }
    }
}

impl std::error::Error for DriversError {}

/// Every choice of as many inputs as the chain has mobility, cheapest first, undetermined ones last; the inputs that
/// the chain has are disregarded.
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
    if count > MOST_CHOICES {
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

/// In how many ways `wanted` inputs go into pairs with these freedoms.
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
