//! What earlier versions wrote is read by this one: `tests/formats` holds one file of each version of each format, with something
//! in every field, and what the newest wrote is read back equal: a field or a kind that got another name is found here. A new
//! version gets its file by `WRITE_FORMATS=1 cargo test -p cotty-session`; those that are there are never written again.

use std::path::Path;

/// The file of a version; that of the newest is made by `newest`, once.
pub(crate) fn fixture(name: &str, version: u32, newest: Option<&dyn Fn() -> Vec<u8>>) -> Vec<u8> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats").join(format!("{name}-{version}"));
    if let Some(newest) = newest.filter(|_| std::env::var_os("WRITE_FORMATS").is_some() && !file.exists()) {
        std::fs::write(&file, newest()).unwrap();
    }
    std::fs::read(&file).unwrap_or_else(|e| panic!("{name} {version} has no file (see fixture.rs): {e}"))
}
