"""OpenTuner searches the tile and the values a thread of examples/sweeps/matmul.cu; drywarp measures.

    python3 examples/tuners/opentuner_matmul.py --no-dups --test-limit 30 --device a100
"""
import argparse
import os
import sys

import opentuner
from opentuner import ConfigurationManipulator, EnumParameter, MeasurementInterface, Result

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from drywarp_measure import Failed, measure

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sweeps/matmul.cu")


class Matmul(MeasurementInterface):
    def manipulator(self):
        manipulator = ConfigurationManipulator()
        manipulator.add_parameter(EnumParameter("TILE", [4, 8, 16, 32, 64]))  # 64: more threads than a block has
        manipulator.add_parameter(EnumParameter("COARSE", [1, 2, 4]))
        return manipulator

    def run(self, desired_result, input, limit):
        macros = desired_result.configuration.data
        try:
            seconds = measure([SOURCE], macros, device=self.args.device)["seconds"]
        except Failed:
            return Result(state="ERROR", time=float("inf"))
        return Result(time=seconds)

    def save_final_config(self, configuration):
        print("best:", " ".join(f"-D{name}={value}" for name, value in sorted(configuration.data.items())))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(parents=opentuner.argparsers())
    parser.add_argument("--device", default="a100")
    Matmul.main(parser.parse_args())
