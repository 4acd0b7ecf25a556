//! Internal forces of beams and trusses from the motion of the structure.

/// A section of an element whose internal forces are recovered.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoverySection {
    /// Name of the output.
    pub name: String,
    /// Index of the element, a line.
    pub element: usize,
    /// Where in the element: 0 at its first node, 1 at its second.
    pub at: f64,
}
/// stub
pub fn section_rows(_model: &super::model::FiniteElementModel, _s: &RecoverySection) -> (super::sparse::SparseRows, super::sparse::SparseRows) { todo!() }
