"""How the tests start ``python evaluate.py``."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

SCRIPT: Final = Path(__file__).parents[2] / "evaluate.py"


def begin_and_stop(
    directory: Path, number: signal.Signals, batches: int, *arguments: str
) -> tuple[int, list[str]]:
    """Send an evaluation in ``directory/mine`` a signal once it has saved so many batches."""
    command = [sys.executable, str(SCRIPT), "out=mine", *arguments]
    shards = directory / "mine" / "shards"
    with subprocess.Popen(command, cwd=directory, stderr=subprocess.PIPE, text=True) as process:
        try:
            while process.poll() is None and (
                not shards.exists() or len(list(shards.glob("*.npz"))) < batches
            ):
                time.sleep(0.02)
            process.send_signal(number)
            _, error = process.communicate(timeout=120)
        finally:
            process.kill()
    return process.returncode, error.splitlines()
