//! Checks of a structure that need its model: connection, mechanisms, mass, interfaces.

use super::Structure;
use super::members::Members;
use crate::document::Diagnostic;
use crate::fem::model::{Dof, FiniteElementModel};
use crate::fem::sparse::SparseSymmetric;

pub(super) fn unconnected(_structure: &Structure, _members: &Members) -> Vec<Diagnostic> {
    Vec::new()
}

pub(super) fn mechanisms(
    _structure: &Structure,
    _members: &Members,
    _dofs: &[Dof],
    _stiffness: &SparseSymmetric,
) -> Vec<Diagnostic> {
    Vec::new()
}

pub(super) fn mass(_structure: &Structure, _model: &FiniteElementModel) -> Vec<Diagnostic> {
    Vec::new()
}

pub(super) fn interfaces_hold(_structure: &Structure, _model: &FiniteElementModel) -> Vec<Diagnostic> {
    Vec::new()
}
