"""Prints the tests that a ctest report (--output-junit REPORT) names as skipped, with their
reasons; and then the failed tests with the end of their output: report.py PRESET REPORT. It repeats
what ctest printed much earlier."""
import collections
import re
import sys
import xml.etree.ElementTree

LAST = 40  # lines of each failed test

# A line with which a script of tests/integration reports a skipped test: "skipped name (class):
# reason".
SKIPPED_ONE = re.compile(r"^skipped .*?\): (.*)$", re.MULTILINE)


def is_skipped(case):
    skipped = case.find("skipped")
    return skipped is not None and skipped.get("message", "").startswith("SKIP_")


def output(case):
    return (case.findtext("system-out") or "").rstrip()


def skips(cases):
    """Reasons, and for each the names of the tests. A script that ran may have skipped a part."""
    reasons = collections.defaultdict(list)
    for case in cases:
        name = case.get("name")
        if is_skipped(case):
            reasons[(output(case).splitlines() or ["it gave no reason"])[-1]].append(name)
        else:
            for reason, times in collections.Counter(SKIPPED_ONE.findall(output(case))).items():
                reasons[reason].append(f"{times} of {name}")
    return reasons


def main():
    preset, report = sys.argv[1:]
    cases = list(xml.etree.ElementTree.parse(report).getroot().iter("testcase"))
    for reason, names in sorted(skips(cases).items()):
        print(f"--- {preset}: skipped, {reason}: {', '.join(names)}")
    for case in cases:
        if case.get("status") not in ("run", "disabled") and not is_skipped(case):
            print(f"--- {preset}: {case.get('name')} failed; the end of what it printed:")
            print(*output(case).splitlines()[-LAST:], sep="\n")


if __name__ == "__main__":
    main()
