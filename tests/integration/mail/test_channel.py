"""What is e-mail's own: who is believed, robots, quotes, threads, refusals, a mailbox that counts anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from appliance.channels.mail.letters import read_letter
from appliance.errors import DeliveryError, SettingsError
from appliance.messages import Source
from appliance.observability.health import State
from appliance.settings.load import load_settings
from appliance.testing.fake_mail import SERVER, FakeMail
from tests.mail_bench import OWNER, STRANGER, MailBench

PLACE = {"chat": OWNER, "private": True, "subject": "Dinner", "message": "<q@home.example>", "references": ["<a@b>"]}


@pytest.fixture
async def paired(tmp_path: Path) -> AsyncIterator[MailBench]:
    fake = FakeMail()
    await fake.start()
    fake.write(OWNER, "an old letter from before the first start")
    bench = MailBench(fake, tmp_path)
    await bench.start()
    await bench.pair()
    yield bench
    await bench.stop()
    await fake.stop()


async def test_only_who_is_proved_is_heard_and_robots_are_never_answered(paired: MailBench) -> None:
    mail = paired.mail
    mail.write(OWNER, "forged", proved=False)
    mail.write(OWNER, "away until Monday", Auto_Submitted="auto-replied")
    mail.write(OWNER, "a list", List_Id="<list.example>")
    mail.write("no-reply@shop.example", "your order")
    mail.write("mailer-daemon@home.example", "undeliverable")
    mail.write("agent@house.example", "myself")
    mail.write(OWNER, "really me")
    await paired.until(lambda: paired.replies() == ["You said: really me"])
    assert [i.text for i in paired.front.heard] == ["really me"]
    assert {letter["To"] for letter in mail.sent} == {OWNER}
    assert all(letter["Auto-Submitted"] == "auto-replied" for letter in mail.sent)


def test_a_finding_that_the_sender_put_in_below_our_servers_own_does_not_count() -> None:
    def letter(*findings: str) -> bytes:
        heads = "".join(f"Authentication-Results: {one}\r\n" for one in findings)
        return f"{heads}From: Sam <sam@home.example>\r\nSubject: Re: x\r\n\r\nhi\r\n".encode()

    good = f"{SERVER}; dmarc=pass (p=NONE) header.from=home.example"
    bad = f"{SERVER}; dmarc=fail header.from=home.example"
    other = "mx.evil.example; dmarc=pass header.from=home.example"
    wrong = f"{SERVER}; dmarc=pass header.from=evil.example"
    commented = f"{SERVER}; dmarc=fail (dmarc=pass header.from=home.example)"
    for findings, proved in (
        ((good,), True), ((bad, good), False), ((other,), False), ((wrong,), False), ((commented,), False), ((), False),
    ):  # fmt: skip
        found = read_letter(letter(*findings), SERVER)
        assert found is not None
        assert found.proved is proved, findings
    nobody = read_letter(letter(good), "")
    assert nobody is not None
    assert not nobody.proved


async def test_an_answer_stands_in_the_thread_and_quotes_are_not_read_again(paired: MailBench) -> None:
    text = "Yes, at seven.\n\nOn Mon, 30 Nov 2026, agent wrote:\n> When?\n> Tell me everything.\n"
    identity = paired.mail.write(OWNER, text, subject="Re: Dinner", References="<first@house.example>")
    await paired.until(lambda: paired.replies() == ["You said: Yes, at seven."])
    answer = paired.mail.sent[-1]
    assert (answer["Subject"], answer["In-Reply-To"]) == ("Re: Dinner", identity)
    assert answer["References"].split() == ["<first@house.example>", identity]


async def test_a_new_subject_is_read_and_a_forward_is_outside(paired: MailBench) -> None:
    paired.mail.write(OWNER, "for seven people", subject="Dinner 晚餐")
    paired.mail.write(OWNER, "obey this", subject="Fwd: offer")
    await paired.until(lambda: len(paired.front.heard) == 2)
    assert paired.front.heard[0].text == "Subject: Dinner 晚餐\n\nfor seven people"
    assert [i.source for i in paired.front.heard] == [Source.OWNER, Source.OUTSIDE]


async def test_a_letter_in_html_and_an_odd_character_set_are_read(paired: MailBench) -> None:
    letter = EmailMessage()
    letter["From"], letter["Subject"], letter["Message-ID"] = OWNER, "Re: x", "<h@home.example>"
    letter.set_content("<p>a &lt; b</p><script>evil()</script><div>早安</div>", subtype="html")
    paired.mail.deliver(letter, OWNER)
    await paired.until(lambda: paired.front.heard)
    assert paired.front.heard[0].text == "a < b\n早安"


async def test_a_mailbox_that_counts_anew_answers_nothing_old(paired: MailBench) -> None:
    paired.mail.write(OWNER, "one")
    await paired.until(lambda: paired.replies() == ["You said: one"])
    await paired.stop()
    paired.mail.validity = 8
    await paired.start()
    await paired.until(lambda: (part := paired.health.get("email")) and part.state is State.READY)
    paired.mail.write(OWNER, "two")
    await paired.until(lambda: paired.replies() == ["You said: one", "You said: two"])
    assert [i.text for i in paired.front.heard] == ["two"]


@pytest.mark.parametrize(("code", "permanent"), [(550, True), (451, False)])
async def test_a_refused_letter_is_given_up_or_tried_again(paired: MailBench, code: int, permanent: bool) -> None:
    paired.mail.refuse = [code]
    with pytest.raises(DeliveryError) as refused:
        await paired.channel.carrier.send(PLACE, {"text": "hi"}, "1-0")
    assert (refused.value.permanent, refused.value.ambiguous) == (permanent, False)


async def test_a_letter_whose_receipt_was_lost_is_not_sent_twice(paired: MailBench) -> None:
    paired.mail.drop_after_data = 1
    before = len(paired.mail.sent)
    with pytest.raises(DeliveryError) as lost:
        await paired.channel.carrier.send(PLACE, {"text": "hi"}, "1-0")
    assert lost.value.ambiguous
    assert len(paired.mail.sent) == before + 1


async def test_a_wrong_password_is_said_and_never_shown(tmp_path: Path) -> None:
    fake = FakeMail()
    await fake.start()
    bench = MailBench(fake, tmp_path)
    bench.password = "a-wrong-one"
    await bench.start()
    await bench.until(lambda: (part := bench.health.get("email")) and part.state is State.FAILED)
    part = bench.health.get("email")
    assert part is not None
    assert "a-wrong-one" not in part.detail
    await bench.stop()
    await fake.stop()


async def test_a_stranger_who_is_proved_gets_a_code(paired: MailBench) -> None:
    paired.mail.write(STRANGER, "hello")
    await paired.until(lambda: paired.replies(STRANGER))
    assert "Your code is" in paired.replies(STRANGER)[0]
    assert paired.front.heard == []


def test_a_password_goes_to_another_machine_only_secured_and_half_settings_are_said() -> None:
    given = {"EMAIL_PASSWORD": "x", "APPLIANCE_EMAIL__ADDRESS": "a@b.example"}
    with pytest.raises(SettingsError, match="imap_host"):
        load_settings(environ=given)
    hosts = {"APPLIANCE_EMAIL__IMAP_HOST": "imap.example", "APPLIANCE_EMAIL__SMTP_HOST": "smtp.example"}
    rest = {"APPLIANCE_EMAIL__TRUSTED_SERVER": "mx", "APPLIANCE_EMAIL__SECURITY": "none"}
    with pytest.raises(SettingsError, match="starttls"):
        load_settings(environ=given | hosts | rest)
