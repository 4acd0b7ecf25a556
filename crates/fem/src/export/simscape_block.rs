//! A MATLAB function that builds the Simscape Multibody block of a reduced body. The block is a masked subsystem with
//! the block "Reduced Order Flexible Solid" and a frame port for every interface. With [`Padding::Unit`] it also has
//! the constraints and small masses of Míguez et al. (section 2.2 and figure 1).
//!
//! The function makes a library with the subsystem. The mask holds the numbers ([`SimscapeSolid`]), so that the block
//! can be copied into any model. Block and parameter names follow MathWorks' published models and conversion scripts.
//! The function ignores line breaks in block names of the installed library and blanks in list entries, because both
//! differ between releases. Simscape itself was not run: `tests/harness/test_simscape_block.py` runs the function in
//! GNU Octave with stubs that check every call against a table of these names.
//!
//! The names do not define the port order of a block with three or more frames. The function takes the left ports, then
//! the right ones, from the top, and has an argument for another order.

use super::matlab::{literal, matrix, one_line};
use super::simscape::{Padding, SimscapeSolid};
use std::fmt::Write;

/// Maximum significant length of a MATLAB name, `namelengthmax`.
const MAX_NAME: usize = 63;

/// Suffix of the library name to the function name.
const LIBRARY: &str = "_library";

/// Directions that a plane body lacks: z, rx, ry.
const OUT_OF_PLANE: [usize; 3] = [2, 3, 4];

/// Vertical distance of the frame ports in the diagram, pixels.
const PITCH: usize = 100;

/// The functions after the first.
const HELPERS: &str = r"
function path = library_block(wanted)
% Path of a block as spelled in the installed library, whose names may contain line breaks.
paths = find_system('sm_lib', 'LookUnderMasks', 'all', 'Type', 'block');
found = paths(strcmp(regexprep(paths, '\s+', ' '), wanted));
if isempty(found), path = wanted; else, path = found{1}; end
end

function choose(block, parameter, wanted)
% Sets a parameter to the list entry that equals one of the words, ignoring blanks. If the block does not report its
% list, sets the first word, which model files contain.
plain = @(text) lower(regexprep(text, '[^A-Za-z0-9]', ''));
dialog = get_param(block, 'DialogParameters');
assert(isfield(dialog, parameter), '%s has no parameter %s in this release', block, parameter);
entries = {};
if isfield(dialog.(parameter), 'Enum'), entries = dialog.(parameter).Enum; end
if isempty(entries), entries = wanted(1); end
for i = 1:numel(wanted)
    match = find(strcmp(cellfun(plain, entries, 'UniformOutput', false), plain(wanted{i})), 1);
    if ~isempty(match)
        set_param(block, parameter, entries{match});
        return
    end
end
error('%s: parameter %s has no entry %s; its entries are %s', block, parameter, wanted{1}, strjoin(entries(:)', ', '));
end

function handles = frame_ports(block)
% Frame ports: left side, then right side, each from the top.
ports = get_param(block, 'PortHandles');
handles = [ports.LConn ports.RConn];
end

function connect(block, from, to)
add_line(block, from, to, 'autorouting', 'on');
end
";

/// Whether a file of this name can be a MATLAB function that makes a library: a letter, then letters, digits and
/// underscores, short enough.
pub fn is_function_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.len() + LIBRARY.len() <= MAX_NAME
}

impl SimscapeSolid {
    /// The function, for a file `name`.m; `name` satisfies [`is_function_name`].
    pub fn to_block(&self, name: &str) -> String {
        let count = self.interfaces.len();
        let mut text = format!("function block = {name}(order)\n");
        self.write_help(&mut text, name);
        // Writing into a String does not fail.
        let _ = writeln!(text, "if nargin < 1, order = 1:{count}; end");
        let _ = writeln!(
            text,
            "assert(isequal(sort(order(:)'), 1:{count}), 'order is a permutation of the numbers 1 to {count}');"
        );
        text.push_str("% The numbers of the body, SI units.\n");
        self.mask_values().iter().for_each(|(_, _, values)| text.push_str(values));
        let _ = write!(
            text,
            "% The library with a masked subsystem.\n\
             library = '{name}{LIBRARY}';\n\
             assert(~bdIsLoaded(library), 'close the library %s first', library);\n\
             load_system('sm_lib');\n\
             load_system('nesl_utility');\n\
             new_system(library, 'Library');\n\
             block = [library '/' {}];\n\
             add_block('built-in/Subsystem', block, 'Position', [100 100 280 {}]);\n",
            block_name(&self.name),
            140 + 40 * count
        );
        self.write_mask(&mut text);
        self.write_solid(&mut text);
        self.write_frames(&mut text);
        if self.is_held() {
            self.write_padding(&mut text);
        }
        text.push_str("open_system(library);\n");
        text.push_str("fprintf('built %s; save it with save_system(''%s'')\\n', block, library);\n");
        for (i, name) in self.interfaces.iter().enumerate() {
            let _ = writeln!(
                text,
                "fprintf('interface %d, %s: frame port %d of the solid\\n', {0}, {1}, order({0}));",
                i + 1,
                literal(name)
            );
        }
        text.push_str("end\n");
        text.push_str(HELPERS);
        text
    }

    /// Whether the block has constraints or masses for the added directions.
    fn is_held(&self) -> bool {
        self.padding == Padding::Unit && !self.added.is_empty()
    }

    /// Whether no interface has directions out of the plane xy: constraints between z axes hold the body in it.
    pub fn is_plane(&self) -> bool {
        let lacks = |i: usize| OUT_OF_PLANE.iter().all(|direction| self.added.contains(&(6 * i + direction)));
        (0..self.interfaces.len()).all(lacks)
    }

    fn write_help(&self, text: &mut String, name: &str) {
        let upper = name.to_uppercase();
        let _ = write!(
            text,
            "%{upper}  Simscape Multibody block of the reduced body \"{}\".\n\
             %   block = {name} makes the library {name}{LIBRARY} with a masked subsystem and returns its path:\n\
             %   copy the block into a model. A frame port of the subsystem is an interface of the body.\n\
             %   block = {name}(order) connects interface i to the order(i)-th frame port of the block Reduced\n\
             %   Order Flexible Solid, of the left ports, then the right ones, from the top. Compare with its\n\
             %   labels F1, F2, ... where the body has more than two interfaces.\n",
            one_line(&self.name)
        );
        self.remarks().iter().for_each(|remark| text.push_str(&format!("% NOTE: {}\n", one_line(remark))));
        if self.is_held() && !self.is_plane() {
            text.push_str("% NOTE: the mechanism must hold the directions out of the plane that\n");
            text.push_str("% were added; the block has no constraint for them.\n");
        }
    }

    /// Mask parameters: name, prompt, and the text that defines the variable.
    fn mask_values(&self) -> Vec<(&'static str, &'static str, String)> {
        let mut values = vec![
            ("origins", "Origins of the interface frames (m), one per row", matrix("origins", &self.origins)),
            ("quaternions", "Their orientations (w x y z), one per row", matrix("quaternions", &self.quaternions)),
            ("K", "Stiffness matrix (N/m, N, N m)", matrix("K", &self.stiffness)),
            ("M", "Mass matrix (kg, kg m, kg m^2)", matrix("M", &self.mass)),
            ("C", "Damping matrix (N s/m, N s, N m s)", matrix("C", &self.damping)),
        ];
        if self.is_held() {
            let mass = format!("interface_mass = {:?};\n", self.interface_mass);
            values.push(("interface_mass", "Mass at each interface frame (kg)", mass));
        }
        values
    }

    fn write_mask(&self, text: &mut String) {
        text.push_str("mask = Simulink.Mask.create(block);\n");
        for (name, prompt, _) in self.mask_values() {
            let _ = writeln!(
                text,
                "addParameter(mask, 'Type', 'edit', 'Name', '{name}', 'Prompt', '{prompt}', 'Value', \
                 mat2str({name}, 17));"
            );
        }
        let name = literal(&self.name);
        let description = "Reduced flexible body. The matrices are in the axes of the body, SI units: Tx Ty Tz Rx Ry Rz \
                           of each interface, then the modes.";
        let _ = writeln!(text, "set_param(block, 'MaskType', {name});");
        let _ = writeln!(text, "set_param(block, 'MaskDescription', '{description}');");
        let _ = writeln!(text, "set_param(block, 'MaskDisplay', {});", literal(&format!("disp({name});")));
    }

    fn write_solid(&self, text: &mut String) {
        // Old releases have no parameter for rotated interface frames.
        let count = self.interfaces.len();
        let turned = self.quaternions.row_iter().any(|row| row[0].abs() < 1.0);
        let orientations = "set_param(solid, 'InterfaceFrameOrientations', 'quaternions');";
        let orientations = match turned {
            true => orientations.to_string(),
            false => format!(
                "% Releases without this parameter use the axes of the body, like these frames.\n\
                 if isfield(get_param(solid, 'DialogParameters'), 'InterfaceFrameOrientations')\n    \
                 {orientations}\nend"
            ),
        };
        // Without damping the block has no damping matrix.
        let damping = match self.damping.iter().any(|value| *value != 0.0) {
            true => {
                "choose(solid, 'DampingType', {'DampingMatrix', 'Matrix', 'Custom'});\n\
                     set_param(solid, 'DampingMatrix', 'C');"
            }
            false => "choose(solid, 'DampingType', {'None'});",
        };
        // The script creates the solid, sets its matrices and looks up its frame ports.
        let _ = write!(
            text,
            "% The body.\n\
             solid = [block '/Solid'];\n\
             source = library_block('sm_lib/Body Elements/Flexible Bodies/Reduced Order Flexible Solid');\n\
             add_block(source, solid, 'Position', [300 100 400 {}]);\n\
             choose(solid, 'UnitSystemType', {{'SI'}});\n\
             set_param(solid, 'NumberOfInterfaceFrames', '{count}');\n\
             set_param(solid, 'InterfaceFrameOrigins', 'origins');\n\
             {orientations}\n\
             set_param(solid, 'StiffnessMatrix', 'K');\n\
             set_param(solid, 'MassMatrix', 'M');\n\
             {damping}\n\
             % A reduced model has no surface. Without this setting the dynamics are the same.\n\
             try\n    \
             choose(solid, 'GraphicType', {{'None'}});\n\
             catch wrong\n    \
             warning('%s', wrong.message);\n\
             end\n\
             frames = frame_ports(solid);\n\
             assert(numel(frames) == {count}, 'the solid has %d frame ports, not {count}', numel(frames));\n\
             frames = frames(order);\n",
            100 + 60 * count
        );
    }

    fn write_frames(&self, text: &mut String) {
        text.push_str("% A frame port for each interface.\n");
        for (i, interface) in self.interfaces.iter().enumerate() {
            let (number, top) = (i + 1, 100 + i * PITCH);
            let _ = write!(
                text,
                "port = [block '/' {}];\n\
                 add_block('nesl_utility/Connection Port', port, 'Port', '{number}', 'Side', 'Left', ...\n    \
                 'Position', [40 {top} 70 {}]);\n\
                 connect(block, frames({number}), frame_ports(port));\n",
                block_name(interface),
                top + 20
            );
        }
    }

    fn write_padding(&self, text: &mut String) {
        text.push_str("% A small mass at each frame, for the integrator.\n");
        for number in 1..=self.interfaces.len() {
            let top = 100 + (number - 1) * PITCH;
            let _ = write!(
                text,
                "mass = [block '/Mass {number}'];\n\
                 add_block(library_block('sm_lib/Body Elements/Inertia'), mass, 'Position', [520 {top} 560 {}]);\n\
                 choose(mass, 'InertiaType', {{'PointMass'}});\n\
                 set_param(mass, 'Mass', 'interface_mass', 'MassUnits', 'kg');\n\
                 connect(block, frames({number}), frame_ports(mass));\n",
                top + 40
            );
        }
        // A planar body has no out-of-plane rotations; they are constrained between its frames.
        if !self.is_plane() {
            return;
        }
        text.push_str(
            "% The z axes of all frames stay parallel to the z axis of frame 1: the added rx and ry are equal.\n",
        );
        for number in 2..=self.interfaces.len() {
            let top = 100 + (number - 1) * PITCH;
            let _ = write!(
                text,
                "parallel = [block '/Parallel {number}'];\n\
                 add_block(library_block('sm_lib/Constraints/Angle Constraint'), parallel, ...\n    \
                 'Position', [140 {top} 180 {}]);\n\
                 choose(parallel, 'ConstraintType', {{'Parallel'}});\n\
                 ends = frame_ports(parallel);\n\
                 connect(block, frames(1), ends(1));\n\
                 connect(block, frames({number}), ends(2));\n",
                top + 40
            );
        }
    }
}

/// A character vector with a block's name for a path, where a slash in a name is doubled. Block names inside the
/// subsystem do not end with an underscore; an interface of the same name gets one.
fn block_name(name: &str) -> String {
    let name = one_line(name).replace('/', "//");
    let taken = name == "Solid" || name.starts_with("Mass ") || name.starts_with("Parallel ");
    literal(&if taken { format!("{name}_") } else { name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_names_that_matlab_takes() {
        for (name, is_one) in
            [("a", true), ("arm_block2", true), ("", false), ("2a", false), ("_a", false), ("a-b", false), ("ä", false)]
        {
            assert_eq!(is_function_name(name), is_one, "{name}");
        }
        // With the ending of the library at most 63 characters.
        assert!(is_function_name(&"a".repeat(55)) && !is_function_name(&"a".repeat(56)));
    }

    #[test]
    fn names_of_interfaces_become_names_of_blocks() {
        for (name, block) in
            [("left", "'left'"), ("a/b", "'a//b'"), ("it's", "'it''s'"), ("Solid", "'Solid_'"), ("Mass 1", "'Mass 1_'")]
        {
            assert_eq!(block_name(name), block);
        }
    }
}
