//! What every force element does, and one type for all kinds, made from the rows of [`crate::model::elements`].

// Everything: the rows name the types of all kinds.
use super::vehicle::*;
use super::*;
use crate::force::tyre::Patch;
use crate::model::elements::{self, force_elements};
use crate::model::outputs::Target;
use crate::model::schema::Model;
use std::ops::Range;

/// The law of a kind of force element, for numbers and for numbers with derivatives.
pub trait ForceLaw {
    /// Adds the element's wrenches, efforts and powers at this instant, and writes the rates of its states.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>);

    /// Adds what the element gives to inputs of the model: of its states alone, so that no algebraic loop closes.
    fn add_signals<S: Scalar>(&self, _auxiliary: &[S], _inputs: &mut [S]) {}

    /// Length or deflection, its rate, and force or effort; of drives, brakes and speed controls the effort they give.
    /// Zeros where outputs read other things.
    fn readout<S: Scalar>(&self, _: &Surroundings<S>) -> SpringReadout<S> {
        SpringReadout { length: S::zero(), speed: S::zero(), force: S::zero() }
    }

    /// Energy stored in the element, J. Zero where a spring has its free length (position), a bushing is undeformed, a
    /// bump stop is not touched; always zero for elements that do not store energy.
    fn potential<S: Scalar>(&self, _: &Surroundings<S>) -> S {
        S::zero()
    }

    /// As above, after the evaluation of all loads at this instant, which has computed the `patches` of tyres.
    fn evaluated_potential<S: Scalar>(&self, s: &Surroundings<S>, _: &[Option<Patch<S>>]) -> S {
        self.potential(s)
    }
}

/// What else there is to say of a kind of force element. What a kind does not have it leaves to the defaults: no
/// energy, no states, nothing to read.
pub trait ForceElement {
    /// Name in the model file.
    fn name(&self) -> &str;

    /// Everything that may be a tunable parameter or an input.
    fn coefficients(&self) -> Vec<Coefficient>;

    /// The bodies whose motion the element reads and on which it acts; none for elements on a joint coordinate.
    fn bodies(&self) -> Vec<BodyIx> {
        Vec::new()
    }

    /// The joint coordinates that the element reads and on which it acts; none for elements on bodies.
    fn coordinates(&self) -> Vec<CoordinateIx> {
        Vec::new()
    }

    /// Shows the element's stiffness and damping at this instant to `visit`, direction by direction. Either may be
    /// negative (falling characteristics); elements without own stiffness or damping show nothing.
    fn visit_tangents(&self, _: &Surroundings, _: &mut dyn FnMut(&Tangent)) {}

    /// Where the element's states are among the auxiliary states of the system; empty for most kinds.
    fn states(&self) -> Range<usize> {
        0..0
    }

    /// Unit of the element's states and a size of theirs that counts; shares of what bends at breakaway for most kinds.
    fn state_size(&self) -> (&'static str, f64) {
        ("1", 1.0)
    }

    /// Puts the element's states from `first` on among the auxiliary states of the system.
    fn place_states(&mut self, _: usize) {}

    /// Writes the element's patches from `first` on into the patches of all tyres; returns the first position after
    /// them.
    fn place_patches(&mut self, first: usize) -> usize {
        first
    }

    /// Writes the start values of the element's states, which belong to a steady motion like the present one, into the
    /// auxiliary states of the system.
    fn settle(&self, _: &Surroundings, _: &mut [f64]) {}

    /// Whether it gives values to the input with this index.
    fn gives(&self, _input: usize) -> bool {
        false
    }

    /// Coordinate and state of the bristles of friction and brakes.
    fn bristle(&self) -> Option<(CoordinateIx, usize)> {
        None
    }

    /// The bristles of friction and brakes.
    fn bristle_law(&self) -> Option<&Bristle> {
        None
    }

    /// The load that friction or a brake holds at rest, N m or N; 0 for other elements.
    fn breakaway(&self, _: &Surroundings) -> f64 {
        0.0
    }

    /// Of bristles: their state after the coordinate has moved from `before`, with the state `state`, to its value in
    /// `s` within the time `h` while sticking; none if they slide.
    fn state_after(&self, _: &Surroundings, _before: f64, _state: f64, _h: f64) -> Option<f64> {
        None
    }

    /// Of contacts: the two bodies of touch number `k`; none where there are fewer.
    fn touching(&self, _k: usize) -> Option<[BodyIx; 2]> {
        None
    }

    /// Of contacts: the force on the second body of touch number `k`, N, and where it acts, from the origin of the
    /// model, m, both in axes of W; none where nothing touches.
    fn push_at(&self, _: &Surroundings, _k: usize) -> Option<(Vec3, Vec3)> {
        None
    }

    /// Itself, whatever its kind.
    fn any(&self) -> &dyn ForceElement
    where
        Self: Sized,
    {
        self
    }

    /// As above, mutable.
    fn any_mut(&mut self) -> &mut dyn ForceElement
    where
        Self: Sized,
    {
        self
    }
}

macro_rules! element {
    ($($table:ident $field:ident $variant:ident($payload:ty) = $build:path; reads [$read_by:expr] [$($quantity:expr),*];
        on $item:ident => $on:expr; between $(=> $model:ident:)? $between:expr; word $word:literal; check $check:path;
        mirror [$($key:literal : $rule:ident),*] defaults [$($default:expr),*];)*) => {
        /// A force element.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Element {
            $(#[doc = concat!("`[[", stringify!($table), "]]`")] $variant($payload),)*
        }

        /// All force elements of a validated model, kind by kind, each in the order of the file.
        pub fn build(model: &Model, lookup: &dyn Lookup) -> Vec<Element> {
            let mut elements = Vec::new();
            $(elements.extend(model.$field.iter().map(|table| Element::$variant($build(table, lookup).into())));)*
            elements
        }

        impl Element {
            /// Table of the file that holds it.
            fn table(&self) -> &'static str {
                match self {
                    $(Element::$variant(_) => stringify!($table),)*
                }
            }

            /// What the element does, whatever its kind.
            pub(crate) fn kind(&self) -> &dyn ForceElement {
                match self {
                    $(Element::$variant(element) => element.any(),)*
                }
            }

            fn kind_mut(&mut self) -> &mut dyn ForceElement {
                match self {
                    $(Element::$variant(element) => element.any_mut(),)*
                }
            }

            /// See [`ForceLaw::add_loads`]. Several times in every step: without a call through a table of functions.
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
            pub(crate) fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
                match self {
                    $(Element::$variant(element) => element.potential(s),)*
                }
            }

            /// See [`ForceLaw::evaluated_potential`].
            pub(crate) fn evaluated_potential<S: Scalar>(
                &self,
                s: &Surroundings<S>,
                patches: &[Option<Patch<S>>],
            ) -> S {
                match self {
                    $(Element::$variant(element) => element.evaluated_potential(s, patches),)*
                }
            }
        }
    };
}
force_elements!(element);

impl Element {
    /// Name in the model file.
    pub fn name(&self) -> &str {
        self.kind().name()
    }

    /// Whether outputs read it by this key.
    pub(crate) fn is_read_by(&self, key: Target) -> bool {
        elements::table(self.table()).is_some_and(|table| table.read_by == Some(key))
    }

    /// See [`ForceElement::visit_tangents`].
    pub(crate) fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        self.kind().visit_tangents(s, visit);
    }

    /// See [`ForceElement::states`].
    pub(crate) fn states(&self) -> Range<usize> {
        self.kind().states()
    }

    /// See [`ForceElement::state_size`].
    pub(crate) fn state_size(&self) -> (&'static str, f64) {
        self.kind().state_size()
    }

    /// See [`ForceElement::place_states`].
    pub(crate) fn place_states(&mut self, first: usize) {
        self.kind_mut().place_states(first);
    }

    /// See [`ForceElement::place_patches`].
    pub(crate) fn place_patches(&mut self, first: usize) -> usize {
        self.kind_mut().place_patches(first)
    }

    /// See [`ForceElement::settle`].
    pub(crate) fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        self.kind().settle(s, auxiliary);
    }

    /// Of friction and brakes: the position of the bristles' state, and its value after the coordinate has moved from
    /// `q0` to its value in `s` within the time `h`, from the auxiliary states `auxiliary0`. What sticks follows the
    /// coordinate exactly.
    pub(crate) fn stuck_state(&self, s: &Surroundings, q0: &[f64], auxiliary0: &[f64], h: f64) -> Option<(usize, f64)> {
        let (coordinate, state) = self.bristle()?;
        let after = self.kind().state_after(s, q0[coordinate.position], auxiliary0[state], h);
        Some((state, after?))
    }

    /// See [`ForceElement::bristle_law`].
    pub(crate) fn bristle_law(&self) -> Option<&Bristle> {
        self.kind().bristle_law()
    }

    /// See [`ForceElement::breakaway`].
    pub(crate) fn breakaway(&self, s: &Surroundings) -> f64 {
        self.kind().breakaway(s)
    }

    /// See [`ForceElement::bristle`].
    pub(crate) fn bristle(&self) -> Option<(CoordinateIx, usize)> {
        self.kind().bristle()
    }

    /// See [`ForceElement::gives`].
    pub(crate) fn gives(&self, input: usize) -> bool {
        self.kind().gives(input)
    }

    /// See [`ForceElement::bodies`].
    pub fn bodies(&self) -> Vec<BodyIx> {
        self.kind().bodies()
    }

    /// See [`ForceElement::touching`].
    pub fn touching(&self, k: usize) -> Option<[BodyIx; 2]> {
        self.kind().touching(k)
    }

    /// See [`ForceElement::push_at`].
    pub fn push_at(&self, s: &Surroundings, k: usize) -> Option<(Vec3, Vec3)> {
        self.kind().push_at(s, k)
    }

    #[cfg(test)]
    /// See [`ForceElement::coordinates`].
    pub(crate) fn coordinates(&self) -> Vec<CoordinateIx> {
        self.kind().coordinates()
    }

    /// Indices of the inputs that the element reads, ascending, each once.
    pub(crate) fn inputs(&self) -> Vec<usize> {
        inputs_of(self.kind())
    }

    #[cfg(test)]
    /// Indices of the tunable parameters that the element reads, ascending, each once.
    pub(crate) fn parameters(&self) -> Vec<usize> {
        let indices = self.kind().coefficients().into_iter().filter_map(|coefficient| match coefficient {
            Coefficient::Parameter(index) => Some(index),
            _ => None,
        });
        ascending(indices)
    }
}

/// Indices of the inputs that an element reads, ascending, each once.
pub fn inputs_of(element: &dyn ForceElement) -> Vec<usize> {
    let indices = element.coefficients().into_iter().filter_map(|coefficient| match coefficient {
        Coefficient::Input(index) => Some(index),
        _ => None,
    });
    ascending(indices)
}

fn ascending(indices: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut indices: Vec<usize> = indices.collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::bump_stop::Law;
    use crate::force::road::Road;
    use crate::force::{Characteristic, Table, WheelPlace};
    use crate::math::Vec3;
    use crate::model::schema::{self, Axes, Number, Place};
    use crate::tyre::Properties;
    use std::sync::Arc;

    const FILE: &str = r#"
        [model]
        name = "forces"

        [[drive]]
        name = "motor"
        joint = "hinge"
        value = "u"
        gain = "p"

        [[spring]]
        name = "strut"
        bodies = ["ground", "arm"]
        points = [[0.0, 0.0, 1.0], [3.0, 4.0, 1.0]]
        stiffness = "p"
        damping = 2.0
        preload = 3.0

        [[spring]]
        name = "cable"
        bodies = ["arm", "ground"]
        points = [[0.0, 0.0, 1.0], [3.0, 4.0, 1.0]]
        free_length = 4.5
        force_table = [[0.0, 0.0], [1.0, 10.0]]
        damping_table = [[0.0, 0.0], [1.0, 20.0]]

        [[joint_spring]]
        name = "bar"
        joint = "hinge"
        coordinate = "travel"
        stiffness = 5.0
        free_position = 0.5

        [[bushing]]
        name = "mount"
        bodies = ["ground", "arm"]
        point = [1.0, 1.0, 1.0]
        axis = [0.0, 0.0, 2.0]
        stiffness = [1.0, 2.0, 3.0, 4.0, 5.0, "p"]

        [[bump_stop]]
        name = "stop"
        joint = "hinge"
        upper = 0.3
        stiffness = 100.0

        [[force]]
        name = "push"
        body = "arm"
        point = [2.0, 0.0, 0.0]
        value = ["u", "u", 1.0]
        axes = "body"

        [[torque]]
        name = "twist"
        body = "arm"
        value = ["w", "p", "u"]

        [[friction]]
        name = "seal"
        joint = "hinge"
        coulomb = 1.0
        presliding = 1e-4
    "#;

    /// One body `arm` with its centre of mass at (1, 0, 0), one joint, inputs `u` (0) and `w` (1), parameter `p` (0).
    struct Names;

    impl Lookup for Names {
        fn body(&self, name: &str) -> BodyIx {
            BodyIx(if name == "arm" { 1 } else { 0 })
        }
        fn body_point(&self, body: BodyIx, place: &Place) -> Vec3 {
            self.place(place) - Vec3::x() * body.0 as f64
        }
        fn place(&self, place: &Place) -> Vec3 {
            match place {
                Place::At(vector) => Vec3::from(vector.each_ref().map(|number| self.number(number))),
                Place::Point(name) => panic!("no point {name}"),
            }
        }
        fn coordinate(&self, _joint: &str, coordinate: Option<&str>) -> CoordinateIx {
            let index = if coordinate == Some("travel") { 1 } else { 0 };
            CoordinateIx { position: index, velocity: index }
        }
        fn origin(&self) -> Vec3 {
            Vec3::zeros()
        }
        fn wheel(&self, _: &str) -> WheelPlace {
            WheelPlace { body: BodyIx(1), centre: Vec3::zeros(), axis: Vec3::y() }
        }
        fn tyre(&self, tyre: &schema::Tyre) -> (Arc<Properties>, Arc<Road>) {
            panic!("no properties of {}", tyre.name)
        }
        fn solid(&self, name: &str) -> &schema::Solid {
            panic!("no solid {name}")
        }
        fn road(&self, name: Option<&str>) -> Arc<Road> {
            panic!("no road {name:?}")
        }
        fn path(&self, name: &str) -> crate::math::curve::Curve {
            panic!("no curve {name}")
        }
        fn number(&self, number: &Number) -> f64 {
            match number {
                Number::Value(value) => *value,
                Number::Parameter(name) => panic!("{name} is not a fixed parameter"),
            }
        }
        fn coefficient(&self, number: &Number) -> Coefficient {
            match number {
                Number::Value(value) => Coefficient::Value(*value),
                Number::Parameter(name) => match name.as_str() {
                    "u" => Coefficient::Input(0),
                    "w" => Coefficient::Input(1),
                    "p" => Coefficient::Parameter(0),
                    _ => panic!("no name {name}"),
                },
            }
        }
    }

    fn elements() -> Vec<Element> {
        build(&toml::from_str(FILE).expect("the file above fits the schema"), &Names)
    }

    #[test]
    fn elements_stand_in_the_order_of_the_kinds_and_of_the_file() {
        let elements = elements();
        let names: Vec<&str> = elements.iter().map(Element::name).collect();
        assert_eq!(names, ["strut", "cable", "bar", "mount", "stop", "push", "twist", "seal", "motor"]);
    }

    #[test]
    fn elements_tell_what_they_depend_on() {
        let elements = elements();
        let facts = |name: &str| {
            let element = elements.iter().find(|element| element.name() == name).expect("a name of the file");
            let bodies: Vec<usize> = element.bodies().iter().map(|body| body.0).collect();
            (bodies, element.coordinates().first().map(|c| c.position), element.inputs(), element.parameters())
        };
        assert_eq!(facts("strut"), (vec![0, 1], None, vec![], vec![0]));
        assert_eq!(facts("cable"), (vec![1, 0], None, vec![], vec![]));
        assert_eq!(facts("bar"), (vec![], Some(1), vec![], vec![]));
        assert_eq!(facts("mount"), (vec![0, 1], None, vec![], vec![0]));
        assert_eq!(facts("stop"), (vec![], Some(0), vec![], vec![]));
        assert_eq!(facts("push"), (vec![1], None, vec![0], vec![]));
        assert_eq!(facts("twist"), (vec![1], None, vec![0, 1], vec![0]));
        assert_eq!(facts("seal"), (vec![], Some(0), vec![], vec![]));
        assert_eq!(facts("motor"), (vec![], Some(0), vec![0], vec![0]));
    }

    #[test]
    fn keys_of_the_file_become_the_constants_of_the_elements() {
        let elements = elements();
        let Element::Spring(strut) = &elements[0] else { panic!("not a spring") };
        assert_eq!(strut.free_length, Coefficient::Value(5.0));
        assert_eq!(strut.ends[1].point, Vec3::new(2.0, 4.0, 1.0));
        assert_eq!(strut.preload, Coefficient::Value(3.0));
        assert_eq!(strut.stiffness, Characteristic::Linear(Coefficient::Parameter(0)));
        let Element::Spring(cable) = &elements[1] else { panic!("not a spring") };
        assert_eq!(cable.free_length, Coefficient::Value(4.5));
        assert_eq!(cable.stiffness, Characteristic::Table(Table::new(&[[0.0, 0.0], [1.0, 10.0]])));
        assert_eq!(cable.damping, Characteristic::Table(Table::new(&[[0.0, 0.0], [1.0, 20.0]])));
        let Element::JointSpring(bar) = &elements[2] else { panic!("not a joint spring") };
        assert_eq!(bar.free_position, Coefficient::Value(0.5));
        let Element::Bushing(mount) = &elements[3] else { panic!("not a bushing") };
        assert_eq!(mount.axes.column(0), Vec3::z());
        assert_eq!(mount.axes.column(1), Vec3::y());
        assert_eq!(mount.axes.column(2), -Vec3::x());
        assert_eq!(mount.stiffness[1][2], Coefficient::Parameter(0));
        assert_eq!(mount.damping, [[Coefficient::Value(0.0); 3]; 2]);
        let Element::BumpStop(stop) = &elements[4] else { panic!("not a bump stop") };
        assert_eq!((stop.lower, stop.upper), (None, Some(Coefficient::Value(0.3))));
        assert_eq!(stop.law, Law::Power(Coefficient::Value(100.0), Coefficient::Value(1.0)));
        let Element::Force(push) = &elements[5] else { panic!("not a force") };
        assert_eq!((push.point.point, push.axes), (Vec3::new(1.0, 0.0, 0.0), Axes::Body));
    }
}
