"""The only way out for commands that may have network: a proxy on a network that leads nowhere else.

The network is internal, so a command on it reaches the proxy and nothing more, not even a name server. The proxy
resolves names itself, looks at the addresses, and lets the domains pass that the owner listed.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

from appliance.errors import SandboxError
from appliance.sandbox.engine import DockerEngine, EngineError
from appliance.sandbox.template import KIND_LABEL, OWNER_LABEL, RunnerConfig, egress_network

_STATE_LABEL = "appliance.egress"
_WRITABLE = ("/run/egress", "/tmp", "/var/log/squid", "/var/spool/squid")  # noqa: S108 - in the container
_READY_SECONDS = 15.0


class Egress:
    """Makes network and proxy on first need. One proxy serves all commands of this runner."""

    def __init__(self, config: RunnerConfig, engine: DockerEngine, owner: str) -> None:
        self._config = config
        self._engine = engine
        self._network = egress_network(owner)
        self._owner = owner
        self._making = asyncio.Lock()

    @property
    def name(self) -> str:
        """The proxy's container."""
        return f"{self._network}-proxy"

    async def ensure(self) -> None:
        """Have the proxy running with the owner's domains; raises SandboxError."""
        if (await self._engine.features()).networkless:
            raise SandboxError(
                f"The runtime {self._config.runtime} is set up without network, so commands have none.",
                fix="Run scripts/gvisor --network=host, or unset exec.runtime.",
            )
        async with self._making:
            wanted = self._fingerprint()
            try:
                found = await self._engine.inspect(self.name)
                labels = found.get("Config", {}).get("Labels", {})
                if found.get("State", {}).get("Running") and labels.get(_STATE_LABEL) == wanted:
                    return
                await self._engine.remove(self.name)
            except EngineError as error:
                if not error.gone:
                    raise
            await self._engine.call(lambda api: self._make_network(api))
            await self._engine.create(self._body(wanted), self.name)
            await self._engine.call(
                lambda api: api.connect_container_to_network(self.name, self._network, aliases=["egress"])
            )
            await self._engine.start(self.name)
            await self._listening()

    async def _listening(self) -> None:
        deadline = asyncio.get_running_loop().time() + _READY_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            said = await self._engine.logs(self.name)
            if b"Accepting" in said:
                return
            if not (await self._engine.inspect(self.name)).get("State", {}).get("Running"):
                last = said.decode(errors="replace").strip().splitlines()[-1:]
                raise SandboxError(f"The egress proxy ended at its start: {''.join(last)[:300]}.")
            await asyncio.sleep(0.2)
        raise SandboxError("The egress proxy does not come up.", fix=f"Look at: docker logs {self.name}")

    def _make_network(self, api: Any) -> None:
        for network in api.networks(names=[self._network]):
            if network["Name"] == self._network:
                if not network.get("Internal"):
                    raise EngineError(
                        f"The network {self._network} exists and is not internal; commands could leave through it.",
                        fix=f"Remove it: docker network rm {self._network}",
                    )
                return
        api.create_network(
            self._network,
            driver="bridge",
            internal=True,
            check_duplicate=True,
            labels={OWNER_LABEL: self._owner, KIND_LABEL: "egress"},
            # Without an address of its own on the bridge, this machine's services cannot be reached from there.
            options={"com.docker.network.bridge.inhibit_ipv4": "true"},
        )

    def _fingerprint(self) -> str:
        text = "\n".join([self._config.egress_image, *sorted(self._config.allow_domains)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _body(self, fingerprint: str) -> dict[str, Any]:
        memory = 192 * 1024 * 1024
        return {
            "Image": self._config.egress_image,
            "Hostname": "egress",
            "Env": [f"ALLOW_DOMAINS={' '.join(self._config.allow_domains)}"],
            "Labels": {OWNER_LABEL: self._owner, KIND_LABEL: "egress", _STATE_LABEL: fingerprint},
            "HostConfig": {
                "NetworkMode": "bridge",
                "ReadonlyRootfs": True,
                "Tmpfs": dict.fromkeys(_WRITABLE, "rw,noexec,nosuid,nodev,size=16m,mode=1777"),
                "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges"],
                "PidsLimit": 64,
                "Memory": memory,
                "MemorySwap": memory,
                "Init": True,
                "LogConfig": {"Type": "json-file", "Config": {"max-size": "4m", "max-file": "2"}},
                "RestartPolicy": {"Name": "no"},
            },
        }

    async def close(self) -> None:
        """Remove proxy and network."""
        try:
            await self._engine.remove(self.name)
            await self._engine.call(lambda api: api.remove_network(self._network))
        except EngineError:
            pass  # it was never made, or the engine is away; the next runner of this state takes it over
