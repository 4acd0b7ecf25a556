//! Block triangular form of a square system: which unknowns have to be found together, and in which order.
//!
//! Rows are matched with columns (augmenting paths, O(n · entries)); a column needs the other columns of its row; the strongly
//! connected components of "needs" are the irreducible blocks (Tarjan, SIAM J. Comput. 1, 1972; Dulmage and Mendelsohn,
//! Canad. J. Math. 10, 1958). Blocks do not depend on the matching, as long as it is complete.

/// Irreducible diagonal blocks of a pattern, what is needed first: (row, column) pairs on the diagonal. `rows[i]` lists the columns
/// of row i that are not zero. Rows and columns beyond a maximum matching are left out.
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
pub fn matching(rows: &[Vec<usize>], columns: usize) -> Vec<Option<usize>> {
    let mut row_of = vec![None; columns];
    for start in 0..rows.len() {
        // Breadth first over rows; per column the row by which the search came.
        let mut came_by: Vec<Option<usize>> = vec![None; columns];
        let mut queue = vec![start];
        let mut at = 0;
        let free = 'search: loop {
            let Some(&row) = queue.get(at) else { break None };
            at += 1;
            for &column in &rows[row] {
                if came_by[column].is_none() {
                    came_by[column] = Some(row);
                    match row_of[column] {
                        None => break 'search Some(column),
                        Some(other) => queue.push(other),
                    }
                }
            }
        };
        let mut end = free;
        while let Some((column, row)) = end.and_then(|column| came_by[column].map(|row| (column, row))) {
            // The column that this row had before; the row that starts has none.
            end = row_of.iter().position(|&other| other == Some(row));
            row_of[column] = Some(row);
        }
    }
    row_of
}

/// Strongly connected components of the graph with an edge from each vertex to those it needs; what is needed comes first, and
/// the vertices of a component ascend. O(vertices + edges).
pub fn strong_components(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let count = needs.len();
    let (mut number, mut low) = (vec![usize::MAX; count], vec![0; count]);
    let mut open = vec![false; count];
    let (mut stack, mut components, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..count {
        if number[root] != usize::MAX {
            continue;
        }
        // (vertex, how many of its edges are done).
        let mut path = vec![(root, 0)];
        while let Some(&(vertex, done)) = path.last() {
            if done == 0 && number[vertex] == usize::MAX {
                (number[vertex], low[vertex]) = (next, next);
                next += 1;
                open[vertex] = true;
                stack.push(vertex);
            }
            if let Some(&target) = needs[vertex].get(done) {
                if let Some(top) = path.last_mut() {
                    top.1 += 1;
                }
                if number[target] == usize::MAX {
                    path.push((target, 0));
                } else if open[target] {
                    low[vertex] = low[vertex].min(number[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[vertex]);
            }
            if low[vertex] == number[vertex] {
                let start = stack.iter().rposition(|&member| member == vertex).unwrap_or(0);
                let mut component = stack.split_off(start);
                component.iter().for_each(|&member| open[member] = false);
                component.sort_unstable();
                components.push(component);
            }
        }
    }
    components
}

/// All vertices that `starts` need, directly or not, themselves included.
pub fn reached(needs: &[Vec<usize>], starts: &[usize]) -> Vec<bool> {
    let mut seen = vec![false; needs.len()];
    let mut pending = starts.to_vec();
    while let Some(vertex) = pending.pop() {
        if !std::mem::replace(&mut seen[vertex], true) {
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
    fn a_matching_is_found_where_the_first_choices_were_wrong() {
        let rows = [vec![0, 1], vec![0, 2], vec![0], vec![1, 2, 3]];
        let row_of = matching(&rows, 4);
        assert_eq!(row_of, [Some(2), Some(0), Some(1), Some(3)]);
        // Three rows for two columns: one is left.
        assert_eq!(matching(&[vec![0, 1], vec![0, 1], vec![0, 1]], 2).iter().flatten().count(), 2);
    }

    #[test]
    fn components_come_after_what_they_need() {
        let needs = [vec![1], vec![2], vec![1, 3], vec![], vec![0, 4]];
        assert_eq!(strong_components(&needs), [vec![3], vec![1, 2], vec![0], vec![4]]);
        assert_eq!(reached(&needs, &[2]), [false, true, true, true, false]);
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let count = 100_000;
        let needs: Vec<Vec<usize>> = (0..count).map(|i| if i + 1 < count { vec![i + 1] } else { vec![] }).collect();
        assert_eq!(strong_components(&needs).len(), count);
    }
}
