"""How Rust's names are followed: crates, modules, traits and macros."""
