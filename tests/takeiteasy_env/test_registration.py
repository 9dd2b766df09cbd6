"""The environments are found by their ids, in this process and in others."""

import importlib
import json
import os
import subprocess
import sys
import warnings
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

import takeiteasy_env
from takeiteasy_env import ENVIRONMENTS, Rules, TakeItEasyEnv, TakeItEasyVectorEnv

each_id = pytest.mark.parametrize("environment_id", ENVIRONMENTS)


@each_id
@pytest.mark.parametrize("prefix", ["", "takeiteasy_env:"])
def test_make_finds_the_environment_by_both_ids(environment_id, prefix):
    env = gym.make(prefix + environment_id)
    assert isinstance(env.unwrapped, TakeItEasyEnv)
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space


@each_id
@pytest.mark.parametrize("prefix", ["", "takeiteasy_env:"])
def test_make_vec_makes_the_native_vector_environment(environment_id, prefix):
    env = gym.make_vec(prefix + environment_id, num_envs=3, reward="final")
    assert isinstance(env, TakeItEasyVectorEnv)
    assert env.reward == "final"
    observations, _ = env.reset(seed=0)
    assert observations in env.observation_space


@each_id
def test_the_spec_has_no_time_limit_and_is_json(environment_id):
    spec = gym.spec(environment_id)
    assert spec.max_episode_steps is None
    again = gym.envs.registration.EnvSpec.from_json(spec.to_json())
    assert isinstance(gym.make(again).unwrapped, TakeItEasyEnv)


@pytest.mark.parametrize(
    ("environment_id", "rules"),
    [
        ("TakeItEasy-v0", Rules("free", "standard")),
        ("TakeItEasyAdjacent-v0", Rules("adjacent", "standard")),
        ("TakeItEasySunMoon-v0", Rules("sun_moon", "standard")),
        ("TakeItEasySunrays-v0", Rules("free", "sunrays")),
    ],
)
def test_an_id_says_which_rules_are_played_and_further_arguments_go_with_it(environment_id, rules):
    suns = [123, 978]
    assert gym.make(environment_id).unwrapped.rules == rules
    assert gym.make_vec(environment_id, num_envs=2).unwrapped.rules == rules
    assert gym.make(environment_id, suns=suns).unwrapped.rules == replace(rules, suns=suns)


def test_a_spec_with_every_argument_is_json_and_makes_the_same_environment():
    arguments = {
        "placement": "sun_moon",
        "scoring": "sunrays",
        "suns": [123, 978],
        "reward": "final",
        "illegal": "raise",
        "render_mode": "ansi",
    }
    env = gym.make("TakeItEasy-v0", **arguments)
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert json.loads(again.spec.to_json())["kwargs"] == arguments
    assert again.unwrapped.rules == env.unwrapped.rules


def test_importing_the_package_again_registers_nothing_twice():
    before = dict(gym.registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.reload(takeiteasy_env)
    assert dict(gym.registry) == before


def test_an_import_alone_registers_and_loads_nothing_heavy():
    code = (
        "import sys, takeiteasy_env, gymnasium as gym;"
        "env = gym.make('TakeItEasy-v0'); env.reset(seed=0); env.step(0);"
        "heavy = ('torch', 'pygame', 'pettingzoo', 'matplotlib', 'agents');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_environments_play_the_same_games_without_numba():
    code = (
        "import numpy as np;"
        "from takeiteasy_env import TakeItEasyVectorEnv;"
        "env = TakeItEasyVectorEnv(2, placement='sun_moon', scoring='sunrays');"
        "steps = [env.reset(seed=3)[0]];"
        "steps += [env.step(np.array([turn % 19, 18 - turn % 7]))[0] for turn in range(40)];"
        "print(np.packbits(np.array(steps)).tobytes().hex())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"NUMBA_DISABLE_JIT": flag},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for flag in ("0", "1")
    ]
    assert len(outputs[0]) > 1000
    assert outputs[0] == outputs[1]


@pytest.mark.slow
def test_spawned_workers_find_the_environment():
    env = gym.make_vec(
        "takeiteasy_env:TakeItEasy-v0",
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn"},
    )
    observations, _ = env.reset(seed=0)
    native, _ = gym.make_vec("TakeItEasy-v0", num_envs=2).reset(seed=0)
    np.testing.assert_array_equal(observations, native)
    env.close()
