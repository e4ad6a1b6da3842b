//! Converts a session's updates to their wire form, for every face that serves them.

use cotty_protocol::update as wire;
use cotty_session::{Color, Line, Snapshot, Style, UnderlineStyle, Update};

/// Converts an update of the session with this id.
pub(crate) fn to_wire(update: &Update, id: &str) -> wire::Update {
    match update {
        Update::Bell => wire::Update::Bell,
        Update::Cursor(at) => wire::Update::Cursor(*at),
        Update::Diff { region, lines, reason } => {
            let (lines, styles) = split(lines.iter().map(AsRef::as_ref));
            wire::Update::Diff(wire::Diff { region: *region, lines, styles, reason: *reason })
        }
        Update::Snapshot(shown) => wire::Update::Snapshot(snapshot(shown, id)),
        Update::Exited(ended) => wire::Update::Exited { exit_code: ended.exit_code, signal: ended.signal },
    }
}

/// Converts a snapshot of the session with this id.
pub(crate) fn snapshot(shown: &Snapshot, id: &str) -> wire::Snapshot {
    let (lines, styles) = split(shown.lines.iter().map(AsRef::as_ref));
    wire::Snapshot {
        session_id: id.to_owned(),
        seq: shown.seq,
        rows: shown.rows,
        cols: shown.cols,
        lines,
        styles,
        cursor: shown.cursor,
        title: shown.title.clone(),
        alternate: shown.alternate,
    }
}

/// Separates text and styles. Returns no styles at all if every line is plain.
fn split<'a>(lines: impl Iterator<Item = &'a Line>) -> (Vec<String>, Vec<Vec<wire::Run>>) {
    let (texts, styles): (Vec<_>, Vec<Vec<_>>) =
        lines.map(|line| (line.text.clone(), line.runs.iter().map(run).collect())).unzip();
    let plain = styles.iter().all(Vec::is_empty);
    (texts, if plain { Vec::new() } else { styles })
}

fn run(run: &cotty_session::Run) -> wire::Run {
    let style = &run.style;
    wire::Run {
        x: run.x,
        x2: run.x2,
        fg: color(style.fg),
        bg: color(style.bg),
        underline: match style.underline {
            UnderlineStyle::None => None,
            UnderlineStyle::Single => Some(wire::Underline::Single),
            UnderlineStyle::Double => Some(wire::Underline::Double),
            UnderlineStyle::Curly => Some(wire::Underline::Curly),
            UnderlineStyle::Dotted => Some(wire::Underline::Dotted),
            UnderlineStyle::Dashed => Some(wire::Underline::Dashed),
        },
        underline_color: color(style.underline_color),
        attributes: attributes(style),
        link: run.link.clone(),
    }
}

fn color(color: Color) -> Option<wire::Color> {
    match color {
        Color::Default => None,
        Color::Indexed(index) => Some(wire::Color::Indexed(index)),
        Color::Rgb(r, g, b) => Some(wire::Color::Rgb(format!("#{r:02x}{g:02x}{b:02x}"))),
    }
}

fn attributes(style: &Style) -> Vec<wire::Attribute> {
    let all = [
        (style.bold(), wire::Attribute::Bold),
        (style.dim(), wire::Attribute::Dim),
        (style.italic(), wire::Attribute::Italic),
        (style.blink(), wire::Attribute::Blink),
        (style.inverse(), wire::Attribute::Inverse),
        (style.hidden(), wire::Attribute::Hidden),
        (style.strike(), wire::Attribute::Strike),
        (style.overline(), wire::Attribute::Overline),
    ];
    all.into_iter().filter_map(|(has, attribute)| has.then_some(attribute)).collect()
}
