//! Random targets: an unlimited chain reaches them without folding back through itself.

use crate::session_support::*;
use fabrik3d::session::Session;
use glam::DVec3;

/// Positions of the joints as displayed.
fn points(session: &Session) -> Vec<DVec3> {
    session.scene().skeleton.frames(session.displayed()).iter().map(|frame| frame.position).collect()
}

/// The sharpest angle between neighbouring links, degrees; 0 for a straight chain.
fn sharpest(points: &[DVec3]) -> f64 {
    let links: Vec<DVec3> = points.windows(2).map(|pair| pair[1] - pair[0]).collect();
    links.windows(2).map(|pair| pair[0].angle_between(pair[1]).to_degrees()).fold(0.0, f64::max)
}

/// The smallest distance between links that are not neighbours, sampled.
fn clearance(points: &[DVec3]) -> f64 {
    let on = |link: usize| (0..=12).map(move |k| points[link].lerp(points[link + 1], f64::from(k) / 12.0));
    let mut least = f64::INFINITY;
    for first in 0..points.len() - 1 {
        for second in first + 2..points.len() - 1 {
            for a in on(first) {
                least = on(second).map(|b| a.distance(b)).fold(least, f64::min);
            }
        }
    }
    least
}

#[test]
fn probe() {
    let mut session = open("demo");
    wait(&mut session, 2.0);
    let (mut bends, mut gaps, mut lows) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..200 {
        apply(&mut session, "target.random");
        let (mut bend, mut gap, mut low) = (0.0_f64, f64::INFINITY, f64::INFINITY);
        for _ in 0..70 {
            session.tick(1.0 / 60.0);
            let points = points(&session);
            (bend, gap) = (bend.max(sharpest(&points)), gap.min(clearance(&points)));
            low = points.iter().map(|p| p.y).fold(low, f64::min);
        }
        bends.push(bend);
        gaps.push(gap);
        lows.push(low);
    }
    let share = |count: usize| count as f64 / 200.0;
    eprintln!("bend>90 {} bend>120 {} gap<0.12 {} gap<.06 {} low<-.05 {}", share(bends.iter().filter(|b| **b > 90.0).count()), share(bends.iter().filter(|b| **b > 120.0).count()), share(gaps.iter().filter(|g| **g < 0.12).count()), share(gaps.iter().filter(|g| **g < 0.06).count()),  share(lows.iter().filter(|g| **g < -0.05).count()));
}
