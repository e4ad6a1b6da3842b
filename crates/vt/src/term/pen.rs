use super::Term;
use crate::grid::cell::StyleId;

impl Term {
    /// The number of the pen's style. It is looked up when something is printed, not at each change:
    /// many a style is set and never printed in.
    #[inline]
    pub(super) fn pen_style(&mut self) -> StyleId {
        match self.pen_style {
            Some(id) => id,
            None => {
                let link = self.link.as_ref().and_then(|address| self.tables.links.intern(address));
                let id = self.tables.styles.intern(self.cursor.look.with_link(link.unwrap_or(0)));
                self.pen_style = Some(id);
                id
            }
        }
    }

    /// The number of the style that erasing leaves behind: the background alone (xterm's "bce").
    pub(super) fn erase_style(&mut self) -> StyleId {
        match self.erase_style {
            Some(id) => id,
            None => {
                let id = self.tables.styles.intern(self.cursor.look.erased());
                self.erase_style = Some(id);
                id
            }
        }
    }

    /// The pen changed. Only here are the tables swept: whoever prints or erases may hold a style's
    /// number, and a sweep gives the numbers anew.
    #[inline]
    pub(super) fn look_changed(&mut self) {
        self.pen_style = None;
        self.erase_style = None;
        if self.tables.styles.is_full() {
            self.tables.sweep_styles(&mut self.screens);
        }
    }

    /// Text is printed in another hyperlink from now on, or in none.
    pub(super) fn link_changed(&mut self) {
        if self.link.is_some() && self.tables.links.wants_sweep() {
            self.tables.sweep_links(&mut self.screens);
        }
        self.look_changed();
    }
}
