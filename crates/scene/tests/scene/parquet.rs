//! Tables of targets and answers as Parquet. Files are written by the library's own writer, column by column.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Report, Stop};
use fabrik3d_scene::{AnswerRows, Case, Cell, Outcome, ParquetWriter, Scene, TargetRow, open_targets, read_targets};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::borrow::Cow;
use std::path::Path;

fn scene() -> Scene {
    Scene::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/scenes/robot-arm.toml")).unwrap()
}

/// The cells of a column; `None` is an empty cell.
enum Column {
    Double(Vec<Option<f64>>),
    Float(Vec<Option<f64>>),
    Long(Vec<Option<i64>>),
    Int(Vec<Option<i64>>),
    Bool(Vec<Option<bool>>),
    Text(Vec<Option<String>>),
}

/// Lays out cells as values and levels.
fn split<T: Clone, U>(cells: &[Option<T>], value: impl Fn(T) -> U) -> (Vec<U>, Vec<i16>) {
    let levels = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    (cells.iter().flatten().cloned().map(value).collect(), levels)
}

/// A file with these optional columns, some rows per group.
fn file(schema: &str, columns: &[Column], group: usize, compression: Compression) -> Vec<u8> {
    let schema = parse_message_type(&format!("message table {{ {schema} }}")).unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut out = SerializedFileWriter::new(Vec::new(), schema.into(), properties.into()).unwrap();
    let rows = match &columns[0] {
        Column::Double(cells) | Column::Float(cells) => cells.len(),
        Column::Long(cells) | Column::Int(cells) => cells.len(),
        Column::Bool(cells) => cells.len(),
        Column::Text(cells) => cells.len(),
    };
    for first in (0..rows).step_by(group) {
        let part = first..rows.min(first + group);
        let mut writer = out.next_row_group().unwrap();
        for column in columns {
            let mut to = writer.next_column().unwrap().unwrap();
            match (to.untyped(), column) {
                (ColumnWriter::DoubleColumnWriter(to), Column::Double(cells)) => {
                    let (values, levels) = split(&cells[part.clone()], |value| value);
                    to.write_batch(&values, Some(&levels), None).unwrap();
                }
                (ColumnWriter::FloatColumnWriter(to), Column::Float(cells)) => {
                    let (values, levels) = split(&cells[part.clone()], |value| value as f32);
                    to.write_batch(&values, Some(&levels), None).unwrap();
                }
                (ColumnWriter::Int64ColumnWriter(to), Column::Long(cells)) => {
                    let (values, levels) = split(&cells[part.clone()], |value| value);
                    to.write_batch(&values, Some(&levels), None).unwrap();
                }
                (ColumnWriter::Int32ColumnWriter(to), Column::Int(cells)) => {
                    let (values, levels) = split(&cells[part.clone()], |value| value as i32);
                    to.write_batch(&values, Some(&levels), None).unwrap();
                }
                (ColumnWriter::BoolColumnWriter(to), Column::Bool(cells)) => {
                    let (values, levels) = split(&cells[part.clone()], |value| value);
                    to.write_batch(&values, Some(&levels), None).unwrap();
                }
                (ColumnWriter::ByteArrayColumnWriter(to), Column::Text(cells)) => {
                    let (values, levels) = split(&cells[part.clone()], |text| ByteArray::from(text.as_str()));
                    to.write_batch(&values, Some(&levels), None).unwrap();
                }
                _ => panic!("the schema does not fit the columns"),
            }
            to.close().unwrap();
        }
        writer.close().unwrap();
    }
    out.into_inner().unwrap()
}

/// A file on the disk that is removed at the end.
fn saved(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

/// What a table says: for each row its number, id, carried cells and case.
type Said = (u64, Option<Cell<'static>>, Vec<Cell<'static>>, Result<Case, String>);

fn read(bytes: &[u8]) -> Result<Vec<Said>, String> {
    let (scene, file) = (scene(), saved(bytes));
    let (columns, rows) = open_targets(file.path(), &scene)?;
    let said = |row: std::io::Result<(u64, Result<TargetRow, String>)>| {
        let (number, row) = row.map_err(|error| error.to_string())?;
        let row = row?;
        let carried = columns.carried_cells(&row).into_iter().map(Cell::into_owned).collect();
        Ok((number, columns.id(&row).map(Cell::into_owned), carried, columns.case(&scene, &row)))
    };
    rows.map(said).collect()
}

/// The same numbers as CSV and as Parquet are the same cases, whatever the groups, the compression and the empty cells.
#[test]
fn parquet_and_csv_say_the_same() {
    let mut random = Random::new(4);
    let schema = "optional double x; optional double y; optional float z; optional double q.elbow; \
                  optional int64 id; optional int32 count; optional boolean good; optional binary label (UTF8);";
    for round in 0..12 {
        let rows = 1 + (random.range(0.0, 60.0) as usize);
        let mut number = |low, high| (0..rows).map(|_| random.range(low, high)).collect::<Vec<f64>>();
        let (x, y, z, elbow) = (number(-1.0, 1.0), number(0.0, 1.5), number(-1.0, 1.0), number(-1.0, 1.0));
        let z: Vec<f64> = z.into_iter().map(|z| f64::from(z as f32)).collect();
        // A target is empty as a whole.
        let is_empty = |at: usize| (at + round).is_multiple_of(5);
        let target = |values: &[f64]| (0..rows).map(|at| (!is_empty(at)).then_some(values[at])).collect::<Vec<_>>();
        let every = |third: usize| (0..rows).map(move |at| at % 3 != third);
        let table = [
            Column::Double(target(&x)),
            Column::Double(target(&y)),
            Column::Float(target(&z)),
            Column::Double(elbow.iter().zip(every(1)).map(|(&value, full)| full.then_some(value)).collect()),
            Column::Long((0..rows).map(|at| Some(at as i64 - 5)).collect()),
            Column::Int((0..rows).zip(every(2)).map(|(at, full)| full.then_some(at as i64 * 7)).collect()),
            Column::Bool((0..rows).map(|at| Some(at % 2 == 0)).collect()),
            Column::Text((0..rows).zip(every(0)).map(|(at, full)| full.then(|| format!("row, {at}"))).collect()),
        ];
        let mut text = "x,y,z,q.elbow\n".to_owned();
        for at in 0..rows {
            let cell = |values: &[f64]| if is_empty(at) { String::new() } else { values[at].to_string() };
            let elbow = if at % 3 == 1 { String::new() } else { elbow[at].to_string() };
            text += &format!("{},{},{},{elbow}\n", cell(&x), cell(&y), cell(&z));
        }
        let scene = scene();
        let (columns, csv) = read_targets(text.as_bytes(), &scene).unwrap();
        let expected: Vec<Case> = csv.map(|row| columns.case(&scene, &row.unwrap().1.unwrap()).unwrap()).collect();
        let compressions = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::ZSTD(ZstdLevel::default()),
            Compression::GZIP(parquet::basic::GzipLevel::default()),
        ];
        let found = read(&file(schema, &table, 1 + round * 3, compressions[round % 4])).unwrap();
        assert_eq!(found.len(), expected.len());
        for (at, ((number, id, carried, case), expected)) in found.into_iter().zip(expected).enumerate() {
            assert_eq!((number, id), (at as u64 + 1, Some(Cell::Integer(at as i64 - 5))));
            assert_eq!(case, Ok(expected), "row {number}");
            let count = if at % 3 == 2 { Cell::Empty } else { Cell::Integer(at as i64 * 7) };
            let label = if at % 3 == 0 { Cell::Empty } else { Cell::Text(Cow::Owned(format!("row, {at}"))) };
            assert_eq!(carried, [count, Cell::Flag(at % 2 == 0), label]);
        }
    }
}

#[test]
fn columns_that_do_not_fit_are_named_with_a_remedy() {
    let text = |cell: &str| Column::Text(vec![Some(cell.to_owned())]);
    let number = || Column::Double(vec![Some(1.0)]);
    let none = Compression::UNCOMPRESSED;
    let fault = |schema: &str, columns: &[Column]| read(&file(schema, columns, 9, none)).unwrap_err();
    let xyz = "optional double x; optional double y; ";
    let wrong = fault(&format!("{xyz} optional binary z (UTF8);"), &[number(), number(), text("1")]);
    assert!(wrong.starts_with("the column `z` holds text, expected numbers\n  convert it"), "{wrong}");
    let wrong =
        fault(&format!("{xyz} optional int64 z (DECIMAL(9, 2));"), &[number(), number(), Column::Long(vec![None])]);
    assert!(wrong.starts_with("the column `z` holds lists, bytes, decimals"), "{wrong}");
    let wrong =
        fault(&format!("{xyz} optional double z; optional double id;"), &[number(), number(), number(), number()]);
    assert!(wrong.starts_with("the column `id` holds numbers, expected text or integers"), "{wrong}");
    let wrong = fault(xyz, &[number(), number()]);
    assert!(wrong.contains("expected x, y and z"), "{wrong}");
    let wrong = read(b"PAR1 and nothing else").unwrap_err();
    assert!(wrong.starts_with("the file is damaged"), "{wrong}");
    let piped = read_targets(&file(xyz, &[number(), number()], 9, none)[..], &scene()).unwrap_err();
    assert!(piped.contains("cannot be read from a pipe"), "{piped}");
}

#[test]
fn a_table_goes_on_after_a_bad_row() {
    let numbers = |bad: f64| Column::Double(vec![Some(0.3), Some(bad), None, Some(0.2)]);
    let schema = "optional double x; optional double y; optional double z; optional double q.elbow;";
    let table = [numbers(0.1), numbers(f64::NAN), numbers(0.1), numbers(0.1)];
    let found = read(&file(schema, &table, 2, Compression::SNAPPY)).unwrap();
    let cases: Vec<Result<(), &str>> =
        found.iter().map(|(.., case)| case.as_ref().map(drop).map_err(String::as_str)).collect();
    assert_eq!(cases, [Ok(()), Err("column `y`: the number is not finite"), Ok(()), Ok(())]);
}

/// Columns without cells are left out with a note, times without one. Fields of structures are columns.
#[test]
fn lists_are_left_out_and_structures_taken_apart() {
    let scene = scene();
    let hand = &scene.effectors[0].name;
    let schema = format!(
        "optional group {hand} {{ optional double x; optional double y; optional double z; }} \
         optional int64 time (TIMESTAMP(MICROS, true)); optional binary bytes; optional int64 harvest;"
    );
    let number = || Column::Double(vec![None]);
    let table = [
        number(),
        number(),
        number(),
        Column::Long(vec![Some(1)]),
        Column::Text(vec![None]),
        Column::Long(vec![Some(4)]),
    ];
    let file = saved(&file(&schema, &table, 9, Compression::SNAPPY));
    let (columns, _) = open_targets(file.path(), &scene).unwrap();
    assert_eq!(columns.carried().collect::<Vec<_>>(), ["harvest"]);
    assert_eq!(columns.effectors().collect::<Vec<_>>(), [0]);
    assert_eq!(columns.notes(&scene), ["columns of lists, bytes and decimals are not copied to the answers: bytes"]);
}

/// Answers read back as a table: their ids and values are carried, with their types.
#[test]
fn answers_read_back() {
    let (scene, mut random) = (scene(), Random::new(8));
    let schema = "optional double x; optional double y; optional double z; optional int32 id; \
                  optional int64 when (TIMESTAMP(MICROS, true)); optional float score;";
    let table = |cells: usize| {
        let numbers = || Column::Double(vec![Some(0.5); cells]);
        let longs = || Column::Long((0..cells).map(|at| Some(at as i64)).collect());
        let ints = Column::Int((0..cells).map(|at| Some(at as i64)).collect());
        [numbers(), numbers(), numbers(), ints, longs(), Column::Float(vec![Some(0.25); cells])]
    };
    // More than a group of rows.
    let count = 33_000;
    let given = saved(&file(schema, &table(count), 10_000, Compression::SNAPPY));
    let (columns, rows) = open_targets(given.path(), &scene).unwrap();
    let mut writer = ParquetWriter::new(Vec::new(), &scene, &columns.carried_columns()).unwrap();
    let mut poses = Vec::new();
    for row in rows {
        let (number, row) = row.unwrap();
        let row = row.unwrap();
        let (id, carried) = (columns.id(&row).unwrap(), columns.carried_cells(&row));
        let mut answers = AnswerRows::default();
        if number % 1000 == 7 {
            answers.push_error(&scene, id, "no", &carried);
            poses.push(None);
        } else {
            let report = Report { stop: Stop::Limited, error: f64::NAN, iterations: 3, refine_steps: 0, attempts: 2 };
            let pose = scene.skeleton.random_pose(&mut random);
            answers.push(&scene, id, &Outcome::new(&scene, &scene.problem(), pose.clone(), report, 1.5), &carried);
            poses.push(Some(scene.pose_numbers(&pose).collect::<Vec<f64>>()));
        }
        writer.write(&answers).unwrap();
    }
    let bytes = writer.finish().unwrap();
    let answered = saved(&bytes);
    let (columns, rows) = open_targets(answered.path(), &scene).unwrap();
    let names: Vec<String> = columns.carried().map(str::to_owned).collect();
    let mut read = 0;
    for (at, row) in rows.enumerate() {
        let (_, row) = row.unwrap();
        let row = row.unwrap();
        assert_eq!(columns.id(&row), Some(Cell::Integer(at as i64)));
        let carried = columns.carried_cells(&row);
        let cell = |name: &str| &carried[names.iter().position(|own| own == name).unwrap()];
        assert_eq!((cell("when"), cell("score")), (&Cell::Integer(at as i64), &Cell::Number(0.25)));
        let first = names.iter().position(|name| name.ends_with(".angle") && !name.contains(&scene.effectors[0].name));
        let first = first.unwrap();
        match &poses[at] {
            None => {
                assert_eq!((cell("stop"), cell("message")), (&Cell::Text("error".into()), &Cell::Text("no".into())));
                assert_eq!((cell("reached"), &carried[first]), (&Cell::Empty, &Cell::Empty));
            }
            Some(pose) => {
                assert_eq!((cell("stop"), cell("message")), (&Cell::Text("limited".into()), &Cell::Empty));
                assert_eq!((cell("reached"), cell("error")), (&Cell::Flag(false), &Cell::Empty));
                assert_eq!((cell("iterations"), cell("micros")), (&Cell::Integer(3), &Cell::Number(1.5)));
                let numbers: Vec<Cell<'_>> = pose.iter().map(|&value| Cell::Number(value)).collect();
                assert_eq!(&carried[first..first + pose.len()], &numbers);
            }
        }
        read += 1;
    }
    assert_eq!(read, count);
}

/// A damaged file gives an error or other numbers, never a panic.
#[test]
fn damaged_files_do_not_panic() {
    let mut random = Random::new(2);
    let schema = "optional double x; optional double y; optional double z; optional binary label (UTF8);";
    let numbers = || Column::Double((0..300).map(|at| (at % 7 != 0).then_some(f64::from(at) * 0.01)).collect());
    let texts = Column::Text((0..300).map(|at| Some(format!("label {}", at % 9))).collect());
    let table = [numbers(), numbers(), numbers(), texts];
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())] {
        let whole = file(schema, &table, 100, compression);
        for _ in 0..700 {
            let mut bytes = whole.clone();
            for _ in 0..1 + (random.range(0.0, 3.0) as usize) {
                let at = random.range(4.0, bytes.len() as f64) as usize;
                bytes[at] = random.range(0.0, 256.0) as u8;
            }
            if random.range(0.0, 1.0) < 0.1 {
                bytes.truncate(random.range(4.0, bytes.len() as f64) as usize);
            }
            let read = std::panic::catch_unwind(|| read(&bytes));
            assert!(read.is_ok(), "the fault of the library is caught");
        }
    }
}
