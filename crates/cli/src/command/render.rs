use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::ValueEnum;
use cotty_vt::{EffectKind, Size, Style, UnderlineStyle, Vt};
use serde_json::json;

use crate::out;

/// Show what a terminal would show after these bytes
///
/// Reads a file, or stdin, as a program's output. Nothing of it is run, and no daemon is needed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  git log --color | cotty render --rows 50\n  cotty render typescript --format json"
)]
pub(crate) struct Args {
    /// The bytes; stdin where none is given
    file: Option<String>,
    /// Columns
    #[arg(long, default_value_t = 80)]
    cols: u16,
    /// Rows
    #[arg(long, default_value_t = 24)]
    rows: u16,
    /// How to write it down
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Text alone
    Text,
    /// With colours, as escape sequences
    Ansi,
    /// Lines, cursor (0-based), title, history, and the replies that the program is owed
    Json,
    /// A page
    Html,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut source: Box<dyn Read> = match &args.file {
        Some(path) => Box::new(File::open(path).map_err(|e| anyhow::anyhow!("{path}: {e}"))?),
        None => Box::new(std::io::stdin()),
    };
    let mut vt = Vt::new(Size { cols: args.cols, rows: args.rows });
    let mut replies = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = source.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        vt.feed(&buffer[..count]);
        // Taken as it goes: what a program asks for is kept only so long.
        for effect in vt.take_effects() {
            if let EffectKind::Reply(bytes) = effect.kind {
                replies.extend(bytes);
            }
        }
    }
    let rows = 0..vt.size().rows;
    match args.format {
        Format::Text => out::line(vt.screen_text().trim_end_matches('\n')),
        Format::Ansi => out::line(&rows.map(|row| vt.row_ansi(row)).collect::<Vec<_>>().join("\n")),
        Format::Json => out::json(&as_json(&vt, &replies))?,
        Format::Html => out::line(&as_html(&vt)),
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(vt: &Vt, replies: &[u8]) -> serde_json::Value {
    let cursor = vt.cursor();
    json!({
        "lines": (0..vt.size().rows).map(|row| vt.row_text(row)).collect::<Vec<_>>(),
        "cursor": { "row": cursor.row, "col": cursor.col },
        "title": vt.title(),
        "alt_screen": vt.modes().alt_screen,
        "scrollback": vt.history().map(|line| line.text.to_owned()).collect::<Vec<_>>(),
        "replies": STANDARD.encode(replies),
    })
}

fn as_html(vt: &Vt) -> String {
    let mut html = String::from("<pre style=\"background:#000;color:#ccc\">");
    for row in 0..vt.size().rows {
        let mut open = Style::default();
        for cell in vt.row_cells(row).filter(|cell| cell.width > 0) {
            if cell.style != open {
                close(&mut html, open);
                open = cell.style;
                if open != Style::default() {
                    let _ = write!(html, "<span style=\"{}\">", css(open));
                }
            }
            // Text from a terminal is data: it never becomes markup.
            for c in if cell.text.is_empty() { " " } else { &cell.text }.chars() {
                match c {
                    '<' => html.push_str("&lt;"),
                    '>' => html.push_str("&gt;"),
                    '&' => html.push_str("&amp;"),
                    c => html.push(c),
                }
            }
        }
        close(&mut html, open);
        html.truncate(html.trim_end_matches(' ').len());
        html.push('\n');
    }
    html.push_str("</pre>");
    html
}

fn close(html: &mut String, open: Style) {
    if open != Style::default() {
        html.push_str("</span>");
    }
}

fn css(style: Style) -> String {
    let (fg, bg) = match style.inverse() {
        true => (style.bg, style.fg),
        false => (style.fg, style.bg),
    };
    let mut css = String::new();
    for (name, color, default) in [("color", fg, "#000"), ("background", bg, "#ccc")] {
        match color.rgb() {
            Some((r, g, b)) => {
                let _ = write!(css, "{name}:#{r:02x}{g:02x}{b:02x};");
            }
            None if style.inverse() => {
                let _ = write!(css, "{name}:{default};");
            }
            None => {}
        }
    }
    let words = [
        (style.bold(), "font-weight:bold;"),
        (style.dim(), "opacity:.6;"),
        (style.italic(), "font-style:italic;"),
        (style.underline != UnderlineStyle::None, "text-decoration:underline;"),
        (style.strike(), "text-decoration:line-through;"),
        (style.hidden(), "visibility:hidden;"),
    ];
    css.extend(words.into_iter().filter(|(set, _)| *set).map(|(_, word)| word));
    css
}
