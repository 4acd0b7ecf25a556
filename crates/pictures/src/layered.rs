//! Layered drawings of graphs (Sugiyama, Tagawa, Toda, IEEE Trans. SMC 11, 1981): order within the layers by repeated
//! barycentres, positions by moving every node towards its neighbours with minimal distances.

/// Number of sweeps over all layers for the order; twice this number for the positions.
const SWEEPS: usize = 24;

/// Nodes in layers; edges join neighbouring layers.
pub(crate) struct Layers {
    /// Nodes of every layer in their order.
    pub(crate) order: Vec<Vec<usize>>,
    /// For every node its neighbours in the previous layer and in the next layer.
    pub(crate) neighbours: Vec<[Vec<usize>; 2]>,
}

impl Layers {
    /// Sweeps forwards and backwards, sorting each layer by the mean position of the neighbours in the previous layer
    /// of the sweep; keeps the order with the fewest crossings.
    pub(crate) fn untangle(&mut self) {
        let mut best = self.order.clone();
        let mut fewest = self.crossings();
        for sweep in 0..SWEEPS {
            for layer in self.sweep(sweep) {
                let position = self.positions();
                let mean = |node: usize| {
                    let near = &self.neighbours[node][sweep % 2];
                    let sum: usize = near.iter().map(|&other| position[other].0).sum();
                    let (own, length) = position[node];
                    // Relative positions, because layers differ in length.
                    near.first().map_or((own as f64 + 0.5) / length as f64, |&other| {
                        (sum as f64 / near.len() as f64 + 0.5) / position[other].1 as f64
                    })
                };
                let mut keyed: Vec<(f64, usize)> = self.order[layer].iter().map(|&node| (mean(node), node)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.order[layer] = keyed.into_iter().map(|(_, node)| node).collect();
            }
            let crossings = self.crossings();
            if crossings < fewest {
                (fewest, best) = (crossings, self.order.clone());
            }
        }
        self.order = best;
    }

    /// Moves the centres `at` of all nodes towards the mean of their neighbours, within the `offsets` of each layer.
    pub(crate) fn place(&self, at: &mut [f64], offsets: &[Vec<f64>]) {
        for layer in (0..2 * SWEEPS).flat_map(|sweep| self.sweep(sweep)) {
            let mean = |&node: &usize| {
                let near = self.neighbours[node].iter().flatten();
                let (sum, count) = near.fold((0.0, 0.0), |(sum, count), &other| (sum + at[other], count + 1.0));
                if count > 0.0 { sum / count } else { at[node] }
            };
            let wanted: Vec<f64> = self.order[layer].iter().map(mean).collect();
            for (&node, place) in self.order[layer].iter().zip(spread(&wanted, &offsets[layer])) {
                at[node] = place;
            }
        }
    }

    /// The layers forwards in even sweeps, backwards in odd ones.
    fn sweep(&self, sweep: usize) -> impl Iterator<Item = usize> + use<> {
        let count = self.order.len();
        (0..count).map(move |step| if sweep.is_multiple_of(2) { step } else { count - 1 - step })
    }

    /// Position within its layer and length of that layer, of every node.
    fn positions(&self) -> Vec<(usize, usize)> {
        let mut position = vec![(0, 1); self.neighbours.len()];
        for layer in &self.order {
            layer.iter().enumerate().for_each(|(i, &node)| position[node] = (i, layer.len()));
        }
        position
    }

    fn crossings(&self) -> usize {
        let position = self.positions();
        let crossed = |layer: &Vec<usize>| -> usize {
            let edges = |&node: &usize| self.neighbours[node][1].iter().map(move |&other| (node, other));
            let edges: Vec<_> = layer.iter().flat_map(edges).map(|(a, b)| (position[a].0, position[b].0)).collect();
            let crosses = |a: &(usize, usize)| edges.iter().filter(|b| a.0 < b.0 && a.1 > b.1).count();
            edges.iter().map(crosses).sum()
        };
        self.order.iter().map(crossed).sum()
    }
}

/// Distances of node centres from the first node if all nodes are adjacent with the distance `gap`.
pub(crate) fn touching(sizes: &[f64], gap: f64) -> Vec<f64> {
    let next = |at: &mut f64, pair: &[f64]| {
        *at += 0.5 * (pair[0] + pair[1]) + gap;
        Some(*at)
    };
    sizes.iter().take(1).map(|_| 0.0).chain(sizes.windows(2).scan(0.0, next)).collect()
}

/// Positions closest to `wanted` with the minimal distances given by `offsets` from the first node (least squares:
/// isotonic regression by pooling neighbours that would violate their order).
pub(crate) fn spread(wanted: &[f64], offsets: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new(); // mean, number of members
    for (wanted, offset) in wanted.iter().zip(offsets) {
        let mut pool = (wanted - offset, 1);
        while let Some(&(mean, count)) = pools.last()
            && mean > pool.0
        {
            pools.pop();
            pool = ((mean * count as f64 + pool.0 * pool.1 as f64) / (count + pool.1) as f64, count + pool.1);
        }
        pools.push(pool);
    }
    let bases = pools.iter().flat_map(|&(mean, count)| std::iter::repeat_n(mean, count));
    bases.zip(offsets).map(|(base, offset)| base + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_go_where_they_want_but_keep_their_distance() {
        assert_eq!(spread(&[0.0, 0.0, 500.0], &touching(&[78.0; 3], 22.0)), [-50.0, 50.0, 500.0]);
    }

    #[test]
    fn edges_that_need_not_cross_do_not() {
        let neighbours = vec![[vec![], vec![3]], [vec![], vec![2]], [vec![1], vec![]], [vec![0], vec![]]];
        let mut layers = Layers { order: vec![vec![0, 1], vec![2, 3]], neighbours };
        assert_eq!(layers.crossings(), 1);
        layers.untangle();
        assert_eq!(layers.crossings(), 0);
    }
}
