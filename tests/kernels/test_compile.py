"""Kernels are compiled anew when their sources change, and the page on the language is true."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import microcolumn.kernels as kernels

KERNELS = Path(kernels.__file__).parent
LANGUAGE = KERNELS / "simd"

KERNEL = """
import numpy as np

from .factors import FACTOR
from .compile import kernel
from .simd.lanes import reduce_add, vmax
from .simd.memory import load


@kernel
def scaled_sum(a, b):
    return FACTOR * reduce_add(vmax(load(a, 0), load(b, 0)))


total = scaled_sum(np.arange(8.0), np.full(8, 2.0))
print(total, "cached" if sum(scaled_sum.stats.cache_hits.values()) else "compiled")
"""


def run(folder, *arguments, checked="", cache=None, **variables):
    environment = {**os.environ, "MICROCOLUMN_CHECK": checked} | variables
    environment.pop("NUMBA_CACHE_DIR", None)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def package(tmp_path):
    return write_package(tmp_path / "package")


def write_package(folder):
    """A package with one kernel."""
    shutil.copytree(LANGUAGE, folder / "simd", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(KERNELS / "compile.py", folder)
    (folder / "sums.py").write_text(KERNEL)
    (folder / "factors.py").write_text("FACTOR = 1.0\n")
    return folder


def replace(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_an_edit_of_any_source_of_a_kernel_compiles_it_anew(package, tmp_path):
    def result(**options):
        return run(tmp_path, "-m", "package.sums", **options)

    assert result() == "31.0 compiled"
    replace(package / "simd" / "lanes.py", "select(a > b, a, b)", "select(a > b, b, a)")
    assert result() == "13.0 compiled"
    replace(package / "factors.py", "1.0", "2.0")
    assert result() == "26.0 compiled"
    assert result(checked="1") == "26.0 compiled"
    assert result() == "26.0 cached"


def test_a_package_and_a_home_that_cannot_be_written_are_no_obstacle(package, tmp_path):
    child = "import subprocess, sys\nif len(sys.argv) == 1:\n"
    child += "    subprocess.run([sys.executable, '-m', 'package.sums', 'again'], check=True)\n"
    (package / "sums.py").write_text(KERNEL + child)
    (package / "__pycache__").touch()  # in the place of Numba's folder
    nowhere = {"XDG_CACHE_HOME": os.devnull, "TMPDIR": str(tmp_path)}
    told = run(tmp_path, "-m", "package.sums", PYTHONDONTWRITEBYTECODE="1", **nowhere)
    assert sorted(told.splitlines()) == ["31.0 cached", "31.0 compiled"]
    assert not list(tmp_path.glob("microcolumn-kernels-*"))


def test_kernels_that_must_not_be_compiled_are_one_sentence(tmp_path):
    code = "import microcolumn.kernels.cpu.moments"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1].startswith("ImportError: NUMBA_DISABLE_JIT is set, but")


def test_installations_share_what_is_compiled_in_a_folder_of_their_own_choice(tmp_path):
    for place in ("first", "second"):
        write_package(tmp_path / place / "package")

    def result(place):
        return run(tmp_path / place, "-m", "package.sums", cache=tmp_path / "kernels")

    assert result("first") == "31.0 compiled"
    assert result("second") == "31.0 cached"
    replace(tmp_path / "second" / "package" / "factors.py", "1.0", "2.0")
    assert result("second") == "62.0 compiled"
    assert result("first") == "31.0 cached"


def test_of_two_processes_that_meet_the_same_new_kernel_one_compiles_it(package, tmp_path):
    # Both begin when both have begun.
    wait = "import sys, time\nfrom pathlib import Path\nPath(sys.argv[1]).touch()\n"
    wait += "while not all(Path(name).exists() for name in '01'):\n    time.sleep(0.01)\n"
    call = KERNEL.index("total =")
    (package / "sums.py").write_text(KERNEL[:call] + wait + KERNEL[call:])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    command = [sys.executable, "-m", "package.sums"]
    options = {"cwd": tmp_path, "env": environment, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([*command, name], **options) for name in "01"]
    printed = [process.communicate(timeout=300)[0].strip() for process in both]
    assert sorted(printed) == ["31.0 cached", "31.0 compiled"]


def test_a_kernel_that_does_not_compile_is_an_error_each_time(package, tmp_path):
    twice = "for _ in range(2):\n    try:\n        scaled_sum('a', 'b')\n"
    twice += "    except Exception as error:\n        print(type(error).__name__)\n"
    call = KERNEL.index("total =")
    (package / "sums.py").write_text(KERNEL[:call] + twice)
    assert run(tmp_path, "-m", "package.sums") == "TypingError\nTypingError"


def test_the_example_of_the_page_runs(tmp_path):
    [example] = re.findall(r"```python\n(.*?)```", (LANGUAGE / "README.md").read_text(), re.DOTALL)
    (tmp_path / "example.py").write_text(example)
    assert run(tmp_path, "example.py") == ""  # it compares with NumPy itself


def test_the_page_lists_every_instruction_where_it_is():
    page = (LANGUAGE / "README.md").read_text()
    for module, listed in re.findall(r"^\| `(\w+)\.py` \| (.*) \|$", page, re.MULTILINE):
        source = (LANGUAGE / f"{module}.py").read_text()
        for name in re.findall(r"`(\w+)`", listed):
            assert re.search(rf"^(def |){name}\b( =|\()", source, re.MULTILINE), (module, name)
