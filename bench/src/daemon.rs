//! The daemon: draining terminals, a thousand sessions, survival, viewers. It is the release build of `cotty` in a home of
//! its own; beside it, in the same run, the bare kernel does the same.

pub(crate) mod drain;
pub(crate) mod home;
pub(crate) mod scale;
mod viewers;
pub(crate) mod writer;

use crate::args::Args;

pub(crate) use drain::Drained;
pub(crate) use scale::Scale;
pub(crate) use viewers::Watched;

/// What was measured.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) drained: Vec<Drained>,
    pub(crate) scale: Scale,
    pub(crate) watched: Watched,
}

/// Measures all of it.
pub(crate) fn measure(args: &Args) -> Result<Daemon, String> {
    let drained = drain::measure(args)?;
    let watched = viewers::measure(args)?;
    let scale = scale::measure(args)?;
    Ok(Daemon { drained, scale, watched })
}

/// The value below which this part (0 to 1) of all lies.
pub(crate) fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * part) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(&mut values.to_vec(), 0.5)
}
