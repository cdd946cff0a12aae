"""What `appliance models list|pull|verify|serve` do: plain functions that return data for the command line."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

from appliance.local_models.catalogue import ASK_ABOVE_BYTES, CATALOGUE, Entry, best_fit, entry, machine_memory
from appliance.local_models.errors import StoppedError
from appliance.local_models.fetch import fetch
from appliance.local_models.progress import Progress, Stop
from appliance.local_models.store import Store, file_hash
from appliance.settings import LocalModelSettings


def list_models(folder: Path) -> list[dict[str, Any]]:
    """Every model of the catalogue: what it is, whether it is here in `folder`, whether it is the best that fits."""
    store = Store(folder)
    memory = machine_memory()
    best = {best_fit(memory, "chat").name, best_fit(memory, "embedding", 512).name}
    rows = []
    for item in CATALOGUE:
        record = store.record(item.name)
        rows.append(
            {
                "name": item.name,
                "kind": item.kind,
                "size": item.whole_size,
                "context": item.context,
                "licence": item.licence,
                "multilingual": item.multilingual,
                "sees": item.projector is not None,
                "here": store.present(item),
                "recommended": item.name in best,
                "checksum": "published" if item.sha256 else "first use",
                "sha256": record.sha256 if record else item.sha256,
                "note": item.note,
            }
        )
    return rows


def pull(
    folder: Path, name: str, *, confirm: Callable[[Entry], bool], progress: Progress, stop: Stop | None = None
) -> dict[str, Any]:
    """Fetch the model `name` into `folder`; `confirm` is asked before more than 1 GB is fetched.

    Return {"name", "path", "sha256", "trust"}. Raise NotFoundError, FetchError, or StoppedError on a no.
    """
    item = entry(name)
    store = Store(folder)
    if item.whole_size > ASK_ABOVE_BYTES and not store.present(item) and not confirm(item):
        raise StoppedError(f"{item.name} was not fetched.")
    path = fetch(item, store, progress, stop or Stop())
    record = store.record(item.name)
    return {
        "name": item.name,
        "path": str(path),
        "sha256": record.sha256 if record else "",
        "trust": record.trust if record else "",
    }


def verify(folder: Path, progress: Progress) -> list[dict[str, Any]]:
    """Hash every model in `folder` again; a damaged file is set aside under a dated name, and fetched anew when needed.

    Return a row for each: {"name", "status": "good"|"damaged"|"missing", "detail"}.
    """
    store = Store(folder)
    rows = []
    for item in chain.from_iterable(model.files for model in CATALOGUE):
        record = store.record(item.name)
        if record is None:
            continue
        path = store.path(item)
        if not path.exists():
            rows.append({"name": item.name, "status": "missing", "detail": f"{path} is gone"})
            continue
        found = file_hash(path, progress)
        if found == record.sha256:
            rows.append({"name": item.name, "status": "good", "detail": f"sha256 {found} ({record.trust})"})
        else:
            aside = store.set_aside(item)
            detail = f"sha256 {found} where {record.sha256} was recorded; set aside as {aside.name}"
            rows.append({"name": item.name, "status": "damaged", "detail": detail})
    return rows


def serve(settings: LocalModelSettings, folder: Path, *, host: str = "127.0.0.1", port: int = 8322) -> None:
    """Run the models service in this process until it is told to stop.

    Raise LocalModelError when the address cannot be listened on.
    """
    from appliance.local_models.node import NodeOptions
    from appliance.local_models.service import serve as run

    options = NodeOptions(
        folder=folder, chat=settings.model if settings.enabled else "off", embedder=settings.embedder,
        transcriber=settings.transcriber,
        threads=settings.threads, context=settings.context, memory_limit=settings.memory_limit_mb * 1024 * 1024,
    )  # fmt: skip
    run(options, host=host, port=port, token=settings.token.get_secret_value())
