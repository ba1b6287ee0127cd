"""Entry point of tools/compare, after its dependencies are installed."""
import sys

import comparing

if __name__ == "__main__":
    sys.exit(comparing.main(sys.argv[1:]))
