"""What a token costs, kind by kind, tier by tier."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.errors import SettingsError, UnpricedModelError
from appliance.messages import Usage
from appliance.spending.money import usd
from appliance.spending.prices import KINDS, SHIPPED, ModelPrice, Prices, parse_price, read_table, undated
from appliance.spending.snapshot import entry

WHOLE = "input = 1.0\ncache_read = 0.1\ncache_write_5m = 1.25\ncache_write_1h = 2.0\noutput = 5.0\n"


def price(model: str) -> ModelPrice:
    found = Prices().known(model)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("model", "rates"),
    [
        ("claude-haiku-5-5", ("0.10", "0.01", "0.125", "0.20", "0.50")),
        ("claude-haiku-4-5", ("1", "0.10", "1.25", "2", "5")),
        ("claude-sonnet-5-5", ("2", "0.10", "2.50", "4", "10")),
        ("claude-sonnet-4-6", ("3", "0.30", "3.75", "6", "15")),
        ("claude-opus-5-5", ("4", "0.20", "5", "8", "20")),
        ("claude-opus-5", ("5", "0.50", "6.25", "10", "25")),
        ("claude-fable-5-1", ("10", "0.25", "12.50", "20", "50")),
    ],
)
def test_the_shipped_table_has_all_five_rates_of_a_model(model: str, rates: tuple[str, ...]) -> None:
    base = price(model).base
    assert [usd(getattr(base, kind) * 1_000_000) for kind in KINDS] == [Decimal(rate) for rate in rates]


def test_the_shipped_table_says_what_genai_prices_says() -> None:
    from genai_prices.data_snapshot import get_snapshot

    anthropic = next(provider for provider in get_snapshot().providers if provider.id == "anthropic")
    shipped = read_table(SHIPPED).models
    compared = 0
    for info in anthropic.models:
        name = info.id.removesuffix("-latest")
        if name in shipped:
            assert shipped[name] == parse_price(entry(info)), name
            compared += 1
    assert compared == len(shipped) >= 19


def test_the_reference_bill_comes_out_to_the_last_digit() -> None:
    usage = Usage(input=3, cache_read=73_030, cache_write_5m=2_124, output=1_059)
    assert usd(price("claude-sonnet-4-6").cost(usage)) == Decimal("0.045768")


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-opus-5-5", "claude-sonnet-4-5"])
@given(
    usage=st.builds(
        Usage,
        input=st.integers(0, 300_000),
        cache_read=st.integers(0, 300_000),
        cache_write_5m=st.integers(0, 300_000),
        cache_write_1h=st.integers(0, 300_000),
        output=st.integers(0, 128_000),
    )
)
def test_a_bill_is_what_genai_prices_computes_when_it_is_given_the_sum_of_the_input(model: str, usage: Usage) -> None:
    from genai_prices import Usage as TheirUsage
    from genai_prices import calc_price

    theirs = calc_price(
        TheirUsage(
            input_tokens=usage.prompt,
            cache_read_tokens=usage.cache_read,
            cache_write_tokens=usage.cache_write,
            cache_write_1h_tokens=usage.cache_write_1h,
            output_tokens=usage.output,
        ),
        model_ref=model,
        provider_id="anthropic",
    )
    assert usd(price(model).cost(usage)) == theirs.total_price


def test_past_the_long_prompt_line_the_whole_request_is_dearer() -> None:
    haiku = price("claude-haiku-5-5")
    at_line = Usage(input=20_000, cache_read=70_000, cache_write_5m=10_000, output=1_000)
    assert usd(haiku.cost(at_line)) == Decimal("0.002") + Decimal("0.0007") + Decimal("0.00125") + Decimal("0.0005")
    past = Usage(input=20_001, cache_read=70_000, cache_write_5m=10_000, output=1_000)
    assert usd(haiku.cost(past)) == Decimal("0.0100005") + Decimal("0.0035") + Decimal("0.00625") + Decimal("0.0025")


def test_modes_multiply_the_whole_bill_and_an_unknown_one_counts_as_the_dearest() -> None:
    opus = price("claude-opus-5-5")
    usage = Usage(input=1_000, output=1_000)
    plain = opus.cost(usage)
    assert opus.cost(usage, ("batch",)) * 2 == plain
    assert opus.cost(usage, ("fast",)) == 2 * plain
    assert opus.cost(usage, ("us",)) * 10 == 11 * plain
    assert opus.cost(usage, ("something-new",)) == 2 * plain


def test_server_tools_are_charged_by_call_and_an_unknown_one_as_the_dearest() -> None:
    sonnet = price("claude-sonnet-5-5")
    assert usd(sonnet.cost(Usage(server_tools={"web_search_requests": 3}))) == Decimal("0.03")
    assert usd(sonnet.cost(Usage(server_tools={"telepathy": 1}))) == Decimal("0.01")


@pytest.mark.parametrize(
    "name", ["claude-haiku-5-5", "Claude-Haiku-5-5", "anthropic/claude-haiku-5-5", "claude-haiku-5-5-20260901"]
)
def test_a_model_is_found_with_a_provider_in_front_or_a_date_behind(name: str) -> None:
    assert price(name) == price("claude-haiku-5-5")


def test_a_name_that_only_begins_like_a_known_one_is_not_that_one() -> None:
    assert Prices().known("claude-haiku-5-55") is None
    assert undated("claude-opus-5-5") == "claude-opus-5-5"


async def test_other_models_are_asked_of_genai_prices_in_another_process() -> None:
    found = await Prices().find("gpt-5", "openai")
    assert (usd(found.base.input * 1_000_000), usd(found.base.output * 1_000_000)) == (Decimal("1.25"), Decimal(10))
    assert "genai_prices.data" not in _modules_after("from appliance.spending.prices import Prices; Prices()")


async def test_an_unknown_model_has_no_price_however_often_it_is_asked() -> None:
    prices = Prices()
    for name in ("house-brand-9", "", "--help", "house-brand-9"):
        with pytest.raises(UnpricedModelError, match="No price is known"):
            await asyncio.wait_for(prices.find(name), 30)


async def test_a_lookup_that_breaks_is_not_remembered_as_an_unknown_model(monkeypatch: pytest.MonkeyPatch) -> None:
    prices = Prices()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(UnpricedModelError):
        await prices.find("gpt-5", "openai")
    monkeypatch.undo()
    assert (await prices.find("gpt-5", "openai")).base.output == 10_000_000


def _modules_after(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_owners_file_wins_and_may_name_new_models(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(
        f'[models."claude-haiku-5-5"]\n{WHOLE}[models."House/Brand"]\n{WHOLE}modes = {{ fast = 1.5 }}\n'
        '[[models."House/Brand".tiers]]\nover = 10\n' + WHOLE.replace("5.0", "50.0")
    )
    prices = Prices(file)
    haiku, house = prices.known("claude-haiku-5-5"), prices.known("house/brand")
    assert haiku is not None
    assert house is not None
    assert haiku.base.output == 5_000_000
    assert house.rates(10).output == 5_000_000
    assert house.rates(11).output == 50_000_000
    assert prices.known("claude-opus-5-5") is not None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[models.x]\n" + WHOLE.replace("output = 5.0\n", ""), "models.x.output: missing"),
        ("[models.x]\n" + WHOLE.replace("cache_write_1h = 2.0\n", ""), "models.x.cache_write_1h: missing"),
        ("[models.x]\n" + WHOLE.replace("5.0", "nan"), "models.x.output: must be a finite number"),
        ("[models.x]\n" + WHOLE.replace("5.0", "inf"), "models.x.output: must be a finite number"),
        ("[models.x]\n" + WHOLE.replace("5.0", "-1"), "models.x.output: must be a finite number"),
        ("[models.x]\n" + WHOLE.replace("5.0", "true"), "models.x.output: must be a number"),
        ("[models.x]\n" + WHOLE.replace("5.0", '"cheap"'), "models.x.output: must be a number"),
        ("[models.x]\n" + WHOLE + "thinking = 3.0\n", "models.x.thinking: unknown"),
        ("[models.x]\n" + WHOLE + "modes = 3\n", "models.x.modes: must be a table"),
        ("[models.x]\n" + WHOLE + "tiers = [3]\n", "models.x.tiers[0]: must be a table"),
        ("[models.x]\n" + WHOLE + "[[models.x.tiers]]\nover = 1.5\n" + WHOLE, "models.x.tiers[0].over"),
        ("models = 3\n", "models: must be a table"),
        ("[model.x]\n" + WHOLE, "model: unknown"),
        ('dated = "soon"\n', "dated: must be a date"),
        ("[models.x\n", "not valid TOML"),
    ],
)
def test_a_price_file_that_cannot_be_used_is_refused_with_the_place(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as refused:
        Prices(file)
    assert says in str(refused.value)


def test_a_price_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        Prices(tmp_path / "none.toml")


def test_the_table_knows_its_age() -> None:
    prices = Prices()
    assert prices.dated >= date(2026, 11, 30)
    assert prices.age_seconds(1_796_083_200.0 + 86_400 * 61) > 0  # 61 days after 2026-12-01


@given(
    prompt=st.integers(0, 400_000),
    output=st.integers(0, 128_000),
    amount=st.integers(0, 10**13),
    model=st.sampled_from(["claude-haiku-5-5", "claude-sonnet-4-5", "claude-opus-5-5"]),
    modes=st.sampled_from([(), ("us",), ("fast",), ("batch", "us")]),
)
def test_the_worst_case_is_never_less_than_any_bill_and_what_fits_fits(
    prompt: int, output: int, amount: int, model: str, modes: tuple[str, ...]
) -> None:
    found = price(model)
    worst = found.worst(prompt, output, written=True, long_lived=True, modes=modes)
    for share in (0, prompt // 3, prompt):
        usage = Usage(input=prompt - share, cache_write_1h=share, output=output)
        assert found.cost(usage, modes) <= worst
    fits = found.output_that_fits(amount, prompt, written=True, long_lived=True, modes=modes)
    if fits >= 0:
        assert found.worst(prompt, fits, written=True, long_lived=True, modes=modes) <= amount
    else:
        assert found.worst(prompt, 0, written=True, long_lived=True, modes=modes) > amount
