"""The compose file keeps its promises: hardening, pinning, health, bounds, and no variable without an explanation."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance import __version__
from appliance.settings.load import load_settings

COMPOSE = Path(__file__).parents[2] / "compose"
MAIN: dict[str, Any] = yaml.safe_load((COMPOSE / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = MAIN["services"]
OVERLAYS = sorted(path for path in COMPOSE.glob("compose.*.yaml"))
ONE_SHOT = {"prepare", "models-pull"}
CORE = {"prepare", "gateway", "sandbox-runner", "egress", "web-egress", "prometheus"}
EXAMPLE = (COMPOSE / "example.env").read_text()
each = pytest.mark.parametrize("name", sorted(SERVICES))


def variables(text: str) -> dict[str, str]:
    """The variables of a compose file with their defaults ('' for none)."""
    return {name: default or "" for name, default in re.findall(r"\$\{(\w+)(?::[-?]([^}]*))?\}", text)}


def passed_on(service: dict[str, Any]) -> set[str]:
    """The names without a value: passed on when they are set."""
    return {name for name, value in service.get("environment", {}).items() if value is None}


def test_the_core_runs_without_a_profile_and_the_rest_by_one() -> None:
    assert {name for name, service in SERVICES.items() if not service.get("profiles")} == CORE
    assert {p for s in SERVICES.values() for p in s.get("profiles", [])} == {"browser", "local-llm", "monitoring"}
    assert MAIN["name"] == "appliance"


@each
def test_a_service_cannot_write_its_image_nor_gain_rights(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service
    assert "host" not in (service.get("network_mode"), service.get("pid"), service.get("ipc"))


@each
def test_a_service_is_bounded_in_memory_and_processes_but_not_by_a_processor_quota(name: str) -> None:
    service = SERVICES[name]
    assert service["mem_limit"] == service["memswap_limit"]
    assert service["pids_limit"] >= 1
    assert not {"cpus", "cpu_quota", "deploy"} & set(service), "kernels of NAS makers refuse CPU quotas"


@each
def test_a_services_log_cannot_fill_the_disk(name: str) -> None:
    logging = SERVICES[name]["logging"]
    assert logging["driver"] == "json-file"
    assert {"max-size", "max-file"} <= set(logging["options"])


@each
def test_every_tmpfs_has_a_size_and_runs_nothing(name: str) -> None:
    for entry in SERVICES[name].get("tmpfs", []):
        assert "size=" in entry
        assert {"noexec", "nosuid", "nodev"} <= set(entry.partition(":")[2].split(","))


@each
def test_an_image_is_pinned_to_a_version(name: str) -> None:
    image = SERVICES[name]["image"]
    if image.startswith("appliance-"):
        assert image.endswith(f":${{APPLIANCE_VERSION:-{__version__}}}")
    else:
        assert re.search(r":v?\d+\.\d+\.\d+(@sha256:[0-9a-f]{64})?$", image), image


@each
def test_what_stays_up_has_a_health_check_and_time_to_stop(name: str) -> None:
    service = SERVICES[name]
    if name in ONE_SHOT:
        assert service["restart"] == "no"
        return
    assert service["restart"] == "unless-stopped"
    assert service["healthcheck"]["test"][0] == "CMD", "a shell is not in every image"
    assert re.fullmatch(r"\d+s", service["stop_grace_period"])


def test_only_two_services_begin_as_root_with_no_network_and_few_rights() -> None:
    rights = {name: service["cap_add"] for name, service in SERVICES.items() if "cap_add" in service}
    assert rights == {"prepare": ["CHOWN", "DAC_OVERRIDE", "FOWNER"], "sandbox-runner": ["SETUID", "SETGID"]}
    for name, service in SERVICES.items():
        if name in rights:
            assert service["user"] == "0:0"
            assert service["network_mode"] == "none"
        elif name != "egress":  # its image has a user of its own
            assert not service["user"].startswith(("0", "root")), name


def test_the_docker_socket_is_with_the_runner_alone() -> None:
    holders = [n for n, s in SERVICES.items() if any("docker.sock" in v for v in s.get("volumes", []))]
    assert holders == ["sandbox-runner"]
    assert SERVICES["sandbox-runner"]["network_mode"] == "none"
    assert not any("DOCKER_HOST" in s.get("environment", {}) for s in SERVICES.values())


def test_who_holds_the_owners_data_cannot_reach_the_internet() -> None:
    networks = MAIN["networks"]
    assert networks["core"]["internal"] is True
    assert networks["edge"]["driver_opts"]["com.docker.network.bridge.enable_ip_masquerade"] == "false"
    outside = {name for name, service in SERVICES.items() if "outside" in service.get("networks", [])}
    assert outside == {"egress", "web-egress", "models-pull", "alertmanager"}
    for name in ("gateway", "browser", "models", "prometheus", "grafana", "node-exporter"):
        assert SERVICES[name]["dns"] == ["127.0.0.1"], f"{name} could ask for names of the internet"


def test_the_browser_meets_nobody_but_its_way_out() -> None:
    met = {name for name, service in SERVICES.items() if "browser" in service.get("networks", [])}
    assert met == {"browser", "web-egress"}
    assert SERVICES["browser"]["networks"] == ["browser"]
    assert MAIN["networks"]["browser"]["internal"] is MAIN["networks"]["web"]["internal"] is True
    held = [volume.partition(":")[0] for volume in SERVICES["browser"]["volumes"]]
    assert held == ["${DATA_DIR}/browser", "${DATA_DIR}/secrets/browser"]


def test_the_browsers_seccomp_profile_lists_what_is_allowed_and_nothing_that_mounts_traces_or_loads() -> None:
    profile = json.loads((COMPOSE / "seccomp" / "browser.json").read_text())
    assert "seccomp:./seccomp/browser.json" in SERVICES["browser"]["security_opt"]
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    free = {
        n
        for rule in profile["syscalls"]
        if rule["action"] == "SCMP_ACT_ALLOW" and not rule.get("args")
        for n in rule["names"]
    }
    assert {"chroot", "seccomp", "execve", "futex"} <= free
    forbidden = "mount umount2 pivot_root ptrace process_vm_readv bpf keyctl add_key perf_event_open setns init_module"
    forbidden += (
        " io_uring_setup userfaultfd open_by_handle_at reboot unshare clone clone3 socket fsopen move_mount kexec_load"
    )
    assert not free & set(forbidden.split())
    namespaces = next(rule for rule in profile["syscalls"] if "unshare" in rule["names"])
    mounts_names_ipc_cgroups = 0x00020000 | 0x04000000 | 0x08000000 | 0x02000000
    assert namespaces["args"] == [
        {"index": 0, "value": mounts_names_ipc_cgroups, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    ]


@each
def test_ports_are_published_on_this_machine_alone_by_default(name: str) -> None:
    for port in SERVICES[name].get("ports", []):
        assert port["host_ip"] == "${BIND_ADDRESS:-127.0.0.1}"


@each
def test_nothing_needs_a_service_of_a_profile_that_is_off(name: str) -> None:
    service = SERVICES[name]
    for needed, how in service.get("depends_on", {}).items():
        theirs = set(SERVICES[needed].get("profiles", []))
        if theirs and not theirs & set(service.get("profiles", [])):
            assert how["required"] is False


@each
def test_no_secret_is_in_the_environment(name: str) -> None:
    for variable, value in SERVICES[name].get("environment", {}).items():
        if re.search(r"(TOKEN|API_KEY|PASSWORD|PASSPHRASE)$", variable):
            pytest.fail(f"{name} gets {variable} by value ({value!r}), not as a file")
        if variable.endswith("_FILE"):
            assert "/secrets/" in value


def test_the_data_folder_has_one_name_inside_and_outside() -> None:
    for name in ("prepare", "gateway"):
        assert "${DATA_DIR}:${DATA_DIR}" in SERVICES[name]["volumes"]
    for volume in SERVICES["sandbox-runner"]["volumes"][1:]:
        source, target = volume.split(":")[:2]
        assert source == target
    assert SERVICES["gateway"]["environment"]["APPLIANCE_STATE_DIR"].startswith("${DATA_DIR")


def test_every_variable_is_explained_in_the_example_with_its_default_and_no_other() -> None:
    used: dict[str, str] = {}
    for path in (COMPOSE / "compose.yaml", *OVERLAYS):
        for name, default in variables(path.read_text()).items():
            used[name] = used.get(name) or default
    for service in SERVICES.values():
        used.update(dict.fromkeys(passed_on(service) - set(used), ""))
    explained = dict(re.findall(r"^#?([A-Z][A-Z0-9_]*)=(.*)$", EXAMPLE, re.M))
    assert set(explained) - {"COMPOSE_PROFILES"} == set(used)
    for name, default in used.items():
        if default and not default.startswith(("write", "https://")):
            assert explained[name] == default, name


def test_what_is_passed_on_to_the_gateway_are_settings_that_exist() -> None:
    for names in (passed_on(SERVICES[n]) for n in SERVICES):
        for name in names:
            value = dict(re.findall(r"^#([A-Z][A-Z0-9_]*)=(.*)$", EXAMPLE, re.M))[name]
            load_settings(environ={name: value, "APPLIANCE_STATE_DIR": "/nowhere"})


def test_a_setting_left_out_of_the_env_file_does_not_hide_the_owners_settings_file() -> None:
    fixed = {
        name
        for name, value in SERVICES["gateway"]["environment"].items()
        if name.startswith("APPLIANCE_") and value is not None
    }
    assert fixed == {
        "APPLIANCE_STATE_DIR", "APPLIANCE_EXEC__RUNNER_SOCKET", "APPLIANCE_LOCAL__TOKEN_FILE", "APPLIANCE_LOCAL__URL",
        "APPLIANCE_CHECKS__MAIL_PASSWORD_FILE", "APPLIANCE_CHECKS__CALENDARS_FILE",
        "APPLIANCE_CHECKS__MENTIONS_TOKEN_FILE", "APPLIANCE_WEB__PROXY", "APPLIANCE_WEB__BROWSER_URL",
        "APPLIANCE_WEB__BROWSER_TOKEN_FILE",
    }  # fmt: skip


def test_everything_that_is_mounted_from_beside_the_file_exists() -> None:
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (COMPOSE / source).exists(), source


@pytest.mark.parametrize("path", OVERLAYS, ids=lambda path: path.name)
def test_an_overlay_changes_services_that_exist_or_adds_hardened_ones(path: Path) -> None:
    for name, service in yaml.safe_load(path.read_text())["services"].items():
        if name not in SERVICES:
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]
            assert "no-new-privileges:true" in service["security_opt"]


def test_the_programs_of_the_images_can_be_run() -> None:
    images = COMPOSE.parent / "sandbox_images"
    for program in ("healthy", "gateway/prepare", "runner/as-owner", "runner/runner-healthy"):
        assert os.access(images / program, os.X_OK), program


def test_the_release_script_writes_digests_beside_versions_and_again_after_a_change(tmp_path: Path) -> None:
    docker = tmp_path / "docker"
    docker.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = pull ]; then exit 0; fi\n'
        "for last; do :; done\n"
        'printf "%s@sha256:%s\\n" "${last%:*}" "$(printf "%s$ROUND" "$last" | sha256sum | cut -c1-64)"\n'
    )
    docker.chmod(0o755)
    file = tmp_path / "compose.yaml"
    file.write_text((COMPOSE / "compose.yaml").read_text())
    images: list[set[str]] = []
    for number in ("1", "2"):
        environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "ROUND": number}
        subprocess.run(
            [COMPOSE.parent / "scripts" / "pin-images", file], env=environment, check=True, capture_output=True
        )
        found = {service["image"] for service in yaml.safe_load(file.read_text())["services"].values()}
        images.append({image for image in found if not image.startswith("appliance-")})
        assert len(images[-1]) == 4
        assert all(re.search(r":v?\d+\.\d+\.\d+@sha256:[0-9a-f]{64}$", image) for image in images[-1])
    assert not images[0] & images[1]
