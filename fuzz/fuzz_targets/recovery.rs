#![no_main]
//! See `ballesta_fuzz::targets`.

ballesta_fuzz::fuzz!("recovery");
