"""Who may speak: ids, codes, roles, sessions."""

from __future__ import annotations

import pytest

from appliance.channels.access import ALPHABET, CODE_SECONDS, MAX_GUESSES, Access, session_for, valid_id
from appliance.errors import InputError, NotFoundError
from appliance.messages import Person, Role


@pytest.fixture
def people(core, clock) -> Access:
    return Access(core, clock, {"telegram": [777]})


async def pair_owner(people: Access, user: str = "11") -> Person:
    meeting = await people.meet("telegram", user, text=await people.invite(), name="Sam")
    assert meeting.person is not None
    return meeting.person


@pytest.mark.parametrize(
    "user", ["", "0", "abc", "007", " 7", "7 ", "-7", "7.0", "７", "1" * 21, None, 7, True, "11\n"]
)
async def test_only_a_plain_decimal_id_identifies(people: Access, user: object) -> None:
    await pair_owner(people, "11")
    assert not valid_id(user)
    assert people.check("telegram", user) is None
    assert (await people.meet("telegram", user, text="hi")).outcome == "silent"


async def test_the_code_shown_on_the_machine_makes_the_owner_and_works_once(people: Access) -> None:
    code = await people.invite()
    assert len(code) == 8
    assert not set(code) - set(ALPHABET)
    assert not set(ALPHABET) & set("0O1IL")
    meeting = await people.meet("telegram", "11", text=f"  {code[:4].lower()}-{code[4:]} ", name="Sam")
    assert meeting.outcome == "paired"
    found = people.check("telegram", "11")
    assert found is not None
    assert found.role is Role.OWNER
    assert (await people.meet("telegram", "12", text=code)).outcome == "wrong"
    assert people.check("telegram", "12") is None


async def test_a_deep_link_carries_the_code(people: Access) -> None:
    code = await people.invite()
    assert (await people.meet("telegram", "11", text=f"/start {code}")).outcome == "paired"


async def test_the_owners_name_and_username_open_nothing(people: Access) -> None:
    await pair_owner(people, "11")
    assert people.check("telegram", "12", name="Sam") is None
    assert people.check("discord", "11") is None


async def test_before_the_first_pairing_a_stranger_learns_only_how_to_pair(people: Access) -> None:
    assert (await people.meet("telegram", "12", text="hi")).outcome == "no_owner"
    assert (await people.meet("telegram", "12", text="hi")).outcome == "silent"
    assert people.pending() == []


async def test_a_stranger_gets_a_code_that_the_machine_approves(people: Access) -> None:
    await pair_owner(people)
    meeting = await people.meet("telegram", "12", text="hello", name="Ann")
    assert meeting.outcome == "request"
    assert people.check("telegram", "12") is None
    assert [(p.id, p.name) for p in people.pending()] == [("12", "Ann")]
    channel, person = await people.approve(meeting.code)
    assert (channel, person.id, person.role) == ("telegram", "12", Role.MEMBER)
    assert people.check("telegram", "12") == Person("12", "", Role.MEMBER)
    with pytest.raises(NotFoundError):
        await people.approve(meeting.code)


async def test_a_request_code_sent_to_the_bot_pairs_nobody(people: Access) -> None:
    await pair_owner(people)
    code = (await people.meet("telegram", "12", text="hello")).code
    assert (await people.meet("telegram", "12", text=code)).outcome == "wrong"
    assert people.check("telegram", "12") is None


async def test_codes_end_after_an_hour(people: Access, clock) -> None:
    code = await people.invite()
    clock.move(CODE_SECONDS)
    assert (await people.meet("telegram", "11", text=code)).outcome == "wrong"
    await pair_owner(people)
    request = (await people.meet("telegram", "12", text="hello")).code
    clock.move(CODE_SECONDS)
    with pytest.raises(NotFoundError):
        await people.approve(request)


async def test_three_wait_at_most_and_each_is_told_once_an_hour(people: Access, clock) -> None:
    await pair_owner(people)
    outcomes = [(await people.meet("telegram", str(20 + i), text="hi")).outcome for i in range(4)]
    assert outcomes == ["request", "request", "request", "silent"]
    assert (await people.meet("telegram", "20", text="hi again")).outcome == "silent"
    clock.move(CODE_SECONDS + 1)
    assert (await people.meet("telegram", "20", text="hi again")).outcome == "request"


async def test_guessing_stops_counting_after_five(people: Access) -> None:
    await pair_owner(people)
    code = await people.invite()
    for _ in range(MAX_GUESSES):
        assert (await people.meet("telegram", "12", text="AAAAAAAA")).outcome == "wrong"
    assert (await people.meet("telegram", "12", text=code)).outcome == "silent"
    assert (await people.meet("telegram", "13", text=code)).outcome == "paired"


async def test_codes_are_not_stored_readable(people: Access, core) -> None:
    code = await people.invite()
    assert code not in str(core.read("SELECT * FROM pairing_codes"))


async def test_members_of_the_settings_need_no_pairing_and_are_no_owners(people: Access) -> None:
    found = people.check("telegram", "777")
    assert found is not None
    assert found.role is Role.MEMBER
    assert people.owners() == []


async def test_listeners_hear_of_each_pairing(people: Access) -> None:
    heard = []

    async def listen(channel: str, person: Person) -> None:
        heard.append((channel, person.id, person.role))

    people.on_paired(listen)
    await pair_owner(people)
    await people.approve((await people.meet("telegram", "12", text="hi")).code, Role.GUEST)
    assert heard == [("telegram", "11", Role.OWNER), ("telegram", "12", Role.GUEST)]


async def test_the_last_owner_cannot_be_lost(people: Access) -> None:
    await pair_owner(people)
    with pytest.raises(InputError):
        await people.remove("telegram", "11")
    with pytest.raises(InputError):
        await people.set_role("telegram", "11", Role.GUEST)
    await people.meet("discord", "99", text=await people.invite(Role.OWNER))
    await people.remove("telegram", "11")
    assert people.check("telegram", "11") is None
    with pytest.raises(NotFoundError):
        await people.set_role("telegram", "11", Role.GUEST)


def test_each_person_and_each_group_has_a_session_of_its_own() -> None:
    owner, member = Person("11", role=Role.OWNER), Person("12", role=Role.MEMBER)
    assert session_for(owner, "telegram", "11", private=True).value == "agent:main:main"
    assert session_for(owner, "discord", "99", private=True).value == "agent:main:main"
    assert session_for(member, "telegram", "12", private=True).value == "agent:main:telegram:dm:12"
    assert session_for(owner, "telegram", "-5", private=False).value == "agent:main:telegram:group:-5"
    topic = session_for(owner, "telegram", "-5", private=False, topic="3")
    assert topic.value == "agent:main:telegram:group:-5:topic:3"
    assert not topic.is_main


async def test_a_member_by_the_settings_is_removed_there(people: Access) -> None:
    with pytest.raises(InputError, match=r"telegram\.members"):
        await people.remove("telegram", "777")
