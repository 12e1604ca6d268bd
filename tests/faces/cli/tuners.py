#!/usr/bin/env python3
"""tuners.py DRYWARP SOURCE: the tuners of examples/tuners find the best configuration by `drywarp measure`.

Where OpenTuner or Kernel Tuner is not installed, a stand-in tries every configuration through the same interface.
"""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

OPENTUNER = '''
import argparse, itertools
from types import SimpleNamespace as Record
def argparsers():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--no-dups", action="store_true")
    parser.add_argument("--test-limit", type=int)
    parser.add_argument("--database")
    return [parser]
class EnumParameter:
    def __init__(self, name, options): self.name, self.options = name, options
class ConfigurationManipulator:
    def __init__(self): self.parameters = []
    def add_parameter(self, parameter): self.parameters.append(parameter)
class Result:
    def __init__(self, state="OK", time=None): self.state, self.time = state, time
class MeasurementInterface:
    def __init__(self, args): self.args = args
    @classmethod
    def main(cls, args):
        own = cls(args)
        found = own.manipulator().parameters
        tried = []
        for values in itertools.product(*(p.options for p in found)):
            configuration = Record(data={p.name: value for p, value in zip(found, values)})
            tried.append((own.run(Record(configuration=configuration), None, None), configuration))
        own.save_final_config(min((t for t in tried if t[0].state == "OK"), key=lambda t: t[0].time)[1])
'''
KERNEL_TUNER = '''
import itertools
def tune_kernel(name, source, size, arguments, parameters, observers=(), **options):
    assert options["lang"] == "C" and name in source
    results = []
    for values in itertools.product(*parameters.values()):
        result = dict(zip(parameters, values))
        for observer in observers:
            observer.register_configuration(dict(result))
            try:
                observer.before_start()
                result.update(observer.get_results())
            except RuntimeError as error:
                assert "OUT_OF_RESOURCES" in str(error)
                result["__error__"] = str(error)
        results.append(result)
    return results, {}
'''


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(folder, *words):
    environment = dict(os.environ, PYTHONPATH=folder + os.pathsep + os.environ.get("PYTHONPATH", ""))
    return subprocess.run([sys.executable, "-B", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def main():
    os.environ["DRYWARP"] = os.path.realpath(sys.argv[1])
    examples = os.path.join(os.path.realpath(sys.argv[2]), "examples")
    with tempfile.TemporaryDirectory() as folder:
        for name, path, text in (("opentuner", "opentuner.py", OPENTUNER), ("kernel_tuner", "kernel_tuner/__init__.py", KERNEL_TUNER)):
            if importlib.util.find_spec(name) is None:
                write(f"{folder}/{path}", text)
                if name == "kernel_tuner":
                    write(f"{folder}/kernel_tuner/observers.py", "class BenchmarkObserver:\n    pass\n")
        wrong = run(folder, f"{examples}/tuners/drywarp_measure.py", f"{examples}/sweeps/matmul.cu", "TILE=64")
        assert wrong.returncode == 1 and wrong.stderr.startswith("does not fit"), wrong
        absent = run(folder, f"{examples}/tuners/drywarp_measure.py", f"{folder}/none.cu")
        assert absent.returncode == 1 and "none.cu" in absent.stderr, absent
        best = []  # the search must find what trying all finds
        for words in (["opentuner_matmul.py", "--no-dups", "--test-limit", "30", "--database", "matmul.db"], ["kernel_tuner_matmul.py", "a100"]):
            ran = run(folder, f"{examples}/tuners/{words[0]}", *words[1:])
            found = re.search("best: (-DCOARSE=[124] -DTILE=[0-9]+)", ran.stdout)
            assert ran.returncode == 0 and found, ran
            best.append(found[1])
        assert best[0] == best[1], best
    print("passed")


if __name__ == "__main__":
    main()
