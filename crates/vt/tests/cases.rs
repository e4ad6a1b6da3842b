//! Runs every `tests/cases/*.vt`: directives above `---`, the expected result below it.
//!
//! Directives: `size 10x3` (first; default 10x4), `feed "text"` or `feed 20 "text"` (escapes: `\e \a \b \t
//! \n \r \\ \" \xNN \u{N}`), `resize 5x3`, `history 2` (limit), `styles` (show styled runs), `lines` (show
//! logical lines), `modes` (show the modes that differ from the defaults). `UPDATE_CASES=1` rewrites the
//! part below the line; check the result against xterm's documentation before you commit it.
#![expect(clippy::unwrap_used, reason = "an invalid case file should stop the test")]

use std::fmt::Write;
use std::path::Path;

use cotty_vt::{EffectKind, Modes, Options, Size, Style, Vt};

#[test]
fn cases() {
    let folder = Path::new("tests/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "vt"));
    files.sort();
    assert!(!files.is_empty(), "no cases in {}", folder.display());
    let mut failures = String::new();
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap();
        let (above, expected) = text.split_once("---\n").unwrap_or((&text, ""));
        let actual = run(above, false);
        assert_eq!(actual, run(above, true), "{}: the result differs when fed byte by byte", path.display());
        if actual != expected {
            if std::env::var_os("UPDATE_CASES").is_some() {
                std::fs::write(path, format!("{above}---\n{actual}")).unwrap();
            } else {
                let name = path.file_name().unwrap().display();
                write!(failures, "\n== {name}\n-- expected\n{expected}-- actual\n{actual}").unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn run(script: &str, bytewise: bool) -> String {
    let mut options = Options { size: Size { cols: 10, rows: 4 }, ..Options::default() };
    let mut vt = None;
    let mut shows = Vec::new();
    for line in script.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "size" if vt.is_none() => options.size = size(rest),
            "history" if vt.is_none() => options.history_lines = rest.parse().unwrap(),
            "styles" | "lines" | "modes" => shows.push(word),
            "resize" => vt.get_or_insert_with(|| Vt::with_options(options)).resize(size(rest)),
            "feed" => {
                let vt = vt.get_or_insert_with(|| Vt::with_options(options));
                let (count, quoted) = rest.split_once('"').unwrap();
                let count = if count.is_empty() { 1 } else { count.trim().parse().unwrap() };
                let bytes = unescape(quoted.strip_suffix('"').unwrap()).repeat(count);
                bytes.chunks(if bytewise { 1 } else { bytes.len() }).for_each(|chunk| vt.feed(chunk));
                let state = vt.state();
                assert_eq!(Vt::restore(&state).map(|again| again.state()), Ok(state), "after {line}");
            }
            other => panic!("unknown directive {other:?}"),
        }
    }
    show(&mut vt.unwrap_or_else(|| Vt::with_options(options)), &shows)
}

fn size(text: &str) -> Size {
    let (cols, rows) = text.split_once('x').unwrap();
    Size { cols: cols.parse().unwrap(), rows: rows.parse().unwrap() }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        match rest.next().unwrap() {
            'e' => out.push(0x1b),
            'a' => out.push(7),
            'b' => out.push(8),
            't' => out.push(9),
            'n' => out.push(10),
            'r' => out.push(13),
            'x' => {
                let hex: String = rest.by_ref().take(2).collect();
                out.push(u8::from_str_radix(&hex, 16).unwrap());
            }
            'u' => {
                let hex: String = rest.by_ref().skip(1).take_while(|c| *c != '}').collect();
                let c = char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap();
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out
}

fn show(vt: &mut Vt, shows: &[&str]) -> String {
    let mut out = vt.screen_text();
    let cursor = vt.cursor();
    write!(out, "cursor {},{}", cursor.row, cursor.col).unwrap();
    if !cursor.visible {
        out.push_str(" hidden");
    }
    if cursor.blink || cursor.shape != Default::default() {
        let blink = if cursor.blink { "blinking" } else { "steady" };
        write!(out, " {blink} {:?}", cursor.shape).unwrap();
    }
    out.push('\n');
    if !vt.title().is_empty() {
        writeln!(out, "title {:?}", vt.title()).unwrap();
    }
    if let Some(directory) = vt.directory() {
        writeln!(out, "directory {directory:?}").unwrap();
    }
    let effects: Vec<String> =
        vt.take_effects().into_iter().map(|effect| effect_text(&effect.kind)).collect();
    writeln!(out, "effects [{}]", effects.join(", ")).unwrap();
    if vt.history_lines() > 0 || vt.history_dropped() > 0 {
        writeln!(out, "history {} dropped {}", vt.history_lines(), vt.history_dropped()).unwrap();
        vt.history().for_each(|line| writeln!(out, "| {}", line.text).unwrap());
    }
    if shows.contains(&"lines") {
        vt.lines_since(0).iter().for_each(|line| writeln!(out, "line {:?}", line.text).unwrap());
    }
    if shows.contains(&"modes") {
        writeln!(out, "modes {}", changed_modes(&vt.modes())).unwrap();
    }
    if shows.contains(&"styles") {
        (0..vt.size().rows).for_each(|row| show_styles(vt, row, &mut out));
    }
    out
}

/// The fields that differ from the defaults, so that a new mode does not change every case.
fn changed_modes(modes: &Modes) -> String {
    let (now, new) = (format!("{modes:?}"), format!("{:?}", Modes::default()));
    let fields = |text: &str| -> Vec<String> {
        text.trim_start_matches("Modes { ").trim_end_matches(" }").split(", ").map(String::from).collect()
    };
    let changed: Vec<String> =
        fields(&now).into_iter().zip(fields(&new)).filter(|(a, b)| a != b).map(|(a, _)| a).collect();
    if changed.is_empty() { "-".into() } else { changed.join(", ") }
}

fn show_styles(vt: &Vt, row: u16, out: &mut String) {
    let styles: Vec<Style> = vt.row_cells(row).map(|cell| cell.style).collect();
    let mut col = 0;
    for run in styles.chunk_by(|a, b| a == b) {
        if run[0] != Style::default() {
            let sgr = run[0].sgr();
            let sgr = sgr.trim_start_matches("\x1b[0;").trim_end_matches('m');
            writeln!(out, "style {row},{col}..{} {sgr}", col + run.len()).unwrap();
        }
        col += run.len();
    }
}

fn effect_text(kind: &EffectKind) -> String {
    match kind {
        EffectKind::Reply(bytes) => {
            format!("reply {:?}", String::from_utf8_lossy(bytes)).replace("\\u{1b}", "\\e")
        }
        EffectKind::Bell => "bell".into(),
        EffectKind::Title(title) => format!("title {title:?}"),
        EffectKind::Directory(directory) => format!("directory {directory:?}"),
        EffectKind::Mark(mark) => {
            let alt = if mark.alt_screen { " alt" } else { "" };
            format!("mark {:?} cell {} {:?}{alt}", mark.kind, mark.position.cell, mark.params)
        }
        EffectKind::Clipboard { selection, text } => format!("clipboard {selection:?} {text:?}"),
        EffectKind::Notification { title, body } => format!("notification {title:?} {body:?}"),
        EffectKind::Image { kind, size, .. } => format!("image {kind:?} {size} bytes"),
        other => format!("{other:?}"),
    }
}
