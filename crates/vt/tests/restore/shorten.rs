//! Shortens a failing stream while it still fails.

use cotty_vt::Size;

use crate::stream::{Step, Stream};

/// The most attempts: long streams are slow, and the result need not be minimal.
const ATTEMPTS: usize = 20_000;

pub(crate) fn shorten(stream: Stream, fails: impl Fn(&Stream) -> bool) -> Stream {
    let mut left = ATTEMPTS;
    let mut fails = |stream: &Stream| {
        left = left.saturating_sub(1);
        left > 0 && fails(stream)
    };
    let best = drop_steps(stream, &mut fails);
    let best = drop_steps(split(best, &mut fails), &mut fails);
    let best = narrow(best, &mut fails);
    join(best, &mut fails)
}

/// Removes runs of steps, long runs first.
fn drop_steps(mut best: Stream, fails: &mut impl FnMut(&Stream) -> bool) -> Stream {
    let mut len = best.steps.len();
    while len > 0 {
        let mut at = 0;
        while at < best.steps.len() {
            let end = (at + len).min(best.steps.len());
            let mut shorter = best.clone();
            shorter.steps.drain(at..end);
            shorter.restored_at -= best.restored_at.clamp(at, end) - at;
            if fails(&shorter) {
                best = shorter;
            } else {
                at = end;
            }
        }
        len /= 2;
    }
    best
}

/// Splits the output into characters, or into bytes where it is not UTF-8.
fn split(best: Stream, fails: &mut impl FnMut(&Stream) -> bool) -> Stream {
    let mut finer = Stream { steps: Vec::new(), ..best };
    for (at, step) in best.steps.iter().enumerate() {
        if at == best.restored_at {
            finer.restored_at = finer.steps.len();
        }
        let Step::Feed(bytes) = step else {
            finer.steps.push(step.clone());
            continue;
        };
        for chunk in bytes.utf8_chunks() {
            let characters = chunk.valid().chars().map(|c| Step::Feed(c.to_string().into_bytes()));
            let others = chunk.invalid().iter().map(|byte| Step::Feed(vec![*byte]));
            finer.steps.extend(characters.chain(others));
        }
    }
    if best.restored_at >= best.steps.len() {
        finer.restored_at = finer.steps.len();
    }
    if fails(&finer) { finer } else { best }
}

/// Makes the screen smaller, which is easier to follow.
fn narrow(mut best: Stream, fails: &mut impl FnMut(&Stream) -> bool) -> Stream {
    loop {
        let Size { cols, rows } = best.options.size;
        let sizes = [Size { cols: cols.max(3) - 1, rows }, Size { cols, rows: rows.max(2) - 1 }];
        let smaller = sizes.into_iter().filter(|size| *size != best.options.size).find_map(|size| {
            let mut smaller = best.clone();
            smaller.options.size = size;
            fails(&smaller).then_some(smaller)
        });
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Joins neighbouring pieces of output again, if the stream still fails.
fn join(best: Stream, fails: &mut impl FnMut(&Stream) -> bool) -> Stream {
    let mut joined = Stream { steps: Vec::new(), ..best };
    for (at, step) in best.steps.iter().enumerate() {
        let restored = at == best.restored_at;
        if restored {
            joined.restored_at = joined.steps.len();
        }
        match (joined.steps.last_mut(), step) {
            (Some(Step::Feed(bytes)), Step::Feed(more)) if !restored => bytes.extend_from_slice(more),
            _ => joined.steps.push(step.clone()),
        }
    }
    if best.restored_at >= best.steps.len() {
        joined.restored_at = joined.steps.len();
    }
    if fails(&joined) { joined } else { best }
}
