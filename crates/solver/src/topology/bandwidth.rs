//! Ordering of the columns of a sparse matrix that keeps the columns of each row close together.

use alloc::{vec, vec::Vec};

/// Columns in Cuthill and McKee's order (Reducing the bandwidth of sparse symmetric matrices, ACM 1969): two columns
/// are neighbours when a row has entries in both. `rows` lists the columns of every row. The lower column number wins a
/// tie.
pub(crate) fn bandwidth_order(columns: usize, rows: &[Vec<usize>]) -> Vec<usize> {
    let mut neighbours = vec![Vec::new(); columns];
    for row in rows {
        for &column in row {
            neighbours[column].extend(row.iter().copied().filter(|&other| other != column));
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let degrees: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    for list in &mut neighbours {
        list.sort_by_key(|&column| (degrees[column], column));
    }
    let mut placed = vec![false; columns];
    let mut order = Vec::with_capacity(columns);
    for start in 0..columns {
        if !placed[start] {
            let start = far_end(&neighbours, &degrees, start);
            let part = breadth_first(&neighbours, start);
            part.iter().for_each(|&column| placed[column] = true);
            order.extend(part);
        }
    }
    order
}

/// A pseudo-peripheral column: the end of a longest, or nearly longest, path in the connected part of `start`.
fn far_end(neighbours: &[Vec<usize>], degrees: &[usize], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0);
    loop {
        let distances = distances(neighbours, at);
        let deepest = distances.iter().copied().flatten().max().unwrap_or(0);
        if deepest <= depth && at != start {
            return at;
        }
        let last = (0..distances.len()).filter(|&column| distances[column] == Some(deepest));
        let Some(next) = last.min_by_key(|&column| (degrees[column], column)) else { return at };
        if deepest <= depth {
            return next;
        }
        (at, depth) = (next, deepest);
    }
}

fn breadth_first(neighbours: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut seen = vec![false; neighbours.len()];
    seen[start] = true;
    let mut order = vec![start];
    let mut next = 0;
    while next < order.len() {
        for &column in &neighbours[order[next]] {
            if !core::mem::replace(&mut seen[column], true) {
                order.push(column);
            }
        }
        next += 1;
    }
    order
}

fn distances(neighbours: &[Vec<usize>], start: usize) -> Vec<Option<usize>> {
    let mut distances = vec![None; neighbours.len()];
    distances[start] = Some(0);
    for column in breadth_first(neighbours, start) {
        let next = distances[column].map(|distance| distance + 1);
        for &other in &neighbours[column] {
            if distances[other].is_none() {
                distances[other] = next;
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest distance between columns of one row.
    fn width(order: &[usize], rows: &[Vec<usize>]) -> usize {
        let place = |column: &usize| order.iter().position(|other| other == column).unwrap();
        let width = |row: &Vec<usize>| row.iter().map(place).max().unwrap() - row.iter().map(place).min().unwrap();
        rows.iter().map(width).max().unwrap()
    }

    #[test]
    fn a_shuffled_chain_is_put_in_a_row() {
        let n = 50;
        let name = |k: usize| k * 37 % n;
        let rows: Vec<Vec<usize>> = (0..n - 2).map(|k| vec![name(k), name(k + 1), name(k + 2)]).collect();
        let order = bandwidth_order(n, &rows);
        assert_eq!(width(&order, &rows), 2);
    }

    #[test]
    fn parts_follow_each_other_and_every_column_stands_once() {
        let rows = vec![vec![5, 0], vec![0, 3], vec![1, 4]];
        let mut order = bandwidth_order(6, &rows);
        assert_eq!(width(&order, &rows), 1);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }
}
