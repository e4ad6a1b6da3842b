use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::ValueEnum;
use cotty_vt::{Color, EffectKind, ImageKind, Painter, Size, Style, UnderlineStyle, Vt};
use serde_json::{Value, json};

use crate::out;

/// Most images in the output.
const MAX_IMAGES: usize = 1000;

/// Print the screen that a program's output produces
///
/// Reads the output from a file or stdin. It runs nothing and needs no daemon.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  git log --color | cotty render --rows 50\n  cotty render typescript --format json\n  \
                  cotty render typescript --format paint --cuts 1000,2000"
)]
pub(crate) struct Args {
    /// The file; default: stdin
    file: Option<String>,
    /// Columns
    #[arg(long, default_value_t = 80)]
    cols: u16,
    /// Rows
    #[arg(long, default_value_t = 24)]
    rows: u16,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Use no more than the first N bytes
    #[arg(long, value_name = "N")]
    upto: Option<u64>,
    /// With `--format json`: also `cells`, `cursor_visible` and `reverse_screen`
    ///
    /// Each row is a list of runs, from left to right: neighbouring cells with the same width and style. A run has `text`
    /// (one string for each cell, empty for a blank), and, if not the default: `width` (2; the right half is not listed),
    /// `fg`, `bg` and `underline_color` (an index of the palette or "#rrggbb"), `underline` (single, double, curly,
    /// dotted, dashed), and `attributes` (bold, dim, italic, blink, inverse, hidden, strike, overline).
    #[arg(long)]
    cells: bool,
    /// With `--format paint`: stop after each of these numbers of bytes
    ///
    /// Prints a line of JSON for each: `at`, `paint` (the whole screen, for any terminal), `diff` (for a terminal that
    /// shows the previous cut; null if nothing changed), and `cells`, `cursor`, `cursor_visible` and `reverse_screen` as
    /// in `--format json --cells`.
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "upto")]
    cuts: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text alone
    Text,
    /// With colours, as escape sequences
    Ansi,
    /// Lines, cursor (0-based), title, history, and the terminal's replies to the program
    Json,
    /// An HTML page
    Html,
    /// Escape sequences that draw the screen in another terminal of this size
    Paint,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let source: Box<dyn Read> = match &args.file {
        Some(path) => Box::new(File::open(path).map_err(|e| anyhow::anyhow!("{path}: {e}"))?),
        None => Box::new(std::io::stdin()),
    };
    let size = Size { cols: args.cols, rows: args.rows };
    if !args.cuts.is_empty() {
        anyhow::ensure!(args.format == Format::Paint, "--cuts needs --format paint");
        return paint_cuts(size, source, args.cuts);
    }
    let mut source = source.take(args.upto.unwrap_or(u64::MAX));
    let mut vt = Vt::new(size);
    let mut replies = Vec::new();
    let mut images = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = source.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        vt.feed(&buffer[..count]);
        // Take the effects after each chunk: the engine keeps only a limited number.
        for effect in vt.take_effects() {
            match effect.kind {
                EffectKind::Reply(bytes) => replies.extend(bytes),
                EffectKind::Image { kind, size, .. } if images.len() < MAX_IMAGES => {
                    images.push(json!({ "kind": image_kind(kind), "bytes": size }));
                }
                _ => {}
            }
        }
    }
    let rows = 0..vt.size().rows;
    match args.format {
        Format::Text => out::line(vt.screen_text().trim_end_matches('\n')),
        Format::Ansi => out::line(&rows.map(|row| vt.row_ansi(row)).collect::<Vec<_>>().join("\n")),
        Format::Json => {
            let mut value = as_json(&vt, &replies, args.cells);
            value["images"] = images.into();
            out::json(&value)?;
        }
        Format::Html => out::line(&as_html(&vt)),
        Format::Paint => {
            out::text(&Painter::new().full(&vt));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Paints the screen at each cut, whole and as a difference from the previous cut.
fn paint_cuts(size: Size, mut source: impl Read, mut cuts: Vec<usize>) -> anyhow::Result<ExitCode> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    cuts.sort_unstable();
    let mut vt = Vt::new(size);
    let mut viewer = Painter::new();
    let mut done = 0;
    for at in cuts.into_iter().map(|at| at.min(bytes.len())) {
        vt.feed(&bytes[done..at]);
        vt.take_effects();
        done = at;
        let mut cut = json!({
            "at": at,
            "paint": Painter::new().full(&vt),
            "diff": viewer.diff(&vt),
            "cursor": as_cursor(&vt),
        });
        add_style(&vt, &mut cut);
        out::line(&cut.to_string());
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(vt: &Vt, replies: &[u8], cells: bool) -> Value {
    let mut value = json!({
        "lines": (0..vt.size().rows).map(|row| vt.row_text(row)).collect::<Vec<_>>(),
        "cursor": as_cursor(vt),
        "title": vt.title(),
        "alt_screen": vt.modes().alt_screen,
        "scrollback": vt.history().map(|line| line.text.to_owned()).collect::<Vec<_>>(),
        "replies": STANDARD.encode(replies),
    });
    if cells {
        add_style(vt, &mut value);
    }
    value
}

fn image_kind(kind: ImageKind) -> &'static str {
    match kind {
        ImageKind::Sixel => "sixel",
        ImageKind::Kitty => "kitty",
        ImageKind::Iterm => "iterm2",
    }
}

fn as_cursor(vt: &Vt) -> Value {
    let cursor = vt.cursor();
    json!({ "row": cursor.row, "col": cursor.col })
}

fn add_style(vt: &Vt, value: &mut Value) {
    value["cursor_visible"] = vt.cursor().visible.into();
    value["reverse_screen"] = vt.modes().reverse_screen.into();
    value["cells"] = as_cells(vt);
}

/// The rows, each as runs of cells with the same width and style.
fn as_cells(vt: &Vt) -> Value {
    let row_runs = |row| {
        let cells: Vec<_> = vt.row_cells(row).filter(|cell| cell.width > 0).collect();
        let runs = cells.chunk_by(|a, b| a.width == b.width && a.style == b.style);
        runs.map(|run| as_run(run[0].width, run[0].style, run.iter().map(|cell| &*cell.text).collect()))
            .collect()
    };
    (0..vt.size().rows).map(row_runs).collect::<Vec<Vec<Value>>>().into()
}

fn as_run(width: u8, style: Style, text: Vec<&str>) -> Value {
    let mut run = json!({ "text": text });
    if width != 1 {
        run["width"] = width.into();
    }
    for (name, color) in [("fg", style.fg), ("bg", style.bg), ("underline_color", style.underline_color)] {
        match color {
            Color::Default => {}
            Color::Indexed(index) => run[name] = index.into(),
            Color::Rgb(r, g, b) => run[name] = format!("#{r:02x}{g:02x}{b:02x}").into(),
        }
    }
    match style.underline {
        UnderlineStyle::None => {}
        UnderlineStyle::Single => run["underline"] = "single".into(),
        UnderlineStyle::Double => run["underline"] = "double".into(),
        UnderlineStyle::Curly => run["underline"] = "curly".into(),
        UnderlineStyle::Dotted => run["underline"] = "dotted".into(),
        UnderlineStyle::Dashed => run["underline"] = "dashed".into(),
    }
    let attributes = [
        (style.bold(), "bold"),
        (style.dim(), "dim"),
        (style.italic(), "italic"),
        (style.blink(), "blink"),
        (style.inverse(), "inverse"),
        (style.hidden(), "hidden"),
        (style.strike(), "strike"),
        (style.overline(), "overline"),
    ];
    let attributes: Vec<_> = attributes.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect();
    if !attributes.is_empty() {
        run["attributes"] = attributes.into();
    }
    run
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
            // Text from a terminal is data and must not become markup.
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
