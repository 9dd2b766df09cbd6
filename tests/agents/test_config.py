from pathlib import Path

import pytest
from omegaconf import OmegaConf

from agents.config import RulesConfig, rules_from_config
from agents.errors import UsageError
from takeiteasy_env.rules import PLACEMENTS, TABLE_SCORINGS, Rules

RULES_GROUP = sorted((Path(__file__).parents[2] / "configs" / "rules").glob("*.yaml"))


@pytest.mark.parametrize("path", RULES_GROUP, ids=lambda path: path.stem)
def test_each_file_of_the_rules_group_is_named_as_its_rules(path: Path):
    config = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(RulesConfig), OmegaConf.load(path)))
    assert isinstance(config, RulesConfig)
    assert rules_from_config(config, players=2).name == path.stem


def test_the_rules_group_holds_every_variant():
    assert len(RULES_GROUP) == len(PLACEMENTS) * len(TABLE_SCORINGS)


def test_suns_may_be_given_as_tiles_or_as_flags():
    flags = [False] * 27
    flags[0] = flags[26] = True
    for suns in ([123, 978], flags):
        assert rules_from_config(RulesConfig(suns=suns)) == Rules(suns=tuple(flags))


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (RulesConfig(placement="anywhere"), "'anywhere'"),
        (RulesConfig(scoring="double"), "'double'"),
        (RulesConfig(scoring="best_ray"), "2 to 6 players"),
        (RulesConfig(suns=[123, 124, 999]), "999"),
    ],
)
def test_rules_that_do_not_exist_are_refused_in_one_line(config: RulesConfig, named: str):
    with pytest.raises(UsageError, match=named) as caught:
        rules_from_config(config)
    assert "\n" not in str(caught.value)
