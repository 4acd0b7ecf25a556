//! Random parallel robots and linkages, and the judge of their motion.

pub mod judge;
pub mod kinds;
pub mod linkages;
pub mod mechanism;
pub mod random;
pub mod rows;
pub mod table;
