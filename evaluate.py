"""Play agents on the same draws and report how well each does: ``python evaluate.py --help``."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import cast

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from omegaconf import MISSING, DictConfig, OmegaConf

from agents.config import RulesConfig, rules_from_config
from agents.errors import UsageError, one_line_errors
from agents.files import write_whole
from agents.threads import use_threads
from evaluation.analysis import analyse
from evaluation.games import GAMES, LATICE, TAKE_IT_EASY, Game, Played, game_begun
from evaluation.latice.tournament import BATCH as LATICE_BATCH
from evaluation.latice.tournament import DEALS, LaticeTournament
from evaluation.page import game_page
from evaluation.playing import WHOLE, Part
from evaluation.report import print_analysis
from evaluation.stopping import Interruptions, Stopped
from evaluation.tournament import BATCH, Tournament
from takeiteasy_env.record import GameRecord


@dataclass
class EvaluateConfig:
    """What ``configs/evaluate.yaml`` sets.

    What is null depends on the game, see :func:`tournament_of`.

    Attributes:
        game: which game is played, takeiteasy or latice.
        agents: texts that name agents, as :func:`agents.agent.make_agent` takes them, or for Latice
            :func:`agents.latice.agent.make_latice_agent`.
        games: how many games each of them plays, or of Latice those of each pair or table.
        seed: of the draws and of the agents' random choices.
        rules: which rules of Take It Easy are played.
        deal: how Latice is dealt, standard or tournament.
        players: how many sit at a table, 1 for everybody alone.
        out: a new directory for the results, null for ``reports/<date>_<time>``.
        resume: the directory of an unfinished evaluation to go on with, null to begin one.
        batch: games that are played side by side and saved together.
        workers: processes that play, 1 for this one alone, 0 for as many as pay.
        threads: how many threads to compute on, which the workers share; 0 for one on each core.
        part: which of how many parts to play here, such as ``2/8``, null for all.
        adjust: names a value agent, by whose network luck is told from play; null for scores as they are.
        analyse: a game file, to judge its moves instead of playing; null to play.
        judge: names the agent that judges them.
    """

    game: str = MISSING
    agents: list[str] | None = MISSING
    games: int | None = MISSING
    seed: int = MISSING
    players: int | None = MISSING
    deal: str = MISSING
    out: str | None = MISSING
    resume: str | None = MISSING
    batch: int | None = MISSING
    workers: int = MISSING
    threads: int = MISSING
    part: str | None = MISSING
    adjust: str | None = MISSING
    analyse: str | None = MISSING
    judge: str = MISSING
    rules: RulesConfig = field(default_factory=RulesConfig)


ConfigStore.instance().store(name="evaluate_schema", node=EvaluateConfig)
#: What may change when an evaluation is gone on with.
HOW_TO_PLAY = ("resume", "workers", "threads", "part")
#: What matters when a game is judged.
HOW_TO_ANALYSE = ("analyse", "judge", "game", "seed", "out", "threads")
#: Groups of settings that mean something for one game only.
OF_ONE_GAME = {
    "rules": TAKE_IT_EASY,
    "adjust": TAKE_IT_EASY,
    "analyse": TAKE_IT_EASY,
    "judge": TAKE_IT_EASY,
    "deal": LATICE,
}
ANALYSED = "game.html"


def evaluate(config: EvaluateConfig, interruptions: Interruptions) -> None:
    """Play the games that are missing, and when all are there print the tables and write the results.

    Raises:
        UsageError: for what cannot be done, before any game where that can be known.
    """
    part = WHOLE if config.part is None else Part.parse(config.part)
    if config.workers < 0:
        raise UsageError(f"workers={config.workers}: give 1 or more, or 0 for as many as pay")
    game, tournament, out = begun(config)
    threads = use_threads(config.threads)
    with game.claimed(out, tournament) as shards:
        try:
            game.play(shards, config.workers, threads, part, interruptions.check)
            if part == WHOLE:
                game.report(out, shards)
        except KeyboardInterrupt:
            print(how_to_go_on(out, shards), file=sys.stderr)
            raise
        except UsageError:
            if shards.games_played():
                print(how_to_go_on(out, shards), file=sys.stderr)
            raise
    if part == WHOLE:
        print(f"\n{game.files} are in {out}")
    else:
        print(f"\npart {config.part} is played. When all parts are in {out}/shards:")
        print(f"  python evaluate.py resume={out}")


def analyse_game(config: EvaluateConfig, path: Path) -> None:
    """Print what each move of a recorded game was worth, and write a page on which to step through it.

    Raises:
        UsageError: for a file that holds no game, and for what cannot be done.
    """
    out = new_directory(config)
    try:
        record = GameRecord.load(path)
    except OSError as error:
        raise UsageError(f"analyse={path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"analyse: {error}") from None
    if (out / ANALYSED).exists():
        raise UsageError(f"out={out} already holds {ANALYSED}: name another directory")
    use_threads(config.threads)
    analysis = analyse(record, config.judge, seed=config.seed)
    print_analysis(analysis)
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / ANALYSED, lambda file: file.write(game_page(analysis).encode()))
    except OSError as error:
        raise UsageError(f"out={out} cannot be written to: {error.strerror}") from None
    print(f"\n{ANALYSED} is in {out}")


def begun(config: EvaluateConfig) -> tuple[Game, Tournament | LaticeTournament, Path]:
    """What is to be played, and where: as it was begun, or as it is configured.

    Raises:
        UsageError: for a setting out of range.
    """
    if config.resume is not None:
        out = Path(config.resume)
        game = GAMES[game_begun(out)]
        return game, game.unfinished(out), out
    tournament = tournament_of(config)
    tournament.check()
    return GAMES[config.game], tournament, new_directory(config)


def tournament_of(config: EvaluateConfig) -> Tournament | LaticeTournament:
    """What is configured, and for what is null what the game's own help says.

    Raises:
        UsageError: for rules that there are not.
    """
    command = shlex.join(["python", "evaluate.py", *sys.argv[1:]])
    if config.game == LATICE:
        players = 2 if config.players is None else config.players
        return LaticeTournament(
            agents=("random", "greedy", "planner") if config.agents is None else tuple(config.agents),
            games=DEALS * players if config.games is None else config.games,
            seed=config.seed,
            players=players,
            deal=config.deal,
            batch=LATICE_BATCH if config.batch is None else config.batch,
            command=command,
        )
    players = 1 if config.players is None else config.players
    return Tournament(
        agents=("random", "greedy", "line_odds", "value") if config.agents is None else tuple(config.agents),
        games=10_000 if config.games is None else config.games,
        seed=config.seed,
        rules=rules_from_config(config.rules, players),
        players=players,
        batch=BATCH if config.batch is None else config.batch,
        command=command,
        adjust=config.adjust,
    )


def new_directory(config: EvaluateConfig) -> Path:
    """Where the results go."""
    return Path(config.out or f"reports/{datetime.now():%Y-%m-%d_%H-%M-%S}")


def how_to_go_on(out: Path, shards: Played) -> str:
    """What is saved of an evaluation that has stopped, and what to type next."""
    played = shards.games_played()
    if not played:
        return "stopped before the end: nothing was written"
    every = shards.tournament.games_in_all
    return f"stopped: {played:,} of {every:,} games are saved, go on with\n  python evaluate.py resume={out}"


def check_overrides(overrides: Sequence[str], game: str) -> None:
    """Raise :class:`UsageError` for a game that there is not, and for settings that would change nothing."""
    if game not in GAMES:
        raise UsageError(f"game={game}: choose {' or '.join(GAMES)}")
    names = [override.split("=")[0] for override in overrides]
    for name in names:
        of = OF_ONE_GAME.get(name.split(".")[0], game)
        if of != game and "resume" not in names:
            raise UsageError(f"{name} is a setting of game={of}: leave it out for game={game}")
    for purpose, allowed in (("resume", HOW_TO_PLAY), ("analyse", HOW_TO_ANALYSE)):
        others = [name for name in names if name not in allowed]
        if purpose in names and others:
            raise UsageError(f"{purpose} goes with {', '.join(allowed[1:])}: leave out {', '.join(others)}")


@hydra.main(version_base="1.3", config_path="configs", config_name="evaluate")
@one_line_errors
def main(config: DictConfig) -> None:
    """Run :func:`evaluate` with the command line's configuration."""
    check_overrides(HydraConfig.get().overrides.task, config.game)
    settings = cast(EvaluateConfig, OmegaConf.to_object(config))
    try:
        with Interruptions() as interruptions:
            if settings.analyse is None:
                evaluate(settings, interruptions)
            else:
                analyse_game(settings, Path(settings.analyse))
    except Stopped as stop:
        sys.exit(128 + stop.number)


if __name__ == "__main__":
    main()
