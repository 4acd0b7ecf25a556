use crate::cli::{arguments, failure::Failure};
pub struct Plan;
impl Plan {
    pub fn resolve(_typed: arguments::Bench) -> Result<Plan, Failure> {
        todo!()
    }
    pub fn execute(self) -> Result<(), Failure> {
        todo!()
    }
}
