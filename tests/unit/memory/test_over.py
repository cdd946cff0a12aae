"""What a plain statement says is over, and what it does not name surely enough."""

from __future__ import annotations

import pytest

from appliance.memory.items import Item, Tag
from appliance.memory.over import ended, stated


def over(message: str, *said: str, tag: Tag = "O") -> list[str]:
    items = [Item(tag, text, 1.0, "s", "1") for text in said]
    return [item.text for item in ended(stated(message, [message]), items)]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("I'm allergic to peanuts", "I'm no longer allergic to peanuts"),
        ("I'm severely allergic to peanuts", "btw I’m not allergic to peanuts any more, hooray"),
        ("I'm allergic to peanuts", "I'm no longer allergic"),
        ("My daughter is allergic to eggs", "my daughter is no longer allergic to eggs"),
        ("We've got a dog called Rex", "we don't have the dog anymore, he died in May"),
        ("I've been a vegetarian since 2019", "I've stopped being vegetarian last month"),
        ("I smoke", "I quit smoking two months ago"),
        ("I work at Acme as a welder", "I no longer work at Acme"),
        ("I like tea", "I don't like tea any longer"),
        ("I don't eat meat", "I eat meat again"),
        ("I'm no longer allergic to peanuts", "I'm allergic to peanuts again"),
        ("我對花生嚴重過敏", "我不再对花生过敏了"),
        ("我对花生过敏", "我對花生已經不過敏了"),
        ("我对花生过敏", "跟你说个事，已经不过敏了"),
        ("我從小吃素", "我現在不吃素了"),
        ("我女儿对花生过敏", "我女儿已经不对花生过敏了"),
        ("我家养了一只狗叫豆豆", "我们家没有狗了"),
        ("我喜欢蓝色", "我不再喜欢蓝色了"),
        ("我在腾讯上班", "我不在腾讯上班了"),
        ("我不吃辣", "我现在吃辣了"),
        ("I'm allergic to peanuts", "turns out I'm not allergic to peanuts any more"),
        ("I'm allergic to peanuts", "the test was negative and I'm no longer allergic to peanuts"),
        ("我吃素", "我妹妹開始吃素，我不吃素了"),
    ],
)
def test_what_is_no_longer_so_is_over(said: str, message: str) -> None:
    assert over(message, said) == [said]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("I'm allergic to peanuts and cashews", "I'm no longer allergic to peanuts"),
        ("My daughter is allergic to peanuts", "I'm no longer allergic to peanuts"),
        ("My dog's vet is Dr Lin", "we don't have the dog any more"),
        ("We have a dog walker", "we don't have the dog any more"),
        ("I like tea ceremonies", "I no longer like tea"),
        ("I like tea", "I don't like tea today"),
        ("I like tea", "as grandma says, I no longer like tea"),
        ("I'm allergic to peanuts", "what if I'm no longer allergic to peanuts?"),
        ("I'm allergic to peanuts", "suppose the test is wrong and I'm no longer allergic to peanuts"),
        ("I'm allergic to peanuts", 'He wrote "I\'m no longer allergic to peanuts"'),
        ("I'm allergic to peanuts", "translate: I'm no longer allergic to peanuts"),
        ("我对花生和虾过敏", "我已经不过敏了"),
        ("我女儿对花生过敏", "我不再对花生过敏了"),
        ("我喜欢蓝色的封面", "我不再喜欢蓝色了"),
        ("我对花生过敏", "如果我不再对花生过敏了，就好了"),
        ("我对花生过敏", "医生说，我不再对花生过敏了"),
        ("我对花生过敏", "隔壁的小孩已经不过敏了"),
        ("我吃素", "我妹妹以前吃素。现在已经不吃素了"),
        ("我吃素", "我妹妹以前吃素，现在已经不吃素了"),
        ("I'm allergic to peanuts", "the day I'm no longer allergic to peanuts I'll have satay"),
        ("I'm allergic to peanuts", "when my test is done and I'm no longer allergic to peanuts, I'll have satay"),
        ("I'm allergic to peanuts", "maybe I'm no longer allergic to peanuts"),
        ("我对花生过敏", "我可能不再对花生过敏了"),
    ],
)
def test_what_is_not_surely_named_or_not_stated_holds(said: str, message: str) -> None:
    assert over(message, said) == []


def test_of_several_that_may_be_meant_none_is_over() -> None:
    assert over("I'm no longer allergic", "I'm allergic to peanuts", "I'm allergic to shrimp") == []
    assert over("我不再过敏了", "我对花生过敏", "我对虾过敏") == []


def test_a_limit_is_never_over_by_a_statement() -> None:
    assert over("I like long answers again", "I don't like long answers", tag="B") == []
