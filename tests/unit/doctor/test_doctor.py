"""The doctor: every trouble it names comes with the command that mends it."""

from __future__ import annotations

import gc
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from appliance import doctor
from appliance.doctor import CHECKS, Finding, Patient, examine
from appliance.errors import StateError
from appliance.settings import Settings
from appliance.storage import StateLock
from tests.answering import answering


def patient(tmp_path: Path, **settings: Any) -> Patient:
    return Patient(Settings.model_validate({"state_dir": tmp_path, "exec": {"enabled": False}, **settings}))


@pytest.fixture
def only() -> Iterator[Any]:
    """Run single checks; the registry is as before afterwards."""
    before = dict(CHECKS)

    async def run(who: Patient, *names: str) -> dict[str, Finding]:
        kept = {name: CHECKS[name] for name in names}
        CHECKS.clear()
        CHECKS.update(kept)
        found = {finding.check: finding for finding in await examine(who)}
        CHECKS.clear()
        CHECKS.update(before)
        return found

    yield run
    CHECKS.clear()
    CHECKS.update(before)


async def test_a_new_machine_has_nothing_that_fails(tmp_path: Path) -> None:
    findings = await examine(patient(tmp_path / "state", server={"port": free_port()}))
    assert [finding for finding in findings if finding.status == "fail"] == []
    checks = {finding.check for finding in findings}
    assert {"state", "disk", "port", "key", "prices", "vectors", "local-model", "clock"} <= checks
    for finding in findings:
        assert set(finding.as_json()) == {"check", "status", "detail", "fix"}
        assert finding.detail
        assert finding.fix or finding.status == "pass"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_a_taken_port_is_a_failure_with_a_fix(tmp_path: Path, only: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = (await only(patient(tmp_path, server={"port": port}), "port"))["port"]
    assert found.status == "fail"
    assert str(port) in found.fix


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
async def test_a_state_that_cannot_be_written_names_the_chown_line(tmp_path: Path, only: Any) -> None:
    tmp_path.chmod(0o500)
    found = (await only(patient(tmp_path), "state"))["state"]
    tmp_path.chmod(0o700)
    assert found.status == "fail"
    assert f"chown -R {os.getuid()}:{os.getgid()} {tmp_path}" in found.fix


async def test_a_state_that_is_a_file_or_open_to_others_is_told(tmp_path: Path, only: Any) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert (await only(patient(file), "state"))["state"].status == "fail"
    tmp_path.chmod(0o755)
    assert (await only(patient(tmp_path), "state"))["state"].fix == f"chmod 700 {tmp_path}"


async def test_a_token_that_others_can_read_is_a_failure(tmp_path: Path, only: Any) -> None:
    token = tmp_path / "token"
    token.write_text("x")
    token.chmod(0o644)
    assert (await only(patient(tmp_path), "token"))["token"].fix == f"chmod 600 {token}"
    token.chmod(0o600)
    assert (await only(patient(tmp_path), "token"))["token"].status == "pass"


async def test_a_full_disk_fails_and_a_low_one_warns(
    tmp_path: Path, only: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = 100 * 1024**2

    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: Usage)
    assert (await only(patient(tmp_path), "disk"))["disk"].status == "fail"
    Usage.free = 1024**3
    assert (await only(patient(tmp_path), "disk"))["disk"].status == "warn"


async def test_a_chain_that_needs_a_key_without_one_fails(tmp_path: Path, only: Any) -> None:
    needs = patient(tmp_path, models={"chain": ["claude-sonnet-5-5"]})
    assert (await only(needs, "key"))["key"].fix.startswith("Set ANTHROPIC_API_KEY")
    assert (await only(patient(tmp_path), "key"))["key"].status == "pass"
    given = patient(tmp_path, anthropic={"api_key": "sk-ant-x"})
    assert "not tried" in (await only(given, "key"))["key"].detail


@pytest.mark.parametrize(
    ("answered", "status", "said"),
    [
        (200, "pass", "accepts"),
        (401, "fail", "refuses"),
        (403, "fail", "refuses"),
        (529, "warn", "answered with an error"),
    ],
)
async def test_online_the_key_is_tried_and_never_shown(
    tmp_path: Path, only: Any, answered: int, status: str, said: str
) -> None:
    with answering({}, answered) as address:
        who = patient(tmp_path, anthropic={"api_key": "sk-ant-shown-never", "base_url": address})
        who.online = True
        found = (await only(who, "key"))["key"]
    assert (found.status, said in found.detail) == (status, True)
    assert "shown-never" not in str(found)


async def test_online_a_provider_out_of_reach_is_a_failure(tmp_path: Path, only: Any) -> None:
    who = patient(tmp_path, anthropic={"api_key": "sk-ant-x", "base_url": f"http://127.0.0.1:{free_port()}"})
    who.online = True
    found = (await only(who, "key"))["key"]
    assert (found.status, found.fix) == ("fail", "Check the network.")


@pytest.mark.parametrize(("ahead", "status"), [(3600, "warn"), (-3600, "warn"), (20, "pass")])
async def test_online_a_clock_that_differs_from_the_providers_is_a_warning(
    tmp_path: Path, only: Any, ahead: int, status: str
) -> None:
    with answering({}, date=formatdate(time.time() - ahead, usegmt=True)) as address:
        who = patient(tmp_path, anthropic={"base_url": address})
        who.online = True
        found = (await only(who, "clock"))["clock"]
    assert found.status == status
    assert status == "pass" or ("ahead" if ahead > 0 else "behind") in found.detail


async def test_an_extension_that_cannot_be_loaded_is_a_failure(
    tmp_path: Path, only: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await only(patient(tmp_path), "vectors"))["vectors"].status == "pass"
    broken = tmp_path / "vec0.so"
    broken.write_bytes(b"no library at all")
    monkeypatch.setattr("appliance.memory.vectors.extension_path", lambda: str(broken))
    found = (await only(patient(tmp_path), "vectors"))["vectors"]
    assert found.status == "fail"
    assert "Reinstall" in found.fix


async def test_a_models_service_that_is_away_or_refuses_is_a_failure(tmp_path: Path, only: Any) -> None:
    async def found(url: str) -> Finding:
        who = patient(tmp_path, models={"chain": ["local"]}, local={"enabled": True, "url": url})
        return (await only(who, "local-model"))["local-model"]  # type: ignore[no-any-return]

    assert (await found(f"http://127.0.0.1:{free_port()}")).status == "fail"
    for answered, status in ((503, "fail"), (200, "pass")):
        with answering({}, answered) as address:
            assert (await found(address)).status == status


async def test_old_prices_warn(tmp_path: Path, only: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await only(patient(tmp_path), "prices"))["prices"].status == "pass"
    later = time.time() + 90 * 86_400
    monkeypatch.setattr(doctor.time, "time", lambda: later)
    assert (await only(patient(tmp_path), "prices"))["prices"].status == "warn"


async def test_a_price_file_that_cannot_be_used_fails_with_its_reason(tmp_path: Path, only: Any) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text("not toml at all [")
    found = (await only(patient(tmp_path, budget={"price_file": prices}), "prices"))["prices"]
    assert found.status == "fail"
    assert "prices.toml" in found.detail


async def test_a_clock_years_behind_fails(tmp_path: Path, only: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.time, "time", lambda: 0.0)
    assert (await only(patient(tmp_path), "clock"))["clock"].status == "fail"


async def test_a_damaged_database_fails(tmp_path: Path, only: Any) -> None:
    assert await only(patient(tmp_path), "database") == {}
    (tmp_path / "core.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    assert (await only(patient(tmp_path), "database"))["database"].status == "fail"


async def test_the_owner_of_the_lock_is_named(tmp_path: Path, only: Any) -> None:
    lock = StateLock(tmp_path)
    lock.acquire()
    assert str(os.getpid()) in (await only(patient(tmp_path), "lock"))["lock"].detail
    lock.release()
    assert "free" in (await only(patient(tmp_path), "lock"))["lock"].detail


async def test_no_gateway_is_a_warning_with_the_start_command(tmp_path: Path, only: Any) -> None:
    found = (await only(patient(tmp_path), "gateway"))["gateway"]
    assert (found.status, found.fix) == ("warn", "Start it with: appliance up")


# The docker library leaves its socket to the collector when it cannot connect.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_docker_out_of_reach_is_a_warning(tmp_path: Path, only: Any) -> None:
    away = patient(tmp_path, exec={"enabled": True, "docker_host": f"unix://{tmp_path}/none.sock"})
    found = (await only(away, "docker"))["docker"]
    gc.collect()
    assert found.status == "warn"
    assert "ommands cannot run" in found.detail


async def test_a_check_that_breaks_or_hangs_is_a_finding_and_the_others_still_run(
    tmp_path: Path, only: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_CHECK_SECONDS", 1.0)
    over = threading.Event()

    @doctor.check("breaks")
    def breaks(_: Patient) -> doctor.Outcome:
        raise ZeroDivisionError("x")

    @doctor.check("refuses")
    def refuses(_: Patient) -> doctor.Outcome:
        raise StateError("No.", fix="Do this.")

    @doctor.check("hangs")
    def hangs(_: Patient) -> doctor.Outcome:
        over.wait(30)
        return "pass", "late"

    found = await only(patient(tmp_path), "breaks", "refuses", "hangs", "clock")
    over.set()
    assert {name: finding.status for name, finding in found.items()} == {
        "breaks": "fail",
        "refuses": "fail",
        "hangs": "fail",
        "clock": "pass",
    }
    assert "ZeroDivisionError" in found["breaks"].detail
    assert found["refuses"].fix == "Do this."


def test_settings_that_cannot_be_used_are_the_only_finding_and_exit_1(tmp_path: Path) -> None:
    config = tmp_path / "appliance.toml"
    config.write_text('[budget]\ndayly_usd = "1"\n[server]\nport = 99999\n')
    findings, code = doctor.run(config)
    assert code == 1
    assert [finding.check for finding in findings] == ["config"]
    assert "daily_usd" in findings[0].detail
    assert "server.port" in findings[0].detail
    json.dumps([finding.as_json() for finding in findings])


async def test_a_browser_that_is_not_there_is_named(tmp_path: Path, only: Any) -> None:
    web = {"browser_executable": str(tmp_path / "nothing")}
    found = (await only(patient(tmp_path, web=web), "browser"))["browser"]
    assert found.status == "warn"
    assert "fetch" in found.fix
    assert await only(patient(tmp_path, web={"browser": False}), "browser") == {}
