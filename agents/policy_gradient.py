"""What proximal policy optimization computes, whatever is played (Schulman et al. 2017, arXiv:1707.06347)."""

from typing import Final

import torch

#: Weight of the value's squared error beside the policy's objective.
VALUE_WEIGHT: Final = 1.0


def advantages_of(rewards: torch.Tensor, values: torch.Tensor, gae_lambda: float) -> torch.Tensor:
    """Generalized advantage estimation over whole games, without a discount (arXiv:1506.02438).

    Args:
        rewards: float32 (N, T), what each decision gained; 0 behind the end of a game that was shorter.
        values: float32 (N, T), what was predicted to come before it; 0 there too.
        gae_lambda: 0 trusts the next value, 1 nothing but the rewards.

    Returns:
        float32 (N, T), how much better than predicted each decision turned out.
    """
    advantages = torch.zeros_like(rewards)
    following = carried = torch.zeros_like(values[:, 0])
    for turn in reversed(range(rewards.shape[1])):
        carried = rewards[:, turn] + following - values[:, turn] + gae_lambda * carried
        advantages[:, turn] = carried
        following = values[:, turn]
    return advantages


def standardized(numbers: torch.Tensor) -> torch.Tensor:
    """The numbers shifted and scaled to mean 0 and standard deviation 1."""
    return (numbers - numbers.mean()) / (numbers.std() + 1e-8)


def clipped_loss(
    logits: torch.Tensor,
    values: torch.Tensor,
    choices: torch.Tensor,
    log_probabilities: torch.Tensor,
    advantages: torch.Tensor,
    returns: torch.Tensor,
    clip: float,
    entropy_weight: float,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """The loss of N decisions, and what is reported of it.

    Args:
        logits: float32 (N, K), minus infinity where a choice is not legal.
        values: float32 (N,), what is predicted to come.
        choices: int64 (N,), what was chosen.
        log_probabilities: float32 (N,), of that, by the policy that chose it.
        advantages: float32 (N,).
        returns: float32 (N,), what the values are to be.
        clip: how far a probability may move before its gradient is cut off, as a part.
        entropy_weight: of the policy's entropy.
    """
    now = log_softmax(logits)
    log_ratio = chosen(now, choices) - log_probabilities
    ratio = log_ratio.exp()
    gains = torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    policy = -gains.mean()
    value = (values - returns).square().mean()
    entropy = entropy_of(now, ~logits.isinf()).mean()
    return policy + VALUE_WEIGHT * value - entropy_weight * entropy, {
        "losses/policy": policy,
        "losses/value": value,
        "losses/entropy": entropy,
        "losses/approximate_kl": (ratio - 1 - log_ratio).mean(),
        "losses/clipped": ((ratio - 1).abs() > clip).float().mean(),
    }


def log_softmax(logits: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of N rows of logits; finite even where a logit is minus infinity."""
    lowest = torch.finfo(logits.dtype).min
    return torch.log_softmax(logits.clamp(min=lowest), dim=1)


def entropy_of(log_probabilities: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """float32 (N,): the entropy over the legal choices of each row, 0 where there is one or none."""
    terms = log_probabilities.exp() * log_probabilities
    return -torch.where(legal, terms, 0).sum(dim=1)


def chosen(log_probabilities: torch.Tensor, choices: torch.Tensor) -> torch.Tensor:
    """float32 (N,): that of the choice made in each row."""
    return log_probabilities.gather(1, choices[:, None]).squeeze(1)
