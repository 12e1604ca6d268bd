#!/usr/bin/env python3
"""report_picture.py DRYWARP [--check]: draws docs/report.svg, a real report on a terminal.

Runs the command below in a pseudo-terminal and draws the output, with colours. Times of this machine are left out. --check compares instead
of writing: modelled values may differ, because they change with every improvement of the model; counted values may not. With
DRYWARP_ACCEPT=1 it writes anyway.
"""

import html
import os
import pty
import re
import subprocess
import sys
import termios

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURE = os.path.join(ROOT, "docs", "report.svg")
ARGUMENTS = ["profile", "--kernel", "(naive_write|padded)<float>", "examples/transpose.cu"]
SHOWN = "$ drywarp profile --kernel '(naive_write|padded)<float>' examples/transpose.cu"
COLUMNS = 80
# What is counted; all other numbers are modelled, and so is the order of lines.
COUNTED = re.compile(r"\d+ launch[a-z]* of .*? threads|(?:global|shared) (?:load|store): [^;]*?(?:fewest possible|would do)")

CELL, LINE, MARGIN, SIZE = 7.2, 16, 16, 12
STYLES = {"1": 'font-weight="bold" fill="#ffffff"', "2": 'fill="#8b949e"', "31": 'fill="#ff7b72"', "33": 'fill="#e3b341"'}


def on_a_terminal(command):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, COLUMNS))
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
                               env=environment)
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # nobody has the other end open any more
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    errors = process.communicate()[1].decode()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}\n{errors}")
    return b"".join(parts).decode().replace("\r\n", "\n")


def chosen(text):
    """The lines of the picture: the command and the report, without the program's own output."""
    lines = text.rstrip("\n").split("\n")
    begin = next(i for i, line in enumerate(lines) if line.startswith("==drywarp=="))
    return [SHOWN, *lines[begin:]]


def counted(lines):
    """The facts that are not modelled, without escapes and layout."""
    return sorted(set(COUNTED.findall(" ".join(" ".join(re.sub(r"\x1b\[\d+m", "", line) for line in lines).split()))))


def drawn_before():
    """The texts of the picture, line by line."""
    with open(PICTURE, encoding="utf-8") as file:
        rows = re.findall(r"<text y=[^>]*>(.*?)</text>", file.read())
    return [" ".join(html.unescape(t) for t in re.findall(r"<tspan[^>]*>(.*?)</tspan>", row)) for row in rows]


def drawn(line, y):
    """Draws one line; escape sequences become spans, each at its column."""
    spans, column, style = [], 0, ""
    for part in re.split(r"(\x1b\[\d+m)", line):
        escape = re.fullmatch(r"\x1b\[(\d+)m", part)
        if escape:
            style = STYLES.get(escape.group(1), "")
            continue
        text = part.strip(" ")
        if text:
            x = MARGIN + (column + len(part) - len(part.lstrip(" "))) * CELL
            space = f' textLength="{len(text) * CELL:.1f}"'
            spans.append(f'<tspan x="{x:.1f}"{space}{" " + style if style else ""}>{html.escape(text, quote=False)}</tspan>')
        column += len(part)
    return f'<text y="{y}">{"".join(spans)}</text>' if spans else ""


def picture(lines):
    width = 2 * MARGIN + COLUMNS * CELL
    height = 2 * MARGIN + len(lines) * LINE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
        f' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="{SIZE}"'
        f' fill="#c9d1d9" xml:space="preserve">',
        "<!-- Drawn by tools/report_picture.py from a run of drywarp. -->",
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
    ]
    out += [drawn(line, MARGIN + SIZE + i * LINE) for i, line in enumerate(lines)]
    return "\n".join(part for part in out if part) + "\n</svg>\n"


def main():
    drywarp = os.path.abspath(sys.argv[1])
    lines = chosen(on_a_terminal([drywarp, *ARGUMENTS]))
    if "--check" not in sys.argv[2:] or os.environ.get("DRYWARP_ACCEPT"):
        with open(PICTURE, "w", encoding="utf-8") as file:
            file.write(picture(lines))
        return
    now, before = counted(lines), counted(drawn_before())
    if now != before:
        differing = next((pair for pair in zip(now, before) if pair[0] != pair[1]), ("", ""))
        sys.exit("docs/report.svg is not what drywarp prints now: run tools/report_picture.py build/bin/drywarp\n"
                 f"now:    {differing[0]}\nbefore: {differing[1]}")


if __name__ == "__main__":
    main()
