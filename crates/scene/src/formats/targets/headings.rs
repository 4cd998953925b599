//! What the name of a column of a table means, and the unit that it says.

use crate::Scene;
use crate::retarget::tokens;
use crate::syntax_tree::fault::did_you_mean;
use fabrik3d_ik::Kind;
use fabrik3d_ik::errors::nearest_name;
use std::ops::Range;

/// Components of a target that a column can hold.
pub(super) const COMPONENTS: [&str; 16] =
    ["x", "y", "z", "qx", "qy", "qz", "qw", "roll", "pitch", "yaw", "dx", "dy", "dz", "look_x", "look_y", "look_z"];
/// Another name of the first components, in tables that have `qx`, `qy`, `qz`, `qw` beside them.
const TRANSLATIONS: [&str; 3] = ["tx", "ty", "tz"];
/// The components that belong together, what to call them, and what they measure.
pub(super) const GROUPS: [(Range<usize>, &str, Option<Quantity>); 5] = [
    (0..3, "x, y and z", Some(Quantity::Length)),
    (3..7, "qx, qy, qz and qw", None),
    (ANGLES, "roll, pitch and yaw", Some(Quantity::Angle)),
    (10..13, "dx, dy and dz", None),
    (13..16, "look_x, look_y and look_z", Some(Quantity::Length)),
];
/// The components that are angles.
pub(super) const ANGLES: Range<usize> = 7..10;

/// What the name of a column for a rank ends with.
const RANK: &str = "rank";
const TIMES: [&str; 3] = ["time", "t", "seconds"];
/// What the name of a column for a start coordinate begins with.
pub(super) const START: &str = "q.";

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TargetColumn {
    /// The name in the table.
    pub name: String,
    pub meaning: Column,
    /// What the numbers are multiplied with, if the name says a unit.
    pub unit: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Column {
    Id,
    Path,
    /// Ignored: rows are used in file order.
    Time,
    Target {
        effector: usize,
        component: usize,
    },
    /// What the target gives way to.
    Rank {
        effector: usize,
    },
    /// Start coordinate of a joint.
    Start {
        joint: usize,
    },
    /// Copied to the answer.
    Carried,
}

impl Column {
    /// Whether its cells are numbers.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Column::Target { .. } | Column::Start { .. })
    }

    /// What its numbers measure.
    fn quantity(self, scene: &Scene) -> Option<Quantity> {
        match self {
            Column::Target { component, .. } => {
                GROUPS.into_iter().find(|(part, ..)| part.contains(&component)).and_then(|(.., quantity)| quantity)
            }
            Column::Start { joint } => Quantity::of(scene.skeleton.kind(joint)),
            Column::Id | Column::Path | Column::Time | Column::Rank { .. } | Column::Carried => None,
        }
    }
}

/// What units measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Length,
    Angle,
}

impl Quantity {
    /// Of the coordinate of a hinge or a slide.
    pub fn of(kind: &Kind) -> Option<Self> {
        match kind {
            Kind::Hinge { .. } => Some(Quantity::Angle),
            Kind::Slide { .. } => Some(Quantity::Length),
            Kind::Ball { .. } | Kind::Fixed | Kind::Free => None,
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Quantity::Length => "lengths",
            Quantity::Angle => "angles",
        }
    }
}

/// The units, in metres or radians.
const UNITS: [(&[&str], Quantity, f64); 5] = [
    (&["m", "metre", "metres", "meter", "meters"], Quantity::Length, 1.0),
    (&["cm"], Quantity::Length, 0.01),
    (&["mm"], Quantity::Length, 0.001),
    (&["rad", "radian", "radians"], Quantity::Angle, 1.0),
    (&["deg", "degree", "degrees", "°"], Quantity::Angle, std::f64::consts::PI / 180.0),
];

/// A name without the unit that it says, and this unit: in brackets, or a known one as the last word.
pub(crate) fn without_unit(name: &str) -> Option<(&str, &str)> {
    let in_brackets = [('[', ']'), ('(', ')')].into_iter().find_map(|(open, close)| {
        let (stem, unit) = name.strip_suffix(close)?.rsplit_once(open)?;
        Some((stem.trim_end(), unit.trim()))
    });
    let as_word = || name.rsplit_once(['_', ' ']).filter(|(_, unit)| size_of(unit).is_some());
    in_brackets.or_else(as_word)
}

fn size_of(unit: &str) -> Option<(Quantity, f64)> {
    let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(unit));
    UNITS.iter().find(|(names, ..)| is(names)).map(|&(_, quantity, size)| (quantity, size))
}

/// The size of a unit, in radians or lengths of the scene. The error says why it is none of this quantity.
pub(crate) fn unit_size(scene: &Scene, quantity: Option<Quantity>, unit: &str) -> Result<f64, String> {
    let Some(quantity) = quantity else { return Err(format!("its numbers have no unit, but the name says `{unit}`")) };
    match size_of(unit).filter(|(found, _)| *found == quantity) {
        Some((Quantity::Length, _)) if !scene.assets.in_metres => {
            Err("the scene does not say in which unit its lengths are; --set unit=m says metres".to_owned())
        }
        Some((_, size)) => Ok(size),
        None => {
            let units: Vec<&str> =
                UNITS.iter().filter(|(_, own, _)| *own == quantity).map(|(names, ..)| names[0]).collect();
            Err(format!("`{unit}` is no unit of {}; known: {}", quantity.plural(), units.join(", ")))
        }
    }
}

impl TargetColumn {
    /// The column of this name. It is carried if the name has no meaning.
    pub fn read(scene: &Scene, name: String) -> Result<Self, String> {
        if let Some(meaning) = meaning(scene, &name) {
            return Ok(TargetColumn { name, meaning, unit: None });
        }
        let split = without_unit(&name).and_then(|(stem, unit)| Some((meaning(scene, stem)?, unit)));
        let (meaning, unit) = match split {
            None => (Column::Carried, None),
            Some((meaning, _)) if !meaning.is_number() => (meaning, None),
            Some((meaning, unit)) => {
                let size = unit_size(scene, meaning.quantity(scene), unit);
                (meaning, Some(size.map_err(|error| format!("the column `{name}`: {error}"))?))
            }
        };
        Ok(TargetColumn { name, meaning, unit })
    }

    pub fn is_carried(&self) -> bool {
        self.meaning == Column::Carried
    }

    /// Checks that a column that is carried is not meant to be another one: that its name is not nearly that of another one, and has
    /// no word for a component that the first effector lacks among `all` columns.
    pub fn check_carried(&self, scene: &Scene, all: &[TargetColumn]) -> Result<(), String> {
        let name = without_unit(&self.name).map_or(self.name.as_str(), |(stem, _)| stem);
        if let Some(joint) = after_start(name) {
            return start_column(scene, name, joint).map(drop);
        }
        if owned(name).any(|(_, part)| of_effector(0, part).is_some()) {
            let places: Vec<&str> = owned(name).map(|(owner, _)| owner).collect();
            return Err(match places.into_iter().rev().find(|owner| scene.find_place(owner).is_some()) {
                Some(place) => {
                    format!("the column `{name}`: `{place}` is no effector; --effector {place} makes it one")
                }
                None => unknown(scene, &self.name, name),
            });
        }
        let is_missing = |&component: &usize| {
            let meant = Column::Target { effector: 0, component };
            all.iter().all(|column| column.meaning != meant)
        };
        if nearest_name(name, known(scene).iter().map(String::as_str)).is_some() {
            return Err(unknown(scene, &self.name, name));
        }
        match tokens(name).iter().filter_map(|word| component(word)).find(is_missing) {
            Some(component) => {
                let meant = COMPONENTS[component];
                Err(format!("the column `{}` is not known; did you mean `{meant}`? Rename it otherwise", self.name))
            }
            None => Ok(()),
        }
    }
}

/// What a name means that is known as it is, without a unit.
fn meaning(scene: &Scene, name: &str) -> Option<Column> {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    match () {
        () if is("id") => return Some(Column::Id),
        () if is("path") => return Some(Column::Path),
        () if TIMES.iter().any(|known| is(known)) => return Some(Column::Time),
        () => {}
    }
    if let Some(column) = of_effector(0, name).filter(|_| !scene.effectors.is_empty()) {
        return Some(column);
    }
    let find = |owner: &str| scene.effectors.iter().position(|effector| effector.name == owner);
    owned(name)
        .find_map(|(owner, part)| of_effector(find(owner)?, part))
        .or_else(|| start_column(scene, name, after_start(name)?).ok())
}

/// The ways to read a name as `OWNER.PART` or `OWNER_PART`.
fn owned(name: &str) -> impl Iterator<Item = (&str, &str)> {
    name.match_indices(['.', '_']).map(|(at, _)| (&name[..at], &name[at + 1..]))
}

/// The column of an effector that this name means.
fn of_effector(effector: usize, name: &str) -> Option<Column> {
    match name.eq_ignore_ascii_case(RANK) {
        true => Some(Column::Rank { effector }),
        false => component(name).map(|component| Column::Target { effector, component }),
    }
}

/// The component of this name.
fn component(text: &str) -> Option<usize> {
    let place = |names: &[&str]| names.iter().position(|known| known.eq_ignore_ascii_case(text));
    place(&COMPONENTS).or_else(|| place(&TRANSLATIONS))
}

/// The name of the joint in that of a column for a start coordinate.
fn after_start(name: &str) -> Option<&str> {
    name.split_at_checked(START.len()).filter(|(start, _)| start.eq_ignore_ascii_case(START)).map(|(_, joint)| joint)
}

fn start_column(scene: &Scene, name: &str, joint: &str) -> Result<Column, String> {
    let joint = scene.find_joint(joint).ok_or_else(|| {
        let hint = scene.joint_hint(joint).map_or(String::new(), |hint| format!("; {hint}"));
        format!("the column `{name}`: there is no joint `{joint}`{hint}")
    })?;
    let is_scalar = matches!(scene.skeleton.kind(joint), Kind::Hinge { .. } | Kind::Slide { .. });
    match (is_scalar, scene.skeleton.joints()[joint].mimic) {
        (true, None) => Ok(Column::Start { joint }),
        (true, Some(_)) => Err(format!("the column `{name}`: this joint follows another one; give that one")),
        (false, _) => Err(format!("the column `{name}`: only hinges and slides have start columns")),
    }
}

/// Names that a column may have.
fn known(scene: &Scene) -> Vec<String> {
    let effectors = scene.effectors.iter().take(4).map(|effector| format!("{}.x", effector.name));
    COMPONENTS.into_iter().map(str::to_owned).chain(effectors).collect()
}

/// The message for a column whose name is not known; `stem` is the name without its unit.
fn unknown(scene: &Scene, name: &str, stem: &str) -> String {
    let known = known(scene);
    let hint = did_you_mean(stem, ["id"].into_iter().chain(known.iter().map(String::as_str)));
    format!("the column `{name}` is not known{}", hint.map_or(String::new(), |hint| format!("; {hint}")))
}
