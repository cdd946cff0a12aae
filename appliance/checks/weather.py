"""Today's and tomorrow's weather at the owner's place, from an Open-Meteo server."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.errors import AddressError, ToolError
from appliance.network.client import Client

_WORDS = {
    0: "clear", 1: "mostly clear", 2: "some clouds", 3: "overcast", 45: "fog", 48: "freezing fog", 51: "light drizzle",
    53: "drizzle", 55: "heavy drizzle", 61: "light rain", 63: "rain", 65: "heavy rain", 66: "freezing rain",
    67: "heavy freezing rain", 71: "light snow", 73: "snow", 75: "heavy snow", 77: "snow grains", 80: "light showers",
    81: "showers", 82: "heavy showers", 85: "snow showers", 86: "heavy snow showers", 95: "thunderstorm",
    96: "thunderstorm with hail", 99: "heavy thunderstorm with hail",
}  # fmt: skip
_DAILY = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max,wind_gusts_10m_max"


async def forecast(client: Client, url: str, place: str, latitude: float, longitude: float) -> list[str]:
    """One line for now, one a day. Raises ToolError."""
    query = (
        f"latitude={latitude:.4f}&longitude={longitude:.4f}&current=temperature_2m,weather_code,wind_speed_10m"
        f"&daily={_DAILY}&timezone=auto&forecast_days=3"
    )
    try:
        found = await client.ask("GET", f"{url.rstrip('/')}/v1/forecast?{query}")
    except (AddressError, OSError, TimeoutError) as error:
        raise ToolError("The weather server does not answer.") from error
    try:
        told: Any = msgspec.json.decode(found.body)
        now, days = told["current"], told["daily"]
        lines = [f"{place} now: {float(now['temperature_2m']):g} °C, {_word(now['weather_code'])}"]
        for index, day in enumerate(days["time"][:3]):
            lines.append(
                f"{str(day)[:10]}: {float(days['temperature_2m_min'][index]):g} to"
                f" {float(days['temperature_2m_max'][index]):g} °C, {_word(days['weather_code'][index])}, rain"
                f" {float(days['precipitation_probability_max'][index] or 0):g}%, gusts"
                f" {float(days['wind_gusts_10m_max'][index] or 0):g} km/h"
            )
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ToolError(f"What the weather server answered ({found.status}) is not understood.") from error
    return lines


def _word(code: Any) -> str:
    return _WORDS.get(int(code), f"weather code {int(code)}")
