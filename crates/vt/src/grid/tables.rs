use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::grid::attributes::Attributes;
use crate::grid::cell::{Cell, Glyph, Kind};
use crate::grid::clusters::Clusters;
use crate::grid::links::Links;
use crate::grid::row::Row;
use crate::grid::screen::Screen;
use crate::grid::styles::Styles;

/// The tables that the cells of the screens index.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Tables {
    pub(crate) styles: Styles,
    pub(crate) clusters: Clusters,
    pub(crate) links: Links,
}

impl Tables {
    pub(crate) fn look(&self, cell: Cell) -> Attributes {
        self.styles.get(cell.style)
    }

    /// Appends the text of a row's cells `from..to`, with blanks as spaces.
    pub(crate) fn push_text(&self, row: &Row, from: usize, to: usize, out: &mut String) {
        for col in from..to {
            let cell = row.get(col);
            if matches!(cell.kind(), Kind::Right | Kind::Filler) {
                continue;
            }
            match cell.glyph() {
                Glyph::Char(c) => out.push(c),
                Glyph::Cluster(index) => out.push_str(self.clusters.get(index)),
            }
        }
    }

    /// Removes the styles that no cell uses.
    pub(crate) fn sweep_styles(&mut self, screens: &mut [Screen]) {
        self.styles.sweep(|rename| {
            for row in screens.iter_mut().flat_map(Screen::iter_mut).filter(|row| row.is_styled()) {
                for cell in row.cells_mut() {
                    cell.style = rename(cell.style);
                }
            }
        });
    }

    /// Removes the clusters that no cell uses.
    pub(crate) fn sweep_clusters(&mut self, screens: &mut [Screen]) {
        self.clusters.sweep(|rename| {
            for row in screens.iter_mut().flat_map(Screen::iter_mut).filter(|row| !row.is_ascii()) {
                for cell in row.cells_mut() {
                    if let Some(index) = cell.cluster() {
                        cell.set_cluster(rename(index));
                    }
                }
            }
        });
    }

    /// Removes the links that no style uses.
    pub(crate) fn sweep_links(&mut self, screens: &mut [Screen]) {
        self.sweep_styles(screens);
        let styles = &mut self.styles;
        self.links.sweep(|rename| {
            for look in styles.iter_mut().filter(|look| look.link() != 0) {
                *look = look.with_link(rename(look.link()));
            }
        });
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.styles.is_sound()
            && self.clusters.is_sound()
            && self.links.is_sound()
            && self.styles.iter().all(|look| usize::from(look.link()) <= self.links.len())
    }
}
