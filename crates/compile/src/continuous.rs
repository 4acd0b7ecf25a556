//! The continuous states of a system, for integrators outside of the solver: names, units, sizes.
//!
//! All relative coordinates without a prescribed motion, their speeds, and all auxiliary states. This set does not
//! depend on the choice of independent coordinates, which changes while a mechanism moves. The states of a loop are
//! redundant; `ballesta::simulate::continuous` describes the consequences for an integrator.
//!
//! | state | unit | nominal |
//! |---|---|---|
//! | `state.position.JOINT`, `.x` … where the joint has several | m, rad, 1 of a quaternion | L, 1, 1 |
//! | `state.speed.JOINT` | m/s, rad/s | L per s, 1 |
//! | `state.position.BODY.mode[k]` of a flexible body | – | 0.01 L √mass |
//! | `state.speed.BODY.mode[k]` | – | that times ω of the mode in rad/s |
//! | `state.energy.dissipated`, `state.energy.input` | J | m L² per s² |
//! | `state.guide.NAME`, `.speed`, `.acceleration` of a filtered input | of the coordinate | as positions |
//! | `state.element.NAME`, `[k]` where the element has several | of the element | of the element |
//! | `state.filter.OUTPUT`, `[k]` per pole | of the output | by its dimension, from L, m and 1 s |
//!
//! L is the extent of the mechanism in its design position, m its mass, both to one digit. Outputs in a unit that no
//! state has get a size from L, m and T = √(L/g), 1 s without gravity: the weight for forces, the weight times L for
//! moments, g for accelerations.

use ballesta_model::schema::JointKind;
use ballesta_model::units;
use ballesta_solver::math::Vec3;
use ballesta_solver::system::{DISSIPATED, Guide, INPUT_WORK, Knowns, StateInfo, StatePlace, System};

/// Amplitude of a mode that counts: its body bends by this part of the mechanism's extent.
const BENDING: f64 = 0.01;
/// Length in m and mass in kg below which the size of a mechanism is replaced by 1 m and 1 kg: real mechanisms are
/// larger than a micrometre and a milligram.
const MIN_SIZE: f64 = 1e-6;

/// Adds the continuous states to the interface, or the reason why there are none.
pub fn describe(system: &mut System) {
    let sizes = Scale::new(system);
    system.interface.outputs.iter_mut().for_each(|output| output.nominal = sizes.of_output(&output.unit));
    if let Some(body) = system.flexible.iter().find(|body| body.residual > 0) {
        system.interface.not_continuous = Some(format!(
            "modes of `{}` above `model.resolution` are set to their equilibrium once per solver step and have no \
             derivatives",
            body.name
        ));
        return;
    }
    let mut list = List { sizes, states: Vec::new() };
    list.add_joints(system);
    list.add_modes(system);
    list.add_auxiliary(system);
    let mut states = list.states;
    let rates: Vec<Option<Knowns>> = states.iter().map(|state| rate_of(system, &states, state.place)).collect();
    states.iter_mut().zip(rates).for_each(|(state, rate)| state.rate = rate);
    system.interface.states = states;
}

/// Dependencies of the derivative of the state at `place`. A position outside loops depends on its speed, a free
/// rotation on its quaternion and angular velocity, a filter on its own states. Coordinates in a loop, which may follow
/// other coordinates after another choice, and speeds depend on everything.
fn rate_of(system: &System, states: &[StateInfo], place: StatePlace) -> Option<Knowns> {
    let number = |place: StatePlace| states.iter().position(|state| state.place == place);
    let of = |places: &mut dyn Iterator<Item = StatePlace>, inputs: Vec<usize>| {
        let mut indices: Vec<usize> = places.map(number).collect::<Option<_>>()?;
        indices.sort_unstable();
        Some(Knowns { states: indices, inputs })
    };
    // Dependent coordinates can change with the partition, so their dependencies are not stated.
    let free = |v: usize| system.free.contains(&v);
    match place {
        StatePlace::Speed(_) => None,
        // The rate of an elastic or joint coordinate is its own speed.
        StatePlace::Position(q) => {
            let elastic = system.flexible.iter().find(|body| body.q.contains(&q));
            let joint = system.joints.iter().find(|joint| joint.link.is_none() && joint.q_range().contains(&q));
            let v = match (elastic, joint) {
                (Some(body), _) => body.v.start + q - body.q.start,
                // The rate of a quaternion depends on all four components and on the angular velocity.
                (None, Some(joint)) => match joint.kind.quaternion() {
                    Some(first) if q >= joint.q + first => {
                        let (q, v) = (joint.q + first, joint.v + first);
                        let turns = (q..q + 4).map(StatePlace::Position);
                        let mut all = turns.chain((v..v + 3).map(StatePlace::Speed));
                        return (v..v + 3).all(free).then(|| of(&mut all, Vec::new())).flatten();
                    }
                    _ => joint.v + q - joint.q,
                },
                (None, None) => return None,
            };
            free(v).then(|| of(&mut std::iter::once(StatePlace::Speed(v)), Vec::new())).flatten()
        }
        // The input filter is a chain of three integrators; the last rate depends on all three states and the input.
        StatePlace::Auxiliary(index) => {
            let guide = system.guided.iter().find_map(|guided| match guided.guide {
                Guide::Filtered { state, input, .. } if (state..state + 3).contains(&index) => Some((state, input)),
                _ => None,
            });
            if let Some((first, input)) = guide.filter(|(_, input)| !system.givers().any(|giver| giver.gives(*input))) {
                let last = index == first + 2;
                let own = if last { first..first + 3 } else { index + 1..index + 2 };
                return of(&mut own.map(StatePlace::Auxiliary), if last { vec![input] } else { Vec::new() });
            }
            // A pole of an output filter depends on the previous pole; the first depends on everything.
            let behind = system.filters.iter().any(|filter| filter.states().skip(1).any(|pole| pole == index));
            behind.then(|| of(&mut (index - 1..index + 1).map(StatePlace::Auxiliary), Vec::new())).flatten()
        }
    }
}

/// Sizes of the mechanism.
struct Scale {
    /// L, m.
    length: f64,
    /// m, kg.
    mass: f64,
    /// T, s.
    time: f64,
}

impl Scale {
    fn new(system: &System) -> Scale {
        let [mut least, mut most] = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
        let mut take = |point: Vec3| {
            least = least.inf(&point);
            most = most.sup(&point);
        };
        for (body, joint) in system.bodies.iter().skip(1).zip(&system.joints) {
            take(body.design);
            let anchor = if joint.reversed { joint.anchor_first } else { joint.anchor_second };
            if joint.link.is_none() && !joint.kind.is_free() {
                take(body.design + anchor);
            }
        }
        let (length, mass) = ((most - least).norm(), system.mass());
        let usable = |value: f64| value.is_finite() && value > MIN_SIZE;
        let length = if usable(length) { one_digit(length) } else { 1.0 };
        let gravity = system.gravity.norm();
        Scale {
            length,
            mass: if usable(mass) { one_digit(mass) } else { 1.0 },
            // 1 s without gravity. The divisor is never zero, even if the compiler evaluates the division early.
            time: (length / if usable(gravity) { gravity } else { length }).sqrt(),
        }
    }

    /// Size of an output in its unit, from m, L and T.
    fn of_output(&self, unit: &str) -> Option<f64> {
        let unit = units::find(unit).filter(|unit| (unit.kg, unit.m, unit.s, unit.rad) != (0, 0, 0, 0))?;
        let size = power(self.mass, unit.kg) * power(self.length, unit.m) * power(self.time, unit.s);
        Some(one_digit(size))
    }

    /// Size of a quantity in its unit, from m, L and 1 s.
    fn of(&self, unit: &str) -> f64 {
        let Some(unit) = units::find(unit) else { return 1.0 };
        one_digit(power(self.mass, unit.kg) * power(self.length, unit.m))
    }
}

fn power(base: f64, exponent: i8) -> f64 {
    (0..exponent.unsigned_abs()).fold(1.0, |product, _| if exponent > 0 { product * base } else { product / base })
}

/// A positive number rounded to one digit, for readable descriptions; 1 for a size that cannot be represented.
fn one_digit(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let (mut tens, mut digits) = (0, value);
    while digits >= 10.0 {
        (tens, digits) = (tens + 1, digits / 10.0);
    }
    while digits < 1.0 {
        (tens, digits) = (tens - 1, digits * 10.0);
    }
    format!("{}e{tens}", digits.floor()).parse().unwrap_or(value)
}

struct List {
    sizes: Scale,
    states: Vec<StateInfo>,
}

impl List {
    fn add(&mut self, name: String, unit: &str, nominal: f64, description: String, place: StatePlace) {
        let mut unique = name.clone();
        let mut next = 2;
        while self.states.iter().any(|state| state.name == unique) {
            unique = format!("{name}_{next}");
            next += 1;
        }
        let unit = unit.to_string();
        self.states.push(StateInfo { name: unique, unit, nominal, description, place, rate: None });
    }

    /// Positions of all joints of the tree, then their speeds.
    fn add_joints(&mut self, system: &System) {
        for speeds in [false, true] {
            let what = if speeds { "speed" } else { "position" };
            for (tree, joint) in system.joints.iter().enumerate().filter(|(_, joint)| joint.link.is_none()) {
                let name = system.joint_name(tree);
                let names = if speeds { joint.kind.speed_names() } else { joint.kind.position_names() };
                for (k, part) in names.iter().enumerate() {
                    let (index, guided) = if speeds { (joint.v + k, joint.v + k) } else { (joint.q + k, joint.v + k) };
                    if joint.kind.quaternion().is_none_or(|first| k < first) && is_guided(system, guided) {
                        continue;
                    }
                    let unit = unit_of(joint.kind, k, speeds);
                    let own = if names.len() == 1 { String::new() } else { format!(".{part}") };
                    let place = if speeds { StatePlace::Speed(index) } else { StatePlace::Position(index) };
                    let nominal = self.sizes.of(unit);
                    let description = match names.len() {
                        1 => format!("State: {what} of joint `{name}`"),
                        _ => format!("State: {what} `{part}` of joint `{name}`"),
                    };
                    self.add(format!("state.{what}.{}{own}", structured(name)), unit, nominal, description, place);
                }
            }
        }
    }

    /// Elastic coordinates of all flexible bodies, then their speeds.
    fn add_modes(&mut self, system: &System) {
        for speeds in [false, true] {
            let what = if speeds { "speed" } else { "position" };
            for body in &system.flexible {
                let amplitude = BENDING * self.sizes.length * body.mass.sqrt();
                for k in 0..body.modes() {
                    // One size for all speeds would make an integrator resolve the smallest oscillation of the fastest
                    // mode.
                    let (place, size) = match speeds {
                        true => (StatePlace::Speed(body.v.start + k), amplitude * body.stiffness[k].sqrt().max(1.0)),
                        false => (StatePlace::Position(body.q.start + k), amplitude),
                    };
                    let nominal = one_digit(size);
                    let name = format!("state.{what}.{}.mode[{}]", structured(&body.name), k + 1);
                    let description = format!("State: {what} of mode {} of `{}`", k + 1, body.name);
                    self.add(name, "", nominal, description, place);
                }
            }
        }
    }

    fn add_auxiliary(&mut self, system: &System) {
        // Energies that the solver integrates.
        for (index, name, what) in
            [(DISSIPATED, "dissipated", "Dissipated energy"), (INPUT_WORK, "input", "Input work")]
        {
            let nominal = self.sizes.of("J");
            let description = format!("State: {what} since the start");
            self.add(format!("state.energy.{name}"), "J", nominal, description, StatePlace::Auxiliary(index));
        }
        // Filtered position, speed and acceleration of driven coordinates.
        for guided in &system.guided {
            let Guide::Filtered { state, .. } = guided.guide else { continue };
            let turns = system
                .joint_with(guided.coordinate.velocity)
                .is_some_and(|joint| joint.kind.is_rotation(guided.coordinate.velocity - joint.v));
            let units = if turns { ["rad", "rad/s", "rad/s2"] } else { ["m", "m/s", "m/s2"] };
            for (k, (unit, part)) in units.into_iter().zip(["", ".speed", ".acceleration"]).enumerate() {
                let what = ["position", "speed", "acceleration"][k];
                let description = format!("State: filtered {what} of the prescribed motion `{}`", guided.name);
                let name = format!("state.guide.{}{part}", structured(&guided.name));
                self.add(name, unit, self.sizes.of(unit), description, StatePlace::Auxiliary(state + k));
            }
        }
        // States of force elements, for example relaxation of tyres and friction.
        for element in &system.elements {
            let (states, name) = (element.states(), element.name());
            let (unit, nominal) = element.state_size();
            for (k, index) in states.clone().enumerate() {
                let number = if states.len() == 1 { String::new() } else { format!("[{}]", k + 1) };
                let description = match states.len() {
                    1 => format!("State of `{name}`"),
                    _ => format!("State {} of `{name}`", k + 1),
                };
                let name = format!("state.element.{}{number}", structured(name));
                self.add(name, unit, nominal, description, StatePlace::Auxiliary(index));
            }
        }
        // Poles of low-pass filters of outputs.
        for filter in &system.filters {
            let output = &system.interface.outputs[filter.output];
            let (name, unit) = (output.name.clone(), output.unit.clone());
            for (k, index) in filter.states().enumerate() {
                let own = format!("state.filter.{}.pole[{}]", structured(&name), k + 1);
                let description = format!("State: pole {} of the low-pass filter of `{name}`", k + 1);
                self.add(own, &unit, self.sizes.of(&unit), description, StatePlace::Auxiliary(index));
            }
        }
    }
}

fn is_guided(system: &System, v: usize) -> bool {
    system.guided.iter().any(|guided| guided.coordinate.velocity == v)
}

fn unit_of(kind: JointKind, k: usize, speeds: bool) -> &'static str {
    let in_quaternion = !speeds && kind.quaternion().is_some_and(|first| (first..first + 4).contains(&k));
    match (in_quaternion, kind.is_rotation(k), speeds) {
        (true, ..) => "1",
        (_, true, false) => "rad",
        (_, true, true) => "rad/s",
        (_, false, false) => "m",
        (_, false, true) => "m/s",
    }
}

/// A name of the model file as a structured name: other characters become `_`.
fn structured(name: &str) -> String {
    let part = |part: &str| {
        let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let text: String = part.chars().map(allowed).collect();
        if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { text } else { format!("_{text}") }
    };
    name.split('.').map(part).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_cannot_be_represented_are_one() {
        assert_eq!([f64::INFINITY, 0.0, f64::NAN].map(one_digit), [1.0; 3]);
    }

    #[test]
    fn sizes_have_one_digit() {
        for (value, rounded) in [(1.0, 1.0), (0.0384, 0.03), (9.99, 9.0), (12_345.0, 10_000.0), (1e-5, 1e-5)] {
            assert!((one_digit(value) - rounded).abs() <= 1e-12 * rounded, "{value}: {}", one_digit(value));
        }
    }

    #[test]
    fn forces_are_of_the_size_of_the_weight_and_moments_of_it_times_the_extent() {
        let sizes = Scale { length: 2.0, mass: 10.0, time: (2.0f64 / 9.81).sqrt() };
        for (unit, size) in [("N", 90.0), ("N.m", 100.0), ("m/s2", 9.0), ("m", 2.0), ("rad", 1.0)] {
            assert_eq!(sizes.of_output(unit), Some(size), "{unit}");
        }
        assert_eq!([sizes.of_output("1"), sizes.of_output("furlong")], [None; 2]);
    }

    #[test]
    fn names_of_the_file_become_structured_ones() {
        for (name, expected) in
            [("A", "A"), ("front.left 1", "front.left_1"), ("2nd", "_2nd"), ("ä<b>", "__b_"), ("", "_")]
        {
            assert_eq!(structured(name), expected);
        }
    }
}
