//! The cells of the screens, and the tables that cells index.

pub(crate) mod attributes;
pub(crate) mod cell;
pub(crate) mod clusters;
pub(crate) mod links;
pub(crate) mod row;
pub(crate) mod screen;
pub(crate) mod style;
pub(crate) mod styles;
pub(crate) mod tables;
