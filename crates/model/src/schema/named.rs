//! Enumerations of the solver whose variants have names in the file.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An enumeration of the solver whose variants have names in the file.
pub(super) trait Named: Copy {
    /// The same variants with their names and descriptions.
    type Names: Serialize + for<'de> Deserialize<'de> + From<Self> + Into<Self>;
}

pub(super) fn serialize<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    T::Names::from(*value).serialize(serializer)
}

pub(super) fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::Names::deserialize(deserializer).map(Into::into)
}

/// Reads and writes optional fields.
pub(super) mod optional {
    use super::{Deserialize, Deserializer, Named, Serialize, Serializer};

    pub(in super::super) fn serialize<T: Named, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.map(T::Names::from).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, T: Named, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        Option::<T::Names>::deserialize(deserializer).map(|value| value.map(Into::into))
    }
}

/// Gives an enumeration of the solver the names of another one with the same variants.
macro_rules! named {
    ($names:ident => $solver:ident: $($variant:ident),*) => {
        impl From<$solver> for $names {
            fn from(value: $solver) -> Self {
                match value {
                    $($solver::$variant => Self::$variant,)*
                }
            }
        }
        impl From<$names> for $solver {
            fn from(value: $names) -> Self {
                match value {
                    $($names::$variant => Self::$variant,)*
                }
            }
        }
        impl crate::schema::named::Named for $solver {
            type Names = $names;
        }
    };
}
pub(super) use named;

#[cfg(test)]
mod tests {
    use crate::schema::{Integrator, IntegratorName, JointKindName};
    use ballesta_solver::joint::coordinates::JOINTS;
    use ballesta_solver::system::integrators::SCHEMES;

    #[test]
    fn tables_of_joints_and_integrators_have_the_names_of_the_file() {
        for row in JOINTS {
            assert_eq!(serde_json::to_value(JointKindName::from(row.kind)).unwrap(), row.name);
        }
        for row in SCHEMES {
            assert_eq!(serde_json::to_value(IntegratorName::from(row.integrator)).unwrap(), row.name);
            let name: IntegratorName = serde_json::from_value(row.name.into()).unwrap();
            assert_eq!(Integrator::from(name), row.integrator);
        }
    }
}
