mod alacritty;
mod avt;
mod cotty;
mod vt100;
mod vte;

pub(crate) use alacritty::filling_history;

/// How many rows (cotty: logical lines) every engine keeps.
pub(crate) const HISTORY: usize = 10_000;

/// How many bytes are fed at once: a large read from a PTY.
pub(crate) const CHUNK: usize = 64 << 10;

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) cols: u16,
    pub(crate) rows: u16,
}

impl Size {
    pub(crate) const SMALL: Size = Size { cols: 80, rows: 24 };
    pub(crate) const LARGE: Size = Size { cols: 200, rows: 50 };

    /// The size for the tables.
    pub(crate) fn label(self) -> String {
        format!("{}×{}", self.cols, self.rows)
    }
}

/// An engine, used as an embedding program would use it.
pub(crate) trait Engine {
    /// Applies one read and takes the replies and events that it caused.
    fn feed(&mut self, chunk: &[u8]);

    /// All rows of the screen, right-trimmed, each ended by a newline; `None` for a bare parser.
    fn text(&self) -> Option<String>;

    /// Changes the size.
    fn resize(&mut self, size: Size);
}

/// An engine by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Cotty,
    Alacritty,
    Vt100,
    Avt,
    Vte,
}

impl Kind {
    pub(crate) const ALL: [Kind; 5] = [Kind::Cotty, Kind::Alacritty, Kind::Vt100, Kind::Avt, Kind::Vte];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Cotty => "cotty",
            Kind::Alacritty => "alacritty",
            Kind::Vt100 => "vt100",
            Kind::Avt => "avt",
            Kind::Vte => "vte",
        }
    }

    /// The name of its crate.
    pub(crate) fn package(self) -> &'static str {
        match self {
            Kind::Cotty => "cotty-vt",
            Kind::Alacritty => "alacritty_terminal",
            Kind::Vt100 => "vt100",
            Kind::Avt => "avt",
            Kind::Vte => "vte",
        }
    }

    /// The crate's version in this build.
    pub(crate) fn version(self) -> &'static str {
        let mut lines = include_str!("../Cargo.lock").lines();
        let name = format!("name = \"{}\"", self.package());
        lines.find(|line| *line == name);
        lines.next().and_then(|line| line.split('"').nth(1)).unwrap_or("unknown")
    }

    /// Whether it has a screen; `vte` only parses.
    pub(crate) fn is_terminal(self) -> bool {
        self != Kind::Vte
    }

    /// Whether it reflows lines to a new width.
    pub(crate) fn reflows(self) -> bool {
        self.is_terminal() && self != Kind::Vt100
    }

    /// Creates an engine.
    pub(crate) fn make(self, size: Size) -> Box<dyn Engine> {
        match self {
            Kind::Cotty => Box::new(cotty::Cotty::new(size)),
            Kind::Alacritty => Box::new(alacritty::Alacritty::new(size)),
            Kind::Vt100 => Box::new(vt100::Vt100::new(size)),
            Kind::Avt => Box::new(avt::Avt::new(size)),
            Kind::Vte => Box::new(vte::Vte::default()),
        }
    }
}

/// Feeds all bytes in reads of [`CHUNK`].
pub(crate) fn feed_all(engine: &mut dyn Engine, bytes: &[u8]) {
    for chunk in bytes.chunks(CHUNK) {
        engine.feed(chunk);
    }
}

/// Ends the row that was just appended to `out`: removes trailing spaces and adds a newline.
fn end_row(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}
