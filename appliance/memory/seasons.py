"""Seasons that a question names: "last summer", "去年夏天", "in the winter of 2025"; south of the equator others."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator
from datetime import date
from zoneinfo import ZoneInfo

NAMES = "spring|summer|autumn|fall|winter|[春夏秋冬]|여름|겨울|가을|봄"
_BEGINS = {  # in which month, in the north
    **dict.fromkeys(("spring", "春", "봄"), 3),
    **dict.fromkeys(("summer", "夏", "여름"), 6),
    **dict.fromkeys(("autumn", "fall", "秋", "가을"), 9),
    **dict.fromkeys(("winter", "冬", "겨울"), 12),
}
_NAMED = re.compile(
    r"\b(?:(?P<last>last|past)|(?P<this>this)|(?:in|over|during|since) (?:the|that)|of (?:the|that)|that|year's) "
    r"(?P<english>spring|summer|autumn|fall|winter)\b"
    r"|\b(?P<of>spring|summer|autumn|fall|winter) (?:of )?(?=(?:19|20)\d\d\b|last year|this year)"
    r"|(?:(?P<before>上个?|지난 ?)|(?P<now>[这今]个?|この)|(?<![每一])[年년]の? ?|올해 )"
    r"(?P<eastern>[春夏秋冬](?![节至眠])|여름|겨울|가을|봄)"
)
_SOUTH = re.compile(
    r"Australia/|Antarctica/|NZ|Brazil/|Chile/|Pacific/(?:Auckland|Chatham|Norfolk)$"
    r"|Africa/(?:Johannesburg|Maseru|Mbabane|Windhoek|Gaborone|Harare|Maputo|Lusaka)$"
    r"|America/(?:Argentina/|Buenos_Aires|Santiago|Punta_Arenas|Coyhaique|Montevideo|Asuncion|La_Paz|Lima|Sao_Paulo"
    r"|Bahia|Campo_Grande|Cuiaba|Recife|Fortaleza|Maceio|Araguaina|Porto_Velho|Rio_Branco|Manaus)"
)


def is_southern(zone: ZoneInfo) -> bool:
    """Whether a time zone has its summer in January."""
    return _SOUTH.match(zone.key or "") is not None


def named_seasons(text: str, today: date, years: Iterable[int], southern: bool) -> Iterator[tuple[date, date]]:
    """The first and the last day of each season that folded text may mean, the likeliest first: of these `years`, where
    neither the last nor the present one is meant."""
    found = _NAMED.search(text)
    if found is None:
        return
    month = _BEGINS[found["english"] or found["of"] or found["eastern"]]
    month = (month + 5) % 12 + 1 if southern else month
    if found["last"] or found["before"] or found["this"] or found["now"]:
        past = found["last"] or found["before"]
        spans = (_season(today.year - back, month) for back in range(3))
        yield next((first, last) for first, last in spans if (last < today if past else first <= today))
        return
    # In January the season that began in December goes on.
    begins = (began for year in years for began in ((year, year - 1) if month == 12 else (year,)))
    yield from dict.fromkeys(_season(year, month) for year in begins)


def _season(year: int, month: int) -> tuple[date, date]:
    """The season that begins in this month."""
    end, last = year + (month + 2) // 13, (month + 1) % 12 + 1
    return date(year, month, 1), date(end, last, calendar.monthrange(end, last)[1])
