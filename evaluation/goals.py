"""What a training is for, game by game: its rules, how good it is meanwhile, and the games at its end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from agents.config import AgentConfig, RulesConfig, rules_from_config
from agents.errors import UsageError
from agents.examination import Examination
from agents.latice.examination import BASELINES as LATICE_BASELINES
from agents.latice.examination import LaticeExamination
from agents.latice.ppo_config import LaticePPOConfig
from agents.validation import BASELINES, OPPONENT, Validation
from evaluation.games import GAMES, LATICE, TAKE_IT_EASY
from evaluation.latice.tournament import MIN_DEALS, LaticeTournament
from evaluation.sweeps import FINALS
from evaluation.tournament import Tournament


class Goal(Protocol):
    """A game that an agent is trained for."""

    game: str

    @property
    def rules(self) -> Any:
        """The rules, as the trainer takes them."""
        ...

    @property
    def name(self) -> str:
        """The rules in a word, which a run is called by."""
        ...

    def examination(self) -> Examination[Any]:
        """How good the agent is while it learns."""
        ...

    def words(self, measured: float) -> str:
        """What an examination measured, in words."""
        ...

    def command(self, run: Path) -> str:
        """The command that puts a run's agent to other games."""
        ...

    def tournament(self, run: Path, games: int, command: str) -> Any:
        """What is played at the end: a run's agent and the baselines, on fresh games.

        Args:
            run: the run's directory.
            games: how many.
            command: what was typed.
        """
        ...


class TakeItEasyGoal:
    """Points at Take It Easy, alone or at a table.

    Args:
        agent: what learns.
        rules: which rules.
        seed: of all games.

    Raises:
        UsageError: for a value that the rules do not allow.
    """

    game: str = TAKE_IT_EASY

    def __init__(self, agent: AgentConfig, rules: RulesConfig, seed: int) -> None:
        #: How many sit at a table: as many as the agent trains for where the rules ask for several, else 1.
        self.players = agent.players if rules.scoring == "best_ray" else 1
        self.agent, self.seed, self.suns = agent.name, seed, rules.suns
        self.rules = rules_from_config(rules, self.players)

    @property
    def name(self) -> str:
        """The variants played."""
        return self.rules.name

    def examination(self) -> Validation:
        """Mean points on the validation draws, less luck where it can be told."""
        return Validation(self.rules, self.seed, players=self.players)

    def words(self, measured: float) -> str:
        """Mean points."""
        return f"{measured:.1f} on the validation draws"

    def rivals(self, run: Path) -> tuple[str, ...]:
        """Who plays at the end: the baselines beside it, or the same opponent on all other seats."""
        trained = f"{self.agent}:{run}"
        return (*BASELINES, trained) if self.players == 1 else (trained, *[OPPONENT] * (self.players - 1))

    def command(self, run: Path) -> str:
        """The command that puts the trained agent to other draws."""
        words = [f"agents=[{','.join(self.rivals(run))}]", f"rules={self.rules.name}"]
        if self.players > 1:
            words.append(f"players={self.players}")
        if self.suns is not None:
            words.append(f"rules.suns={self.suns}".replace(" ", ""))
        return " ".join(["python evaluate.py", *words])

    def tournament(self, run: Path, games: int, command: str) -> Tournament:
        """The trained agent and its rivals on the same draws."""
        return Tournament(self.rivals(run), games, self.seed, self.rules, self.players, command=command)


class LaticeGoal:
    """Games won at Latice.

    Args:
        agent: what learns, and which rules it learns.
        rules: as they are when nobody asks for others: those are of the other game.
        seed: of all games.

    Raises:
        UsageError: for rules of the other game.
    """

    game: str = LATICE

    def __init__(self, agent: LaticePPOConfig, rules: RulesConfig, seed: int) -> None:
        if rules != RulesConfig():
            raise UsageError(
                "rules are those of Take It Easy: with game=latice leave them out, "
                "agent.players and agent.deal say what is played"
            )
        self.rules, self.seed = agent.rules, seed

    @property
    def name(self) -> str:
        """How many play, and the deal."""
        return f"{self.rules.players}_{self.rules.deal}"

    def examination(self) -> LaticeExamination:
        """Decided games won against the scripted agents."""
        return LaticeExamination(self.rules, self.seed)

    def words(self, measured: float) -> str:
        """The part of the decided games that were won against the strongest of the scripted agents."""
        return f"{100 * measured:.1f} % of the decided games against {LATICE_BASELINES[-1]}"

    def rivals(self, run: Path) -> tuple[str, ...]:
        """Who plays at the end: the scripted agents, or at a larger table copies of the strongest."""
        trained, others = f"ppo:{run}", self.rules.players - 1
        return (*LATICE_BASELINES, trained) if others == 1 else (trained, *LATICE_BASELINES[-1:] * others)

    def command(self, run: Path) -> str:
        """The command that plays the trained agent against the scripted ones on other deals."""
        words = [f"agents=[{','.join(self.rivals(run))}]"]
        if self.rules.players > 2:
            words.append(f"players={self.rules.players}")
        if self.rules.deal != "standard":
            words.append(f"deal={self.rules.deal}")
        return " ".join(["python evaluate.py game=latice", *words])

    def tournament(self, run: Path, games: int, command: str) -> LaticeTournament:
        """The trained agent against its rivals, each deal from every seat."""
        players = self.rules.players
        deals = max(games // players, MIN_DEALS)
        return LaticeTournament(
            self.rivals(run), deals * players, self.seed, players, self.rules.deal, command=command
        )


def goal_of(agent: AgentConfig, rules: RulesConfig, seed: int) -> Goal:
    """What is trained for.

    Raises:
        UsageError: for rules that are not of the game, or a value that they do not allow.
    """
    if isinstance(agent, LaticePPOConfig):
        return LaticeGoal(agent, rules, seed)
    return TakeItEasyGoal(agent, rules, seed)


def play_finals(goal: Goal, run: Path, games: int, command: str, check: Callable[[], None]) -> None:
    """Play a run's agent against the baselines on fresh games, and write the results.

    Args:
        goal: what it was trained for.
        run: the run's directory.
        games: how many.
        command: what was typed.
        check: raises what ends it; called now and then.

    Raises:
        UsageError: for what cannot be done.
    """
    game = GAMES[goal.game]
    with game.claimed(run / FINALS, goal.tournament(run, games, command)) as shards:
        game.play(shards, check=check)
        game.report(run / FINALS, shards)
