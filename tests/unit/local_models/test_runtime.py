from __future__ import annotations

import os
import platform
import signal
import subprocess
import tomllib
from pathlib import Path

import pytest

from appliance.local_models import runtime
from appliance.local_models.errors import FetchError, LocalModelError, StoppedError
from appliance.local_models.progress import Stop, ignore
from appliance.local_models.store import Store


def test_the_wheel_of_this_kind_of_machine_is_found_and_no_other(tmp_path: Path) -> None:
    (tmp_path / f"llama_cpp_python-{runtime.LLAMA_VERSION}-py3-none-linux_vax.whl").touch()
    assert runtime.cached_wheel(tmp_path) is None
    mine = tmp_path / f"llama_cpp_python-{runtime.LLAMA_VERSION}-py3-none-linux_{platform.machine()}.whl"
    mine.touch()
    assert runtime.cached_wheel(tmp_path) == mine


def test_wheels_lie_in_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert runtime.wheel_folder() == tmp_path / "appliance" / "wheels"


def test_without_a_compiler_the_exact_line_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda tool: None if tool in ("cmake", "g++") else f"/usr/bin/{tool}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(LocalModelError) as caught:
        runtime.need_compiler(ignore, Stop())
    assert caught.value.fix == "Run: sudo apt-get install -y cmake g++"


def test_root_installs_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda tool: None if tool == "cmake" else f"/usr/bin/{tool}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    ran: list[list[str]] = []
    monkeypatch.setattr(runtime, "run", lambda command, **_: ran.append(list(command)))
    runtime.need_compiler(ignore, Stop())
    assert ran == [["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", "cmake"]]


def test_the_build_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(runtime, "need_compiler", lambda *_: None)
    seen: list[float | None] = []

    def build(command: list[str], **given: object) -> None:
        line = given["line"]
        assert callable(line)
        assert "--no-cache-dir" in command  # or pip gives back the one that does not run here
        for text in ("Building wheels", "  [10/100] Building CXX object", "  [100/100] Linking"):
            line(text)
        work = Path(command[command.index("--wheel-dir") + 1])
        (work / "llama_cpp_python-0.3.36-cp311-cp311-linux_x86_64.whl").write_bytes(b"wheel")

    monkeypatch.setattr(runtime, "run", build)
    wheel = runtime.build_wheel(lambda _p, percent, _d: seen.append(percent), Stop())
    assert seen == [0.0, pytest.approx(9.4), pytest.approx(94.0)]
    assert wheel == runtime.cached_wheel()
    assert wheel.read_bytes() == b"wheel"


def test_a_wheel_that_does_not_run_here_is_set_aside_and_built_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = runtime.wheel_folder()
    folder.mkdir(parents=True)
    name = f"llama_cpp_python-{runtime.LLAMA_VERSION}-py3-none-linux_{platform.machine()}.whl"
    (folder / name).write_text("old")
    installed: list[str] = []

    def build(*_: object) -> Path:
        (folder / name).write_text("new")
        return folder / name

    def install(packages: list[str], target: Path, **_: object) -> None:
        target.mkdir(parents=True)
        installed.append(Path(packages[0]).read_text())

    monkeypatch.setattr(runtime, "build_wheel", build)
    monkeypatch.setattr(runtime, "install", install)
    monkeypatch.setattr(runtime, "_loads", lambda _: bool(installed) and installed[-1] == "new")
    monkeypatch.setattr(runtime, "find_spec", lambda _: None)
    monkeypatch.setattr("sys.path", [])
    runtime.ensure(Store(tmp_path / "models"), ignore, Stop())
    assert installed == ["old", "new"]
    assert [path.read_text() for path in folder.glob("*.unusable")] == ["old"]


@pytest.mark.parametrize("error", [StoppedError("stop"), FetchError("no network", retry=True)])
def test_a_wheel_is_kept_when_its_installation_was_only_interrupted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: LocalModelError
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = runtime.wheel_folder()
    folder.mkdir(parents=True)
    (folder / f"llama_cpp_python-{runtime.LLAMA_VERSION}-py3-none-linux_{platform.machine()}.whl").touch()

    def install(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(runtime, "install", install)
    monkeypatch.setattr(runtime, "build_wheel", lambda *_: pytest.fail("nothing is to build"))
    monkeypatch.setattr(runtime, "find_spec", lambda _: None)
    with pytest.raises(type(error)):
        runtime.ensure(Store(tmp_path / "models"), ignore, Stop())
    assert runtime.cached_wheel() is not None


def test_a_trial_that_is_killed_says_nothing_about_the_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    killed = subprocess.CompletedProcess([], -signal.SIGTERM)
    monkeypatch.setattr("subprocess.run", lambda *_, **__: killed)
    with pytest.raises(StoppedError):
        runtime._loads(tmp_path)


def test_what_is_installed_already_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(runtime, "find_spec", lambda _: object())
    monkeypatch.setattr(runtime, "install", lambda *_, **__: pytest.fail("nothing is to install"))
    runtime.ensure(Store(tmp_path), ignore, Stop())
    assert list(tmp_path.iterdir()) == []


def test_threads_that_wait_sleep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setattr(runtime, "find_spec", lambda _: object())
    runtime.ensure(Store(tmp_path), ignore, Stop())
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"


def test_the_version_that_is_built_is_the_version_of_the_extra() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    extra = project["project"]["optional-dependencies"]["local"]
    assert f"llama-cpp-python=={runtime.LLAMA_VERSION}" in extra


@pytest.mark.parametrize(
    ("flags", "said", "native"),
    [
        ("avx2 avx512f", "", True),
        ("avx2 avx512f amx_bf16 amx_tile amx_int8", "", False),
        ("amx_tile", "-DGGML_NATIVE=ON", True),
    ],
)
def test_what_a_virtual_machine_may_not_let_be_used_is_not_compiled_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flags: str, said: str, native: bool
) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor: 0\nflags: fpu {flags}\n")
    monkeypatch.setattr(runtime, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setenv("CMAKE_ARGS", said)
    assert ("-DGGML_NATIVE=OFF" not in runtime.cmake_args()) is native
    assert said in runtime.cmake_args()
