use super::Term;
use crate::grid::cell::StyleId;

impl Term {
    /// The index of the pen's style. It is looked up on printing, not on each change, because many styles
    /// are set and never used.
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

    /// The index of the style of erased cells: only the background (xterm's "bce").
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

    /// Call after the pen changed. Styles are swept only here: a sweep changes their indexes, and code that
    /// prints or erases might hold one.
    #[inline]
    pub(super) fn look_changed(&mut self) {
        self.pen_style = None;
        self.erase_style = None;
        if self.tables.styles.is_full() {
            self.tables.sweep_styles(&mut self.screens);
        }
    }

    /// Call after the current hyperlink changed.
    pub(super) fn link_changed(&mut self) {
        if self.link.is_some() && self.tables.links.wants_sweep() {
            self.tables.sweep_links(&mut self.screens);
        }
        self.look_changed();
    }
}
