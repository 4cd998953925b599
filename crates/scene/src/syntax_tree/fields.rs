//! Reading values from a syntax tree, with errors that name the key, the position and the fix.

use super::fault::{Fault, Read, did_you_mean};
use super::known::Known;
use super::node::{Entry, Node, Value};
use crate::printable::{LARGEST, bounded_number, shown_number};
use crate::target_spec::Part;
use fabrik3d_ik::Interval;
use fabrik3d_ik::errors::LimitError;
use glam::{DQuat, DVec3};

/// What messages expect instead of something that is no number.
pub(crate) const A_FINITE_NUMBER: &str = "a finite number";

/// What messages expect instead of this number.
pub(crate) fn expected_number(number: f64) -> &'static str {
    if number.is_finite() { "a number up to 1e100" } else { A_FINITE_NUMBER }
}

const QUATERNION: &str = "a quaternion of four numbers, [x, y, z, w]";

/// Largest deviation of a quaternion's length from 1, for numbers with few digits such as [0.7, 0, 0, 0.7].
pub(crate) const UNIT_TOLERANCE: f64 = 0.05;

/// The rotation of a quaternion of about unit length. One of unit length up to rounding is kept bit for bit.
fn unit_rotation(q: DQuat) -> Option<DQuat> {
    let squared = q.length_squared();
    match (squared - 1.0).abs() < 1e-14 {
        true => Some(q),
        false => ((squared.sqrt() - 1.0).abs() <= UNIT_TOLERANCE).then(|| q.normalize()),
    }
}

/// The rotation of a quaternion `[x, y, z, w]` of about unit length. The error is a message.
pub fn rotation_of(numbers: [f64; 4]) -> Result<DQuat, String> {
    let q = DQuat::from_array(numbers);
    unit_rotation(q).ok_or_else(|| match q.length() {
        length if length < 1e-6 => "a rotation cannot be zero".to_owned(),
        length => {
            let length = shown_number((length * 1e3).round() / 1e3);
            format!("a rotation is a quaternion x, y, z, w of length 1, but this one has length {length}")
        }
    })
}

/// The rotation of a quaternion of any length but zero. One of unit length up to rounding is kept bit for bit.
pub fn any_rotation(q: DQuat) -> Option<DQuat> {
    unit_rotation(q).or_else(|| (q.length_squared() >= 1e-12).then(|| q.normalize()))
}

/// A node and its path, such as `joint[3].parent`.
#[derive(Clone, Debug)]
pub(crate) struct Item<'a> {
    pub node: &'a Node,
    pub path: String,
}

impl<'a> Item<'a> {
    /// The whole document.
    pub fn root(node: &'a Node) -> Self {
        Item { node, path: String::new() }
    }

    /// A fault at this node; the message starts with the path.
    pub fn fault(&self, message: impl AsRef<str>) -> Fault {
        let message = message.as_ref();
        match self.path.as_str() {
            "" => Fault::new(self.node.place, message),
            path => Fault::new(self.node.place, format!("`{path}`: {message}")),
        }
    }

    pub fn expected(&self, what: &str) -> Fault {
        self.fault(format!("expected {what}, found {}", self.node.describe()))
    }

    /// Whether it is `null` or `"none"`.
    pub fn is_none(&self) -> bool {
        matches!(&self.node.value, Value::Null) || matches!(&self.node.value, Value::Text(text) if text == "none")
    }

    /// A finite number.
    pub fn number(&self) -> Read<f64> {
        let value = match self.node.value {
            Value::Integer(value) => value as f64,
            Value::Number(value) => value,
            _ => return Err(self.expected("a number")),
        };
        match value.abs() <= LARGEST {
            true => Ok(value),
            false => {
                Err(self.expected(expected_number(value)).hint("nan, inf and numbers beyond 1e100 are not allowed"))
            }
        }
    }

    pub fn truth(&self) -> Read<bool> {
        match self.node.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.expected("true or false")),
        }
    }

    pub fn positive(&self) -> Read<f64> {
        self.number().and_then(|value| if value > 0.0 { Ok(value) } else { Err(self.expected("a number above 0")) })
    }

    pub fn not_negative(&self) -> Read<f64> {
        let number = self.number()?;
        if number >= 0.0 { Ok(number) } else { Err(self.expected("a number that is not negative")) }
    }

    /// An integer in the range of `T`, at least `least`. `what` describes it in messages.
    pub fn integer<T: TryFrom<i128> + PartialOrd>(&self, least: T, what: &str) -> Read<T> {
        let whole = match self.node.value {
            Value::Integer(value) => Some(value),
            Value::Number(value) if value.fract() == 0.0 && value.abs() < 1e15 => Some(value as i128),
            _ => None,
        };
        whole
            .and_then(|value| T::try_from(value).ok())
            .filter(|value| *value >= least)
            .ok_or_else(|| self.expected(what))
    }

    /// An angle in radians. The file has degrees, or a string with a unit such as `"1.57 rad"`.
    pub fn angle(&self) -> Read<f64> {
        let Value::Text(text) = &self.node.value else {
            return self.number().map(f64::to_radians);
        };
        let (digits, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(0));
        let value = bounded_number(digits.trim());
        match (value, unit.trim()) {
            (Some(value), "rad") => Ok(value),
            (Some(value), "deg") => Ok(value.to_radians()),
            _ => Err(self.expected("an angle").hint("write degrees as a number (90), or radians as \"1.5708 rad\"")),
        }
    }

    /// A string that is not empty.
    pub fn text(&self) -> Read<&'a str> {
        match &self.node.value {
            Value::Text(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(self.expected("a text").hint("write texts in quotes: \"like this\"")),
        }
    }

    /// One of several words.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Read<T> {
        let text = self.text()?;
        words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
            self.fault(format!("{text:?} is not known here"))
                .hint_some(did_you_mean(text, words.iter().map(|(word, _)| *word)))
        })
    }

    pub fn list(&self) -> Read<Vec<Item<'a>>> {
        let Value::List(items) = &self.node.value else { return Err(self.expected("a list")) };
        let element = |(at, node)| Item { node, path: format!("{}[{at}]", self.path) };
        Ok(items.iter().enumerate().map(element).collect())
    }

    /// A list of exactly `N` numbers.
    pub fn numbers<const N: usize>(&self, what: &str) -> Read<[f64; N]> {
        let Value::List(items) = &self.node.value else { return Err(self.expected(what)) };
        if items.len() != N {
            return Err(self.expected(what));
        }
        let mut numbers = [0.0; N];
        for (at, (node, number)) in items.iter().zip(&mut numbers).enumerate() {
            *number = match node.value {
                Value::Number(value) if value.abs() <= LARGEST => value,
                _ => Item { node, path: format!("{}[{at}]", self.path) }.number()?,
            };
        }
        Ok(numbers)
    }

    /// A point or a vector.
    pub fn vector(&self) -> Read<DVec3> {
        self.numbers("three numbers, [x, y, z]").map(DVec3::from_array)
    }

    /// A vector other than zero, not normalized.
    pub fn direction(&self) -> Read<DVec3> {
        let vector = self.vector()?;
        match vector.try_normalize() {
            Some(_) => Ok(vector),
            None => Err(self.fault("expected a direction, found a vector of length 0").hint("for example [0, 0, 1]")),
        }
    }

    /// A rotation: a quaternion of about unit length. One of unit length up to rounding is kept bit for bit.
    pub fn rotation(&self) -> Read<DQuat> {
        let hint = "the identity is [0, 0, 0, 1]; angles are not allowed here";
        rotation_of(self.numbers(QUATERNION)?).map_err(|wrong| self.fault(wrong).hint(hint))
    }

    /// A rotation: a quaternion of any length but zero, as other programs accept it.
    pub fn any_rotation(&self) -> Read<DQuat> {
        any_rotation(DQuat::from_array(self.numbers(QUATERNION)?))
            .ok_or_else(|| self.fault("a rotation cannot be zero").hint("the identity is [0, 0, 0, 1]"))
    }

    /// An interval `[low, high]`; `bound` reads each end.
    pub fn interval(&self, bound: fn(&Item<'a>) -> Read<f64>) -> Read<Interval> {
        let ends = self.list()?;
        let [low, high] = ends.as_slice() else { return Err(self.expected("two numbers, [low, high]")) };
        Interval::new(bound(low)?, bound(high)?).map_err(|error| match error {
            LimitError::Reversed { .. } => {
                let (low, high) = (low.node.describe(), high.node.describe());
                self.fault(format!("the lower limit {low} is above the upper limit {high}")).hint("swap the two")
            }
            other => self.fault(other.to_string()),
        })
    }

    /// The value of a key of a table, if present.
    pub fn get(&self, key: &str) -> Option<Item<'a>> {
        let Value::Table(entries) = &self.node.value else { return None };
        entries.iter().find(|entry| entry.key == key).map(|entry| self.entry(entry))
    }

    /// The value of an entry of a table.
    fn entry(&self, Entry { key, node, .. }: &'a Entry) -> Item<'a> {
        let path = if self.path.is_empty() { key.clone() } else { format!("{}.{key}", self.path) };
        Item { node, path }
    }

    /// The entries of any table, with their keys.
    pub fn entries(&self) -> Read<Vec<(&'a str, Item<'a>)>> {
        let Value::Table(entries) = &self.node.value else { return Err(self.expected("a table")) };
        Ok(entries.iter().map(|entry| (entry.key.as_str(), self.entry(entry))).collect())
    }

    /// A table that has only known keys, which are separated by blanks.
    pub fn table(&self, known: &'static str) -> Read<Fields<'a>> {
        let Value::Table(entries) = &self.node.value else { return Err(self.expected("a table")) };
        let known = Known { kind: "key", names: known };
        let within = if self.path.is_empty() { String::new() } else { format!(" in `{}`", self.path) };
        let keys = entries.iter().map(|entry| (entry.key.as_str(), entry.place));
        match known.unread(keys, &within).next() {
            None => Ok(Fields { table: self.clone(), known }),
            Some(fault) => Err(fault),
        }
    }
}

/// The fields of a table that has only known keys.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    table: Item<'a>,
    known: Known,
}

impl<'a> Fields<'a> {
    /// The value of a key, if present.
    pub fn get(&self, key: &'static str) -> Option<Item<'a>> {
        debug_assert!(self.known.has(key), "the key `{key}` must be declared");
        self.table.get(key)
    }

    /// The value of a required key; `example` shows what to write.
    pub fn require(&self, key: &'static str, example: &str) -> Read<Item<'a>> {
        self.get(key).ok_or_else(|| {
            let Item { path, .. } = &self.table;
            let within = if path.is_empty() { "the scene".into() } else { format!("`{path}`") };
            let message = format!("{within} lacks the key `{key}`");
            Fault::new(self.table.node.place, message).hint(format!("add {key} = {example}"))
        })
    }

    /// The value of a key, or a default.
    pub fn get_or<T>(&self, key: &'static str, default: T, read: impl FnOnce(Item<'a>) -> Read<T>) -> Read<T> {
        self.get(key).map_or(Ok(default), read)
    }

    /// The elements of a list; none if it is absent.
    pub fn list(&self, key: &'static str) -> Read<Vec<Item<'a>>> {
        self.get(key).map_or(Ok(Vec::new()), |item| item.list())
    }

    /// A part of a target; `null` and `"none"` ask for nothing.
    pub fn part<T>(&self, key: &'static str, read: impl FnOnce(&Item<'a>) -> Read<T>) -> Read<Part<T>> {
        match self.get(key) {
            None => Ok(Part::Kept),
            Some(item) if item.is_none() => Ok(Part::Open),
            Some(item) => read(&item).map(Part::Given),
        }
    }
}
