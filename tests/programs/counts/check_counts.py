#!/usr/bin/env python3
"""check_counts.py DRYWARP TEST: profiles an example and compares every launch with its model. --list names the tests."""

import os
import sys

from course_kernels import TESTS
from profile_run import EXAMPLES, check, profile


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(TESTS))
        return 0
    drywarp, test = sys.argv[1:]
    program, arguments, expectations = TESTS[test]
    output, launches = profile(drywarp, os.path.join(EXAMPLES, program + ".cu"), arguments)
    if output.rstrip().splitlines()[-1:] != ["PASS"]:
        print(f"{program}: its own check failed:\n{output}")
        return 1
    expected = expectations()
    wrong = check(program, launches, expected)
    print(f"{test}: {len(expected)} launches, {sum(len(e.metrics) for e in expected)} values, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
