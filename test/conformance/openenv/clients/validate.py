"""What `openenv validate --url` says of a running server."""

import json
import sys

from openenv.cli._validation import validate_running_environment

if __name__ == "__main__":
    json.dump(validate_running_environment(sys.argv[1]), sys.stdout)
