//! Go's `fmt`: print, println, printf and the verbs.

use crate::heap::Heap;
use crate::marked::Marked;
use crate::value::Value;

/// Appends `%v` of a value.
pub(crate) fn print_value(heap: &Heap, out: &mut Vec<u8>, value: Value) {
    let _ = (heap, out, value);
}

/// `fmt.Sprintf`; pieces keep the marks and labels of what they print.
pub fn sprintf(heap: &mut Heap, format: Value, args: &[Value]) -> Marked {
    let _ = (heap, format, args);
    Marked::default()
}

/// `fmt.Sprint`: a space between operands when neither is a string.
pub fn sprint(heap: &mut Heap, args: &[Value]) -> Marked {
    let _ = (heap, args);
    Marked::default()
}

/// `fmt.Sprintln`.
pub fn sprintln(heap: &mut Heap, args: &[Value]) -> Marked {
    let _ = (heap, args);
    Marked::default()
}
