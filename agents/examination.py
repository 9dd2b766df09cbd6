"""What a training asks of how good its agent is meanwhile, whatever is played."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

Player = TypeVar("Player", contravariant=True)


@dataclass(frozen=True, slots=True)
class Found:
    """What an examination found.

    Attributes:
        curves: by their TensorBoard names: a number is a point of a curve, an array a histogram.
        words: the same in a few words.
        pictures: by their TensorBoard names, uint8 (H, W, 3).
    """

    curves: Mapping[str, float | np.ndarray]
    words: str
    pictures: Mapping[str, np.ndarray]


class Examination(Protocol[Player]):
    """Plays agents on games that are kept for this, the same for each of them."""

    @property
    def measure(self) -> str:
        """The curve by which the best model is kept: more is better."""
        ...

    @property
    def charts(self) -> Mapping[str, Any]:
        """How TensorBoard's page of custom scalars arranges the curves."""
        ...

    def examine(self, agent: Player) -> Found:
        """Let an agent play.

        Raises:
            PlayError: when it answers with what is no move.
        """
        ...
