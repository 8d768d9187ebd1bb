//! Turns the arguments of a tool call into typed values, or into what is wrong with them.

use serde_json::{Map, Value};

/// Why arguments cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ArgumentError {
    /// They are text that is no JSON.
    NotJson { message: String },
    /// They are JSON, but no object.
    NotAnObject,
    /// One that is needed is absent, `null` or empty.
    Missing { name: &'static str },
    /// One has the wrong type.
    WrongType { name: &'static str, wanted: &'static str },
}

/// The arguments of a call.
#[derive(Debug)]
pub(crate) struct Arguments {
    object: Map<String, Value>,
}

impl Arguments {
    /// Reads an object, or the text of one: some APIs send text, and models send it where they
    /// should not.
    pub(crate) fn read(arguments: Value) -> Result<Self, ArgumentError> {
        match arguments {
            Value::Object(object) => Ok(Self { object }),
            Value::Null => Ok(Self { object: Map::new() }),
            // Some models send nothing when there is nothing to send.
            Value::String(text) if text.trim().is_empty() => Ok(Self { object: Map::new() }),
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(Value::Object(object)) => Ok(Self { object }),
                Ok(Value::Null) => Ok(Self { object: Map::new() }),
                Ok(_) => Err(ArgumentError::NotAnObject),
                Err(error) => Err(ArgumentError::NotJson { message: error.to_string() }),
            },
            Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(ArgumentError::NotAnObject),
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// A text that must be there.
    pub(crate) fn text(&self, name: &'static str) -> Result<String, ArgumentError> {
        self.optional_text(name)?.ok_or(ArgumentError::Missing { name })
    }

    /// A text that may be absent, `null` or empty.
    pub(crate) fn optional_text(
        &self,
        name: &'static str,
    ) -> Result<Option<String>, ArgumentError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(ArgumentError::WrongType { name, wanted: "text" }),
        }
    }

    /// A whole number from 0 that may be absent. Digits in a text count: models quote numbers.
    pub(crate) fn optional_number(&self, name: &'static str) -> Result<Option<u64>, ArgumentError> {
        let number = match self.get(name) {
            None => return Ok(None),
            Some(Value::String(digits)) => digits.trim().parse().ok(),
            Some(value) => value.as_u64().or_else(|| whole(value)),
        };
        let wanted = "a whole number from 0";
        number.map(Some).ok_or(ArgumentError::WrongType { name, wanted })
    }

    /// A list of texts that may be absent.
    pub(crate) fn optional_list(&self, name: &'static str) -> Result<Vec<String>, ArgumentError> {
        let wrong = ArgumentError::WrongType { name, wanted: "a list of text" };
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let texts: Option<Vec<_>> =
                    items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
                texts.ok_or(wrong)
            }
            Some(_) => Err(wrong),
        }
    }
}

/// `3.0` as 3: some writers know one kind of number.
#[expect(clippy::cast_sign_loss, reason = "it is checked to be a whole number from 0")]
fn whole(value: &Value) -> Option<u64> {
    let number = value.as_f64()?;
    // Up to here every whole number has a float of its own.
    let is_whole = number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number);
    is_whole.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Arguments {
        Arguments::read(value).unwrap()
    }

    #[test]
    fn an_object_its_text_and_nothing_are_arguments() {
        assert_eq!(read(json!({ "a": "x" })).text("a").unwrap(), "x");
        assert_eq!(read(json!(r#"{"a":"x"}"#)).text("a").unwrap(), "x");
        for nothing in [json!(null), json!(""), json!(" \n"), json!("null"), json!({})] {
            let missing = ArgumentError::Missing { name: "a" };
            assert_eq!(read(nothing).text("a").unwrap_err(), missing);
        }
        for other in [json!([1]), json!(1), json!(true), json!("[1]"), json!("1")] {
            assert_eq!(Arguments::read(other).unwrap_err(), ArgumentError::NotAnObject);
        }
        let cut = Arguments::read(json!(r#"{"a": "#)).unwrap_err();
        assert!(matches!(cut, ArgumentError::NotJson { .. }));
    }

    #[test]
    fn numbers_are_whole_and_not_negative() {
        for (value, expected) in
            [(json!(3), Some(3)), (json!(3.0), Some(3)), (json!("3"), Some(3)), (json!(null), None)]
        {
            assert_eq!(read(json!({ "n": value })).optional_number("n").unwrap(), expected);
        }
        for value in [json!(-1), json!(1.5), json!(1e300), json!("x"), json!([]), json!({})] {
            assert!(read(json!({ "n": value })).optional_number("n").is_err(), "{value}");
        }
    }

    #[test]
    fn texts_and_lists_have_their_type() {
        let arguments = read(json!({ "t": 1, "e": "", "l": ["a", "b"], "m": ["a", 1], "s": "a" }));
        let wrong = ArgumentError::WrongType { name: "t", wanted: "text" };
        assert_eq!(arguments.text("t").unwrap_err(), wrong);
        assert_eq!(arguments.optional_text("e").unwrap(), None);
        assert_eq!(arguments.optional_list("l").unwrap(), ["a", "b"]);
        assert!(arguments.optional_list("absent").unwrap().is_empty());
        assert!(arguments.optional_list("m").is_err());
        assert!(arguments.optional_list("s").is_err());
    }
}
