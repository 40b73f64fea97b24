//! Size of a schema after expansion of its references. Three lines that refer to each other can keep validation busy
//! for hours and block the session that waits for it.

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Maximum number of parts of a schema. A part counts each time it is referred to.
const MAX_PARTS: usize = 4_000;
/// Maximum nesting depth of the parts.
const MAX_DEPTH: usize = 128;

/// Permitted recursion in a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recursion {
    /// References to an enclosing part are allowed inside a nested value, as in schemas of trees.
    Inward,
    /// No recursion, as in forms, which must be finite.
    Never,
}

/// Checks that validation against the schema terminates in reasonable time. The error says why it does not.
pub fn check_size(schema: &Value, recursion: Recursion) -> Result<(), String> {
    check_bases(schema, 0)?;
    ReferenceWalk { root: schema, recursion, left: MAX_PARTS, following: vec![] }.part(schema, 0, 0)
}

/// Checks that all references have the same base, including those in parts that the walk does not visit. Under another
/// base or in another dialect, the same reference leads elsewhere, possibly in a cycle.
fn check_bases(part: &Value, depth: usize) -> Result<(), String> {
    match part {
        Value::Object(keywords) => keywords.iter().try_for_each(|(keyword, value)| match (keyword.as_str(), value) {
            ("$id" | "$schema", Value::String(_)) if depth > 0 => {
                Err(format!("its parts have their own {keyword}; remove them"))
            }
            _ => check_bases(value, depth + 1),
        }),
        Value::Array(parts) => parts.iter().try_for_each(|part| check_bases(part, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

struct ReferenceWalk<'a> {
    root: &'a Value,
    recursion: Recursion,
    left: usize,
    /// References that led to this part, each with the level of the value at which it was followed.
    following: Vec<(&'a str, usize)>,
}

impl<'a> ReferenceWalk<'a> {
    /// Visits a part of the schema that describes a value at nesting depth `level`.
    fn part(&mut self, part: &'a Value, level: usize, depth: usize) -> Result<(), String> {
        self.left = self.left.checked_sub(1).ok_or(format!("it has more than {MAX_PARTS} parts; simplify it"))?;
        if depth > MAX_DEPTH {
            return Err(format!("its parts are nested more than {MAX_DEPTH} levels deep; simplify it"));
        }
        let Value::Object(keywords) = part else { return Ok(()) };
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(to)) => self.follow(to, level, depth)?,
                // Visited where they are referenced.
                ("$defs" | "definitions" | "const" | "enum" | "default" | "examples", _) => {}
                ("dependentSchemas" | "dependencies", Value::Object(parts)) => {
                    self.parts(parts.values(), level, depth)?
                }
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
                Recursion::Inward | Recursion::Never => Err(format!("{to} refers to itself; remove the cycle")),
            };
        }
        if to != "#" && !to.starts_with("#/") {
            return Err(format!("it refers to {to}; use references to a place in the schema, such as #/$defs/NAME"));
        }
        // The reference is a URI fragment, so special characters are percent-encoded.
        let place = to.strip_prefix('#').and_then(|place| percent_decode_str(place).decode_utf8().ok());
        let place = place.and_then(|place| self.root.pointer(&place));
        let part = place.ok_or_else(|| format!("it refers to {to}, which does not exist in it"))?;
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
        [Recursion::Inward, Recursion::Never].map(|recursion| check_size(schema, recursion).is_ok())
    }

    #[test]
    fn an_exponentially_growing_schema_is_rejected() {
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
