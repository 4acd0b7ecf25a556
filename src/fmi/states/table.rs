//! Evaluation of the tables.

use super::State;

/// Bit mask of the states marked `x` in a row; every column is one of `columns`.
pub(crate) const fn mask(row: &str, columns: &[State]) -> u16 {
    let (bytes, mut mask, mut column) = (row.as_bytes(), 0, 0);
    assert!(bytes.len() == 2 * columns.len() - 1, "one mark per column, one space between them");
    while column < columns.len() {
        match bytes[2 * column] {
            b'x' => mask |= 1 << columns[column] as u16,
            b'-' => (),
            _ => panic!("a column holds x or -"),
        }
        column += 1;
    }
    mask
}

/// Generates the enumeration of all functions from their rows: prefix of the names, columns, rows.
macro_rules! state_table {
    ($prefix:literal $columns:ident $($function:ident $row:literal)*) => {
        #[doc = concat!("A function that takes an instance; the names lack the prefix `", $prefix, "`.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Function {
            $(#[doc = concat!("`", $prefix, stringify!($function), "`")] $function,)*
        }

        impl Function {
            #[cfg(test)]
            /// Every function of the table.
            pub(crate) const ALL: &[Function] = &[$(Function::$function),*];

            /// Name in C.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Function::$function => concat!($prefix, stringify!($function)),)*
                }
            }

            /// Bit mask of the states in which the function may be called.
            const fn states(self) -> u16 {
                match self {
                    $(Function::$function => const { $crate::fmi::states::table::mask($row, &$columns) },)*
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_one_bit_per_state() {
        assert_eq!(mask("x - - - - - - - - - -", &State::COLUMNS), 1);
        assert_eq!(mask("- - - - - - - x - - -", &State::COLUMNS), 128);
        assert_eq!(mask("x - x", &[State::Error, State::StepFailed, State::Instantiated]), 128 + 1);
    }
}
