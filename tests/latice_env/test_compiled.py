"""Numba changes the speed and nothing else: the rules run as plain Python too."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITHOUT_NUMBA = (
    "tests/latice_env/test_rules.py",
    "tests/latice_env/test_observation.py",
    "tests/latice_env/test_agreement.py::test_both_agree_on_every_action[3-tournament]",
)


def test_the_rules_hold_without_numba():
    """The tests of known boards and of random games, in an interpreter whose Numba compiles nothing."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *WITHOUT_NUMBA],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout
