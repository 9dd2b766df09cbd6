"""Play agents on the same draws and report how well each does: ``python evaluate.py --help``."""

import shlex
import sys
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import cast

import hydra
from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf

from agents.config import RulesConfig, rules_from_config
from agents.errors import one_line_errors
from agents.threads import use_threads
from evaluation.report import print_table
from evaluation.results import new_directory, write_results
from evaluation.tournament import play_tournament


@dataclass
class EvaluateConfig:
    """What ``configs/evaluate.yaml`` sets.

    Attributes:
        agents: texts that name agents, as :func:`agents.agent.make_agent` takes them.
        games: how many games each of them plays.
        seed: of the draws and of the agents' random choices.
        rules: which rules are played.
        out: a new directory for the results, null for ``reports/<date>_<time>``.
        threads: how many threads to compute on, 0 for one on each core.
    """

    agents: list[str] = MISSING
    games: int = MISSING
    seed: int = MISSING
    out: str | None = MISSING
    threads: int = MISSING
    rules: RulesConfig = field(default_factory=RulesConfig)


ConfigStore.instance().store(name="evaluate_schema", node=EvaluateConfig)


def evaluate(config: EvaluateConfig) -> None:
    """Play the games, print the table and write the results.

    Raises:
        UsageError: for what cannot be done, before any game where that can be known.
    """
    rules = rules_from_config(config.rules)
    out = Path(config.out or f"reports/{datetime.now():%Y-%m-%d_%H-%M-%S}")
    use_threads(config.threads)
    with new_directory(out):
        entries = play_tournament(config.agents, config.games, config.seed, rules)
        print_table(entries)
        write_results(out, entries, rules, config.seed, shlex.join(["python", "evaluate.py", *sys.argv[1:]]))
    print(f"\nresults.json, scores.npz and distributions.png are in {out}")


@hydra.main(version_base="1.3", config_path="configs", config_name="evaluate")
@one_line_errors
def main(config: DictConfig) -> None:
    """Run :func:`evaluate` with the command line's configuration."""
    try:
        evaluate(cast(EvaluateConfig, OmegaConf.to_object(config)))
    except KeyboardInterrupt:
        print("stopped before the end: nothing was written", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
