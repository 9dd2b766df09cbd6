"""Train an agent, watch it and play it against the baselines: ``python train.py --help``."""

import math
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import MISSING, DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from agents.config import AgentConfig, RulesConfig
from agents.curves import curve_of
from agents.errors import DivergedError, UsageError, one_line_errors
from agents.threads import use_threads
from agents.trainers import LEARNERS, learner_named, make_trainer
from evaluation.games import LATICE, TAKE_IT_EASY
from evaluation.goals import Goal, goal_of, play_finals
from evaluation.results import RESULTS
from evaluation.stopping import Interruptions, Stopped
from evaluation.sweeps import FINALS, SETTINGS
from evaluation.tournament import MIN_GAMES

if TYPE_CHECKING:
    import torch

    from agents.distributed import World

#: What a search is told of a training that diverged.
WORTHLESS: Final = 0.0
#: How many final games a game has, unless it is said otherwise; and who learns it.
FINAL_GAMES: Final = {TAKE_IT_EASY: 20_000, LATICE: 2_000}
LATICE_LEARNER: Final = "latice_ppo"


@dataclass
class TrainConfig:
    """What ``configs/train.yaml`` sets.

    Attributes:
        game: takeiteasy or latice.
        agent: what learns, and how.
        rules: which rules of Take It Easy are played.
        seed: of everything random.
        run_dir: a new directory for the run, null for ``runs/<date>_<time>_<agent>_<rules>``, in a sweep
            for the job's number in the directory of the sweep.
        resume: the directory of a run to go on with, null to begin a new one.
        evaluation_games: games against the baselines at the end, 0 for none, null for :data:`FINAL_GAMES`.
        threads: how many threads to compute on, 0 for one on each core.
        device: auto, cpu, cuda or mps: where the network lies.
        precision: float32, or on cuda bfloat16: the number format of its matrix products.
    """

    game: str = "takeiteasy"
    agent: AgentConfig = MISSING
    rules: RulesConfig = field(default_factory=RulesConfig)
    seed: int = MISSING
    run_dir: str | None = MISSING
    resume: str | None = MISSING
    evaluation_games: int | None = MISSING
    threads: int = MISSING
    device: str = MISSING
    precision: str = MISSING


ConfigStore.instance().store(name="train_schema", node=TrainConfig)
for _name, _learner in LEARNERS.items():
    ConfigStore.instance().store(group="agent/schema", name=_name, node=_learner.config)


def run_training(config: TrainConfig, sweep: Path | None) -> float:
    """Begin a run or go on with one, to its end or until it is stopped.

    Args:
        config: what was asked for.
        sweep: the directory of the sweep that it is a job of; a job that was begun goes on.

    Returns:
        What the last examination measured: what a search may choose by, since the final games are others.

    Raises:
        UsageError: for what cannot be done.
        Stopped: by a signal, when all is saved and it was said how to go on.
    """
    threads = use_threads(config.threads)
    # PyTorch is imported only here, after its threads are chosen.
    from agents.distributed import joined_world

    with joined_world() as world:
        if sweep is not None and world.size > 1:
            raise UsageError("torchrun is for one training: run a sweep without it")
        run, config = world.from_first(lambda: begun_run(config, sweep is not None))
        if (run / FINALS / RESULTS).exists():
            print(f"{run} is complete: its final games are in {run / FINALS}")
        else:
            try:
                with Interruptions() as interruptions:
                    train_and_play(run, config, threads, world, interruptions)
            except Stopped:
                print(f"\nstopped and saved: go on with\n  python train.py resume={run}")
                if sweep is not None:
                    print(f"or with the whole sweep, by its command and hydra.sweep.dir={sweep}")
                raise
            print(f"\neverything is in {run}. What to type next:")
            print(f"  tensorboard --logdir {run}")
            print(f"  {goal_of_config(config).command(run)}")
        return measured(run, config) if world.first else math.nan


def measured(run: Path, config: TrainConfig) -> float:
    """What the last examination of a run measured."""
    return curve_of(run, goal_of_config(config).examination().measure)[-1][1]


def begun_run(config: TrainConfig, sweep: bool) -> tuple[Path, TrainConfig]:
    """The directory and the settings of a run: a new one, or one that is to go on.

    Args:
        config: what was asked for.
        sweep: whether a run of the same settings in ``run_dir`` goes on.

    Returns:
        Both; a run that goes on keeps its settings, but for a device that is asked for.

    Raises:
        UsageError: when it can be neither begun nor gone on with.
    """
    if config.resume is not None:
        run = Path(config.resume)
        settings = settings_of(run)
        if (run / FINALS / RESULTS).exists():
            raise UsageError(f"{run} is complete: its final games are in {run / FINALS}")
        if config.device != "auto":
            settings.device = config.device
        device_of(settings)
        return run, settings
    if sweep and config.run_dir is not None and Path(config.run_dir, SETTINGS).exists():
        settings = settings_of(Path(config.run_dir))
        if replace(settings, threads=config.threads) != config:
            raise UsageError(f"{config.run_dir} holds a run of other settings: name another hydra.sweep.dir")
        return Path(config.run_dir), settings
    return new_run(config), config


def goal_of_config(config: TrainConfig) -> Goal:
    """What is trained for.

    Raises:
        UsageError: for rules that the game does not have, or a value that they do not allow.
    """
    return goal_of(config.agent, config.rules, config.seed)


def device_of(config: TrainConfig) -> tuple["torch.device", "torch.dtype"]:
    """Where a run computes, and the number format of its matrix products.

    Raises:
        UsageError: for a device or a precision that cannot be had, or several processes for an agent that
            learns in one.
    """
    from agents.device import choose_device, choose_precision
    from agents.distributed import processes_started

    learner = LEARNERS[config.agent.name]
    if processes_started() > 1 and not learner.several:
        raise UsageError(f"agent={config.agent.name} learns in one process: start it without torchrun")
    device = choose_device(config.device, learner.devices)
    return device, choose_precision(config.precision, device)


def train_and_play(
    run: Path, config: TrainConfig, threads: int, world: "World", interruptions: Interruptions
) -> None:
    """Train, then play the final games; of several processes the first one plays them.

    Raises:
        UsageError: for what cannot be done.
        Stopped: by a signal, when all is saved.
    """
    from agents.metrics import About
    from agents.training import BEST, train

    goal, command = goal_of_config(config), shlex.join(["python", "train.py", *sys.argv[1:]])
    settings = cast(dict[str, Any], OmegaConf.to_container(OmegaConf.structured(config)))
    device, dtype = device_of(config)
    trainer = make_trainer(config.agent, goal.rules, config.seed, threads, world, device, dtype)
    outcome = train(trainer, run, goal.examination(), About(command, settings, goal.name), world)
    if outcome.signal is not None:
        raise Stopped(outcome.signal)
    if not world.first:
        return
    where = f"{threads} threads" if device.type == "cpu" else str(device)
    among = f" in each of {world.size} processes" if world.size > 1 else ""
    print(f"\ntrained for {outcome.seconds / 60:.1f} minutes on {where}{among}")
    step, best = outcome.best
    if step < outcome.curve[-1][0]:
        print(f"it did best, {goal.words(best)}, after {step:,} games: {run / BEST}")
    if config.evaluation_games:
        play_finals(goal, run, config.evaluation_games, command, interruptions.check)


def check_overrides(overrides: Sequence[str]) -> None:
    """Raise :class:`UsageError` when a run to be resumed is also given other settings."""
    names = [override.split("=")[0] for override in overrides]
    others = [name for name in names if name not in ("resume", "threads", "device")]
    if "resume" in names and others:
        raise UsageError(f"resume goes on with the run's own settings: leave out {', '.join(others)}")


def check(config: TrainConfig) -> None:
    """Raise :class:`UsageError` for a setting out of range, naming it and what is allowed."""
    name = config.agent.name
    if type(config.agent) is not learner_named(name).config:
        raise UsageError(f"agent.name={name}: choose another agent as agent={name}")
    if config.game not in FINAL_GAMES:
        raise UsageError(f"game={config.game}: give {' or '.join(FINAL_GAMES)}")
    if LEARNERS[name].game != config.game:
        of_game = [other for other, learner in LEARNERS.items() if learner.game == config.game]
        raise UsageError(
            f"agent={name} does not play game={config.game}: give one of {', '.join(of_game)}, "
            f"or game={LEARNERS[name].game}"
        )
    config.agent.check()
    goal_of_config(config)
    if not 0 <= config.seed < 1 << 63:
        raise UsageError(f"seed={config.seed}: give 0 to 2**63 - 1")
    if config.evaluation_games and config.evaluation_games < MIN_GAMES:
        raise UsageError(
            f"evaluation_games={config.evaluation_games}: give {MIN_GAMES} or more, or 0 for none"
        )


def new_run(config: TrainConfig) -> Path:
    """Make the directory of a new run and write its settings into it.

    Raises:
        UsageError: when a setting is out of range or the directory cannot be made.
    """
    check(config)
    device_of(config)
    for run in possible_directories(config):
        try:
            run.mkdir(parents=True)
            OmegaConf.save(OmegaConf.structured(config), run / SETTINGS)
            return run
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(f"cannot make run_dir={run}: {error.strerror}") from None
    run = config.run_dir
    raise UsageError(f"{run} exists already: name another run_dir, or type resume={run}")


def possible_directories(config: TrainConfig) -> Iterator[Path]:
    """Where a new run may go: where it is told, or by date and time, with a number after the first try."""
    if config.run_dir is not None:
        yield Path(config.run_dir)
        return
    name = f"runs/{datetime.now():%Y-%m-%d_%H-%M-%S}_{config.agent.name}_{goal_of_config(config).name}"
    yield Path(name)
    yield from (Path(f"{name}_{number}") for number in count(2))


def settings_of(run: Path) -> TrainConfig:
    """The settings that a run began with.

    Raises:
        UsageError: when the directory holds none, or not such as a run begins with.
    """
    try:
        saved = OmegaConf.create((run / SETTINGS).read_text())
        agent = LEARNERS[str(OmegaConf.select(saved, "agent.name"))].config
        schema = OmegaConf.structured(TrainConfig(agent=OmegaConf.structured(agent)))
        config = OmegaConf.to_object(OmegaConf.merge(schema, saved))
    except OSError as error:
        raise UsageError(f"cannot resume {run}: {SETTINGS}: {error.strerror}") from None
    except (OmegaConfBaseException, YAMLError, LookupError, ValueError):
        raise UsageError(f"cannot resume {run}: its {SETTINGS} is damaged") from None
    check(cast(TrainConfig, config))
    return cast(TrainConfig, config)


def with_learner(arguments: Sequence[str]) -> list[str]:
    """A command line with the learner of ``game=latice``, where that is all that is said of who learns.

    What is typed is a value, and Hydra chooses groups such as the agent by groups alone.
    """
    named = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    if named.get("game") != LATICE or {"agent", "experiment", "search", "resume"} & named.keys():
        return [*arguments]
    return [*arguments, f"agent={LATICE_LEARNER}"]


@hydra.main(version_base="1.3", config_path="configs", config_name="train")
@one_line_errors
def main(config: DictConfig) -> float:
    """Run :func:`run_training` with the command line's configuration."""
    hydra_config = HydraConfig.get()
    check_overrides(hydra_config.overrides.task)
    settings = cast(TrainConfig, OmegaConf.to_object(config))
    if settings.evaluation_games is None:
        settings.evaluation_games = FINAL_GAMES.get(settings.game, 0)
    sweep = Path(hydra_config.sweep.dir) if hydra_config.mode == RunMode.MULTIRUN else None
    if sweep is not None and settings.run_dir is None and settings.resume is None:
        settings.run_dir = str(sweep / str(hydra_config.job.num))
    try:
        return run_training(settings, sweep)
    except DivergedError as error:
        if sweep is None:
            raise
        print(f"error: {error}", file=sys.stderr)
        return WORTHLESS
    except Stopped as stop:
        sys.exit(128 + stop.number)


if __name__ == "__main__":
    sys.argv[1:] = with_learner(sys.argv[1:])
    main()
