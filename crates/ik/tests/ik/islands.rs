//! Islands: what moves below an immovable joint is solved by itself.

use fabrik3d_ik::figures::{Island, split};
use fabrik3d_ik::goals::{Attachment, CenterOfMass, PointMass};
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Skeleton, Solver, Stop};
use glam::DVec3;

/// A forest of random kinds, with mimic joints, and ties between some of its joints.
fn forest(random: &mut Random) -> (Skeleton, Vec<(usize, usize)>) {
    let count = 1 + random.index(24);
    let mut joints: Vec<Joint> = Vec::new();
    for at in 0..count {
        let parent = (at > 0 && random.unit() < 0.85).then(|| random.index(at));
        let kind = match random.index(5) {
            0 | 1 => Kind::Fixed,
            2 => Kind::UNLIMITED_BALL,
            3 => Kind::Slide { axis: random.direction(), range: Interval::new(-1.0, 1.0).ok() },
            _ => Kind::Hinge { axis: random.direction(), range: None },
        };
        let mut joint = Joint::new(format!("{at}"), parent, random.direction(), kind);
        let leader = random.index(count);
        let leads = joints.get(leader).is_some_and(|it| matches!(it.kind, Kind::Hinge { .. }) && it.mimic.is_none());
        if leads && matches!(kind, Kind::Hinge { .. }) && random.unit() < 0.3 {
            joint.mimic = Some(Mimic { joint: leader, scale: 0.5, offset: 0.1 });
        }
        joints.push(joint);
    }
    let ties = (0..random.index(3)).map(|_| (random.index(count), random.index(count))).collect();
    (Skeleton::new(joints).expect("a forest"), ties)
}

/// Groups of joints by exhaustion: moving joints belong together if one carries or leads the other, or if they are tied.
fn groups(skeleton: &Skeleton, ties: &[(usize, usize)]) -> Vec<usize> {
    let joints = skeleton.joints();
    let moves = |joint: usize| skeleton.ancestors(joint).any(|at| joints[at].kind != Kind::Fixed);
    let mut group: Vec<usize> = (0..joints.len()).collect();
    loop {
        let before = group.clone();
        let parents = (0..joints.len()).filter_map(|at| Some((at, joints[at].parent?)));
        let leaders = (0..joints.len()).filter_map(|at| Some((at, joints[at].mimic?.joint)));
        for (a, b) in parents.chain(leaders).chain(ties.iter().copied()).filter(|&(a, b)| moves(a) && moves(b)) {
            let least = group[a].min(group[b]);
            (group[a], group[b]) = (least, least);
        }
        if group == before {
            return group;
        }
    }
}

#[test]
fn islands_are_the_parts_that_can_move_by_themselves() {
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let (skeleton, ties) = forest(&mut random);
        let islands = skeleton.islands(ties.iter().copied());
        let mut island_of = vec![None; skeleton.len()];
        for (at, island) in islands.iter().enumerate() {
            assert!(island.joints.windows(2).all(|pair| pair[0] < pair[1]), "forest {seed}");
            island.joints.iter().for_each(|&joint| assert!(island_of[joint].replace(at).is_none(), "forest {seed}"));
        }
        assert!(island_of.iter().all(Option::is_some), "forest {seed}: every joint has an island");
        assert!(islands.windows(2).all(|pair| pair[0].joints[0] < pair[1].joints[0]), "forest {seed}: in order");
        let group = groups(&skeleton, &ties);
        let moving: Vec<usize> = (0..skeleton.len()).filter(|&joint| !skeleton.is_anchored(joint)).collect();
        for &a in &moving {
            for &b in &moving {
                assert_eq!(island_of[a] == island_of[b], group[a] == group[b], "forest {seed}, joints {a} and {b}");
            }
        }
        // What one island does leaves all others where they are.
        let start = skeleton.random_pose(&mut random);
        let other = skeleton.random_pose(&mut random);
        let before = skeleton.frames(&start);
        for (at, island) in islands.iter().enumerate() {
            let mut pose = start.clone();
            island.joints.iter().for_each(|&joint| pose[joint] = other[joint]);
            skeleton.follow(&mut pose);
            for (joint, frame) in skeleton.frames(&pose).iter().enumerate() {
                assert!(island_of[joint] == Some(at) || *frame == before[joint], "forest {seed}, joint {joint}");
            }
        }
    }
}

/// Whatever is between them in the list: all parts with a mass of one body are one.
#[test]
fn the_masses_of_a_body_are_on_one_island() {
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let (skeleton, _) = forest(&mut random);
        let count = 1 + random.index(6);
        let mass = |_| PointMass { joint: random.index(skeleton.len()), point: DVec3::ZERO, mass: 1.0 };
        let body = CenterOfMass { masses: (0..count).map(mass).collect(), ..CenterOfMass::default() };
        let joints: Vec<usize> = body.masses.iter().map(|mass| mass.joint).collect();
        let ties = joints.iter().flat_map(|&a| joints.iter().map(move |&b| (a, b))).collect::<Vec<_>>();
        let problem = Problem { centers_of_mass: vec![body], ..Problem::default() };
        let group = groups(&skeleton, &ties);
        let islands = islands_of(&skeleton, &problem);
        let island = |joint: usize| islands.iter().position(|island| island.has(joint));
        let moving: Vec<usize> = joints.into_iter().filter(|&joint| !skeleton.is_anchored(joint)).collect();
        for two in moving.windows(2) {
            let (a, b) = (two[0], two[1]);
            assert_eq!(group[a], group[b], "seed {seed}");
            assert_eq!(island(a), island(b), "seed {seed}: {a} and {b} carry masses of one body");
        }
    }
}

/// Linkages of two bars each on one fixed base; every third one closes at the base itself. With goals for some of them.
fn linkages(count: usize, random: &mut Random) -> (Skeleton, Problem) {
    let hinge = |limit: Option<f64>| Kind::Hinge {
        axis: DVec3::Z,
        range: limit.and_then(|limit| Interval::new(-limit, limit).ok()),
    };
    let mut joints = vec![Joint::new("base", None, DVec3::new(0.1, 0.2, 0.3), Kind::Fixed)];
    let mut problem = Problem::default();
    let bar = |parent: usize, offset: DVec3, kind, joints: &mut Vec<Joint>| {
        joints.push(Joint::new(format!("{}", joints.len()), Some(parent), offset, kind));
        joints.len() - 1
    };
    for at in 0..count {
        let corner = DVec3::new(3.0 * at as f64, random.unit(), 0.0);
        let first = bar(0, corner, hinge(Some(2.0)), &mut joints);
        let second = bar(first, DVec3::new(0.1, 1.0, 0.0), hinge(None), &mut joints);
        let middle = Attachment { joint: second, point: DVec3::X };
        let end = if at % 3 == 0 {
            let third = bar(second, DVec3::X, hinge(None), &mut joints);
            (Attachment { joint: third, point: DVec3::NEG_Y }, Attachment { joint: 0, point: corner + DVec3::X })
        } else {
            let third = bar(0, corner + DVec3::X, hinge(None), &mut joints);
            (middle, Attachment { joint: third, point: DVec3::Y })
        };
        problem.loops.push(if random.unit() < 0.5 { end } else { (end.1, end.0) });
        if at % 2 == 0 {
            let place = corner + DVec3::new(0.1 + random.range(0.3, 0.7), 1.2, 0.3);
            problem.goals.push(Goal::new(Effector::new(second, DVec3::ZERO), place));
        }
    }
    (Skeleton::new(joints).expect("linkages"), problem)
}

fn islands_of(skeleton: &Skeleton, problem: &Problem) -> Vec<Island> {
    skeleton.islands(problem.ties())
}

#[test]
fn linkages_on_one_base_are_solved_as_if_they_were_alone() {
    for seed in 0..40 {
        let (skeleton, problem) = linkages(6, &mut Random::new(seed));
        let islands = islands_of(&skeleton, &problem);
        assert_eq!(islands.len(), 6);
        let mut together = skeleton.rest_pose();
        let report = Solver::new(&skeleton).problem(problem.clone()).solve(&mut together);
        assert_ne!(report.stop, Stop::Refused);
        let mut worst: f64 = 0.0;
        for island in islands.iter().rev() {
            // The same linkage with nothing beside it but the base.
            let kept = skeleton.joints_with_supports(&island.joints, []);
            let number = |joint: usize| kept.iter().position(|&at| at == joint);
            let own = kept.iter().map(|&joint| {
                let joint = skeleton.joints()[joint].clone();
                Joint { parent: joint.parent.and_then(number), ..joint }
            });
            let alone = Skeleton::new(own.collect()).expect("one linkage");
            let tie = |end: Attachment| Some(Attachment { joint: number(end.joint)?, ..end });
            let goals = problem.goals.iter().filter_map(|goal| {
                let joint = number(goal.effector.joint)?;
                Some(Goal { effector: Effector { joint, ..goal.effector }, ..*goal })
            });
            let loops = problem.loops.iter().filter_map(|&(a, b)| Some((tie(a)?, tie(b)?)));
            let only = Problem { goals: goals.collect(), loops: loops.collect(), ..Problem::default() };
            assert_eq!(only.loops.len(), 1);
            let mut pose = alone.rest_pose();
            let own = Solver::new(&alone).problem(only).solve(&mut pose);
            worst = worst.max(own.error);
            for (at, &joint) in kept.iter().enumerate() {
                assert_eq!(pose[at], together[joint], "seed {seed}, joint {joint}");
            }
        }
        assert_eq!(worst, report.error, "seed {seed}: the report is that of the worst linkage");
        let gaps = fabrik3d_ik::queries::loop_gaps(&skeleton, &problem, &together);
        assert!(gaps.iter().all(|gap| *gap < 1e-5), "seed {seed}: {gaps:?}");
    }
}

/// All figures at once, one at a time, and each as a skeleton of its own give the same bits, also frame after frame.
#[test]
fn figures_can_be_solved_one_by_one() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let (mut skeleton, mut problem) = linkages(5, &mut random);
        let mut solver = Solver::new(&skeleton).problem(problem.clone());
        let mut single = solver.clone();
        let (mut whole, mut parts): (Pose, Pose) = (skeleton.rest_pose(), skeleton.rest_pose());
        let mut alone = parts.clone();
        for frame in 0..6 {
            for goal in &mut problem.goals {
                goal.target.position = goal.target.position.map(|place| place + 0.02 * random.direction());
            }
            if frame == 3 {
                // A base that moves, and another length.
                problem.base.position = DVec3::new(0.3, -0.2, 0.1);
                skeleton.set_offset(0, DVec3::X).expect("finite");
                (solver, single) = (Solver::new(&skeleton), Solver::new(&skeleton));
            }
            solver.problem.clone_from(&problem);
            single.problem.clone_from(&problem);
            let _ = solver.track(&mut whole);
            let mut figures = single.figures().expect("fits");
            for at in 0..figures.len() {
                let _ = figures.track(at, &solver.settings, &mut parts);
            }
            for figure in split(&skeleton.clone().into(), &problem) {
                let mut own = figure.pose(&alone);
                let _ = Solver::new(figure.skeleton().clone()).problem(figure.problem(&problem)).track(&mut own);
                figure.write(&own, &mut alone);
            }
            assert_eq!(whole, parts, "seed {seed}, frame {frame}");
            assert_eq!(whole, alone, "seed {seed}, frame {frame}");
        }
        assert!(solver.reach_backward(&whole).is_some());
        assert!(solver.reach_forward(&mut whole));
        let mut opened: Vec<Coordinates> = skeleton.rest_pose();
        for (joint, coordinates) in opened.iter_mut().enumerate() {
            *coordinates = match skeleton.kind(joint) {
                Kind::Hinge { .. } => Coordinates::scalar(whole[joint].value() + random.range(-0.05, 0.05)),
                _ => *coordinates,
            };
        }
        assert!(solver.close_loops(&mut opened) < 1e-6, "seed {seed}");
    }
}

#[test]
fn the_frames_of_a_solver_are_those_of_its_last_pose() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let (skeleton, _) = forest(&mut random);
        let mut solver = Solver::new(skeleton.clone());
        assert_eq!(solver.frames(), skeleton.frames(&skeleton.rest_pose()), "seed {seed}");
        let goal = Goal::new(Effector::new(random.index(skeleton.len()), DVec3::Y), random.direction() * 3.0);
        solver.problem.goals.push(goal);
        let mut pose = skeleton.random_pose(&mut random);
        let _ = solver.solve(&mut pose);
        let pairs = skeleton.frames(&pose).into_iter().zip(solver.frames());
        assert!(pairs.into_iter().all(|(own, frame)| own.position.distance(frame.position) < 1e-12), "seed {seed}");
    }
}

#[test]
fn plain_chains_have_points_and_other_figures_have_none() {
    let ball = |at: usize| Joint::new(at.to_string(), at.checked_sub(1), DVec3::X, Kind::UNLIMITED_BALL);
    let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
    let mut random = Random::new(8);
    for links in 2..9 {
        let mut joints: Vec<Joint> = (0..links).map(ball).collect();
        for is_plain in [true, true, false] {
            let skeleton = Skeleton::new(joints.clone()).expect("a chain");
            let goal = Goal::new(Effector::new(links - 1, DVec3::Y), DVec3::Z);
            let problem = Problem { goals: vec![goal], ..Problem::default() };
            let pose = skeleton.random_pose(&mut random);
            let skeleton = skeleton.into();
            let figure = split(&skeleton, &problem).next().expect("a figure");
            let points = figure.chain_points(&problem, &pose);
            assert_eq!(points.is_some(), is_plain, "{links} links");
            if let Some(points) = points {
                let frames = skeleton.frames(&pose);
                let turning = frames.iter().zip(&joints).filter(|(_, joint)| joint.kind != Kind::Fixed);
                let places = turning.map(|(frame, _)| frame.position).chain([frames[links - 1].point(DVec3::Y)]);
                let places: Vec<DVec3> = places.collect();
                assert_eq!(points.len(), places.len());
                assert!(places.iter().zip(&points).all(|(place, point)| place.distance(*point) < 1e-12));
            }
            // The last joints may be fixed, and no joint may be a hinge.
            let ends = [Kind::Fixed, hinge];
            joints[links - 1].kind = ends[usize::from(joints[links - 1].kind == Kind::Fixed)];
        }
    }
}
