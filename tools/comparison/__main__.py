"""What tools/compare starts, once all is there that it needs."""
import sys

import comparing

if __name__ == "__main__":
    sys.exit(comparing.main(sys.argv[1:]))
