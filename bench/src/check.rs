use crate::corpus::Corpus;
use crate::engine::{CHUNK, Engine, Kind, Size};

/// How much of a corpus is compared; the screens are compared after each read.
const COMPARED: usize = 4 << 20;

/// Makes sure that every engine does the same work: compares each screen with alacritty's (or the first engine's).
/// If the corpus must look the same in all engines, a difference is an error; otherwise it is only reported.
pub(crate) fn same_screens(kinds: &[Kind], corpus: Corpus, size: Size, bytes: &[u8]) -> Result<(), String> {
    let mut kinds: Vec<Kind> = kinds.iter().copied().filter(|kind| kind.is_terminal()).collect();
    kinds.sort_by_key(|kind| *kind != Kind::Alacritty);
    let Some((reference, others)) = kinds.split_first() else { return Ok(()) };
    let mut expected = Vec::new();
    screens(*reference, size, bytes, |text| expected.push(text));
    for kind in others {
        let (mut at, mut screens_differ, mut rows_differ, mut first) = (0, 0, 0, None);
        screens(*kind, size, bytes, |text| {
            let rows = differing(&expected[at], &text);
            if let Some(row) = rows.first() {
                screens_differ += 1;
                rows_differ += rows.len();
                first.get_or_insert_with(|| format!("{}, row {row}", at + 1));
            }
            at += 1;
        });
        let Some(first) = first else { continue };
        let found = format!(
            "{} differs from {} in {rows_differ} rows of {screens_differ} out of {at} screens of {} (first: screen {first})",
            kind.name(),
            reference.name(),
            corpus.name()
        );
        if corpus.shows_the_same() {
            return Err(found);
        }
        eprintln!("  {found}");
    }
    Ok(())
}

fn screens(kind: Kind, size: Size, bytes: &[u8], mut see: impl FnMut(String)) {
    let mut engine: Box<dyn Engine> = kind.make(size);
    for chunk in bytes[..bytes.len().min(COMPARED)].chunks(CHUNK) {
        engine.feed(chunk);
        see(engine.text().unwrap_or_default());
    }
}

/// The rows that differ, with their numbers and the actual and expected text.
fn differing(expected: &str, text: &str) -> Vec<String> {
    let (mut ours, mut theirs) = (text.lines(), expected.lines());
    let mut rows = Vec::new();
    for number in 1.. {
        let (our, their) = (ours.next(), theirs.next());
        if our.is_none() && their.is_none() {
            break;
        }
        if our != their {
            let (our, their) = (our.unwrap_or_default(), their.unwrap_or_default());
            rows.push(format!("{number}: {our:?} instead of {their:?}"));
        }
    }
    rows
}
