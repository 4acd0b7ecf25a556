//! Outputs of a system.

use crate::force::Axes;
use crate::system::{LowPass, Output, OutputInfo, Readout, ScalarKind, System};
use alloc::{string::String, vec::Vec};

/// A scalar output in the axes of W.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Name.
    pub name: String,
    /// Unit symbol.
    pub unit: String,
    /// The quantity.
    pub readout: Readout,
    /// Component of a vector or quaternion; 0 for scalars.
    pub component: usize,
}

impl Reading {
    /// A reading; `component` is 0 for scalars.
    pub fn new(name: &str, unit: &str, readout: Readout, component: usize) -> Reading {
        Reading { name: name.into(), unit: unit.into(), readout, component }
    }
}

impl System {
    /// Replaces the outputs. `filters` are behind outputs; their states follow the states of the elements.
    pub fn set_outputs(&mut self, outputs: Vec<Output>, infos: Vec<OutputInfo>, filters: Vec<LowPass>) {
        let end = self.element_states.end;
        self.auxiliary = filters.iter().fold(end, |end, filter| end.max(filter.states().end));
        self.initial.auxiliary.resize(self.auxiliary, 0.0);
        let angles = outputs.iter().filter(|output| output.turns.is_some()).count();
        self.initial.angles.resize(angles, 0.0);
        // Section forces need the interface forces of bodies that leave out modes.
        let left_out = |(body, section): (usize, usize)| !self.flexible[body].sections[section].loads.is_empty();
        self.needs_reactions = outputs.iter().any(|output| output.readout.is_reaction())
            || outputs.iter().filter_map(|output| output.readout.section()).any(left_out);
        (self.outputs, self.interface.outputs, self.filters) = (outputs, infos, filters);
    }

    /// Replaces the outputs by readings, which count as dependent on all inputs.
    pub(super) fn set_readings(&mut self, readings: Vec<Reading>) {
        let inputs: Vec<usize> = (0..self.interface.inputs.len()).collect();
        let (mut outputs, mut infos, mut turning) = (Vec::new(), Vec::new(), 0);
        for Reading { name, unit, readout, component } in readings {
            // Pitch stays within a quarter of a turn.
            let turns = match readout {
                Readout::Angles(angles) if component != 1 => {
                    turning += 1;
                    Some((angles, turning - 1))
                }
                _ => None,
            };
            outputs.push(Output { readout, component, axes: Axes::World, body: 0, again: false, turns });
            infos.push(OutputInfo {
                name,
                unit,
                kind: ScalarKind::Real,
                dependencies: inputs.clone(),
                initial_dependencies: inputs.clone(),
                initial_by_forces: true,
                nominal: None,
                description: String::new(),
                element: None,
            });
        }
        self.set_outputs(outputs, infos, Vec::new());
    }
}
