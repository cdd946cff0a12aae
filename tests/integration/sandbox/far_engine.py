"""Another machine's Docker engine, played by a second dockerd on loopback: behind TLS, and behind an ssh server."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_SECONDS = 60.0


@dataclass
class FarEngine:
    """`tls` and `local` are its addresses, `certificates` the folder of a client it trusts."""

    tls: str
    local: str
    certificates: Path
    words: list[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def docker(self, *words: str) -> str:
        done = subprocess.run(
            ["docker", "--host", self.local, *words], capture_output=True, text=True, timeout=120, check=True
        )
        return done.stdout.strip()

    def start(self) -> None:
        """Start the engine and wait until it answers."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.words, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + _SECONDS
        while subprocess.run(["docker", "--host", self.local, "version"], capture_output=True).returncode:
            assert self.process.poll() is None, self.log.read_text()[-2000:]
            assert time.monotonic() < deadline, self.log.read_text()[-2000:]
            time.sleep(0.2)

    def stop(self) -> None:
        """Stop the engine as an init system would."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        self.process.kill()
        self.process.wait()
        self.process = None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def certificates(folder: Path, names: dict[str, str]) -> None:
    """A small authority in `folder`, and a folder below it for each name with ca.pem, cert.pem and key.pem.

    The value of a name is the address that its certificate is for, empty for a client's.
    """
    authority = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"authority of {folder.name}")])
    now = datetime.datetime.now(datetime.UTC)

    def sign(subject: x509.Name, key: ec.EllipticCurvePrivateKey, *extensions: x509.ExtensionType) -> bytes:
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
        builder = builder.not_valid_after(now + datetime.timedelta(days=1))
        for extension in extensions:
            builder = builder.add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
        return builder.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    root = sign(issuer, authority, x509.BasicConstraints(ca=True, path_length=None))
    for name, address in names.items():
        place = folder / name
        place.mkdir(parents=True)
        key = ec.generate_private_key(ec.SECP256R1())
        alternative = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address or "192.0.2.1"))])
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        (place / "ca.pem").write_bytes(root)
        (place / "cert.pem").write_bytes(sign(subject, key, alternative))
        plain = serialization.NoEncryption()
        form = serialization.PrivateFormat.TraditionalOpenSSL
        (place / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))


@contextlib.contextmanager
def bridge() -> Iterator[str]:
    """A bridge of its own: with `--bridge none` the second engine would delete docker0, which is the first one's."""
    name = "appliance-far0"
    subprocess.run(["ip", "link", "delete", name], capture_output=True)
    for words in (["link", "add", name, "type", "bridge"], ["addr", "add", "10.213.77.1/24", "dev", name]):
        subprocess.run(["ip", *words], check=True, capture_output=True)
    try:
        yield name
    finally:
        subprocess.run(["ip", "link", "delete", name], capture_output=True)


@contextlib.contextmanager
def far_engine(root: Path, image: str) -> Iterator[FarEngine]:
    """Start it with an own root folder and without any network, and load the image."""
    if os.getuid() != 0 or not shutil.which("dockerd"):
        pytest.skip("a second engine needs root and dockerd")
    certificates(root / "tls", {"engine": "127.0.0.1", "client": ""})
    own, tls, local = root / "tls/engine", f"tcp://127.0.0.1:{free_port()}", f"unix://{root}/docker.sock"
    (root / "daemon.json").write_text("{}")
    with bridge() as name:
        words = [
            "dockerd", "--config-file", root / "daemon.json", "--data-root", root / "data", "--exec-root",
            root / "exec", "--pidfile", root / "pid", "--bridge", name, "--iptables=false", "--host", tls, "--host",
            local, "--tlsverify", "--tlscacert", own / "ca.pem", "--tlscert", own / "cert.pem", "--tlskey",
            own / "key.pem",
        ]  # fmt: skip
        made = FarEngine(tls, local, root / "tls/client", list(map(str, words)), root / "log")
        try:
            made.start()
            with subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE) as saved:
                load = ["docker", "--host", local, "load"]
                subprocess.run(load, stdin=saved.stdout, check=True, capture_output=True, timeout=120)
            yield made
            for container in made.docker("ps", "-aq").split():
                made.docker("rm", "-f", container)
        finally:
            made.stop()
            shutil.rmtree(root / "data", ignore_errors=True)


@dataclass(frozen=True)
class SshServer:
    """An ssh server on loopback; `home` has the client's configuration, known hosts and key."""

    port: int
    home: Path


@contextlib.contextmanager
def ssh_server(root: Path) -> Iterator[SshServer]:
    """Start one that lets in a key made here, for the user who runs the test."""
    sshd = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if not sshd or os.getuid() != 0:
        pytest.skip("no ssh server: apt-get install openssh-server")
    home = root / "home"
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    for name in (root / "host_key", home / ".ssh/id_ed25519"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(name)], check=True)
    shutil.copy(home / ".ssh/id_ed25519.pub", root / "authorized_keys")
    port = free_port()
    host_key = (root / "host_key.pub").read_text()
    (home / ".ssh/known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
    (home / ".ssh/config").write_text(
        f"Host *\nIdentityFile {home}/.ssh/id_ed25519\nIdentitiesOnly yes\nUserKnownHostsFile {home}/.ssh/known_hosts\n"
    )
    (root / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {root}/host_key\nPidFile {root}/sshd.pid\nUsePAM no\n"
        f"AuthorizedKeysFile {root}/authorized_keys\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
        "StrictModes no\n"
    )
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    with (root / "sshd.log").open("wb") as log:
        process = subprocess.Popen([sshd, "-D", "-e", "-f", str(root / "sshd_config")], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 20
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, (root / "sshd.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield SshServer(port, home)
    finally:
        process.terminate()
        process.wait(10)
