"""What the doctor looks at on the machine's side."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from appliance import doctor
from appliance.doctor import upkeep as doctor_upkeep
from appliance.doctor.examination import Patient
from appliance.settings import Settings


def patient(tmp_path: Path, **settings: Any) -> Patient:
    return Patient(Settings.model_validate({"state_dir": tmp_path, **settings}), inside=True)


def lived_in(tmp_path: Path, days: float) -> None:
    """A STATE that was first started some days ago."""
    for name in ("core.db", "token"):
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (time.time() - days * 86_400,) * 2)


def test_a_house_without_backups_is_a_warning_once_a_night_has_passed(tmp_path: Path) -> None:
    assert doctor_upkeep.backup_age(patient(tmp_path)) is None
    lived_in(tmp_path, 0.1)
    first = doctor_upkeep.backup_age(patient(tmp_path))
    assert first is not None
    assert first[0] == "pass"
    lived_in(tmp_path, 3)
    later = doctor_upkeep.backup_age(patient(tmp_path))
    assert later is not None
    assert (later[0], later[-1]) == ("warn", "appliance backup")


@pytest.mark.parametrize(("hours", "status"), [(5, "pass"), (30, "pass"), (60, "warn")])
def test_a_backup_that_is_late_is_a_warning(tmp_path: Path, hours: float, status: str) -> None:
    lived_in(tmp_path, 10)
    (tmp_path / "backups").mkdir()
    archive = tmp_path / "backups" / "appliance-20261101-030000.tar.gz"
    archive.write_text("x")
    os.utime(archive, (time.time() - hours * 3600,) * 2)
    outcome = doctor_upkeep.backup_age(patient(tmp_path))
    assert outcome is not None
    assert outcome[0] == status


def test_a_model_that_does_not_fit_or_is_cut_short_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from appliance.local_models import catalogue, store

    small = patient(tmp_path, models={"chain": ["local"]}, local={"model": "qwen3-1.7b", "embedder": "off"})
    monkeypatch.setattr(catalogue, "machine_memory", lambda: 1024**3)
    tight = doctor_upkeep.model_files(small)
    assert tight is not None
    assert tight[0] == "warn"
    assert "APPLIANCE_LOCAL__MODEL=" in tight[-1]
    monkeypatch.setattr(catalogue, "machine_memory", lambda: 16 * 1024**3)
    roomy = doctor_upkeep.model_files(small)
    assert roomy is not None
    assert roomy[0] == "pass"
    files, item = store.Store(tmp_path / "models"), catalogue.resolve("qwen3-1.7b", "chat")
    files.folder.mkdir()
    files.path(item).write_bytes(b"only the beginning")
    files.remember(item, item.sha256, item.size)
    cut = doctor_upkeep.model_files(small)
    assert cut is not None
    assert cut[0] == "fail"
    assert doctor_upkeep.model_files(patient(tmp_path, models={"chain": ["claude-sonnet-5-5"]})) is None


def test_a_model_file_with_other_bytes_is_a_failure_and_one_too_large_to_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from appliance.local_models import catalogue, store

    who = patient(tmp_path, models={"chain": ["local"]}, local={"model": "qwen3-1.7b", "embedder": "off"})
    monkeypatch.setattr(catalogue, "machine_memory", lambda: 16 * 1024**3)
    files, item = store.Store(tmp_path / "models"), catalogue.resolve("qwen3-1.7b", "chat")
    files.folder.mkdir()
    path = files.path(item)
    path.write_bytes(b"weights" * 1_000)
    files.remember(item, store.file_hash(path), path.stat().st_size)

    def found() -> tuple[str, ...]:
        outcome = doctor_upkeep.model_files(who)
        assert outcome is not None
        return outcome

    assert found()[0] == "pass"
    path.write_bytes(b"weightz" * 1_000)
    os.utime(path, (1, 1))
    assert found()[:2] == ("fail", "The file of qwen3-1.7b is not the one that was fetched.")
    assert "appliance models verify" in found()[-1]
    monkeypatch.setattr(doctor_upkeep, "_READ_SECONDS", 0.0)
    monkeypatch.setattr(store, "READ_BLOCK", 1)
    os.utime(path, (2, 2))
    assert found()[0] == "pass"
    assert "appliance models verify" in found()[1]


def test_a_kernel_that_limits_no_memory_is_told_with_the_way_to_switch_it_on(tmp_path: Path) -> None:
    who = patient(tmp_path)
    (tmp_path / "v2").mkdir()
    (tmp_path / "v2" / "cgroup.controllers").write_text("cpuset cpu io pids\n")
    outcome = doctor_upkeep.limits(who, tmp_path / "v2")
    assert outcome is not None
    assert outcome[0] == "warn"
    assert "does not limit memory" in outcome[1]
    for name in ("memory", "pids", "cpu"):
        (tmp_path / "v1" / name).mkdir(parents=True)
    old = doctor_upkeep.limits(who, tmp_path / "v1")
    assert old is not None
    assert old[0] == "pass"
    assert "no processor quota" in old[1]
    (tmp_path / "v1" / "cpu" / "cpu.cfs_quota_us").write_text("-1\n")
    whole = doctor_upkeep.limits(who, tmp_path / "v1")
    assert whole is not None
    assert "quota" not in whole[1]
    assert doctor_upkeep.limits(patient(tmp_path, exec={"enabled": False})) is None


def test_a_page_for_the_whole_network_and_an_open_engine_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = {"host": "0.0.0.0"}
    engine = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setattr(doctor_upkeep, "_DOCKER_PORT", engine.getsockname()[1])
    assert doctor_upkeep.exposed(patient(tmp_path), {})[0] == "fail"
    engine.close()
    assert doctor_upkeep.exposed(patient(tmp_path), {})[0] == "pass"
    assert doctor_upkeep.exposed(patient(tmp_path, server=wide), {})[0] == "warn"
    assert doctor_upkeep.exposed(patient(tmp_path, server=wide), {"BIND_ADDRESS": "127.0.0.1"})[0] == "pass"
    assert doctor_upkeep.exposed(patient(tmp_path, server=wide), {"BIND_ADDRESS": "192.168.1.4"})[0] == "warn"


def test_what_the_owner_opened_wider_than_it_comes_is_listed(tmp_path: Path) -> None:
    assert doctor_upkeep.policies(patient(tmp_path))[0] == "pass"
    opened = {"exec": {"hosts": ["sandbox", "host"], "allow_domains": ["com"]}, "budget": {"daily_usd": "none"}}
    outcome = doctor_upkeep.policies(patient(tmp_path, anthropic={"api_key": "sk-ant-x"}, **opened))
    assert outcome[0] == "warn"
    for name in ("exec.hosts", "exec.allow_domains", "budget.daily_usd"):
        assert name in outcome[1]


def test_fix_mends_what_is_safe_to_mend_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o755)
    connection = apsw.Connection(str(state / "core.db"))
    connection.execute("CREATE TABLE t(x)")
    connection.close()
    (state / "token").write_text("x")
    (state / "token").chmod(0o644)
    state.chmod(0o755)
    old = time.time() - 3 * 86_400
    os.utime(state / "token", (old, old))
    monkeypatch.setenv("APPLIANCE_STATE_DIR", str(state))
    monkeypatch.setenv("APPLIANCE_EXEC__ENABLED", "false")
    monkeypatch.setenv("APPLIANCE_SERVER__PORT", "0")
    before = {finding.check: finding.status for finding in doctor.run()[0]}
    assert (before["state"], before["token"], before["backup"]) == ("warn", "fail", "warn")
    assert state.stat().st_mode & 0o077, "looking changes nothing"
    after = {finding.check: finding.status for finding in doctor.run(mend=True)[0]}
    assert (after["state"], after["token"], after["backup"]) == ("pass", "pass", "pass")
    assert state.stat().st_mode & 0o777 == 0o700
    assert (state / "token").stat().st_mode & 0o777 == 0o600
    assert len(list((state / "backups").glob("appliance-*.tar.gz"))) == 1


def test_each_of_several_agents_is_looked_at(tmp_path: Path) -> None:
    assert doctor_upkeep.agents(patient(tmp_path)) is None
    well = patient(tmp_path, agents={"study": {"chain": ["claude-haiku-5-5"]}})
    assert doctor_upkeep.agents(well) == ("pass", "2 agents: main, study.")
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "study").symlink_to(tmp_path)
    outcome = doctor_upkeep.agents(patient(tmp_path, agents={"study": {"chain": ["nas"], "cheap": "claud"}}))
    assert outcome is not None
    assert outcome[0] == "warn"
    for said in ("no setting makes the model nas", "no setting makes the model claud", "is a link"):
        assert said in outcome[1]
