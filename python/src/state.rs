//! The state of a simulator, for storage, other processes and rollouts.

use crate::errors;
use crate::model::Compiled;
use ballesta::simulate::{Judgement, Simulator as Solver};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"BALLSTPY";
const VERSION: u32 = 1;
const CHECKSUM: usize = 32;

/// Complete state of a simulation: positions, speeds, states of elements, inputs, tunable parameters, time, and the
/// diagnostics of the run so far.
///
/// A state belongs to a model with its files, internal step and fixed parameters, not to a simulator. Every simulator
/// of this model continues from it with the same bits, also in another process: a state can be pickled.
#[pyclass(module = "ballesta", frozen)]
pub struct State {
    identity: Arc<(String, Vec<u64>)>,
    time: f64,
    solver: Held,
    judgement: Judgement,
}

/// State of the solver: a copy, or bytes that are not yet validated.
enum Held {
    Taken(Box<ballesta::system::State>),
    Bytes(Vec<u8>),
}

impl Held {
    fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Held::Taken(state) => Cow::Owned(state.to_bytes()),
            Held::Bytes(bytes) => Cow::Borrowed(bytes),
        }
    }
}

impl State {
    /// The current state of a simulator of `compiled`.
    pub fn of(compiled: &Compiled, solver: &Solver) -> State {
        State {
            identity: Arc::new(compiled.identity.clone()),
            time: solver.time(),
            solver: Held::Taken(Box::new(solver.state().clone())),
            judgement: *solver.judgement(),
        }
    }

    /// Sets a simulator of `compiled` to this state; rejects the state of another model.
    pub fn put(&self, compiled: &Compiled, solver: &mut Solver) -> Result<(), String> {
        let ((guid, bits), (own, own_bits)) = (self.identity.as_ref(), &compiled.identity);
        if guid != own {
            return Err(format!(
                "the state belongs to another model, or to another version of the model or of ballesta ({guid}); {} \
                 has {own}",
                compiled.system.name()
            ));
        }
        if bits.first() != own_bits.first() {
            return Err(
                "the state belongs to this model with another internal step; load the model with the same step".into(),
            );
        }
        let mut parameters = compiled.system.interface().parameters.iter().filter(|parameter| !parameter.tunable);
        let differ = |(index, (a, b)): (usize, (&u64, &u64))| (a != b).then_some(index);
        if let Some(index) = bits.iter().zip(own_bits).skip(1).enumerate().find_map(differ) {
            let name = parameters.nth(index).map_or("", |parameter| parameter.name.as_str());
            return Err(format!(
                "the state belongs to this model with another value of the fixed parameter `{name}`; load the model \
                 with the same value"
            ));
        }
        match &self.solver {
            // Same files, parameters and version, so the sizes match.
            Held::Taken(state) => solver.set_state(state),
            Held::Bytes(bytes) if bits.len() == own_bits.len() && solver.restore_bytes(bytes) => {}
            Held::Bytes(_) => {
                return Err("the state does not match the model: its size, an order or a value is invalid".into());
            }
        }
        solver.set_judgement(&self.judgement);
        Ok(())
    }

    fn write(&self) -> Vec<u8> {
        let (guid, bits) = self.identity.as_ref();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((guid.len() as u32).to_le_bytes());
        bytes.extend(guid.as_bytes());
        bytes.extend((bits.len() as u32).to_le_bytes());
        bits.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes.extend(self.time.to_le_bytes());
        self.judgement.numbers().iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes.extend(self.solver.bytes().as_ref());
        let checksum = Sha256::digest(&bytes);
        bytes.extend(checksum);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<State> {
        let (content, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
        if Sha256::digest(content).as_slice() != checksum {
            return None;
        }
        let mut rest = content;
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at_checked(count)?;
            rest = tail;
            Some(head)
        };
        if take(MAGIC.len())? != MAGIC || take(4)? != VERSION.to_le_bytes() {
            return None;
        }
        let length = u32::from_le_bytes(take(4)?.try_into().ok()?) as usize;
        let guid = String::from_utf8(take(length)?.to_vec()).ok()?;
        let count = u32::from_le_bytes(take(4)?.try_into().ok()?) as usize;
        let bits =
            take(count.checked_mul(8)?)?.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        let time = f64::from_le_bytes(take(8)?.try_into().ok()?);
        let mut numbers = [0.0; Judgement::NUMBERS];
        for number in &mut numbers {
            *number = f64::from_le_bytes(take(8)?.try_into().ok()?);
        }
        if !time.is_finite() || numbers.iter().any(|number| !number.is_finite()) {
            return None;
        }
        let judgement = Judgement::from_numbers(&numbers);
        Some(State { identity: Arc::new((guid, bits)), time, solver: Held::Bytes(rest.to_vec()), judgement })
    }
}

#[pymethods]
impl State {
    /// Time in s.
    #[getter]
    fn time(&self) -> f64 {
        self.time
    }

    /// Returns the state as bytes with a checksum. The bytes are the same on every platform.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.write())
    }

    /// Reads a state from the bytes of `to_bytes`. Raises `UsageError` if the bytes are damaged or not a state.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> PyResult<State> {
        State::read(data).ok_or_else(|| errors::usage(py, "the bytes are not a state of ballesta, or are damaged"))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = slf.get_type().getattr("from_bytes")?;
        Ok((make, (slf.get().to_bytes(slf.py()),)))
    }

    fn __eq__(&self, other: &State) -> bool {
        self.write() == other.write()
    }

    fn __hash__(&self) -> u64 {
        let digest = Sha256::digest(self.solver.bytes());
        u64::from_le_bytes(digest[..8].try_into().unwrap_or_default())
    }

    fn __repr__(&self) -> String {
        format!("<ballesta.State at {} s, {} bytes>", self.time, self.solver.bytes().len())
    }
}
