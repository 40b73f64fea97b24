//! How large a schema is once its references are followed: three lines that refer to each other can keep a check busy for
//! hours, and with it the session that waits for it.

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Parts that a schema may have, each counted as often as it is referred to.
const PARTS: usize = 4_000;
/// How deep they may be nested.
const DEPTH: usize = 128;

/// Whether a schema may refer to what it is itself a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recursion {
    /// As tools describe trees.
    Inward,
    /// As in a form, which has an end.
    Never,
}

/// Why checking against a schema could go on for ever, or nearly so.
pub fn bounded(schema: &Value, recursion: Recursion) -> Result<(), String> {
    Walk { root: schema, recursion, left: PARTS, following: vec![] }.part(schema, 0, 0)
}

struct Walk<'a> {
    root: &'a Value,
    recursion: Recursion,
    left: usize,
    /// The references that led here, each with the level of the value at which it was followed.
    following: Vec<(&'a str, usize)>,
}

impl<'a> Walk<'a> {
    /// One schema, which is about the value that is `level` levels inside of the whole one.
    fn part(&mut self, part: &'a Value, level: usize, depth: usize) -> Result<(), String> {
        self.left = self.left.checked_sub(1).ok_or(format!("it has more than {PARTS} parts"))?;
        if depth > DEPTH {
            return Err(format!("its parts are nested more than {DEPTH} deep"));
        }
        let Value::Object(keywords) = part else { return Ok(()) };
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(to)) => self.follow(to, level, depth)?,
                // From there on a reference would mean something else.
                ("$id", Value::String(_)) if depth > 0 => return Err("its parts have ids of their own".into()),
                // Followed where it is referred to.
                ("$defs" | "definitions" | "const" | "enum" | "default" | "examples", _) => {}
                ("dependentSchemas", Value::Object(parts)) => self.parts(parts.values(), level, depth)?,
                ("properties" | "patternProperties", Value::Object(parts)) => {
                    self.parts(parts.values(), level + 1, depth)?;
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => self.parts(parts, level, depth)?,
                ("not" | "if" | "then" | "else", part) => self.part(part, level, depth + 1)?,
                (_, Value::Array(parts)) => self.parts(parts, level + 1, depth)?,
                (_, part @ Value::Object(_)) => self.part(part, level + 1, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn parts(&mut self, parts: impl IntoIterator<Item = &'a Value>, level: usize, depth: usize) -> Result<(), String> {
        parts.into_iter().try_for_each(|part| self.part(part, level, depth + 1))
    }

    fn follow(&mut self, to: &'a str, level: usize, depth: usize) -> Result<(), String> {
        if let Some((_, before)) = self.following.iter().find(|(other, _)| *other == to) {
            return match self.recursion {
                Recursion::Inward if level > *before => Ok(()),
                _ => Err(format!("{to} refers to itself")),
            };
        }
        // It is part of an address: signs that those do not have are written in percents.
        let place = to.strip_prefix('#').and_then(|place| percent_decode_str(place).decode_utf8().ok());
        let place = place.and_then(|place| self.root.pointer(&place));
        let part = place.ok_or_else(|| format!("it refers to {to}, which is no place in it"))?;
        self.following.push((to, level));
        self.part(part, level, depth + 1)?;
        self.following.pop();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn both(schema: &Value) -> [bool; 2] {
        [Recursion::Inward, Recursion::Never].map(|recursion| bounded(schema, recursion).is_ok())
    }

    #[test]
    fn what_doubles_with_every_line_is_refused() {
        let line = |at: usize| {
            let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
            (format!("d{at}"), json!({ "allOf": [next, next] }))
        };
        let schema = |lines: usize| {
            let last = (format!("d{lines}"), json!({ "type": "string" }));
            let defs: serde_json::Map<String, Value> = (0..lines).map(line).chain([last]).collect();
            json!({ "$ref": "#/$defs/d0", "$defs": defs })
        };
        assert_eq!((both(&schema(8)), both(&schema(40))), ([true; 2], [false; 2]));
    }

    #[test]
    fn a_tree_goes_inward_and_is_no_form() {
        let node = json!({ "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/node" } } } });
        assert_eq!(both(&json!({ "$ref": "#/$defs/node", "$defs": { "node": node } })), [true, false]);
        assert_eq!(both(&json!({ "properties": { "more": { "anyOf": [{ "$ref": "#" }, {}] } } })), [true, false]);
        for goes_nowhere in [json!({ "allOf": [{ "$ref": "#" }] }), json!({ "$ref": "#" })] {
            assert_eq!(both(&goes_nowhere), [false; 2]);
        }
    }

    #[test]
    fn a_place_may_be_written_in_percents() {
        let odd =
            json!({ "$ref": "#/definitions/Part%3CFoo%3E", "definitions": { "Part<Foo>": { "type": "string" } } });
        assert_eq!(both(&odd), [true; 2]);
        assert_eq!(both(&json!({ "$ref": "#/definitions/%FF", "definitions": {} })), [false; 2]);
    }

    #[test]
    fn a_property_may_have_the_name_of_a_keyword() {
        assert_eq!(both(&json!({ "properties": { "$ref": { "type": "string" }, "enum": {} } })), [true; 2]);
        let hidden = json!({ "properties": { "default": { "$ref": "#/nowhere" } } });
        assert_eq!(both(&hidden), [false; 2]);
    }
}
