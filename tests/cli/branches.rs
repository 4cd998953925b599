//! `solve --all` and `solve --nearest`.
#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::Value;
use support::{run, run_on};

const WRIST: &str = "assets/models/robot-arm.urdf";
const PARALLEL: &str = "assets/models/parallel-axes.urdf";
const SEVEN: &str = "assets/models/seven-axes.urdf";

fn answers(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The position and the orientation of the tool for these joint values, as arguments for a target.
fn target(robot: &str, joints: &str) -> [String; 4] {
    let ran = run(&["solve", robot, &format!("--joints={joints}"), "--json"]);
    let tool = &answers(&ran.out)[0]["effectors"]["tool"];
    let list = |value: &Value| value.as_array().unwrap().iter().map(Value::to_string).collect::<Vec<_>>().join(",");
    let flag = |name: &str, part: &str| format!("--{name}={}", list(&tool[part]));
    [
        flag("target", "position"),
        flag("rotation", "rotation"),
        "--tolerance=1e-9".into(),
        "--set=solver.rotation_tolerance=1e-7".into(),
    ]
}

fn solve(robot: &str, target: &[String], flags: &[&str]) -> support::ProgramResult {
    let mut arguments = vec!["solve", robot];
    arguments.extend(target.iter().map(String::as_str));
    arguments.extend(flags);
    run(&arguments)
}

/// The joint angles of an answer in degrees.
fn degrees(answer: &Value) -> Vec<f64> {
    let pose = answer["pose"].as_array().unwrap().iter();
    pose.filter_map(|joint| joint[0].as_f64()).map(f64::to_degrees).collect()
}

#[test]
fn all_branches_are_listed_in_every_format() {
    for (robot, joints, least) in [(WRIST, "20,30,70,40,50,60", 4), (PARALLEL, "20,-60,80,-100,-70,30", 8)] {
        let target = target(robot, joints);
        let json = solve(robot, &target, &["--all", "--json"]);
        assert_eq!((json.code, json.err.as_str()), (Some(0), ""), "{robot}");
        let found = answers(&json.out);
        assert!(found.len() >= least, "{robot}: {} branches", found.len());
        let known: Vec<f64> = joints.split(',').map(|angle| angle.parse().unwrap()).collect();
        let is_known = |answer: &Value| {
            let apart = degrees(answer).into_iter().zip(&known).map(|(own, known)| (own - known).abs() % 360.0);
            apart.map(|apart| apart.min(360.0 - apart)).fold(0.0, f64::max) < 1e-3
        };
        assert_eq!(found.iter().filter(|answer| is_known(answer)).count(), 1, "{robot}: {}", json.out);
        for (at, answer) in found.iter().enumerate() {
            assert_eq!((answer["id"].as_u64(), answer["reached"].as_bool()), (Some(at as u64 + 1), Some(true)));
            assert!(answer["effectors"]["tool"]["distance"].as_f64().unwrap() < 1e-12, "{answer}");
            assert!(answer["effectors"]["tool"]["angle"].as_f64().unwrap() < 1e-12, "{answer}");
        }
        let text = solve(robot, &target, &["--all"]);
        assert!(text.out.contains(&format!(": {} poses\n", found.len())), "{}", text.out);
        assert_eq!(text.out.lines().count(), found.len() + 2);
        let csv = solve(robot, &target, &["--all", "--csv"]);
        assert_eq!(csv.out.lines().count(), found.len() + 1);
    }
}

/// Each row has the answers that it has alone, numbered, in every format.
#[test]
fn rows_have_all_their_solutions() {
    let poses = ["20,30,70,40,50,60", "-40,10,60,20,-70,10"];
    let targets: Vec<[String; 4]> = poses.iter().map(|joints| target(WRIST, joints)).collect();
    let numbers = |flag: &str| flag.split_once('=').unwrap().1.to_owned();
    let rows: Vec<String> = targets.iter().map(|[at, turn, ..]| format!("{},{}", numbers(at), numbers(turn))).collect();
    let table = format!("x,y,z,qx,qy,qz,qw,note\n{},first\n9,0,0,0,0,0,1,far\n{},last\n", rows[0], rows[1]);
    let [.., tolerance, rotation] = &targets[0];
    let all = |format: &str| {
        let arguments = ["solve", WRIST, "--targets", "-", "--all", tolerance, rotation, format];
        run_on(&arguments, table.as_bytes())
    };
    let json = all("--json");
    assert_eq!(json.code, Some(1));
    let found = answers(&json.out);
    for (id, own) in [(1, Some(&targets[0])), (2, None), (3, Some(&targets[1]))] {
        let rows: Vec<&Value> = found.iter().filter(|answer| answer["id"].as_u64() == Some(id)).collect();
        assert!(
            rows.iter().enumerate().all(|(at, row)| row["solution"].as_u64() == Some(at as u64 + 1)),
            "{}",
            json.out
        );
        let Some(own) = own else {
            assert!(
                rows.len() == 1 && rows[0]["reached"] == false && rows[0]["columns"]["note"] == "far",
                "{}",
                json.out
            );
            continue;
        };
        let alone = answers(&solve(WRIST, own, &["--all", "--json"]).out);
        assert_eq!(rows.len(), alone.len());
        let apart = rows.iter().zip(&alone).flat_map(|(a, b)| degrees(a).into_iter().zip(degrees(b)));
        assert!(apart.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-6);
    }
    let csv = all("--csv").out;
    assert_eq!(csv.lines().count(), found.len() + 1);
    assert!(csv.lines().next().unwrap().ends_with(",message,solution,note"), "{csv}");
    let cases = rows.iter().map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        let (position, rotation) = (cells[..3].join(","), cells[3..].join(","));
        format!(
            "{{\"id\": \"a\", \"targets\": {{\"tool\": {{\"position\": [{position}], \"rotation\": [{rotation}]}}}}}}\n"
        )
    });
    let cases = run_on(&["solve", WRIST, "--cases", "-", "--all"], cases.collect::<String>().as_bytes());
    assert_eq!(answers(&cases.out).len(), found.len() - 1, "{}{}", cases.out, cases.err);
    let array = run_on(&["solve", WRIST, "--targets", "-", "--all", "-o", "never-written.npy"], table.as_bytes());
    assert!(array.code == Some(2) && array.err.contains("write .npz"), "{}", array.err);
    let path = run_on(&["solve", WRIST, "--targets", "-", "--all"], format!("x,y,z,path\n{},a\n", "1,2,3").as_bytes());
    assert!(path.code == Some(2) && path.err.contains("`path`"), "{}", path.err);
}

/// The wrist in line: the fourth and the sixth joint turn against each other.
#[test]
fn singular_poses_name_their_free_joints() {
    let target = target(WRIST, "20,30,70,40,0,60");
    let found = answers(&solve(WRIST, &target, &["--all", "--json"]).out);
    let is_singular = |answer: &&Value| answer["free_joints"].as_array().is_some_and(|names| names.len() == 2);
    assert!(found.iter().any(|answer| is_singular(&answer)), "{found:?}");
    assert!(found.iter().all(|answer| answer["effectors"]["tool"]["distance"].as_f64().unwrap() < 1e-9));
    let text = solve(WRIST, &target, &["--all"]).out;
    assert!(text.contains("turn freely against each other"), "{text}");
}

/// The poses are those for eight values of one joint, and each is exact.
#[test]
fn arms_with_seven_joints_list_poses_for_some_values_of_one() {
    for pose in ["10,20,30,-60,50,60,70", "-40,50,10,-90,20,-30,0", "0,30,0,-80,0,60,30"] {
        let target = target(SEVEN, pose);
        let ran = solve(SEVEN, &target, &["--all", "--json"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(
            ran.err.contains("infinitely many poses; these are some of them, for evenly spread values of `"),
            "{}",
            ran.err
        );
        let found = answers(&ran.out);
        let exact = |answer: &Value| answer["effectors"]["tool"]["distance"].as_f64().unwrap() < 1e-9;
        assert!(found.len() > 8 && found.iter().all(exact), "{} {found:?}", found.len());
        // One joint has at most eight values, and no other one so few.
        let name = ran.err.split('`').nth(1).unwrap();
        let at = found[0]["joint_names"].as_array().unwrap().iter().position(|own| own == name).unwrap();
        let mut values: Vec<i64> =
            found.iter().map(|answer| (answer["pose"][at][0].as_f64().unwrap() * 1e6) as i64).collect();
        values.sort_unstable();
        values.dedup();
        assert!((2..=8).contains(&values.len()), "{values:?}");
    }
}

#[test]
fn all_says_what_the_list_is() {
    let far = run(&["solve", WRIST, "--target", "9,0,0", "--rotation", "0,0,0", "--all"]);
    assert_eq!(far.code, Some(1));
    assert!(far.out.contains("beyond the reach"), "{}", far.out);
    let link = |at: usize, place: f64| {
        format!(
            "<link name='l{at}'/><joint name='j{at}' type='{}'><parent link='l{}'/><child link='l{at}'/>\
             <origin xyz='{place} 0 0'/><axis xyz='0 0 1'/></joint>",
            if at == 3 { "fixed" } else { "continuous" },
            at - 1
        )
    };
    let robot = format!("<robot name='r'><link name='l0'/>{}{}{}</robot>", link(1, 0.0), link(2, 1.0), link(3, 1.0));
    let searched =
        run_on(&["solve", "-", "--all", "--effector", "hand=j3", "--target", "hand=1,1,0"], robot.as_bytes());
    assert!(
        searched.code == Some(0) && searched.err.contains("there may be others"),
        "{}{}",
        searched.out,
        searched.err
    );
}

/// Whatever is redundant: seven joints, a position alone, balls, a humanoid. Rows of a table have the answers that they have alone.
#[test]
fn redundant_figures_list_some_of_infinitely_many_poses() {
    let ball_chain = |balls: usize| {
        let points: Vec<[f64; 3]> = (0..=balls).map(|at| [0.0, at as f64, 0.0]).collect();
        format!("[[chain]]\nname = \"arm\"\npoints = {points:?}\n")
    };
    let chains: Vec<String> = (1..=5).map(ball_chain).collect();
    let mut cases = vec![
        (SEVEN, "", "0.4,0.1,0.4"),
        (WRIST, "", "0.4,0.1,0.6"),
        ("assets/scenes/humanoid.toml", "", "right hand=0.3,1.2,0.3"),
    ];
    cases.extend(chains.iter().map(|scene| ("-", &scene[..], "0.6,0.8,0")));
    for (file, scene, target) in cases {
        let ran = run_on(&["solve", file, "--target", target, "--all", "--json"], scene.as_bytes());
        assert_eq!(ran.code, Some(0), "{file}: {}", ran.err);
        assert!(ran.err.contains("there are infinitely many poses; these are some of them"), "{file}: {}", ran.err);
        let found = answers(&ran.out);
        assert!((2..=16).contains(&found.len()), "{file}: {}", found.len());
        assert!(found.iter().all(|answer| answer["reached"] == true), "{file}");
        if file != "-" {
            continue;
        }
        let rows = format!("{{\"id\": 5, \"targets\": {{\"arm\": {{\"position\": [{target}]}}}}}}\n");
        let path = std::env::temp_dir().join(format!("fabrik3d-all-{}-{}.toml", std::process::id(), scene.len()));
        std::fs::write(&path, scene).unwrap();
        let cases = run_on(&["solve", path.to_str().unwrap(), "--cases", "-", "--all"], rows.as_bytes());
        let alone = run(&["solve", path.to_str().unwrap(), "--target", target, "--all", "--json"]);
        let poses = |text: &str| answers(text).iter().map(|answer| answer["pose"].clone()).collect::<Vec<_>>();
        assert_eq!(poses(&cases.out), poses(&alone.out));
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn nearest_poses_stay_next_to_the_start() {
    for (robot, joints, start) in [
        (WRIST, "20,30,70,40,50,60", "25,25,78,32,58,52"),
        (PARALLEL, "20,-60,80,-100,-70,30", "12,-52,72,-108,-78,38"),
        (SEVEN, "10,20,30,-60,50,60,70", "2,28,38,-68,42,52,78"),
    ] {
        let target = target(robot, joints);
        // The known pose is 8 degrees away.
        let ran = solve(robot, &target, &["--nearest", &format!("--joints={start}"), "--json"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{robot}");
        let start: Vec<f64> = start.split(',').map(|angle| angle.parse().unwrap()).collect();
        let moved =
            degrees(&answers(&ran.out)[0]).into_iter().zip(start).map(|(now, start): (f64, f64)| (now - start).abs());
        assert!(moved.fold(0.0, f64::max) <= 9.0, "{robot}: {}", ran.out);
        let key = solve(robot, &target, &["--set", "solver.prefer=nearest"]);
        assert_eq!(key.code, Some(0), "{}", key.err);
    }
    let wrong = run(&["solve", WRIST, "--set", "solver.prefer=farthest"]);
    assert!(wrong.err.contains("first") && wrong.err.contains("nearest"), "{}", wrong.err);
}
