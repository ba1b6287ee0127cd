"""Prints which tests of a report of ctest (--output-junit REPORT) failed, and the end of what each
printed: failures.py PRESET REPORT. ctest printed all of it, before everything that ran later."""
import sys
import xml.etree.ElementTree

LAST = 40  # lines of each test


def failures(report):
    """(name, lines) of each test that neither passed nor was skipped."""
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        skipped = case.find("skipped")
        if case.get("status") in ("run", "disabled") or (
                skipped is not None and skipped.get("message", "").startswith("SKIP_")):
            continue
        lines = (case.findtext("system-out") or "").rstrip().splitlines()
        yield case.get("name"), lines


def main():
    preset, report = sys.argv[1:]
    for name, lines in failures(report):
        print(f"--- {preset}: {name} failed; the end of what it printed:")
        print(*lines[-LAST:], sep="\n")


if __name__ == "__main__":
    main()
