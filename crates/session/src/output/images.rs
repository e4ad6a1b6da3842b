//! Images that a program sent. The terminal does not show them, so replies to readers count them.

use std::collections::VecDeque;

use cotty_protocol::op::Images;
use cotty_vt::ImageKind;

/// Most images remembered.
const MOST: usize = 256;

/// The newest images, each with the seq of its end.
#[derive(Debug, Default)]
pub(crate) struct Gallery(VecDeque<(u64, ImageKind, u64)>);

impl Gallery {
    pub(crate) fn add(&mut self, seq: u64, kind: ImageKind, bytes: u64) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((seq, kind, bytes));
    }

    /// The images after `since`, up to `until`.
    pub(crate) fn between(&self, since: u64, until: u64) -> Vec<Images> {
        let mut found: Vec<Images> = Vec::new();
        for &(seq, kind, bytes) in &self.0 {
            if seq <= since || seq > until {
                continue;
            }
            let kind = name(kind);
            match found.iter_mut().find(|images| images.kind == kind) {
                Some(images) => {
                    images.count += 1;
                    images.bytes += bytes;
                }
                None => found.push(Images { kind: kind.to_owned(), count: 1, bytes }),
            }
        }
        found
    }
}

/// The name in replies.
fn name(kind: ImageKind) -> &'static str {
    match kind {
        ImageKind::Sixel => "sixel",
        ImageKind::Kitty => "kitty",
        ImageKind::Iterm => "iterm2",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_counted_by_kind_and_old_ones_are_forgotten() {
        let mut gallery = Gallery::default();
        gallery.add(10, ImageKind::Sixel, 5);
        gallery.add(20, ImageKind::Kitty, 7);
        gallery.add(30, ImageKind::Kitty, 8);
        let kitty = Images { kind: "kitty".into(), count: 2, bytes: 15 };
        assert_eq!(gallery.between(10, 30), [kitty]);
        assert_eq!(gallery.between(0, 10), [Images { kind: "sixel".into(), count: 1, bytes: 5 }]);
        for seq in 31..=1000 {
            gallery.add(seq, ImageKind::Iterm, 1);
        }
        assert_eq!(
            gallery.between(0, u64::MAX),
            [Images { kind: "iterm2".into(), count: MOST as u64, bytes: MOST as u64 }]
        );
    }
}
