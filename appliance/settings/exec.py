"""Settings of commands: where they run, within which limits, and what they may reach."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from appliance.settings.base import Section, setting


class ExecSettings(Section):
    enabled: bool = setting(True, "Whether the agent may run commands (each in a fresh container).")
    docker_host: str = setting("", "Docker engine for commands; empty is this machine's.", "ssh://sam@box")
    docker_cert_path: str = setting(
        "", "Folder with ca.pem, cert.pem and key.pem for a tcp:// engine.", "/home/sam/.docker"
    )
    copy_mb: int = setting(
        256, "Most of a work folder, in MiB, that is copied to another machine's engine and back.", ge=1, le=4096
    )
    runtime: str = setting("", "OCI runtime: empty is the engine's default; runsc is gVisor.", "runsc")
    image: str = setting("", "Image for commands; empty is the appliance's own shell image.", "debian:trixie-slim")
    timeout_seconds: float = setting(120.0, "Default time limit of a command.", gt=0, le=3600)
    memory_mb: int = setting(512, "Memory of one command, swap included, in MiB.", ge=32)
    pids: int = setting(128, "Most processes of one command.", ge=8)
    pool_size: int = setting(2, "Containers kept ready.", ge=0, le=32)
    sandbox_policy: Literal["open", "strict"] = setting("open", "`strict` applies the host policy in the sandbox too.")
    hosts: list[Literal["sandbox", "host", "remote"]] = setting(
        ["sandbox"],
        "Where commands may run: in the sandbox, on this machine itself, on `remote_docker_host`.",
        ["sandbox", "host"],
    )
    remote_docker_host: str = setting(
        "", "Docker engine of another machine for the host `remote`.", "tcp://192.0.2.7:2376"
    )
    allow_domains: list[str] = setting([], "Domains that commands may reach through the proxy.", ["example.org"])
    runner_socket: str = setting("", "Socket of a runner that runs elsewhere (compose sets it).", "/run/runner.sock")

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if "remote" in self.hosts and not self.remote_docker_host.startswith(("ssh://", "tcp://", "https://")):
            raise ValueError("hosts has remote, so remote_docker_host must be ssh://USER@HOST or tcp://HOST:2376")
        return self
