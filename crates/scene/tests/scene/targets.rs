//! Tables of targets: CSV with and without column names, NPY, and their errors.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::random::Random;
use fabrik3d_scene::write_npy;
use fabrik3d_scene::{Case, Numbered, RANKS, Scene, read_targets};
use glam::{DQuat, DVec3};
use std::path::Path;

fn scene() -> Scene {
    Scene::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/scenes/tree.toml")).unwrap()
}

/// The cases of a table: for each row, the positions and rotations of the effectors that it changes.
type Targets = Vec<Option<(DVec3, Option<DQuat>)>>;

fn read(bytes: &[u8]) -> Result<Vec<Numbered<Targets>>, String> {
    let scene = scene();
    let (columns, rows) = read_targets(bytes, Path::new(""), &scene)?;
    let before = scene.problem();
    let row = |row: std::io::Result<(u64, Result<_, String>)>| {
        let (number, row) = row.unwrap();
        let targets = row.and_then(|row| columns.case(&scene, &row)).map(|case| {
            let goals = case.problem.goals.iter().zip(&before.goals);
            let changed = goals.map(|(goal, before)| {
                (goal.target != before.target).then(|| (goal.target.position.unwrap(), goal.target.rotation()))
            });
            changed.collect()
        });
        (number, targets)
    };
    Ok(rows.rows().map(row).collect())
}

fn only(effector: usize, position: [f64; 3]) -> Targets {
    let mut targets = vec![None; scene().effectors.len()];
    targets[effector] = Some((DVec3::from_array(position), None));
    targets
}

#[test]
fn columns_are_matched_by_name_or_by_position() {
    let scene = scene();
    let (first, second) = (&scene.effectors[0].name, &scene.effectors[1].name);
    let named = format!("\u{feff}{second}.z,{second}.y,{second}.x\r\n3,2,1\r\n\r\n6,5,4\r\n");
    let rows = read(named.as_bytes()).unwrap();
    assert_eq!(rows, [(1, Ok(only(1, [1.0, 2.0, 3.0]))), (3, Ok(only(1, [4.0, 5.0, 6.0])))]);
    for text in [
        "x,y,z\n-1,0.5,1e-3\n",
        "-1,0.5,1e-3",
        "# a remark\n-1; 0.5; 1e-3\n",
        "-1\t0.5\t1e-3",
        "  -1 0.5   1e-3",
        "\"x\" \"y\" \"z\"\n# a remark\n-1 0.5 1e-3",
    ] {
        let rows = read(text.as_bytes()).unwrap();
        assert_eq!(
            rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>(),
            [Ok(only(0, [-1.0, 0.5, 1e-3]))],
            "{text:?}"
        );
    }
    let both = format!("{first}.x,{first}.y,{first}.z,{second}_x,{second}_y,{second}_z\n1,2,3,4,5,6\n");
    let mut expected = only(0, [1.0, 2.0, 3.0]);
    expected[1] = only(1, [4.0, 5.0, 6.0])[1];
    assert_eq!(read(both.as_bytes()).unwrap(), [(1, Ok(expected.clone()))]);
    let mut npy = Vec::new();
    write_npy(&mut npy, 1, 6, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    assert_eq!(read(&npy).unwrap(), [(1, Ok(expected))]);
}

#[test]
fn ranks_of_rows_are_those_of_cases() {
    let scene = scene();
    let names: Vec<&str> = scene.effectors.iter().map(|own| own.name.as_str()).collect();
    let words = RANKS.iter().map(|(word, _)| *word).chain([""]);
    for (word, at) in words.flat_map(|word| (0..names.len()).map(move |at| (word, at))) {
        // The rank belongs to the target of the row, or to one that the scene has.
        for moved in [at, (at + 1) % names.len()] {
            let (own, moved) = (names[at], names[moved]);
            let columns = [format!("{own}.rank"), format!("{own}_rank"), "rank".to_owned()];
            let ranked = if word.is_empty() { String::new() } else { format!(r#""rank": "{word}""#) };
            let place = r#""position": [1, 2, 3]"#;
            let line = match (own == moved, word) {
                (_, "") => format!(r#"{{"targets": {{"{moved}": {{{place}}}}}}}"#),
                (true, _) => format!(r#"{{"targets": {{"{moved}": {{{place}, {ranked}}}}}}}"#),
                (false, _) => format!(r#"{{"targets": {{"{moved}": {{{place}}}, "{own}": {{{ranked}}}}}}}"#),
            };
            let case = Case::parse(&scene, &line).1.unwrap();
            let count = if at == 0 { 3 } else { 2 };
            for column in &columns[..count] {
                let table = format!("{moved}.x,{moved}.y,{moved}.z,{column}\n1,2,3,{word}\n");
                let (columns, rows) = read_targets(table.as_bytes(), Path::new(""), &scene).unwrap();
                let (_, row) = rows.rows().next().unwrap().unwrap();
                assert_eq!(columns.case(&scene, &row.unwrap()).unwrap().problem, case.problem, "{table}");
            }
            if let Some((_, rank)) = RANKS.iter().find(|(known, _)| *known == word) {
                assert_eq!(case.problem.goals[at].rank, *rank, "{line}");
            }
        }
    }
    let [(1, Err(told))] = &read(b"x,y,z,rank\n1,2,3,7").unwrap()[..] else { panic!("one row") };
    assert!(told.starts_with("column `rank`: expected one of firm, wanted, preferred, found \"7\""), "{told}");
    assert!(Case::parse(&scene, &format!(r#"{{"targets": {{"{}": {{"rank": "prefered"}}}}}}"#, names[0])).1.is_err());
}

#[test]
fn rotations_take_four_more_columns() {
    let mut expected = only(0, [1.0, 2.0, 3.0]);
    expected[0] = expected[0].map(|(position, _)| (position, Some(DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8))));
    let mut npy = Vec::new();
    write_npy(&mut npy, 1, 7, [1.0, 2.0, 3.0, 0.0, 0.0, 0.606, 0.808]).unwrap();
    for table in [&b"qz,qw,qx,qy,x,y,z\n0.6,0.8,0,0,1,2,3"[..], b"1 2 3 0 0 0.594 0.792", &npy] {
        let [(1, Ok(targets))] = &read(table).unwrap()[..] else { panic!("one row") };
        let (Some((position, Some(rotation))), Some((expected_position, Some(expected_rotation)))) =
            (targets[0], expected[0])
        else {
            panic!("{targets:?}")
        };
        assert!(position == expected_position && rotation.angle_between(expected_rotation) < 1e-12, "{rotation}");
    }
    let [(1, Err(error))] = &read(b"1 2 3 0 0 0 0").unwrap()[..] else { panic!("one row") };
    assert_eq!(error, "a rotation cannot be zero; the identity is 0,0,0,1");
    let [(1, Err(error))] = &read(b"1 2 3 0 0 6 8").unwrap()[..] else { panic!("one row") };
    assert!(error.contains("of length 1, but this one has length 10"), "{error}");
}

#[test]
fn an_invalid_row_does_not_end_the_table() {
    let rows = read(b"x,y,z\n1,2,3\n1,2\n1,nan,3\n1,two,3\n1,,3\n\xff\xff\n7,8,9\n,,\n").unwrap();
    let errors: Vec<(u64, &str)> =
        rows.iter().filter_map(|(number, row)| Some((*number, row.as_ref().err()?.as_str()))).collect();
    assert_eq!(
        errors,
        [
            (2, "expected 3 columns, found 2"),
            (3, "column `y`: expected a finite number, found \"nan\""),
            (4, "column `y`: expected a finite number, found \"two\""),
            (5, "x, z without y: fill all of them, or leave all empty"),
            (6, "the line is not UTF-8 text"),
        ]
    );
    assert_eq!(rows[6], (7, Ok(only(0, [7.0, 8.0, 9.0]))));
    let [(1, Err(error))] = &read(b"x\ty\tz\n1\t0,5\t3\n").unwrap()[..] else { panic!("one row") };
    assert!(error.ends_with("found \"0,5\"; decimals follow a point, not a comma"), "{error}");
    assert_eq!(rows[7], (8, Ok(vec![None; scene().effectors.len()])));
}

#[test]
fn damaged_arrays_are_read_up_to_the_damage() {
    let mut npy = Vec::new();
    write_npy(&mut npy, 3, 3, [1.0, 2.0, 3.0, f64::NAN, 5.0, 6.0, 7.0, 8.0, 9.0]).unwrap();
    npy.truncate(npy.len() - 1);
    let scene = scene();
    let (columns, rows) = read_targets(&npy[..], Path::new(""), &scene).unwrap();
    let mut rows = rows.rows();
    let mut case = || rows.next().unwrap().map(|(_, row)| columns.case(&scene, &row.unwrap()).err());
    assert_eq!(case().unwrap(), None);
    let name = &scene.effectors[0].name;
    assert_eq!(case().unwrap(), Some(format!("column `{name}.x`: the number is not finite")));
    let error = case().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
    assert!(
        error.to_string().starts_with("the file is cut off: its header says 3 rows, and 2 rows are there"),
        "{error}"
    );
    assert!(rows.next().is_none());
}

#[test]
fn a_mismatching_table_is_refused() {
    let cases: [(&[u8], &str); 6] = [
        (b"", "the table is empty"),
        (b"\n \n# only a remark\n", "the table is empty"),
        (b"1,2\n", "2 columns without names do not fit: expected three for each of"),
        (b"a,b,c\n", "no target columns: expected x, y, z (or NAME.x, ..); found a, b, c"),
        (b"x,y\n1,2\n", "are not complete; expected x, y and z"),
        (b"\x93NUMPY", "the file is cut off"),
    ];
    for (bytes, expected) in cases {
        let message = read(bytes).unwrap_err();
        assert!(message.contains(expected), "{message}, expected {expected}");
    }
}

/// An NPY file with one row of three integers of a type.
fn integers(code: &str, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{code}', 'fortran_order': False, 'shape': (1, 3), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(bytes);
    file
}

#[test]
fn time_columns_are_ignored_and_unnamed_columns_get_a_note() {
    for header in ["time,x,y,z", "T,x,y,z", "seconds,x,y,z"] {
        let rows = read(format!("{header}\n0.1,1,2,3\n,4,5,6\n").as_bytes()).unwrap();
        assert_eq!(rows, [(1, Ok(only(0, [1.0, 2.0, 3.0]))), (2, Ok(only(0, [4.0, 5.0, 6.0])))], "{header}");
    }
    let numbers = [1_i32, -2, 300];
    let wide = numbers.map(i64::from);
    for (code, bytes) in [
        ("<i4", numbers.map(i32::to_le_bytes).concat()),
        (">i4", numbers.map(i32::to_be_bytes).concat()),
        ("<i8", wide.map(i64::to_le_bytes).concat()),
        (">i8", wide.map(i64::to_be_bytes).concat()),
    ] {
        assert_eq!(read(&integers(code, &bytes)).unwrap(), [(1, Ok(only(0, [1.0, -2.0, 300.0])))], "{code}");
    }
    assert!(read(b"PK\x03\x04rest").unwrap_err().contains("archive"));
    let parquet = read(b"PAR1rest").unwrap_err();
    assert!(parquet.contains("Parquet") && parquet.contains("to_csv"), "{parquet}");
    let scene = scene();
    let note = |text: &str| read_targets(text.as_bytes(), Path::new(""), &scene).unwrap().0.note(&scene);
    let names: Vec<&str> = scene.effectors.iter().take(2).map(|one| one.name.as_str()).collect();
    assert_eq!(note("1,2,3,4,5,6\n"), Some(format!("columns without names: 3 for each of {}", names.join(", "))));
    assert_eq!((note("1,2,3\n"), note("x,y,z\n1,2,3\n")), (None, None));
}

/// An array of 4x4 transforms says the same as positions and quaternions.
#[test]
fn arrays_of_transforms_are_positions_and_rotations() {
    let mut random = Random::new(14);
    let scene = scene();
    for case in 0..100 {
        let count = 1 + random.index(scene.effectors.len());
        let places: Vec<(DVec3, DQuat)> = (0..count).map(|_| (random.ball(), random.rotation())).collect();
        let mut numbers = Vec::new();
        for (place, turn) in &places {
            let matrix = glam::DMat4::from_rotation_translation(*turn, *place).transpose();
            numbers.extend(matrix.to_cols_array());
        }
        if case == 99 {
            numbers[0] += 0.5;
        }
        let shape = if count == 1 { "(1, 4, 4)".to_owned() } else { format!("(1, {count}, 4, 4)") };
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut npy = b"\x93NUMPY\x01\x00".to_vec();
        npy.extend((header.len() as u16).to_le_bytes());
        npy.extend(header.as_bytes());
        npy.extend(numbers.into_iter().flat_map(f64::to_le_bytes));
        let [(1, row)] = &read(&npy).unwrap()[..] else { panic!("one row") };
        if case == 99 {
            assert!(row.as_ref().unwrap_err().contains("no transform"));
            continue;
        }
        for (found, (place, turn)) in row.as_ref().unwrap().iter().zip(&places) {
            let (position, rotation) = found.unwrap();
            assert!(position.distance(*place) < 1e-12 && rotation.unwrap().angle_between(*turn) < 1e-6);
        }
    }
}

/// A scene in metres with a hinge and a slide.
fn in_metres() -> Scene {
    let text = "unit = \"m\"\n[[joint]]\nname = \"turn\"\nkind = \"hinge\"\naxis = [0, 0, 1]\n[[joint]]\nname = \"slide\"\n\
        kind = \"slide\"\nparent = \"turn\"\naxis = [1, 0, 0]\noffset = [1, 0, 0]\n[[effector]]\njoint = \"slide\"\ntip = [1, 0, 0]\n";
    Scene::parse(text, fabrik3d_scene::Syntax::Toml, "scene.toml").unwrap()
}

/// Columns of a table with their units and numbers in these units, and the numbers in metres and radians.
type Columns = Vec<(&'static str, String, f64, f64)>;

fn columns(random: &mut Random, is_bare: bool) -> Columns {
    let names = ["x", "y", "z", "roll", "pitch", "yaw", "q.turn", "q.slide"];
    let column = |name: &'static str| {
        let is_angle = ["roll", "pitch", "yaw", "q.turn"].contains(&name);
        let units = match is_angle {
            true => [
                ("rad", 1.0),
                ("deg", 1_f64.to_radians()),
                ("Degrees", 1_f64.to_radians()),
                ("\u{b0}", 1_f64.to_radians()),
            ],
            false => [("m", 1.0), ("mm", 1e-3), ("cm", 1e-2), ("metres", 1.0)],
        };
        let (unit, size) = units[random.index(4)];
        let number = random.range(-1.0, 1.0);
        let forms = [format!("[{unit}]"), format!(" ({unit})"), format!("_{unit}"), format!(" [{unit}]")];
        let form = if is_bare { String::new() } else { forms[random.index(4)].clone() };
        (name, form, if is_bare { number } else { number / size }, number)
    };
    names.map(column).into_iter().collect()
}

/// Whatever the units, their form, the marks between cells and in decimals, and the ends of lines: the same targets and starts.
#[test]
fn tables_say_the_same_in_other_units_marks_and_line_ends() {
    let scene = in_metres();
    let read = |text: &str| {
        let (columns, rows) =
            read_targets(text.as_bytes(), Path::new(""), &scene).unwrap_or_else(|error| panic!("{error}: {text}"));
        let rows: Vec<_> = rows.rows().map(Result::unwrap).collect();
        let [(1, Ok(row))] = rows.as_slice() else { panic!("{rows:?}: {text:?}") };
        columns.case(&scene, row).unwrap_or_else(|error| panic!("{error}: {text:?}"))
    };
    let mut random = Random::new(3);
    for _ in 0..300 {
        let columns = columns(&mut random, false);
        let (mark, decimal) = [(",", "."), (";", "."), (";", ","), ("\t", ".")][random.index(4)];
        let end = ["\n", "\r\n", "\r"][random.index(3)];
        let line = |cells: Vec<String>| cells.join(mark) + end;
        let header = line(columns.iter().map(|(name, unit, ..)| format!("{name}{unit}")).collect());
        let row = line(columns.iter().map(|(.., number, _)| number.to_string().replace('.', decimal)).collect());
        let plain = columns.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(",");
        let numbers: Vec<String> = columns.iter().map(|(.., number)| number.to_string()).collect();
        let (found, expected) = (read(&(header + &row)), read(&format!("{plain}\n{}", numbers.join(","))));
        let [found_goal, goal] = [&found, &expected].map(|case| case.problem.goals[0].target);
        assert!(found_goal.position.unwrap().distance(goal.position.unwrap()) < 1e-12);
        assert!(found_goal.rotation().unwrap().angle_between(goal.rotation().unwrap()) < 1e-6);
        for (one, other) in found.start.iter().zip(&expected.start) {
            assert!((one.value() - other.value()).abs() < 1e-12);
        }
    }
}

/// A unit that does not fit, or a length where the scene has no unit, is an error. `tx`, `ty`, `tz` are a position.
#[test]
fn units_that_do_not_fit_are_errors() {
    let error =
        |scene: &Scene, header: &str| read_targets(header.as_bytes(), Path::new(""), scene).map(drop).unwrap_err();
    for (header, part) in [
        ("x [deg],y,z", "the column `x [deg]`: `deg` is no unit of lengths; known: m, cm, mm"),
        ("x,y,z,roll (mm),pitch,yaw", "`mm` is no unit of angles; known: rad, deg"),
        ("x [furlong],y,z", "`furlong` is no unit"),
        ("x,y,z,qx [deg],qy,qz,qw", "have no unit"),
    ] {
        let error = error(&in_metres(), header);
        assert!(error.contains(part), "{error}");
    }
    assert!(error(&scene(), "x [mm],y [mm],z [mm]").contains("--set unit=m"));
    assert_eq!(read(b"tx ty tz\n1 2 3").unwrap(), [(1, Ok(only(0, [1.0, 2.0, 3.0])))]);
}

/// A column that has a word for a missing component, in any form, is an error: the target would lose that part in silence.
#[test]
fn what_resembles_a_missing_column_is_an_error() {
    let mut random = Random::new(6);
    let words = ["angle", "position", "goal", "Of Hand", "joint7"];
    for _ in 0..200 {
        let (part, missing) =
            [("roll", "x,y,z"), ("Yaw", "x,y,z"), ("qw", "x,y,z"), ("z", "x,y"), ("X", "y,z")][random.index(5)];
        let word = words[random.index(words.len())];
        let name = [
            format!("{part} {word}"),
            format!("{word} {part}"),
            format!("{word}-{part}"),
            format!("{part}/{word} [deg]"),
        ];
        let header = format!("{missing},{}", name[random.index(4)]);
        let error = read(format!("{header}\n").as_bytes()).unwrap_err();
        assert!(error.contains("is not known; did you mean") || error.contains("is not complete"), "{header}: {error}");
        // Beside the component itself it is another column.
        let header = format!("x,y,z,qx,qy,qz,qw,{part} deviation");
        if !["roll", "Yaw"].contains(&part) {
            assert!(read(format!("{header}\n1,2,3,0,0,0,1,5\n").as_bytes()).is_ok(), "{header}");
        }
    }
}
