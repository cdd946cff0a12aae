"""llama-cpp-python itself: found, or installed from this machine's wheel, or built once into that wheel.

The registry has its source only, and a build takes minutes, so the wheel is kept for the host and the images alike
(`py3-none`, in the user's cache folder). What is installed goes into STATE/models/runtime and is appended to the
module path: packages that the appliance already has win over copies there.
"""

from __future__ import annotations

import importlib
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from appliance.local_models.errors import FetchError, LocalModelError, StoppedError
from appliance.local_models.installer import install, pip_command, run
from appliance.local_models.progress import Progress, Stop
from appliance.local_models.store import Store

LLAMA_VERSION = "0.3.36"
GGUF_VERSION = "0.19.0"
BUILD_SECONDS = 1800.0  # without a word: one file of it takes a slow machine some minutes
TRIAL_SECONDS = 120.0
TOOLS = ("cmake", "gcc", "g++")
_CPUINFO = Path("/proc/cpuinfo")
# What every processor with AMX has besides.
_WITHOUT_AMX = "-DGGML_NATIVE=OFF " + " ".join(f"-DGGML_AVX512{part}=ON" for part in ("", "_VBMI", "_VNNI", "_BF16"))
_STEP = re.compile(r"\[\s*(\d+)/(\d+)\]|\[\s*(\d+)%\]")


def wheel_folder() -> Path:
    """Where built wheels are kept for every appliance of this user."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "appliance" / "wheels"


def cached_wheel(folder: Path | None = None) -> Path | None:
    """The wheel that was built for this kind of machine, or None."""
    pattern = f"llama_cpp_python-{LLAMA_VERSION}-py3-none-linux_{platform.machine()}.whl"
    found = sorted((folder or wheel_folder()).glob(pattern))
    return found[-1] if found else None


def ensure(store: Store, progress: Progress, stop: Stop) -> None:
    """Make `import llama_cpp` and `import gguf` work in this process; say how far that is.

    Raise LocalModelError with the exact install line when a compiler is missing, FetchError when the source cannot be
    fetched.
    """
    # Waiting threads sleep instead of spinning: on a machine that does anything else, that is 40 times faster.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if find_spec("llama_cpp") is not None:
        return
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    folder = store.folder / "runtime" / f"llama-{LLAMA_VERSION}-{python}-{platform.machine()}"
    with store.exclusive("runtime"):
        if not (folder / ".complete").exists():
            _install(folder, progress, stop)
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()


class _UnusableWheelError(LocalModelError):
    """The wheel was installed whole and yet does not run here: built for another processor or C library."""


def _install(folder: Path, progress: Progress, stop: Stop) -> None:
    wheel = cached_wheel()
    if wheel is None:
        wheel = build_wheel(progress, stop)
    try:
        _install_wheel(wheel, folder, progress, stop)
    except _UnusableWheelError:
        wheel.rename(wheel.with_suffix(".unusable"))
        _install_wheel(build_wheel(progress, stop), folder, progress, stop)


def _install_wheel(wheel: Path, folder: Path, progress: Progress, stop: Stop) -> None:
    progress("building", 95.0, "installing llama.cpp")
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    install([str(wheel), f"gguf=={GGUF_VERSION}"], folder, dependencies=True, stop=stop)
    if not _loads(folder):
        raise _UnusableWheelError(f"{wheel.name} was installed but cannot be loaded on this machine.")
    (folder / ".complete").write_text(f"{wheel.name}\n", encoding="utf-8")


def _loads(folder: Path) -> bool:
    """Whether llama.cpp starts from `folder`, tried in a process of its own: a wrong build dies with a signal."""
    code = "import sys; sys.path.append(sys.argv[1]); import llama_cpp; llama_cpp.llama_backend_init()"
    command = [sys.executable, "-c", code, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TRIAL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise FetchError(f"llama.cpp did not start within {TRIAL_SECONDS:.0f} s.", retry=True) from None
    if done.returncode in (-signal.SIGTERM, -signal.SIGKILL, -signal.SIGINT):
        raise StoppedError("The trial of llama.cpp was ended from outside.")
    return done.returncode == 0


def build_wheel(progress: Progress, stop: Stop) -> Path:
    """Build llama-cpp-python from its source into the wheel folder (3 to 6 minutes on two cores); return the wheel."""
    need_compiler(progress, stop)
    pip = pip_command()
    if pip is None:
        raise LocalModelError(
            "Neither pip nor uv can be started here, so llama.cpp cannot be built.",
            fix="Install one of them: sudo apt-get install -y python3-pip",
        )
    folder = wheel_folder()
    folder.mkdir(parents=True, exist_ok=True)

    def line(text: str) -> None:
        found = _STEP.search(text)
        if found:
            step = float(found[3]) if found[3] else 100.0 * int(found[1]) / max(1, int(found[2]))
            progress("building", min(94.0, step * 0.94), "building llama.cpp, once on this machine")

    source = f"llama-cpp-python=={LLAMA_VERSION}"
    progress("building", 0.0, "fetching and building llama.cpp, once on this machine (some minutes)")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".build-") as work:
        run(
            # No cache: it would give back what was compiled otherwise before, and here that may not run.
            [*pip, "wheel", "-v", "--no-deps", "--no-input", "--no-cache-dir", "--wheel-dir", work, source],
            stop=stop,
            seconds=BUILD_SECONDS,
            what="Building llama.cpp",
            line=line,
            env={"CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1), "CMAKE_ARGS": cmake_args()},
        )
        built = next(Path(work).glob("*.whl"), None)
        if built is None:
            raise LocalModelError("The build of llama.cpp ended without a wheel.")
        # The library inside is loaded by path and does not depend on the Python version.
        name = f"llama_cpp_python-{LLAMA_VERSION}-py3-none-linux_{platform.machine()}.whl"
        return built.replace(folder / name)


def cmake_args() -> str:
    """How llama.cpp is compiled: as CMAKE_ARGS says, else for this very processor, but never for AMX.

    Virtual machines name AMX among the processor's flags and may not let it be used: then the first question ends the
    process with an illegal instruction.
    """
    said = os.environ.get("CMAKE_ARGS", "")
    flags = _CPUINFO.read_text(encoding="utf-8", errors="replace") if _CPUINFO.exists() else ""
    return _WITHOUT_AMX if not said and "amx_tile" in flags else said


def need_compiler(progress: Progress, stop: Stop) -> None:
    """Install the build tools when this is root, else raise LocalModelError with the exact line to run."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if not missing:
        return
    line = f"apt-get install -y {' '.join(missing)}"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise LocalModelError(
            f"Building llama.cpp needs {', '.join(missing)}, which this machine lacks.", fix=f"Run: sudo {line}"
        )
    progress("building", 0.0, f"installing {', '.join(missing)}")
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update"], stop=stop, seconds=600, what="apt-get update", env=env)
    run(
        ["apt-get", "install", "-y", "--no-install-recommends", *missing],
        stop=stop, seconds=1200, what="Installing the build tools", env=env,
    )  # fmt: skip
