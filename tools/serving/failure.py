"""An error as one line for the user."""

CANNOT_FETCH = 77  # ctest's code for "skipped"


class Failure(Exception):
    """An error for the user. `code` is the program's exit code."""

    def __init__(self, text, code=1):
        super().__init__(text)
        self.code = code
