// fabrik3d and closed-chain-ik on the same arms and targets.
//
//     npm install --prefix /tmp/peer closed-chain-ik three
//     node benches/peers/closed_chain.mjs /tmp/peer target/release/fabrik3d
//
// Random arms of six, seven and ten hinges with limits of +-150 degrees. Joint values that are uniform within 17 degrees of zero, and
// inside the limits, make the targets (position and orientation), by the forward kinematics below; so each one can be reached. Both start with all
// joints at zero. closed-chain-ik has no restarts: it is called until it converges, at most 200 times of five iterations, as its
// examples call it in every frame. This script judges every answer by the same: solved means that the position is
// within a thousandth of the reach, the orientation within a thousandth of a radian, and each joint inside its limits. Times are
// means of one thread per target, solved or not.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, program] = process.argv.slice(2).map(path => resolve(path));
const core = join(folder, 'node_modules/closed-chain-ik/src/core');
const load = async file => import(pathToFileURL(join(core, file)));
const { Joint, DOF } = await load('Joint.js');
const { Link } = await load('Link.js');
const { Goal } = await load('Goal.js');
const { Solver } = await load('Solver.js');
const { SOLVE_STATUS } = await load('ChainSolver.js');

const ARMS = 10, TARGETS = 100, CALLS = 200, LIMIT = 150 * Math.PI / 180, TOLERANCE = 1e-3;

// mulberry32: the same arms and targets every time.
let state = 1;
const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const axes = ['EX', 'EY', 'EZ'];

/** An arm: axes and offsets of its hinges, each along an axis of its parent. */
const arm = hinges => Array.from({ length: hinges }, (_, at) => ({
    axis: (at ? Math.floor(random() * 3) : 2),
    offset: at ? [random() - 0.5, random() - 0.5, 0.2 + 0.3 * random()] : [0, 0, 0],
}));
const TIP = [0, 0, 0.2];

const product = ([a, b, c, d], [e, f, g, h]) =>
    [d * e + a * h + b * g - c * f, d * f - a * g + b * h + c * e, d * g + a * f - b * e + c * h, d * h - a * e - b * f - c * g];
const turned = (q, v) => product(product(q, [...v, 0]), [-q[0], -q[1], -q[2], q[3]]).slice(0, 3);
const sum = (a, b) => a.map((value, at) => value + b[at]);

/** Position and orientation of the tip. */
const forward = (joints, values) => {
    let [place, turn] = [[0, 0, 0], [0, 0, 0, 1]];
    joints.forEach(({ axis, offset }, at) => {
        place = sum(place, turned(turn, offset));
        const half = [0, 0, 0, Math.cos(values[at] / 2)];
        half[axis] = Math.sin(values[at] / 2);
        turn = product(turn, half);
    });
    return [sum(place, turned(turn, TIP)), turn];
};
const isSolved = (joints, values, [place, turn]) => {
    const [at, to] = forward(joints, values);
    const reach = joints.reduce((all, { offset }) => all + Math.hypot(...offset), Math.hypot(...TIP));
    const gap = Math.hypot(...sum(at, place.map(value => -value))) / reach;
    const dot = Math.min(1, Math.abs(to.reduce((all, value, k) => all + value * turn[k], 0)));
    return gap < TOLERANCE && 2 * Math.acos(dot) < TOLERANCE && values.every(value => Math.abs(value) < LIMIT + 1e-6);
};

/** Solves all targets with closed-chain-ik. Returns the number of solved ones and the microseconds per target. */
const theirs = (joints, targets) => {
    const root = new Link();
    let link = root;
    const own = joints.map(({ axis, offset }) => {
        const joint = new Joint();
        joint.setDoF(DOF[axes[axis]]);
        joint.setPosition(...offset);
        joint.setMinLimits(-LIMIT);
        joint.setMaxLimits(LIMIT);
        link.addChild(joint);
        link = new Link();
        joint.addChild(link);
        return joint;
    });
    link.setPosition(...TIP);
    const goal = new Goal();
    goal.makeClosure(link);
    const solver = new Solver(root);
    let solved = 0;
    const start = performance.now();
    for (const target of targets) {
        own.forEach(joint => joint.setDoFValues(0));
        goal.setPosition(...target[0]);
        goal.setQuaternion(...target[1]);
        try {
            for (let call = 0; call < CALLS; call++) {
                if (solver.solve().every(status => status === SOLVE_STATUS.CONVERGED)) break;
            }
        } catch (error) {
            // Where all joints are at their limits, none is left for its matrices.
            if (!(error instanceof TypeError)) throw error;
        }
        const values = own.map((joint, at) => joint.getDoFValue(DOF[axes[joints[at].axis]]));
        solved += isSolved(joints, values, target);
    }
    return [solved, (performance.now() - start) * 1e3 / targets.length];
};

/** The same with fabrik3d. */
const ours = (joints, targets) => {
    const place = mkdtempSync(join(tmpdir(), 'peer-'));
    const unit = axis => [0, 1, 2].map(at => Number(at === axis));
    const scene = joints.map(({ axis, offset }, at) => `[[joint]]\nname = "j${at}"\n${at ? `parent = "j${at - 1}"\n` : ''}`
        + `offset = [${offset}]\nkind = "hinge"\naxis = [${unit(axis)}]\nrange = [-150, 150]\n`).join('');
    const tip = `[[effector]]\njoint = "j${joints.length - 1}"\ntip = [${TIP}]\ntarget = [0, 0, 0]\n`;
    writeFileSync(join(place, 'arm.toml'), scene + tip);
    writeFileSync(join(place, 'targets.csv'), 'x,y,z,qx,qy,qz,qw\n' + targets.map(target => target.flat().join()).join('\n') + '\n');
    const options = ['solve', 'arm.toml', '--targets', 'targets.csv', '--json', '--threads', '1'];
    let text;
    try {
        text = execFileSync(program, options, { cwd: place, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
    } catch (error) {
        // Ends with 1 if a target was missed.
        text = error.stdout;
    }
    const answers = text.toString().trim().split('\n').map(line => JSON.parse(line));
    const solved = answers.filter((answer, at) => isSolved(joints, answer.pose.map(([value]) => value), targets[at])).length;
    return [solved, answers.reduce((all, answer) => all + answer.micros, 0) / answers.length];
};

console.log('| hinges | joints turn by up to | solved: fabrik3d | closed-chain-ik | us a target: fabrik3d | closed-chain-ik | ratio |');
console.log('|---:|---:|---:|---:|---:|---:|---:|');
for (const [hinges, spread] of [6, 7, 10].flatMap(hinges => [[hinges, 0.3], [hinges, LIMIT]])) {
    let [mine, other] = [[0, 0], [0, 0]];
    for (let count = 0; count < ARMS; count++) {
        const joints = arm(hinges);
        const targets = Array.from({ length: TARGETS }, () => forward(joints, joints.map(() => (2 * random() - 1) * spread)));
        mine = sum(mine, ours(joints, targets));
        other = sum(other, theirs(joints, targets));
    }
    const [a, b] = [mine[1] / ARMS, other[1] / ARMS];
    const [share, share2] = [mine, other].map(([solved]) => `${(100 * solved / (ARMS * TARGETS)).toFixed(1)} %`);
    console.log(`| ${hinges} | ${(spread * 180 / Math.PI).toFixed(0)}° | ${share} | ${share2} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${(b / a).toFixed(0)} |`);
}
