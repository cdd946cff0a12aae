"""Whether voice messages can be written down."""

from __future__ import annotations

import importlib.util
import socket
from urllib.parse import urlsplit

from appliance.doctor.examination import Outcome, Patient

_INSTALL = "scripts/setup installs it; in compose MODELS_IMAGE=models-speech; see docs/how-to/voice.md."
_TIMEOUT = 3.0  # seconds


def voice(patient: Patient) -> Outcome:
    """Who writes voice messages down, and whether that works."""
    speech, local = patient.settings.speech, patient.settings.local
    if speech.url:
        return _server(patient, speech.url)
    if not local.enabled or local.transcriber == "off":
        return "pass", "Voice messages are answered with a refusal: neither local.transcriber nor speech.url is set."
    status = patient.status() or {}
    found = status.get("local_model", {}).get("transcriber")
    if found:
        return _transcriber(local.transcriber, found)
    if not local.url and importlib.util.find_spec("faster_whisper") is None:
        return "warn", f"{local.transcriber} is to write down voice messages, and its library is missing.", _INSTALL
    return "pass", f"{local.transcriber} writes down voice messages once the gateway runs."


def _server(patient: Patient, url: str) -> Outcome:
    place = urlsplit(url)
    if patient.online:
        port = place.port or (443 if place.scheme == "https" else 80)
        try:
            socket.create_connection((place.hostname or "", port), _TIMEOUT).close()
        except OSError as error:
            fix = "Start it, or mend speech.url."
            return "warn", f"Voice messages go to {url}, which does not answer: {error}.", fix
    return "pass", f"Voice messages are written down by {url}."


def _transcriber(wanted: str, found: dict[str, str]) -> Outcome:
    """What the models service says of its transcriber."""
    phase, detail = found.get("phase", ""), str(found.get("detail") or "")
    if phase == "ready":
        return "pass", f"{found.get('model')} writes down voice messages."
    if phase == "failed":
        return "warn", f"Voice messages cannot be written down: {detail}", found.get("fix") or _INSTALL
    if phase == "off":
        return "warn", f"The models service was started without {wanted}.", "Set local.transcriber there too."
    return "pass", f"{wanted} will write down voice messages; it is {phase}." + (f" {detail}" if detail else "")
