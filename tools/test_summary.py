#!/usr/bin/env python3
"""Prints one line, 'N passed, N failed[, N skipped]', from the JUnit file that ctest wrote; exit code 1 if any failed."""

import sys
import xml.etree.ElementTree as xml


def main():
    try:
        suite = xml.parse(sys.argv[1]).getroot()
    except (OSError, xml.ParseError) as problem:
        print(f"no test results: {problem}")
        print("0 passed, 1 failed")
        return 1
    passed, failed, skipped = 0, [], 0
    for case in suite.iter("testcase"):
        status = case.get("status")
        if status == "run":
            passed += 1
        elif status in ("disabled", "notrun") and case.find("skipped") is not None:
            skipped += 1
        else:
            failed.append(case.get("name"))
    for name in failed:
        print(f"failed: {name}")
    print(f"{passed} passed, {len(failed)} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
