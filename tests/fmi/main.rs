//! The FMU as a host meets it: the C interface, the package, the importer, and what a step may not do.

mod call_order;
#[path = "../shared/counting.rs"]
mod counting;
mod exchange;
mod fmi3;
mod hold;
mod host_cycle;
mod initialization;
mod instances;
mod judgement;
#[allow(dead_code)]
#[path = "../shared/models.rs"]
mod models;
mod real_time;
mod rules;
mod support;
