//! The daemon: draining terminals, a thousand sessions, recovery, viewers. It is the release build of `cotty` with its own
//! home. In the same run, the same work is done with the bare kernel for comparison.

pub(crate) mod drain;
pub(crate) mod home;
pub(crate) mod scale;
mod viewers;
pub(crate) mod writer;

use crate::args::Args;

pub(crate) use drain::Drained;
pub(crate) use scale::Scale;
pub(crate) use viewers::Watched;

/// The results.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) drained: Vec<Drained>,
    pub(crate) scale: Scale,
    pub(crate) watched: Watched,
}

/// Runs all measurements.
pub(crate) fn measure(args: &Args) -> Result<Daemon, String> {
    let drained = drain::measure(args)?;
    let watched = viewers::measure(args)?;
    let scale = scale::measure(args)?;
    Ok(Daemon { drained, scale, watched })
}

/// The quantile of the values for `part` (0 to 1).
pub(crate) fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * part) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(&mut values.to_vec(), 0.5)
}
