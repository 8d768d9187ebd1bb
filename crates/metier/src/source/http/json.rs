//! Turns bytes from a stranger into a JSON value: every key once, and no deeper than allowed.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Reads one JSON value. A key that stands twice is an error: two readers would not agree on which
/// of the two digests counts (security H10).
pub(super) fn parse(bytes: &[u8], depth: usize) -> Result<Value, serde_json::Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Below { depth, limit: depth }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// A value with `depth` levels left.
#[derive(Clone, Copy)]
struct Below {
    depth: usize,
    limit: usize,
}

impl Below {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth.checked_sub(1).ok_or_else(|| {
            E::custom(format_args!("lists and objects are nested more than {} deep", self.limit))
        })?;
        Ok(Self { depth, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Below {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Below {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let below = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(below)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let below = self.deeper()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` stands twice")));
            }
            let value = entries.next_value_seed(below)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn error(text: &str) -> String {
        parse(text.as_bytes(), 64).unwrap_err().to_string()
    }

    #[test]
    fn plain_json_is_read_as_it_stands() {
        let text = "\u{feff}{\"a\": [1, -2, 2.5, \"x\", null, true], \"b\": {\"a\": {}}}";
        let value = json!({"a": [1, -2, 2.5, "x", null, true], "b": {"a": {}}});
        assert_eq!(parse(text.as_bytes(), 64).unwrap(), value);
    }

    #[test]
    fn a_key_that_stands_twice_is_an_error() {
        let text = r#"{"skills": [{"digest": "a", "digest": "b"}]}"#;
        assert_eq!(error(text), "the key `digest` stands twice at line 1 column 36");
        assert!(error(r#"{"a": 1, "\u0061": 2}"#).starts_with("the key `a` stands twice"));
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(nested(64).as_bytes(), 64).is_ok());
        assert!(error(&nested(65)).starts_with("lists and objects are nested more than 64 deep"));
        assert!(error(&"[".repeat(100_000)).starts_with("lists and objects are nested"));
        assert!(error(&"{\"a\":".repeat(100_000)).starts_with("lists and objects are nested"));
        // A limit that is set too high cannot exhaust the stack either.
        assert!(parse("[".repeat(100_000).as_bytes(), usize::MAX).is_err());
    }

    #[test]
    fn more_than_one_value_is_an_error() {
        assert!(error("{} {}").starts_with("trailing characters"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            let _ = parse(&bytes, 64);
        }

        #[test]
        fn what_is_read_is_what_serde_json_reads(text in r#"[\[\]{}:,"a1 ]{0,24}"#) {
            if let Ok(value) = parse(text.as_bytes(), 64) {
                prop_assert_eq!(value, serde_json::from_str::<Value>(&text).unwrap());
            }
        }
    }
}
