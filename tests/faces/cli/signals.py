#!/usr/bin/env python3
"""signals.py DRYWARP SIGNALS.CU [TEST...]: programs that die, that are interrupted, or whose drywarp dies; time limits, and
the progress of what takes long.

Nothing here depends on how fast the machine is: the program says when its kernel runs, and ends when it is told to.
"""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

DRYWARP, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
PATIENCE = 120  # seconds; reached only if something is broken
STEPS = 7  # launches of step() before anything happens
PROGRAM = None


def line_of(comment):
    with open(SOURCE, encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if line.rstrip().endswith("// " + comment))


def restore_signals():
    """Children of a background job ignore Ctrl-C; ours must not."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Profiled:
    """A running `drywarp profile`, with the report as JSON in a file."""

    def __init__(self, how, *options, **streams):
        self.report_file = tempfile.NamedTemporaryFile(suffix=".json")
        command = [DRYWARP, "profile", "--format", "json", "--output", self.report_file.name, *options, PROGRAM, how]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **streams}
        self.process = subprocess.Popen(command, preexec_fn=restore_signals, **streams)

    def wait_until_running(self):
        line = self.process.stdout.readline().decode()
        found = re.match(r"running (\d+)", line)
        assert found, f"the program said {line!r}"
        self.pid = int(found.group(1))

    def end(self):
        """Exit code, standard error, and the report."""
        try:
            self.output, self.errors = (part.decode() if part else "" for part in self.process.communicate(timeout=PATIENCE))
        finally:
            self.process.kill()
        with open(self.report_file.name, encoding="utf-8") as file:
            text = file.read()
        self.report = json.loads(text) if text else None
        return self.process.returncode


def launches(report, name):
    return [launch for launch in report["launches"] if launch["name"].startswith(name + "(")]


class Deaths(unittest.TestCase):
    """However a program dies, every launch that ended is in the report."""

    def check(self, how, code, report_signal):
        run = Profiled(how)
        self.assertEqual(run.end(), code, run.errors)
        self.assertEqual(len(launches(run.report, "step")), STEPS)
        for launch in run.report["launches"]:
            self.assertTrue(launch["counted"])
            self.assertEqual(launch["metrics"]["global_store_requests"]["value"], 2)
            self.assertIsNone(launch["fault"])
        self.assertEqual(run.report["signal"], report_signal)
        self.assertFalse(run.report["complete"])
        self.assertEqual(run.report["exit_code"], code if code >= 0 else 128 - code)
        return run

    def test_signals(self):
        for how, number in (("segv", signal.SIGSEGV), ("abort", signal.SIGABRT), ("assert", signal.SIGABRT),
                            ("terminate", signal.SIGABRT), ("fpe", signal.SIGFPE), ("kill", signal.SIGKILL)):
            with self.subTest(how):
                self.check(how, -number, number)

    def test_exits_past_the_handlers(self):
        self.check("_exit", 3, None)
        self.check("quick_exit", 4, None)

    def test_the_programs_own_handler_wins(self):
        run = self.check("own_handler", 40 + signal.SIGSEGV, None)
        self.assertEqual(run.output, "my own handler\n")

    def test_the_text_report_says_it(self):
        done = subprocess.run([DRYWARP, "profile", PROGRAM, "segv"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, -signal.SIGSEGV)
        self.assertIn("The program died of signal 11 (SIGSEGV)", done.stdout)
        self.assertRegex(done.stdout, r"\b7 .* step\n")

    def test_a_kernel_that_was_running_is_named(self):
        run = Profiled("thread_dies")
        self.assertEqual(run.end(), -signal.SIGABRT)
        (spin,) = launches(run.report, "spin")
        self.assertEqual(spin["fault"], "the program ended while it ran")
        self.assertEqual(spin["block"], [64, 1, 1])
        self.assertEqual(len(launches(run.report, "step")), STEPS)


class Interrupts(unittest.TestCase):
    """Ctrl-C and SIGTERM keep what was profiled, and what the kernel had done."""

    def interrupted(self, how, number):
        run = Profiled(how)
        run.wait_until_running()
        run.process.send_signal(number)
        self.assertEqual(run.end(), -number, run.errors)
        self.assertEqual(run.report["signal"], number)
        self.assertEqual(len(launches(run.report, "step")), STEPS)
        return run

    def test_in_a_loop(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            run = self.interrupted("spin", number)
            (spin,) = launches(run.report, "spin")
            self.assertIn("interrupted", spin["fault"])
            self.assertIn(f"signals.cu:{line_of('spin loop')}", spin["fault"])
            self.assertGreater(spin["metrics"]["ptx__inst_executed.sum"]["value"], 10)
            self.assertIn("interrupted in spin(", run.errors)

    def test_between_blocks(self):
        run = self.interrupted("no_loops", signal.SIGINT)
        (kernel,) = launches(run.report, "no_loops")
        self.assertRegex(kernel["fault"], r"interrupted, with \d+ of 2147483647 blocks done")
        self.assertGreater(kernel["metrics"]["ptx__inst_executed.sum"]["value"], 10)

    def test_on_the_host(self):
        self.interrupted("host", signal.SIGTERM)

    def test_sigkill_in_a_kernel(self):
        run = Profiled("spin")
        run.wait_until_running()
        os.kill(run.pid, signal.SIGKILL)
        self.assertEqual(run.end(), -signal.SIGKILL)
        (spin,) = launches(run.report, "spin")
        self.assertEqual(spin["fault"], "the program ended while it ran")

    def test_the_programs_own_handler_wins(self):
        for how in ("own_interrupt", "own_interrupt_in_kernel"):
            run = Profiled(how)
            run.wait_until_running()
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(run.end(), 40 + signal.SIGINT)
            self.assertIn("my own handler", run.output)
            self.assertEqual(len(launches(run.report, "step")), STEPS)

    def test_the_terminals_key(self):
        """The terminal sends SIGINT to drywarp and to the program."""
        pid, terminal = pty.fork()
        if pid == 0:
            restore_signals()
            os.execv(DRYWARP, [DRYWARP, "profile", PROGRAM, "spin"])
        seen = read_until(terminal, r"running \d+")
        os.write(terminal, b"\x03")
        seen += read_until(terminal, None)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), -signal.SIGINT, seen)
        self.assertIn("The program died of signal 2 (SIGINT)", seen)
        self.assertRegex(seen, r"spin stopped: the run was\s+interrupted")

    def test_run_just_ends(self):
        process = subprocess.Popen([DRYWARP, "run", PROGRAM, "spin"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=restore_signals)
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=PATIENCE)[1], b"")
        self.assertEqual(process.returncode, -signal.SIGINT)


def is_running(pid):
    """Running, and not a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def slow_compiler(folder):
    """A compiler that never ends. It writes its process ID to the folder."""
    for name in ("clang-19", "clang++-19"):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho $$ >> {folder}/started\nexec sleep 1000\n")
        os.chmod(path, 0o755)
    return {**os.environ, "DRYWARP_CLANG": os.path.join(folder, "clang-19"), "TERM": "xterm"}


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
    return result


class Orphans(unittest.TestCase):
    """drywarp's children die with it, however it ends."""

    def check(self, command, environment, children):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
                                   preexec_fn=restore_signals)
        self.addCleanup(process.stdout.close)
        pids = children(process)
        for pid in pids:
            self.assertTrue(is_running(pid))
        process.kill()
        process.wait(PATIENCE)
        wait_until(lambda: not any(is_running(pid) for pid in pids))

    def test_the_program(self):
        def children(process):
            return [int(re.match(rb"running (\d+)", process.stdout.readline()).group(1))]
        for command in ("run", "profile"):
            with self.subTest(command):
                self.check([DRYWARP, command, PROGRAM, "spin"], None, children)

    def test_the_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = slow_compiler(folder)

            def children(_):  # the device's pass and the host's
                def started():
                    try:
                        with open(f"{folder}/started", encoding="utf-8") as file:
                            pids = [int(line) for line in file]
                        return pids if len(pids) == 2 else None
                    except FileNotFoundError:
                        return None
                return wait_until(started)
            self.check([DRYWARP, "run", SOURCE], environment, children)


class TimeLimits(unittest.TestCase):
    def test_compiling_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([DRYWARP, "profile", "--timeout", "0.5", SOURCE], capture_output=True, text=True,
                                  env=slow_compiler(folder), timeout=PATIENCE)
        self.assertEqual(done.returncode, 125)
        self.assertIn(f"compiling {SOURCE} took longer than 0.5 seconds and was stopped", done.stderr)
        self.assertEqual(done.stderr.count("took longer"), 1)

    def test_compiling_a_kernel(self):
        with tempfile.TemporaryDirectory() as folder:  # nothing is compiled yet
            environment = {**os.environ, "DRYWARP_CACHE_DIR": folder}
            command = [DRYWARP, "profile", "--timeout", "0.0001", PROGRAM, "steps"]
            done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("compiling the kernel for 32 blocks took longer than 0.0001 seconds", done.stderr)

    def test_the_places_of_the_warps(self):
        run = Profiled("spin", "--timeout", "0.5")
        self.assertEqual(run.end(), 6)
        (spin,) = launches(run.report, "spin")
        for text in ("longer than 0.5 seconds, with 0 of 1 block done", f"1 at the barrier of .*:{line_of('spin barrier')}",
                     f"1 at .*:{line_of('spin loop')}"):
            self.assertRegex(spin["fault"], text)
            self.assertRegex(run.errors, text)

    def test_between_blocks(self):
        run = Profiled("no_loops", "--timeout", "0.5")
        self.assertEqual(run.end(), 6)
        (kernel,) = launches(run.report, "no_loops")
        self.assertRegex(kernel["fault"], r"longer than 0.5 seconds, with [1-9]\d* of 2147483647 blocks done")


def read_until(terminal, pattern):
    """The terminal's output until the pattern appears or the terminal is closed."""
    seen = ""
    while pattern is None or not re.search(pattern, seen):
        if not select.select([terminal], [], [], PATIENCE)[0]:
            raise AssertionError(f"waited for {pattern!r}, saw {seen!r}")
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            break
        seen += part.decode(errors="replace")
    return seen


LINE = r"\x1b7\x1b\[\?7l\x1b\[K%s\x1b\[\?7h\x1b8"  # after the cursor, which does not move


class Progress(unittest.TestCase):
    def terminal(self, columns):
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (25, columns))
        self.addCleanup(os.close, ours)
        return ours, theirs

    def shown(self, columns):
        ours, theirs = self.terminal(columns)
        run = Profiled("crowd", "--workers", "2", stderr=theirs, stdin=subprocess.PIPE)
        os.close(theirs)
        seen = read_until(ours, LINE % r"running [^\x1b]*10 of 64 [^\x1b]*")
        run.process.stdin.write(b"go\n")
        run.process.stdin.close()
        run.process.stdin = None
        self.assertEqual(run.end(), 0)
        return seen + read_until(ours, None)

    def test_a_long_kernel_shows_its_progress(self):
        seen = self.shown(100)
        self.assertRegex(seen, LINE % r"running crowd\(int volatile\*, int volatile\*\): 10 of 64 blocks, \d+ (s|min) left")
        self.assertTrue(seen.endswith("\x1b8\x1b[K"), repr(seen[-80:]))

    def test_a_narrow_terminal(self):
        lines = re.findall(LINE % "(.*?)", self.shown(30))
        self.assertTrue(lines)
        for line in lines:
            self.assertLess(len(line), 30)

    def test_compiling_shows_its_progress(self):
        ours, theirs = self.terminal(100)
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([DRYWARP, "run", SOURCE], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
                                       env=slow_compiler(folder), preexec_fn=restore_signals)
            os.close(theirs)
            read_until(ours, LINE % r"compiling signals\.cu, [12] s so far")
            process.kill()
            self.assertEqual(process.communicate(timeout=PATIENCE)[0], b"")

    def test_the_programs_text_stays(self):
        """Output without a newline is neither overwritten nor cleared."""
        ours, theirs = self.terminal(100)
        process = subprocess.Popen([DRYWARP, "run", PROGRAM, "slow_behind_a_word"], stdin=subprocess.DEVNULL, stdout=theirs,
                                   stderr=theirs, env={**os.environ, "TERM": "xterm"}, preexec_fn=restore_signals)
        os.close(theirs)
        seen = read_until(ours, None)
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertRegex(seen, r"^a word")
        self.assertRegex(seen, LINE % "running crowd.*?")
        # Any other cursor movement would remain in the text.
        self.assertRegex(re.sub(LINE % ".*?" + r"|\x1b\[K", "", seen), r"^a wordrunning \d+\r\n and another\r\n$")

    def test_a_dumb_terminal(self):
        ours, theirs = self.terminal(100)
        process = subprocess.Popen([DRYWARP, "run", PROGRAM, "slow"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=theirs, env={**os.environ, "TERM": "dumb"}, preexec_fn=restore_signals)
        os.close(theirs)
        self.assertEqual(read_until(ours, None), "")
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_none_without_a_terminal(self):
        run = Profiled("slow")
        self.assertEqual(run.end(), 0)
        self.assertEqual(run.errors, "")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TERM"] = "xterm"
        os.environ["DRYWARP_CACHE_DIR"] = os.path.join(folder, "cache")
        PROGRAM = os.path.join(folder, "program")
        subprocess.run([DRYWARP, "nvcc", "-lineinfo", "-std=c++17", SOURCE, "-o", PROGRAM], check=True)
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
