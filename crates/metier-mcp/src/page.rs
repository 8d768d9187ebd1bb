//! Turns a list and a cursor into one page of the list and the cursor of the next one.

use crate::digest::hex_digest;
use crate::fault::Fault;
use std::fmt::Write as _;

/// The longest cursor that is looked at.
const MAX_CURSOR: usize = 4096;

/// One page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<'i, T> {
    pub(crate) items: &'i [T],
    pub(crate) next: Option<String>,
}

/// Cuts `items`, which are in the order of their keys. A cursor names the last key of the page before,
/// so a page holds what comes behind it even when the list has changed in between.
pub(crate) fn page<'i, T>(
    items: &'i [T],
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
    size: usize,
) -> Result<Page<'i, T>, Fault> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let last =
                decode(cursor).ok_or_else(|| Fault::invalid("the cursor is none of ours"))?;
            items.partition_point(|item| key(item) <= last.as_str())
        }
    };
    let end = items.len().min(start + size.max(1));
    let items_left = end < items.len();
    let items = &items[start..end];
    let next = items.last().filter(|_| items_left).map(|item| encode(key(item)));
    Ok(Page { items, next })
}

/// A key and a mark that tells a cursor of ours from one that somebody made up (security M14).
fn encode(key: &str) -> String {
    let mut cursor = String::with_capacity(key.len() * 2 + 9);
    for byte in key.bytes() {
        let _ = write!(cursor, "{byte:02x}");
    }
    cursor + "-" + &mark(key)
}

fn decode(cursor: &str) -> Option<String> {
    let (key, given) = cursor.split_once('-').filter(|_| cursor.len() <= MAX_CURSOR)?;
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = key.as_bytes().chunks(2).map(byte).collect();
    let key = String::from_utf8(bytes?).ok()?;
    (mark(&key) == given).then_some(key)
}

fn mark(key: &str) -> String {
    hex_digest(format!("metier cursor {key}").as_bytes())[..8].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_make_the_list_again() {
        let items = ["a", "b", "c", "d", "e"];
        let (mut cursor, mut seen) = (None, Vec::<&str>::new());
        loop {
            let page = page(&items, |item| item, cursor.as_deref(), 2).unwrap();
            seen.extend(page.items);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, items);
        // What the cursor names may be gone.
        let gone = encode("bb");
        assert_eq!(page(&items, |item| item, Some(&gone), 2).unwrap().items, ["c", "d"]);
    }

    #[test]
    fn cursors_are_checked() {
        let long = "61".repeat(4096) + "-00000000";
        for cursor in ["", "x", "61", "61-00000000", "zz-12345678", "-", "1é-x", &long] {
            assert!(page(&["a"], |item| item, Some(cursor), 1).is_err(), "{cursor:.20}");
        }
    }
}
