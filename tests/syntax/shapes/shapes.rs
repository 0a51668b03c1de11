//! Module documentation.
use std::fmt;

/// Documentation.
#[derive(Debug, Clone)]
pub struct Point<T> {
    pub x: T,
    #[serde(skip)]
    y: T,
}
struct Unit;
struct Tuple(u8, u8);
union Bits { a: u8, b: i8 }

pub(crate) enum Kind {
    /// A variant.
    A,
    B(u8),
    C { field: u8 },
}

impl<T> Point<T> {
    pub const ORIGIN: u8 = 0;
    /// Documentation.
    #[inline]
    pub fn new(x: T, y: T) -> Self {
        let local = 1;
        fn inner() {}
        let closure = |a| a;
        Self { x, y }
    }
}

impl<T: fmt::Debug> fmt::Display for Point<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "fn hidden() {{}}")
    }
}

pub trait Shape {
    type Output;
    const SIDES: u8;
    fn area(&self) -> f64;
    fn name(&self) -> String { String::new() }
}

mod inner {
    pub fn function() {}
    pub mod deeper { pub static VALUE: u8 = 1; }
}
mod elsewhere;
const MAX: usize = 10;
static mut COUNTER: u8 = 0;
type Alias<T> = Vec<T>;
macro_rules! mac { () => { fn made() {} }; }
async unsafe fn r#move() {}
extern "C" { fn foreign(x: u8); }
