//! Fit: a session follows the window of its keyboard's holder, and then gets its own size back.

use serde::{Deserialize, Serialize};

/// Whose window a session follows. Part of its saved state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Fit {
    /// The session's own size, while it follows a window.
    put_back: Option<(u16, u16)>,
    /// Whose window it follows.
    fitted_to: Option<String>,
}

impl Fit {
    /// The size that the session gets back; `None` if it follows no window.
    pub(crate) fn own_size(&self) -> Option<(u16, u16)> {
        self.put_back
    }

    /// Notes a resize; `put_back` is the size to restore later.
    pub(crate) fn resized(&mut self, put_back: Option<(u16, u16)>) {
        self.put_back = put_back;
    }

    /// Notes whose window the session follows.
    pub(crate) fn follow(&mut self, who: &str) {
        self.fitted_to = Some(who.to_owned());
    }

    /// The size to restore, if the person whose window is followed no longer holds the keyboard.
    pub(crate) fn size_to_restore(&mut self, holder: Option<&str>) -> Option<(u16, u16)> {
        let own = self.put_back?;
        match self.fitted_to.as_deref() {
            // It was fitted by an old daemon, which did not record by whom.
            None => {
                self.fitted_to = holder.map(str::to_owned);
                None
            }
            followed => (followed != holder).then_some(own),
        }
    }
}

#[cfg(test)]
impl Fit {
    /// Something in every field.
    pub(crate) fn filled() -> Fit {
        Fit { put_back: Some((80, 24)), fitted_to: Some("view:1".into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_followed_while_its_person_holds_the_keyboard() {
        let mut fit = Fit::default();
        assert_eq!(fit.size_to_restore(None), None, "nothing is followed");
        fit.follow("ann");
        fit.resized(Some((80, 24)));
        assert_eq!(fit.size_to_restore(Some("ann")), None);
        assert_eq!(fit.size_to_restore(Some("bob")), Some((80, 24)));
        assert_eq!(fit.size_to_restore(None), Some((80, 24)));
        fit.resized(None);
        assert_eq!(fit.size_to_restore(None), None);
    }

    #[test]
    fn a_session_that_an_unknown_person_fitted_follows_the_holder() {
        let mut fit = Fit::default();
        fit.resized(Some((80, 24)));
        assert_eq!(fit.size_to_restore(Some("ann")), None);
        assert_eq!(fit.size_to_restore(Some("bob")), Some((80, 24)));
    }
}
