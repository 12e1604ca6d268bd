"""Kernel Tuner searches the tile and the values a thread of examples/sweeps/matmul.cu; drywarp measures.

    python3 examples/tuners/kernel_tuner_matmul.py [DEVICE [STRATEGY]]

Kernel Tuner times what its backend runs. Here that is an empty host function (lang="C"), and an observer has
`drywarp measure` say the modelled time, which is the objective.
"""
import os
import sys

import kernel_tuner
from kernel_tuner.observers import BenchmarkObserver

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from drywarp_measure import Failed, measure

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sweeps/matmul.cu")


class DrywarpObserver(BenchmarkObserver):
    def __init__(self, device, names):
        self.device, self.names = device, names

    def register_configuration(self, params):
        self.macros = {name: params[name] for name in self.names}

    def before_start(self):
        try:
            self.measured = measure([SOURCE], self.macros, device=self.device)
        except Failed as problem:  # Kernel Tuner skips a configuration whose error has these words
            raise RuntimeError(f"OUT_OF_RESOURCES: {problem}") from problem

    def get_results(self):
        return {"modelled_us": self.measured["seconds"] * 1e6, "occupancy": self.measured["occupancy"],
                "registers": self.measured["registers"]}


def tune(device="a100", strategy="brute_force", **options):
    parameters = {"TILE": [4, 8, 16, 32, 64], "COARSE": [1, 2, 4]}  # 64: more threads than a block has
    return kernel_tuner.tune_kernel(
        "measured_by_drywarp", "float measured_by_drywarp() { return 0; }", 1, [], parameters, lang="C",
        block_size_names=["TILE"], iterations=1, observers=[DrywarpObserver(device, list(parameters))],
        objective="modelled_us", objective_higher_is_better=False, strategy=strategy, **options)


if __name__ == "__main__":
    results, _ = tune(*sys.argv[1:3])
    best = min((r for r in results if "modelled_us" in r), key=lambda r: r["modelled_us"])
    print(f"best: -DCOARSE={best['COARSE']} -DTILE={best['TILE']}")
