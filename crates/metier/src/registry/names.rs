//! Turns names into the form in which they are compared.

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// The name in NFKC form: two that look alike are one (spec N2).
pub(crate) fn normal(name: &str) -> Cow<'_, str> {
    // Nearly every name.
    if name.is_ascii() {
        return Cow::Borrowed(name);
    }
    match is_nfkc_quick(name.chars()) {
        IsNormalized::Yes => Cow::Borrowed(name),
        _ => Cow::Owned(name.nfkc().collect()),
    }
}
