//! Tells cargo to embed the page anew when it was built anew.

fn main() {
    println!("cargo::rerun-if-changed=../../web/dist");
}
