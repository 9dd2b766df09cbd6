"""The game in TorchRL, played by a policy that sees the mask: ``python examples/torchrl_env.py``.

    python -m pip install "takeiteasy-env[torchrl]"

``GymWrapper`` reads the observation and the mask from one dict, ``ActionMask`` keeps the environment's own
random actions legal, and ``MaskedCategorical`` those of a policy.
"""

import gymnasium
import torch
from tensordict.nn import TensorDictModule
from torchrl.envs import ActionMask, Compose, DTypeCastTransform, GymWrapper, RewardSum, TransformedEnv
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor

from takeiteasy_env import DictObservation


def make_env() -> TransformedEnv:
    """The game as tensors: ``observation`` float32 (207,), ``action_mask`` bool (19,)."""
    game = DictObservation(gymnasium.make("takeiteasy_env:TakeItEasy-v0", illegal="raise"))
    return TransformedEnv(
        GymWrapper(game, categorical_action_encoding=True),
        Compose(
            DTypeCastTransform(torch.int8, torch.float32, in_keys=["observation"]),
            DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]),
            ActionMask(),
            RewardSum(),
        ),
    )


def make_policy(env: TransformedEnv) -> ProbabilisticActor:
    """A network with random weights, whose every action is legal."""
    cells = env.action_spec.space.n
    network = TensorDictModule(MLP(out_features=cells, num_cells=[128]), ["observation"], ["logits"])
    return ProbabilisticActor(
        network,
        in_keys={"logits": "logits", "mask": "action_mask"},
        spec=env.action_spec,
        distribution_class=MaskedCategorical,
    )


def play(games: int) -> torch.Tensor:
    """float32 (games,): the scores of some games of the policy, one after the other."""
    env = make_env()
    env.set_seed(0)
    played = env.rollout(19 * games, make_policy(env), break_when_any_done=False)
    return played["next", "episode_reward"][played["next", "done"]]


if __name__ == "__main__":
    print(f"{play(100).mean():.1f} points, where random play makes 10.7")
