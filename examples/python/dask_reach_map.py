"""The reachability map of an arm with Dask: for each place of a grid, the share of orientations that the tool can take there.

    python examples/python/dask_reach_map.py [ROBOT.urdf] [--cells 24] [--turns 32] [--workers 2] [-o map]

`--cells 50 --turns 90` are about 10 million poses of a Franka Panda. The map goes to MAP.zarr, part by part: an array
(x, y, z) whose attributes are the centres of the cells along each axis. MAP.png shows two sections of it.
"""

from __future__ import annotations

import argparse
import pathlib
import resource
import time

import dask.array as da
import numpy as np
import zarr
from dask.distributed import Client, LocalCluster, progress

import fabrik3d as ik

ARM = pathlib.Path(__file__).resolve().parents[2] / "assets" / "models" / "robot-arm.urdf"
#: Poses of a part: seconds of work, so that the scheduler does not matter and little is lost with a worker.
PART = 40_000


def grid(robot: ik.Robot, cells: int) -> list[np.ndarray]:
    """The centres of cubic cells along x, y and z, this many along the longest side of a box around all tool positions."""
    low, high = robot.limits.T
    low, high = np.where(np.isfinite(low), low, -np.pi), np.where(np.isfinite(high), high, np.pi)
    poses = np.random.default_rng(1).uniform(low, high, (100_000, robot.dof))
    places = robot.forward(poses, robot.effector_names[0])[:, :3, 3]
    low, high = places.min(axis=0), places.max(axis=0)
    # Random poses come close to the border of the workspace, but not quite.
    low, high = low - 0.04 * (high - low), high + 0.04 * (high - low)
    size = (high - low).max() / cells
    counts = np.ceil((high - low) / size - 1e-9).astype(int)
    return [(a + b) / 2 + (np.arange(n) - (n - 1) / 2) * size for a, b, n in zip(low, high, counts)]


def orientations(count: int) -> np.ndarray:
    """Quaternions spread evenly over all orientations, (count, 4): super-Fibonacci spirals.

    Source: M. Alexa, Super-Fibonacci spirals: fast, low-discrepancy sampling of SO(3), CVPR 2022.
    """
    phi, psi = np.sqrt(2.0), 1.533751168755204288118041
    s = np.arange(count) + 0.5
    t = s / count
    alpha, beta = 2 * np.pi * s / phi, 2 * np.pi * s / psi
    r, big = np.sqrt(t), np.sqrt(1 - t)
    return np.stack([r * np.sin(alpha), r * np.cos(alpha), big * np.sin(beta), big * np.cos(beta)], axis=-1)


def shares(x: np.ndarray, y: np.ndarray, z: np.ndarray, robot: ik.Robot, turns: np.ndarray) -> np.ndarray:
    """The shares of the orientations that are reached at the places (x, y, z), which are broadcast against each other.

    Places that the tool does not reach in any orientation need one solve each. One thread: the cluster has a worker per
    core.
    """
    shape = np.broadcast_shapes(x.shape, y.shape, z.shape)
    places = np.stack(np.broadcast_arrays(x, y, z), axis=-1).reshape(-1, 3)
    near = robot.solve_many(places, threads=1).reached
    rows = np.repeat(places[near], len(turns), axis=0), np.tile(turns, (near.sum(), 1))
    reached = robot.solve_many(*rows, threads=1).reached
    result = np.zeros(len(places))
    result[near] = reached.reshape(-1, len(turns)).mean(axis=1)
    return result.reshape(shape)


def reach_map(robot: ik.Robot, axes: list[np.ndarray], turns: np.ndarray, chunk: tuple[int, int]) -> da.Array:
    """The map as a lazy array, (x, y, z), in parts of this many cells along x and y."""
    x, y, z = axes
    x = da.from_array(x[:, None, None], chunks=(chunk[0], 1, 1))
    y = da.from_array(y[None, :, None], chunks=(1, chunk[1], 1))
    z = da.from_array(z[None, None, :], chunks=-1)
    chunks = x.chunks[0], y.chunks[1], z.chunks[2]
    return da.map_blocks(shares, x, y, z, robot, turns, chunks=chunks, meta=np.empty((0, 0, 0)))


def draw(values: np.ndarray, axes: list[np.ndarray], robot: ik.Robot, title: str, file: str) -> None:
    """Two sections of the map, with the arm in the pose of the file: upright through the base, and at the best height."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import ListedColormap

    # Grey text on a transparent background is legible on light and dark pages, and so are the middle colours of the map.
    grey = "#808890"
    names = "text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"
    plt.rcParams.update({name: grey for name in names})
    colours = ListedColormap(plt.get_cmap("viridis")(np.linspace(0.22, 1, 256)))
    joints = robot.forward(robot.start, [*robot.joint_names, robot.effector_names[0]])[:, :3, 3]
    arm = np.vstack([np.zeros(3), joints])
    size = axes[0][1] - axes[0][0]
    spans = [(axis[0] - size / 2, axis[-1] + size / 2) for axis in axes]
    base, best = np.abs(axes[1]).argmin(), values.mean(axis=(0, 1)).argmax()
    sections = [
        ("xz", values[:, base], f"upright, y = {round(axes[1][base], 2) + 0.0:.2f} m"),
        ("xy", values[:, :, best], f"level, z = {round(axes[2][best], 2) + 0.0:.2f} m"),
    ]
    figure, plots = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    for plot, (labels, section, text) in zip(plots, sections):
        across, up = ("xyz".index(label) for label in labels)
        shown = np.ma.masked_equal(100 * section.T, 0)
        image = plot.imshow(shown, origin="lower", extent=(*spans[across], *spans[up]), vmin=0, vmax=100, cmap=colours)
        plot.plot(arm[:, across], arm[:, up], "-o", color="#e8543f", linewidth=2, markersize=4, label="the arm")
        plot.set(xlabel=f"{labels[0]} (m)", ylabel=f"{labels[1]} (m)", title=text, facecolor="none")
        plot.title.set_fontsize("medium")
    plots[0].legend(frameon=False, loc="upper left")
    figure.colorbar(image, ax=plots, label="orientations that the tool can take (%)", shrink=0.9)
    figure.suptitle(title)
    figure.savefig(file, dpi=110, transparent=True)


def used() -> tuple[float, int]:
    """CPU time of this process in seconds, and its largest memory in bytes."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", default=str(ARM))
    parser.add_argument("--cells", type=int, default=24, help="cells along the longest side")
    parser.add_argument("--turns", type=int, default=32, help="orientations per cell")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("-o", "--output", default="map")
    arguments = parser.parse_args()
    robot = ik.Robot(arguments.robot)
    axes, turns = grid(robot, arguments.cells), orientations(arguments.turns)
    poses = len(turns) * int(np.prod([len(axis) for axis in axes]))
    chunk = (1, max(1, PART // (len(turns) * len(axes[2]))))
    print(f"{' x '.join(str(len(axis)) for axis in axes)} cells, {len(turns)} orientations: {poses:,} poses", flush=True)
    file = f"{arguments.output}.zarr"
    with LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            began, before = time.perf_counter(), client.run(used)
            done = client.compute(reach_map(robot, axes, turns, chunk).to_zarr(file, overwrite=True, compute=False))
            progress(done)
            done.result()
            seconds, after = time.perf_counter() - began, client.run(used)
    cpu = sum(after[worker][0] - before.get(worker, (0.0,))[0] for worker in after)
    memory = max(bytes for _, bytes in after.values()) / 1e6
    print(f"\n{poses:,} poses in {seconds:.1f} s, {1e6 * cpu / poses:.1f} us of CPU time per pose, {memory:.0f} MB per worker")
    stored = zarr.open(file)
    stored.attrs.update({name: axis.tolist() for name, axis in zip("xyz", axes)})
    title = f"{robot.name}: reachability of {robot.effector_names[0]} ({poses:,} poses)"
    draw(stored[:], axes, robot, title, f"{arguments.output}.png")


if __name__ == "__main__":
    main()
