#!/usr/bin/env python3
"""slurm.py DRYWARP [TEST...]: `drywarp sweep --slurm` in a cluster of two nodes on this machine, whose nodes, controller and
driver are killed in the middle. The rows are those of a sweep without a cluster.

slurm.py DRYWARP --measure ROWS [EACH]: what a row costs without a cluster, on one node and on two, with EACH rows an element.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from slurm_cluster import Cluster, missing

DRYWARP = os.path.abspath(sys.argv[1])
PATIENCE = 400  # seconds; reached only if something is broken

# It runs as long as a file tells it to.
PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void scale(float* a, int stride) { a[(blockIdx.x * BLOCK + threadIdx.x) * stride] *= 2; }
int main(int argc, char** argv) {
  const int stride = std::atoi(argv[1]);
  float* a;
  cudaMalloc(&a, 4096 * 4 * stride);
  if (stride == 5) std::abort();
  scale<<<4096 / BLOCK, BLOCK>>>(a, stride);
  cudaDeviceSynchronize();
  while (argc > 2 && access(argv[2], F_OK) == 0) usleep(10000);
}
"""


class Sweep:
    """A sweep of 2 x 5 rows in a folder of its own."""

    def __init__(self, cluster, folder, wait_for=""):
        self.cluster, self.folder, self.wait_for = cluster, folder, wait_for
        with open(os.path.join(folder, "k.cu"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)

    def command(self, *options, output="s.dwsweep"):
        return [DRYWARP, "sweep", "-o", output, "-D", "BLOCK=64,128", *options, "k.cu", "--", "{s=1,2,3,4,5}",
                *([self.wait_for] if self.wait_for else [])]

    def start(self, *options, **names):
        return subprocess.Popen(self.command(*options, **names), cwd=self.folder, env=self.cluster.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end_of(self, process):
        """What it printed."""
        try:
            return process.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            raise TimeoutError(f"{process.communicate()[0]}\n{self.cluster.state()}") from None

    def run(self, *options, **names):
        process = self.start(*options, **names)
        text = self.end_of(process)
        assert process.returncode == 0, text
        return text

    def rows(self, output="s.dwsweep"):
        shown = subprocess.run([DRYWARP, "sweep", "show", "--format", "json", output], cwd=self.folder, capture_output=True,
                               text=True, check=True).stdout
        return [(row["configuration"], row["measurement"] and [row["measurement"][key] for key in ("outcome", "reason", "seconds")])
                for row in json.loads(shown)["rows"]]

    def path(self, name):
        return os.path.join(self.folder, name)


class WithCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.local = tempfile.TemporaryDirectory()
        cls.expected = Sweep(cls.cluster, cls.local.name)
        cls.expected.run()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.close()
        cls.local.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def sweep(self, held=False):
        hold = os.path.join(self.folder.name, "hold")
        if held:
            open(hold, "w").close()
        return Sweep(self.cluster, self.folder.name, hold)

    def assert_complete(self, sweep):
        self.assertEqual(sweep.rows(), self.expected.rows())

    def wait_for_running_rows(self, count):
        self.cluster.wait(lambda: len(self.cluster.say("squeue", "-h", "-t", "R", "-r").splitlines()) >= count, "running rows")


class Shared(WithCluster):
    """Nodes see the sweep's folder."""

    def test_rows_are_those_of_one_machine(self):
        sweep = self.sweep()
        sweep.run("--slurm", "partition=debug", "--slurm-rows", "3")
        self.assert_complete(sweep)
        self.assertIn("crashed", [row[1][0] for row in sweep.rows()])

    def test_nodes_and_controller_are_lost(self):
        sweep = self.sweep(held=True)
        process = sweep.start("--slurm", "default")
        self.wait_for_running_rows(2)
        self.cluster.kill("n1")
        self.cluster.kill("slurmctld")
        os.remove(sweep.wait_for)
        time.sleep(1)
        self.cluster.start_controller()
        self.cluster.start_node("n1")
        text = sweep.end_of(process)
        self.assertEqual(process.returncode, 0, text)
        self.assert_complete(sweep)

    def test_a_killed_driver_leaves_its_job_to_the_next(self):
        sweep = self.sweep(held=True)
        process = sweep.start("--slurm", "default")
        self.wait_for_running_rows(2)
        process.kill()
        process.communicate()
        self.assertIsNone(sweep.rows()[-1][1])
        os.remove(sweep.wait_for)
        sweep.run("--slurm", "default", "--resume")
        self.assert_complete(sweep)
        scripts = [name for name in os.listdir(sweep.path("s.dwsweep.slurm")) if name.endswith(".sh")]
        self.assertEqual(len(scripts), 1, "the job was submitted once")

    def test_a_stopped_sweep_cancels_its_job(self):
        sweep = self.sweep(held=True)
        process = sweep.start("--slurm", "default")
        self.wait_for_running_rows(2)
        process.send_signal(signal.SIGINT)
        sweep.end_of(process)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.cluster.wait(lambda: not self.cluster.say("squeue", "-h"), "the end of the job")

    def test_the_script_can_be_looked_at(self):
        sweep = self.sweep()
        text = sweep.run("--slurm", "partition=long,account=physics", "--slurm-options", "--exclusive -C avx", "--slurm-script")
        for line in ("#!/bin/bash", "#SBATCH --array=1-10", "#SBATCH --partition=long", "#SBATCH --account=physics",
                     "#SBATCH --exclusive", "#SBATCH -C avx"):
            self.assertIn(line + "\n", text)
        self.assertFalse(os.path.exists(sweep.path("s.dwsweep")))

    def test_a_partition_that_there_is_not(self):
        sweep = self.sweep()
        process = sweep.start("--slurm", "partition=nowhere")
        text = sweep.end_of(process)
        self.assertEqual(process.returncode, 125)
        self.assertIn("invalid partition", text)


class Apart(WithCluster):
    """Nodes write results to a folder that no other machine sees."""

    def test_results_are_fetched(self):
        sweep = self.sweep()
        copy = f'for n in $DRYWARP_NODES; do cp {self.cluster.path("disks")}/$n/results/*.result "$DRYWARP_FOLDER"; done'
        sweep.run("--slurm", "default", "--slurm-results", os.path.join(self.cluster.disk, "results"), "--slurm-fetch", copy)
        self.assert_complete(sweep)

    def test_results_are_copied_by_hand(self):
        sweep = self.sweep()
        results = os.path.join(self.cluster.disk, "by_hand")
        process = sweep.start("--slurm", "default", "--slurm-results", results)
        text = sweep.end_of(process)
        self.assertEqual(process.returncode, 125)
        self.assertIn(f"its results are in '{results}' of its nodes", text)
        for node in self.cluster.nodes:
            subprocess.run(f"cp {self.cluster.path('disks')}/{node}/by_hand/*.result {sweep.path('s.dwsweep.slurm')}", shell=True)
        sweep.run("--slurm", "default", "--slurm-results", results, "--resume")
        self.assert_complete(sweep)


def measure(rows, each=1):
    """Rows of a small kernel, each with its own block size and stride: seconds of all, and of one."""
    for nodes, where in ((0, "one core, no cluster"), (1, "one node of one core"), (2, "two nodes of one core")):
        cluster = Cluster(nodes=max(1, nodes))
        with tempfile.TemporaryDirectory() as folder:
            Sweep(cluster, folder)  # writes the program
            command = [DRYWARP, "sweep", "-o", "s.dwsweep", "k.cu", *(["--slurm", "default", "--slurm-rows", str(each)] if nodes else ["--jobs", "1"]),
                       "-D", "BLOCK=64", "--", "{s=%s}" % ",".join(str(i + 10) for i in range(rows))]
            begin = time.monotonic()
            subprocess.run(command, cwd=folder, env=cluster.environment, check=True, stdout=subprocess.DEVNULL)
            seconds = time.monotonic() - begin
        cluster.close()
        print(f"{where}: {rows} rows in {seconds:.1f} s, {1000 * seconds / rows:.0f} ms a row", flush=True)


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()}")
        sys.exit(77)
    if sys.argv[2:3] == ["--measure"]:
        measure(*map(int, sys.argv[3:]))
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
