//! A session that follows the window of the person who has its keyboard, and then gets its own size back.

use serde::{Deserialize, Serialize};

/// Whose window a session follows. Part of its saved state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Fit {
    /// The session's own size, while it follows somebody's window.
    put_back: Option<(u16, u16)>,
    /// Whose window it follows.
    fitted_to: Option<String>,
}

impl Fit {
    /// The size that the session gets back; none where it follows no window.
    pub(crate) fn own_size(&self) -> Option<(u16, u16)> {
        self.put_back
    }

    /// The session has another size now, and gets this one back later.
    pub(crate) fn resized(&mut self, put_back: Option<(u16, u16)>) {
        self.put_back = put_back;
    }

    /// It follows this one's window.
    pub(crate) fn follow(&mut self, who: &str) {
        self.fitted_to = Some(who.to_owned());
    }

    /// A window is followed only as long as its person has the keyboard: the size to go back to, where that is over.
    pub(crate) fn over(&mut self, holder: Option<&str>) -> Option<(u16, u16)> {
        let own = self.put_back?;
        match self.fitted_to.as_deref() {
            // It was fitted before a daemon could write down by whom.
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
    fn a_window_is_followed_as_long_as_its_person_has_the_keyboard() {
        let mut fit = Fit::default();
        assert_eq!(fit.over(None), None, "nothing is followed");
        fit.follow("ann");
        fit.resized(Some((80, 24)));
        assert_eq!(fit.over(Some("ann")), None);
        assert_eq!(fit.over(Some("bob")), Some((80, 24)));
        assert_eq!(fit.over(None), Some((80, 24)));
        fit.resized(None);
        assert_eq!(fit.over(None), None);
    }

    #[test]
    fn one_that_was_fitted_by_nobody_known_follows_the_holder() {
        let mut fit = Fit::default();
        fit.resized(Some((80, 24)));
        assert_eq!(fit.over(Some("ann")), None);
        assert_eq!(fit.over(Some("bob")), Some((80, 24)));
    }
}
