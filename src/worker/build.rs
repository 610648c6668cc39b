//! Keeps the linker's relocations in what is deployed: `www/split` reads from them which code needs which constants.
#![expect(clippy::disallowed_methods, reason = "a build script reads the environment")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
