//! Common interface of the force elements, and one type for all kinds.

// A glob import, because the rows name the types of all kinds.
use super::vehicle::*;
use super::*;
use crate::force::tyre::Patch;
use alloc::{boxed::Box, vec::Vec};
use core::ops::Range;

/// The law of a kind of force element, for numbers and for numbers with derivatives.
pub trait ForceLaw {
    /// Adds the element's wrenches, efforts and powers at this instant, and writes the rates of its states.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>);

    /// Adds the element's contributions to inputs of the model. They depend on its states only, which avoids algebraic
    /// loops.
    fn add_signals<S: Scalar>(&self, _auxiliary: &[S], _inputs: &mut [S]) {}

    /// Length or deflection, its rate, and force or effort; for drives, brakes and speed controls, their effort. Zeros
    /// if outputs read other quantities.
    fn readout<S: Scalar>(&self, _: &Surroundings<S>) -> SpringReadout<S> {
        SpringReadout { length: S::zero(), speed: S::zero(), force: S::zero() }
    }

    /// Writes the values of [`ForceElement::quantities`] for outputs, after the evaluation of all loads at this
    /// instant.
    fn read<S: Scalar>(&self, s: &Surroundings<S>, _: &[Option<Patch<S>>], values: &mut Values<S>) {
        values.set_spring(&self.readout(s));
    }

    /// Energy stored in the element, J. Zero for a spring at its free length (position), an undeformed bushing and a
    /// bump stop without contact; always zero for elements that do not store energy.
    fn potential<S: Scalar>(&self, _: &Surroundings<S>) -> S {
        S::zero()
    }
}

/// What a force element reads and acts on.
#[derive(Default)]
pub struct Connections {
    /// The bodies whose motion the element reads and on which it acts; empty for elements on a joint coordinate.
    pub bodies: Vec<BodyIx>,
    /// The joint coordinates that the element reads and on which it acts; empty for elements on bodies.
    pub coordinates: Vec<CoordinateIx>,
    /// All coefficients that may be tunable parameters or inputs.
    pub coefficients: Vec<Coefficient>,
}

#[expect(clippy::disallowed_methods, reason = "lists for the compiler, before the first step")]
impl Connections {
    /// Adds bodies.
    pub fn add_bodies(&mut self, bodies: impl IntoIterator<Item = BodyIx>) {
        self.bodies.extend(bodies);
    }

    /// Adds joint coordinates.
    pub fn add_coordinates(&mut self, coordinates: impl IntoIterator<Item = CoordinateIx>) {
        self.coordinates.extend(coordinates);
    }

    /// Adds coefficients.
    pub fn add_coefficients(&mut self, coefficients: impl IntoIterator<Item = Coefficient>) {
        self.coefficients.extend(coefficients);
    }

    /// Indices of the inputs among the coefficients, ascending, each once.
    pub fn inputs(&self) -> Vec<usize> {
        self.indices(|coefficient| match coefficient {
            Coefficient::Input(index) => Some(index),
            _ => None,
        })
    }

    /// Indices of the tunable parameters among the coefficients, ascending, each once.
    pub fn parameters(&self) -> Vec<usize> {
        self.indices(|coefficient| match coefficient {
            Coefficient::Parameter(index) => Some(index),
            _ => None,
        })
    }

    fn indices(&self, index: impl Fn(Coefficient) -> Option<usize>) -> Vec<usize> {
        let mut indices: Vec<usize> = self.coefficients.iter().filter_map(|coefficient| index(*coefficient)).collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    }
}

/// Further properties of a kind of force element. The defaults are no energy, no states and no inputs.
pub trait ForceElement {
    /// Name in the model file.
    fn name(&self) -> &str;

    /// Adds what the element reads and acts on to `list`.
    fn connect(&self, list: &mut Connections);

    /// What the element reads and acts on.
    fn connections(&self) -> Connections {
        let mut list = Connections::default();
        self.connect(&mut list);
        list
    }

    /// The quantities that outputs can read.
    fn quantities(&self) -> &'static [Quantity] {
        &[]
    }

    /// Passes the element's stiffness and damping at this instant to `visit`, direction by direction. Either may be
    /// negative (falling characteristics). Elements without stiffness or damping do not call `visit`.
    fn visit_tangents(&self, _: &Surroundings, _: &mut dyn FnMut(&Tangent)) {}

    /// Range of the element's states among the auxiliary states of the system; empty for most kinds.
    fn states(&self) -> Range<usize> {
        0..0
    }

    /// Unit and typical magnitude of the element's states; for most kinds, fractions of the deflection at breakaway.
    fn state_size(&self) -> (&'static str, f64) {
        ("1", 1.0)
    }

    /// Puts the element's states from `first` on among the auxiliary states of the system.
    fn place_states(&mut self, _: usize) {}

    /// Writes the start values of the element's states into the auxiliary states of the system. They are the states of
    /// a steady motion at the present velocities.
    fn settle(&self, _: &Surroundings, _: &mut [f64]) {}

    /// Whether the element adds values to the input with this index.
    fn gives(&self, _input: usize) -> bool {
        false
    }

    /// The element as a trait object.
    fn any(&self) -> &dyn ForceElement
    where
        Self: Sized,
    {
        self
    }

    /// The element as a mutable trait object.
    fn any_mut(&mut self) -> &mut dyn ForceElement
    where
        Self: Sized,
    {
        self
    }
}

macro_rules! elements {
    ($($variant:ident($payload:ty), $doc:literal;)*) => {
        /// A force element.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
        pub enum Element {
            $(#[doc = $doc] $variant($payload),)*
        }

        impl Element {
            /// The law of the element, for every kind.
            pub fn kind(&self) -> &dyn ForceElement {
                match self {
                    $(Element::$variant(element) => element.any(),)*
                }
            }

            fn kind_mut(&mut self) -> &mut dyn ForceElement {
                match self {
                    $(Element::$variant(element) => element.any_mut(),)*
                }
            }

            /// See [`ForceLaw::add_loads`]. Called several times per step, therefore without dynamic dispatch.
            pub fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
                match self {
                    $(Element::$variant(element) => element.add_loads(s, loads),)*
                }
            }

            /// See [`ForceLaw::add_signals`].
            pub(crate) fn add_signals<S: Scalar>(&self, auxiliary: &[S], inputs: &mut [S]) {
                match self {
                    $(Element::$variant(element) => element.add_signals(auxiliary, inputs),)*
                }
            }

            /// See [`ForceLaw::readout`].
            pub fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
                match self {
                    $(Element::$variant(element) => element.readout(s),)*
                }
            }

            /// See [`ForceLaw::potential`].
            pub fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
                match self {
                    $(Element::$variant(element) => element.potential(s),)*
                }
            }

            /// See [`ForceLaw::read`].
            pub fn read<S: Scalar>(
                &self,
                s: &Surroundings<S>,
                patches: &[Option<Patch<S>>],
                values: &mut Values<S>,
            ) {
                match self {
                    $(Element::$variant(element) => element.read(s, patches, values),)*
                }
            }
        }
    };
}
elements! {
    Spring(Spring), "Spring.";
    JointSpring(JointSpring), "Joint spring.";
    Bushing(Box<Bushing>), "Bushing.";
    BumpStop(BumpStop), "Bump stop.";
    Force(Force), "Force.";
    Torque(Torque), "Torque.";
    Friction(Friction), "Friction.";
    Drive(Drive), "Drive.";
    Cable(Box<Cable>), "Cable.";
    Freewheel(Freewheel), "Freewheel.";
    BallStop(Box<BallStop>), "Ball stop.";
    Expression(Box<Expression>), "Expression.";
    Tyre(Box<Tyre>), "Tyre.";
    Contact(Box<Contact>), "Contact.";
    SolidContact(Box<SolidContact>), "Solid contact.";
    TorsionBar(JointSpring), "Torsion bar.";
    Damper(Damper), "Damper.";
    LeafSpring(Box<LeafSpring>), "Leaf spring.";
    AirSpring(Box<AirSpring>), "Air spring.";
    AntiRollBar(AntiRollBar), "Anti roll bar.";
    Brake(Brake), "Brake.";
    AerodynamicDrag(AerodynamicDrag), "Aerodynamic drag.";
    SpeedControl(SpeedControl), "Speed control.";
    Driver(Box<Driver>), "Driver.";
    BrakeLine(Box<BrakeLine>), "Brake line.";
    Engine(Box<Engine>), "Engine.";
    Clutch(Box<Clutch>), "Clutch.";
    Gearbox(Box<Clutch>), "Gearbox.";
    TorqueConverter(Box<TorqueConverter>), "Torque converter.";
    WheelPort(WheelPort), "Wheel port.";
}

impl Element {
    /// Name in the model file.
    pub fn name(&self) -> &str {
        self.kind().name()
    }

    /// See [`ForceElement::visit_tangents`].
    pub(crate) fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        self.kind().visit_tangents(s, visit);
    }

    /// See [`ForceElement::states`].
    pub fn states(&self) -> Range<usize> {
        self.kind().states()
    }

    /// See [`ForceElement::state_size`].
    pub fn state_size(&self) -> (&'static str, f64) {
        self.kind().state_size()
    }

    /// See [`ForceElement::place_states`].
    pub fn place_states(&mut self, first: usize) {
        self.kind_mut().place_states(first);
    }

    /// Energy stored in the element, J, after the evaluation of all loads at this instant, which has computed the
    /// `patches` of tyres.
    pub(crate) fn evaluated_potential<S: Scalar>(&self, s: &Surroundings<S>, patches: &[Option<Patch<S>>]) -> S {
        match self {
            Element::Tyre(tyre) => tyre.evaluated_potential(patches),
            _ => self.potential(s),
        }
    }

    /// Assigns the entries from `first` on of the patches of all tyres to the element; returns the first entry after
    /// its own.
    pub fn place_patches(&mut self, first: usize) -> usize {
        match self {
            Element::Tyre(tyre) => tyre.place_patches(first),
            _ => first,
        }
    }

    /// See [`ForceElement::settle`].
    pub(crate) fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        self.kind().settle(s, auxiliary);
    }

    /// The bristles of friction and brakes.
    pub fn bristles(&self) -> Option<Bristles<'_>> {
        match self {
            Element::Friction(friction) => friction.bristles(),
            Element::Brake(brake) => Some(brake.bristles()),
            _ => None,
        }
    }

    /// The largest load that friction or a brake holds at rest, N m or N; 0 for other elements.
    pub fn breakaway(&self, s: &Surroundings) -> f64 {
        match self {
            Element::Friction(friction) => friction.holding(s),
            Element::Brake(brake) => brake.capacity(s),
            _ => 0.0,
        }
    }

    /// The deflection of bristles at breakaway, as a fraction of their travel.
    pub fn rest_level(&self, s: &Surroundings) -> f64 {
        match self {
            Element::Friction(friction) => friction.rest_level(s),
            _ => 1.0,
        }
    }

    /// Of a friction that grows with the load of its joint: its coordinate, the index of the load among the auxiliary
    /// states, and the law.
    pub(crate) fn load_friction(&self) -> Option<(CoordinateIx, usize, &LoadFriction)> {
        let Element::Friction(friction) = self else { return None };
        friction.load_state().map(|(state, law)| (friction.coordinate, state, law))
    }

    /// For friction, brakes and freewheels: the index of the state, and its value after the coordinate has moved from
    /// `q0` to its value in `s` within the time `h`, starting from the auxiliary states `auxiliary0`. Sticking bristles
    /// follow the coordinate exactly.
    pub(crate) fn stuck_state(&self, s: &Surroundings, q0: &[f64], auxiliary0: &[f64], h: f64) -> Option<(usize, f64)> {
        let moved = |coordinate: CoordinateIx| s.position(coordinate) - q0[coordinate.position];
        if let Element::Freewheel(freewheel) = self {
            return Some(freewheel.after(s, auxiliary0, moved(freewheel.coordinate), h));
        }
        let Bristles { coordinate, state, law } = self.bristles()?;
        let moved = moved(coordinate);
        let level = match self {
            Element::Friction(friction) => friction.level(s, s.speed(coordinate)),
            _ => 1.0,
        };
        Some((state, law.after(auxiliary0[state], moved, h, level)))
    }

    /// For contacts: the two bodies of contact number `k`; `None` if there are fewer contacts.
    pub fn touching(&self, k: usize) -> Option<[BodyIx; 2]> {
        match self {
            Element::Contact(contact) => contact.touching(k),
            Element::SolidContact(contact) => contact.touching(k),
            _ => None,
        }
    }

    /// For contacts: the force on the second body of contact number `k`, N, and its point of application relative to
    /// the origin of the model, m, both in axes of W; `None` without contact.
    pub fn push_at(&self, s: &Surroundings, k: usize) -> Option<(Vec3, Vec3)> {
        match self {
            Element::Contact(contact) => contact.push_at(s, k),
            Element::SolidContact(contact) => contact.push_at(s, k),
            _ => None,
        }
    }

    /// See [`ForceElement::gives`].
    pub fn gives(&self, input: usize) -> bool {
        self.kind().gives(input)
    }

    /// See [`Connections::bodies`].
    pub fn bodies(&self) -> Vec<BodyIx> {
        self.kind().connections().bodies
    }

    /// See [`Connections::coordinates`].
    pub fn coordinates(&self) -> Vec<CoordinateIx> {
        self.kind().connections().coordinates
    }

    /// Indices of the inputs that the element reads, ascending, each once.
    pub fn inputs(&self) -> Vec<usize> {
        self.kind().connections().inputs()
    }

    /// Indices of the tunable parameters that the element reads, ascending, each once.
    pub fn parameters(&self) -> Vec<usize> {
        self.kind().connections().parameters()
    }
}

/// Indices of the inputs that an element reads, ascending, each once.
pub fn inputs_of(element: &dyn ForceElement) -> Vec<usize> {
    element.connections().inputs()
}
