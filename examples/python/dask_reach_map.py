"""The reachability map of an arm with Dask: for each place of a grid, the share of orientations that the tool can take there.

    python examples/python/dask_reach_map.py [ROBOT.urdf] [--cells 30] [--turns 20] [--workers 2] [-o map]

60 cells along each side and 90 orientations are 10 million poses inside the ball around the base. The map goes to
MAP.zarr, one chunk per block of places: a run that was interrupted leaves valid chunks only. MAP.png shows it from two
sides.
"""

from __future__ import annotations

import argparse
import pathlib
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import fabrik3d as ik

ARM = pathlib.Path(__file__).resolve().parents[2] / "assets" / "models" / "robot-arm.urdf"


def reach_of(robot: ik.Robot) -> float:
    """The sum of the distances between the joints: no tool gets farther from the base."""
    places = robot.forward(robot.start, [*robot.joint_names, robot.effector_names[0]])[:, :3, 3]
    return float(np.linalg.norm(places[0]) + np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def grid(reach: float, cells: int) -> np.ndarray:
    """The centres of the cells of a cube around the base, (cells^3, 3)."""
    side = (np.arange(cells) + 0.5) / cells * 2 * reach - reach
    return np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)


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


def shares(places: np.ndarray, robot: ik.Robot, turns: np.ndarray) -> np.ndarray:
    """For each place the share of the orientations that are reached. One thread: the cluster has a worker per core."""
    rows = np.repeat(places, len(turns), axis=0), np.tile(turns, (len(places), 1))
    reached = robot.solve_many(*rows, threads=1).reached
    return reached.reshape(len(places), len(turns)).mean(axis=1)


def reach_map(robot: ik.Robot, places: np.ndarray, turns: np.ndarray, parts: int) -> da.Array:
    """The map as a lazy array, (places,), in this many parts."""
    rows = -(-len(places) // parts)
    return da.from_array(places, chunks=(rows, 3)).map_blocks(shares, robot, turns, dtype=float, drop_axis=1)


def draw(values: np.ndarray, reach: float, file: str) -> None:
    """A picture of the map: the best share along each line of sight, from above and from the side."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    for axis, along, labels in ((axes[0], 2, "xy"), (axes[1], 1, "xz")):
        image = axis.imshow(
            100 * values.max(axis=along).T, origin="lower", extent=(-reach, reach, -reach, reach), vmin=0, cmap="viridis"
        )
        axis.set_xlabel(f"{labels[0]} (m)")
        axis.set_ylabel(f"{labels[1]} (m)")
    figure.colorbar(image, ax=axes, label="orientations reached (%)")
    figure.savefig(file, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", default=str(ARM))
    parser.add_argument("--cells", type=int, default=30)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("-o", "--output", default="map")
    arguments = parser.parse_args()
    robot = ik.Robot(arguments.robot)
    reach = reach_of(robot)
    cells, turns = grid(reach, arguments.cells), orientations(arguments.turns)
    inside = np.linalg.norm(cells, axis=1) < reach
    places = cells[inside]
    # Blocks of some seconds: long enough that the scheduler does not matter, short enough to lose little.
    parts = max(4 * arguments.workers, len(places) * len(turns) // 20_000)
    with LocalCluster(n_workers=arguments.workers, threads_per_worker=1) as cluster, Client(cluster):
        began = time.perf_counter()
        values = reach_map(robot, places, turns, parts)
        values.to_zarr(f"{arguments.output}.zarr", overwrite=True)
        seconds = time.perf_counter() - began
    rows = len(places) * len(turns)
    print(f"{rows} poses in {parts} parts, {seconds:.1f} s, {rows / seconds:.0f} poses per second")
    values = np.zeros(len(cells))
    values[inside] = da.from_zarr(f"{arguments.output}.zarr").compute()
    draw(values.reshape([arguments.cells] * 3), reach, f"{arguments.output}.png")


if __name__ == "__main__":
    main()
