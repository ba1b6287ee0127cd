"""Lists the tests of these scripts that do not run on Windows, with the reasons. It searches the
scripts for @not_on_windows(REASON) in front of a test or a class, and for
nothing_on_windows(REASON), which applies to a whole script (built.py)."""
import ast
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def constants_of(tree):
    """The string constants of a file, by name."""
    return {target.id: node.value.value
            for node in tree.body if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and isinstance(node.value, ast.Constant)}


def reason_in(call, name, constants):
    """The reason if this is a call of the function `name`, otherwise None."""
    if not isinstance(call, ast.Call) or getattr(call.func, "id", None) != name:
        return None
    argument, = call.args
    return constants[argument.id] if isinstance(argument, ast.Name) else ast.literal_eval(argument)


def left_out_of(tree, constants, prefix=""):
    """Pairs of a skipped test (or script) and the reason."""
    for node in tree.body:
        if isinstance(node, ast.Expr):
            reason = reason_in(node.value, "nothing_on_windows", constants)
            if reason is not None:
                yield "all of it", reason
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            continue
        reasons = [reason for decorator in node.decorator_list
                   if (reason := reason_in(decorator, "not_on_windows", constants)) is not None]
        for reason in reasons:
            yield prefix + node.name, reason
        if isinstance(node, ast.ClassDef):
            yield from left_out_of(node, constants, f"{node.name}.")


def main():
    shared = constants_of(ast.parse((HERE / "built.py").read_text(encoding="utf-8")))
    count = 0
    for path in sorted(HERE.glob("*/test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for what, reason in left_out_of(tree, {**shared, **constants_of(tree)}):
            print(f"{path.relative_to(HERE)}: {what}: {reason}")
            count += 1
    print(f"{count} left out")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
