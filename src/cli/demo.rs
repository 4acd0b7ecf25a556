use super::{arguments, failure::Failure};
pub struct Plan;
impl Plan {
    pub fn resolve(_typed: arguments::Demo) -> Result<Plan, Failure> {
        todo!()
    }
    pub fn execute(self) -> Result<(), Failure> {
        todo!()
    }
}
