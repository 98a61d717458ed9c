from __future__ import annotations

import signal
import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # tests share `pictures` and `reference`
settings.register_profile("jigsolve", deadline=None, derandomize=True)
settings.load_profile("jigsolve")
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests interrupt themselves, also where it is ignored
