//! Matchings and strongly connected components of small graphs, on the caller's memory.
//!
//! A square matrix whose rows are matched with columns, where a column needs the other columns of its row, falls into
//! its irreducible diagonal blocks: the strongly connected components of "needs" (Tarjan, SIAM J. Comput. 1, 1972;
//! Dulmage and Mendelsohn, Canad. J. Math. 10, 1958). They do not depend on the matching, as long as it is complete.

use super::POISON;
use alloc::{vec, vec::Vec};

/// No vertex.
const NONE: usize = usize::MAX;

/// Memory for graphs up to a fixed number of vertices, and the result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// Per column: the row that it is matched with.
    row_of: Vec<usize>,
    /// Per row: the column that it is matched with.
    column_of: Vec<usize>,
    /// Per column: the row from which the search reached it.
    came_by: Vec<usize>,
    queue: Vec<usize>,
    /// Per vertex: its number in the search order, and the lowest number that it reaches.
    number: Vec<usize>,
    low: Vec<usize>,
    /// Vertices not yet assigned to a component.
    stack: Vec<usize>,
    /// (vertex, number of its edges processed).
    path: Vec<(usize, usize)>,
    component: Vec<usize>,
}

impl Graph {
    /// For graphs of up to `size` vertices, and matchings of up to `size` rows and columns.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "scratch memory, before the first step")]
    pub(crate) fn new(size: usize) -> Graph {
        Graph {
            row_of: vec![NONE; size],
            column_of: vec![NONE; size],
            came_by: vec![NONE; size],
            queue: Vec::with_capacity(size + 1),
            number: vec![NONE; size],
            low: vec![0; size],
            stack: Vec::with_capacity(size),
            path: Vec::with_capacity(size),
            component: vec![0; size],
        }
    }

    /// Overwrites every number with [`POISON`].
    pub(crate) fn fill(&mut self) {
        for list in [
            &mut self.row_of,
            &mut self.column_of,
            &mut self.came_by,
            &mut self.number,
            &mut self.low,
            &mut self.component,
        ] {
            list.fill(POISON);
        }
    }

    /// A maximum matching of rows with columns, by augmenting paths: O(rows · entries). `columns(i)` are the columns of
    /// row i that are not zero.
    #[expect(clippy::disallowed_methods, reason = "pushes within the capacity that `new` reserves")]
    pub(crate) fn find_matching<I: Iterator<Item = usize>>(
        &mut self,
        (rows, width): (usize, usize),
        columns: impl Fn(usize) -> I,
    ) {
        self.row_of[..width].fill(NONE);
        self.column_of[..rows].fill(NONE);
        for start in 0..rows {
            self.came_by[..width].fill(NONE);
            self.queue.clear();
            self.queue.push(start);
            let mut column = self.search(&columns);
            // Along the path back to the start, each row is matched with the column through which the search left it.
            while column != NONE {
                let row = self.came_by[column];
                self.row_of[column] = row;
                column = core::mem::replace(&mut self.column_of[row], column);
            }
        }
    }

    /// Breadth-first search from the row in the queue; returns an unmatched column.
    #[expect(clippy::disallowed_methods, reason = "pushes within the capacity that `new` reserves")]
    fn search<I: Iterator<Item = usize>>(&mut self, columns: impl Fn(usize) -> I) -> usize {
        let mut head = 0;
        while let Some(&row) = self.queue.get(head) {
            head += 1;
            for column in columns(row) {
                if self.came_by[column] == NONE {
                    self.came_by[column] = row;
                    match self.row_of[column] {
                        NONE => return column,
                        other => self.queue.push(other),
                    }
                }
            }
        }
        NONE
    }

    /// The row that `column` is matched with, if any.
    pub(crate) fn row_of(&self, column: usize) -> Option<usize> {
        Some(self.row_of[column]).filter(|&row| row != NONE)
    }

    #[cfg(test)]
    /// The column that `row` is matched with, if any.
    pub(crate) fn column_of(&self, row: usize) -> Option<usize> {
        Some(self.column_of[row]).filter(|&column| column != NONE)
    }

    /// Strongly connected components of the first `count` vertices, each with an edge to the vertices it needs; returns
    /// their number. O(vertices + edges), apart from finding edge k of a vertex.
    #[expect(clippy::disallowed_methods, reason = "pushes within the capacity that `new` reserves")]
    pub fn find_components(&mut self, count: usize, need: impl Fn(&Graph, usize, usize) -> Option<usize>) -> usize {
        // Tarjan's algorithm with an explicit stack, since a step must not recurse without a bound.
        self.number[..count].fill(NONE);
        self.component[..count].fill(NONE);
        self.stack.clear();
        let (mut next, mut components) = (0, 0);
        for root in 0..count {
            if self.number[root] != NONE {
                continue;
            }
            self.path.clear();
            self.path.push((root, 0));
            // `path` has the vertices on the way from the root, each with the number of edges already followed.
            while let Some(top) = self.path.last_mut() {
                let (vertex, done) = *top;
                top.1 += 1;
                if done == 0 {
                    (self.number[vertex], self.low[vertex]) = (next, next);
                    next += 1;
                    self.stack.push(vertex);
                }
                // Follow the next edge. An edge to a vertex without a component lowers the root of this vertex.
                if let Some(target) = need(self, vertex, done) {
                    if self.number[target] == NONE {
                        self.path.push((target, 0));
                    } else if self.component[target] == NONE {
                        self.low[vertex] = self.low[vertex].min(self.number[target]);
                    }
                    continue;
                }
                // All edges are followed: pass the result to the parent.
                self.path.pop();
                if let Some(&(parent, _)) = self.path.last() {
                    self.low[parent] = self.low[parent].min(self.low[vertex]);
                }
                // The root of a component: all vertices above it on the stack belong to the component.
                if self.low[vertex] == self.number[vertex] {
                    while let Some(member) = self.stack.pop() {
                        self.component[member] = components;
                        if member == vertex {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
        components
    }

    /// Number of the component of `vertex`. The components that a component needs have lower numbers.
    pub(crate) fn component(&self, vertex: usize) -> usize {
        self.component[vertex]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matching_is_found_where_the_first_choices_were_wrong() {
        let rows = [vec![0, 1], vec![0, 2], vec![0], vec![1, 2, 3]];
        let mut graph = Graph::new(4);
        graph.find_matching((4, 4), |i| rows[i].iter().copied());
        assert_eq!([0, 1, 2, 3].map(|column| graph.row_of(column)), [Some(2), Some(0), Some(1), Some(3)]);
        assert_eq!([0, 1, 2, 3].map(|row| graph.column_of(row)), [Some(1), Some(2), Some(0), Some(3)]);
        // Three rows for two columns: one row is unmatched.
        graph.find_matching((3, 2), |_| 0..2);
        assert_eq!((0..3).filter(|&row| graph.column_of(row).is_some()).count(), 2);
    }

    #[test]
    fn components_come_after_what_they_need_and_memory_is_used_again() {
        let needs = [vec![1], vec![2], vec![1, 3], vec![], vec![0, 4]];
        let mut graph = Graph::new(5);
        for _ in 0..2 {
            assert_eq!(graph.find_components(5, |_, vertex, k| needs[vertex].get(k).copied()), 4);
            assert_eq!([0, 1, 2, 3, 4].map(|vertex| graph.component(vertex)), [2, 1, 1, 0, 3]);
        }
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let count = 100_000;
        let chain = |_: &Graph, vertex: usize, k: usize| Some(vertex + 1).filter(|&next| k == 0 && next < count);
        assert_eq!(Graph::new(count).find_components(count, chain), count);
    }
}
