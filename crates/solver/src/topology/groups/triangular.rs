//! Block triangular form of a square system: which unknowns must be solved together, and in which order.
//!
//! It uses the algorithms of [`Graph`], with lists instead of scratch memory.

use crate::math::matching::Graph;
use alloc::{vec, vec::Vec};

/// Irreducible diagonal blocks of a pattern, in the order of their dependencies: (row, column) pairs on the diagonal.
/// `rows[i]` lists the columns of row i that are not zero. Rows and columns beyond a maximum matching are left out.
pub fn block_triangular(rows: &[Vec<usize>], columns: usize) -> Vec<Vec<(usize, usize)>> {
    let row_of = matching(rows, columns);
    let of_column = |row: &Option<usize>| row.map_or(Vec::new(), |row| rows[row].clone());
    let needs: Vec<Vec<usize>> = row_of.iter().map(of_column).collect();
    let pair = |column: usize| row_of[column].map(|row| (row, column));
    let blocks = strong_components(&needs).into_iter();
    blocks
        .map(|block| block.into_iter().filter_map(pair).collect::<Vec<_>>())
        .filter(|block| !block.is_empty())
        .collect()
}

/// The row that each column is matched with, in a maximum matching.
pub(crate) fn matching(rows: &[Vec<usize>], columns: usize) -> Vec<Option<usize>> {
    let mut graph = Graph::new(rows.len().max(columns));
    graph.find_matching((rows.len(), columns), |row| rows[row].iter().copied());
    (0..columns).map(|column| graph.row_of(column)).collect()
}

/// Strongly connected components of the graph with an edge from each vertex to the vertices it needs. Needed components
/// are first, and the vertices of a component ascend.
pub fn strong_components(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut graph = Graph::new(needs.len());
    let count = graph.find_components(needs.len(), |_, vertex, edge| needs[vertex].get(edge).copied());
    let mut components = vec![Vec::new(); count];
    (0..needs.len()).for_each(|vertex| components[graph.component(vertex)].push(vertex));
    components
}

/// All vertices that `starts` need directly or indirectly, including `starts`.
pub(crate) fn reached(needs: &[Vec<usize>], starts: &[usize]) -> Vec<bool> {
    let mut seen = vec![false; needs.len()];
    let mut pending = starts.to_vec();
    while let Some(vertex) = pending.pop() {
        if !core::mem::replace(&mut seen[vertex], true) {
            pending.extend(&needs[vertex]);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrambled_triangular_matrix_is_put_in_order() {
        // Unknown 2 from row 0; unknowns 0 and 3 together from rows 1 and 3; unknown 1 last, from row 2.
        let rows = [vec![2], vec![0, 2, 3], vec![0, 1, 3], vec![0, 3]];
        let blocks = block_triangular(&rows, 4);
        let columns: Vec<Vec<usize>> = blocks.iter().map(|block| block.iter().map(|entry| entry.1).collect()).collect();
        assert_eq!(columns, [vec![2], vec![0, 3], vec![1]]);
        assert!(blocks.iter().flatten().all(|(row, column)| rows[*row].contains(column)));
    }

    #[test]
    fn components_come_after_what_they_need() {
        let needs = [vec![1], vec![2], vec![1, 3], vec![], vec![0, 4]];
        assert_eq!(strong_components(&needs), [vec![3], vec![1, 2], vec![0], vec![4]]);
        assert_eq!(reached(&needs, &[2]), [false, true, true, true, false]);
    }
}
