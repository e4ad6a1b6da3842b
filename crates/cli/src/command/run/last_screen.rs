//! The last alternate screen of a full-screen program, for a program that leaves no other output.

use cotty_client::Client;
use cotty_vt::{Size, Vt};

use crate::command::recording::{Format, pages};

/// The last alternate screen of a session's program.
pub(super) async fn last_screen(client: &Client, session: &str, size: Size) -> anyhow::Result<String> {
    let mut cast = String::new();
    let keep = |page: &str| {
        cast.push_str(page);
        Ok(true)
    };
    pages(client, session, Format::Cast, keep).await?;
    let output: String = cast.lines().filter_map(output_of).collect();
    Ok(last_alternate(&output, size))
}

/// The output of one line of an asciicast.
fn output_of(line: &str) -> Option<String> {
    let (_, kind, data): (f64, String, String) = serde_json::from_str(line).ok()?;
    (kind == "o").then_some(data)
}

fn last_alternate(output: &str, size: Size) -> String {
    let mut vt = Vt::new(size);
    let mut last = String::new();
    let starts = output.match_indices('\x1b').map(|(at, _)| at).skip_while(|at| *at == 0);
    let mut from = 0;
    for to in starts.chain([output.len()]) {
        let piece = &output[from..to];
        // Resetting a private mode leaves the alternate screen and discards it.
        let shown = (vt.modes().alt_screen && piece.starts_with("\x1b[?")).then(|| vt.screen_text());
        vt.feed(piece.as_bytes());
        vt.take_effects();
        if let Some(shown) = shown.filter(|_| !vt.modes().alt_screen) {
            last = shown;
        }
        from = to;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_alternate_screen_is_found() {
        let size = Size { cols: 10, rows: 2 };
        let shown = |output: &str| last_alternate(output, size);
        assert_eq!(shown("\x1b[?1049h\x1b[Hone\x1b[?1049l"), "one\n\n");
        assert_eq!(
            shown("\x1b[?1049hone\x1b[?1049l\x1b[?1049h\x1b[Htwo\x1b[?25h\x1b[?1049l\x1b[?1l"),
            "two\n\n"
        );
        assert_eq!(shown("plain\x1b[?1049l"), "");
        assert_eq!(shown(""), "");
    }
}
