"""The house: three floors, imports that run downward only, small files, and nothing of one machine in it."""

import ast
import re
from fnmatch import fnmatch
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "takeiteasy_env": set(),
    "latice_env": {"takeiteasy_env"},
    "agents": {"takeiteasy_env", "latice_env"},
    "evaluation": {"agents", "takeiteasy_env", "latice_env"},
}
GAMES = {"takeiteasy_env", "latice_env"}
ABOVE_THE_GAME = {"torch", "tensorboard", "hydra", "omegaconf", "rich", "matplotlib", "scipy", "safetensors"}
MOST_LINES = 400
PATH_OF_ONE_MACHINE = re.compile(r"(?<![\w.~])/(home|root|work|Users)/\w")


def own_files() -> list[Path]:
    """The files of the repository: everything but git's own and what .gitignore names."""
    ignored = [".git", *(line.rstrip("/") for line in (ROOT / ".gitignore").read_text().splitlines() if line)]
    return [
        path
        for path in sorted(ROOT.rglob("*"))
        if path.is_file()
        and not any(fnmatch(part, name) for part in path.relative_to(ROOT).parts for name in ignored)
    ]


FILES = own_files()


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in FILES if path.suffix == ".py"}


def imported_modules(path: Path) -> set[str]:
    """The names of all modules that a file imports, wherever in the file, as precisely as can be told."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively: write the module in full"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= inner & MODULES.keys() or {node.module}
    return names


def test_the_three_floors_are_there():
    assert all(floor in MODULES for floor in MAY_IMPORT)


@pytest.mark.parametrize("floor", MAY_IMPORT)
def test_no_import_runs_upward(floor):
    rooms = {name.partition(".")[0] for name in MODULES}
    for name, path in MODULES.items():
        if name.partition(".")[0] == floor:
            imported = {other.partition(".")[0] for other in imported_modules(path)}
            assert imported & rooms <= MAY_IMPORT[floor] | {floor}, path


def test_the_games_need_no_library_of_the_floors_above():
    for name, path in MODULES.items():
        if name.partition(".")[0] in GAMES:
            assert not {other.partition(".")[0] for other in imported_modules(path)} & ABOVE_THE_GAME, path


def test_no_two_files_import_each_other():
    """Directly or through others; a cycle is shown in the error."""
    TopologicalSorter({name: imported_modules(path) for name, path in MODULES.items()}).prepare()


def test_every_file_is_short_enough_to_read():
    lines = {name: len(path.read_text().splitlines()) for name, path in MODULES.items()}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_no_file_names_a_path_of_one_machine():
    for path in FILES:
        found = PATH_OF_ONE_MACHINE.search(path.read_bytes().decode(errors="ignore"))
        assert not found, f"{path.relative_to(ROOT)}: {found}"
