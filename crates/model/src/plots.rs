//! The variables that a `[[plot]]` shows.

use super::schema::{Model, Output, Plot};

/// An output variable as a plot names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotVariable {
    /// Index among the output variables of the model.
    pub index: usize,
    /// Name of the variable.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
}

impl Model {
    /// Variables of all outputs, in the order of the interface.
    fn output_variables(&self) -> impl Iterator<Item = (&str, PlotVariable)> {
        let variables = self.outputs.iter().flat_map(|output| {
            let unit = self.output_unit(output);
            output.variable_names().into_iter().map(move |name| (output.name.as_str(), name, unit))
        });
        variables.enumerate().map(|(index, (output, name, unit))| (output, PlotVariable { index, name, unit }))
    }

    /// Whether each output variable of the interface is a diagnostic one, in order.
    pub fn diagnostic_variables(&self) -> Vec<bool> {
        let variables = |output: &Output| vec![output.quantity.is_diagnostic(); output.variable_names().len()];
        self.outputs.iter().flat_map(variables).collect()
    }

    /// The meaning of a name in a plot: one variable, or all variables of an output; empty if neither exists.
    pub fn plot_variables(&self, name: &str) -> Vec<PlotVariable> {
        let of =
            |(output, variable): (&str, PlotVariable)| (output == name || variable.name == name).then_some(variable);
        self.output_variables().filter_map(of).collect()
    }

    /// Every name that a plot may use: outputs and their variables.
    pub fn plot_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (output, variable) in self.output_variables() {
            for name in [output, &variable.name] {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_string());
                }
            }
        }
        names
    }
}

impl Plot {
    /// The variables of its curves.
    pub fn curves(&self, model: &Model) -> Vec<PlotVariable> {
        self.outputs.iter().flat_map(|name| model.plot_variables(name)).collect()
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn the_name_of_a_vector_means_its_components() {
        let text = "[model]\nname = \"m\"\n[[body]]\nname = \"b\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1, 0, \
            0, 0]\n\
                    [[joint]]\nname = \"j\"\ntype = \"floating\"\nbodies = [\"ground\", \"b\"]\n\
                    [[output]]\nname = \"e\"\nquantity = \"kinetic_energy\"\n\
                    [[output]]\nname = \"p\"\nbody = \"b\"\nquantity = \"position\"\n";
        let model = crate::parse(text, "m.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}")).model;
        let found = |name: &str| model.plot_variables(name).iter().map(|v| (v.index, v.unit)).collect::<Vec<_>>();
        assert_eq!(found("e"), [(0, "J")]);
        assert_eq!(found("p"), [(1, "m"), (2, "m"), (3, "m")]);
        assert_eq!(found("p.y"), [(2, "m")]);
        assert_eq!(found("q"), []);
        assert_eq!(model.plot_names(), ["e", "p", "p.x", "p.y", "p.z"]);
    }
}
