#!/usr/bin/env python3
"""Tries `planfuzz provider` on `provider.py`: as it is it has no findings, and each of twelve planted breaches is found, made small, and
shown again without the provider.

    python3 trial.py PLANFUZZ

A breach that is not found, or stays large, ends it with 1. Needs the package `tf` where this Python finds it; without it, it ends with 3.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROVIDER = Path(__file__).with_name("provider.py")

# The breach, the promise that it breaks, where, and how many values its configurations set at most.
PLANTED = [
    ("bad-diagnostic", "diagnostic-path", ".nosuch", 2),
    ("config-changed", "I06", ".mode", 2),
    ("dies", "answers", "apply", 1),
    ("import-partial", "import-empty", ".mode", 2),
    ("late-refusal", "refused-early", "", 1),
    ("not-gone", "gone", "", 1),
    ("perpetual", "settled-plan", ".stamp", 1),
    ("read-differs", "read-back", ".size", 2),
    ("result-differs", "I24", ".size", 2),
    ("unknown-left", "I25", ".stamp", 1),
    ("unset-set", "I07", ".size", 1),
    ("unstable", "same-answer", ".stamp", 1),
]

# What is seen of plans alone: nothing is applied then.
OF_PLANS = ["bad-diagnostic", "config-changed", "perpetual", "unset-set", "unstable"]


def run(planfuzz: str, breach: str, findings: Path, options: list[str]):
    """The exit code and the lines of a run."""
    command = [planfuzz, "provider", sys.executable, "--json", "--lives", "40", "--findings", str(findings)]
    ended = subprocess.run([*command, *options, "--", "-B", str(PROVIDER), breach], capture_output=True, text=True)
    if ended.returncode not in (0, 1):
        sys.exit(f"{breach}: exit code {ended.returncode}\n{ended.stderr}")
    return ended.returncode, [json.loads(line) for line in ended.stdout.splitlines()]


def size(case: dict) -> int:
    """How many values the largest configuration of a case sets."""

    def values(value) -> int:
        if isinstance(value, dict):
            return sum(map(values, value.values()))
        if isinstance(value, list):
            return sum(map(values, value))
        return value is not None

    used = {act["config"] for act in case["acts"] if "config" in act}
    return max((values(case["configs"][number]) for number in used), default=0)


def tried(planfuzz: str, breach: str, promise: str, place: str, most: int) -> str:
    """What is wrong with the finding of a breach; nothing where it is as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        options = [] if breach in OF_PLANS else ["--apply", "py_thing"]
        code, lines = run(planfuzz, breach, Path(folder), ["--type", "py_thing", *options])
        findings = [line for line in lines if "finding" in line]
        found = [line for line in findings if (line["finding"], line["place"]) == (promise, place)]
        if code != 1 or not found:
            reported = [(line["finding"], line["place"]) for line in findings]
            return f"expected {promise} at {place!r}, found {reported}"
        file = found[0]["file"]
        values = size(json.loads(Path(file).read_text()))
        if values > most:
            return f"expected at most {most} values, found {values}"
        again = subprocess.run([planfuzz, "replay", file], capture_output=True, text=True)
        if again.returncode != 1:
            return f"expected it to be shown again, found exit code {again.returncode}: {again.stderr}"
        calls = lines[-1]["calls"]
        print(f"{breach}: {promise} {place} found in {calls} calls, {values} values, {len(findings)} findings")
        return ""


def main() -> int:
    if importlib.util.find_spec("tf") is None:
        print("the package tf is not there: nothing was tried", file=sys.stderr)
        return 3
    planfuzz = str(Path(sys.argv[1]).absolute())
    problems = []
    for options in [[], ["--apply", "py_thing", "--apply", "data.py_here"]]:
        with tempfile.TemporaryDirectory() as folder:
            code, lines = run(planfuzz, "none", Path(folder), options)
            if code != 0:
                problems.append(f"none: expected no findings, found {lines}")
            print(f"none: {lines[-1]['lives']} lives, {lines[-1]['created']} objects, {lines[-1]['findings']} findings")
    for breach, *expected in PLANTED:
        problem = tried(planfuzz, breach, *expected)
        problems += [f"{breach}: {problem}"] if problem else []
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
