use super::Term;
use crate::cell::StyleId;
use crate::look::Look;

impl Term {
    /// The number of the pen's style. It is looked up when something is printed, not at each change:
    /// many a style is set and never printed in.
    #[inline]
    pub(super) fn pen_style(&mut self) -> StyleId {
        match self.pen_style {
            Some(id) => id,
            None => self.find_pen_style(),
        }
    }

    /// The number of the style that erasing leaves behind: the background alone (xterm's "bce").
    pub(super) fn erase_style(&mut self) -> StyleId {
        match self.erase_style {
            Some(id) => id,
            None => {
                let id = self.intern(self.cursor.look.erased());
                self.erase_style = Some(id);
                id
            }
        }
    }

    /// The pen changed.
    #[inline]
    pub(super) fn look_changed(&mut self) {
        self.pen_style = None;
        self.erase_style = None;
    }

    fn find_pen_style(&mut self) -> StyleId {
        let link = self.link_number();
        let id = self.intern(self.cursor.look.with_link(link));
        self.pen_style = Some(id);
        id
    }

    fn link_number(&mut self) -> u16 {
        let Some(address) = &self.link else { return 0 };
        if let Some(link) = self.tables.links.intern(address) {
            return link;
        }
        if !self.tables.links.wants_sweep() {
            return 0;
        }
        self.tables.sweep_links(&mut self.screens);
        self.look_changed();
        self.link.as_ref().and_then(|address| self.tables.links.intern(address)).unwrap_or(0)
    }

    pub(super) fn intern(&mut self, look: Look) -> StyleId {
        if self.tables.styles.is_full() {
            self.tables.sweep_styles(&mut self.screens);
            self.look_changed();
        }
        self.tables.styles.intern(look)
    }
}
