//! This version reads what earlier versions wrote. `tests/formats` holds one file for each version of each format, with a
//! value in every field. The newest file must read back equal, so a renamed field or kind fails a test. To write the file of
//! a new version, run `WRITE_FORMATS=1 cargo test -p cotty-session`; existing files are never overwritten.

use std::path::Path;

/// The file of a version. `newest` makes the file of the newest version, once.
pub(crate) fn fixture(name: &str, version: u32, newest: Option<&dyn Fn() -> Vec<u8>>) -> Vec<u8> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats").join(format!("{name}-{version}"));
    if let Some(newest) = newest.filter(|_| std::env::var_os("WRITE_FORMATS").is_some() && !file.exists()) {
        std::fs::write(&file, newest()).unwrap();
    }
    std::fs::read(&file).unwrap_or_else(|e| panic!("{name} {version} has no file (see fixture.rs): {e}"))
}
