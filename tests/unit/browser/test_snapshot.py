"""A page's tree is made short without losing what can be used."""

import yaml

from appliance.browser.snapshot import EFFICIENT_CHARS, FULL_CHARS, parse, refs, render, shortened, signatures, walk

RAW = """\
- generic [active] [ref=e1]:
  - heading "Title: \\"one\\"" [level=1] [ref=e2]
  - paragraph [ref=e3]: "-"
  - link "Go" [ref=e4] [cursor=pointer]:
    - /url: https://x.example/a
  - generic [ref=e5]:
    - generic [ref=e6]:
      - text: Name
      - textbox "Name" [ref=e7]: v
    - button "Send" [disabled] [ref=e8]
    - combobox [ref=e9]:
      - option "A" [selected]
      - option "B"
  - iframe [ref=e10]:
    - button "In frame" [ref=f1e2]
  - generic [ref=e13] [cursor=pointer]: clickable div
  - generic [ref=e14] [cursor=pointer]:
    - button "Inner" [ref=e15]
  - 'button "a: b" [ref=e16]'
  - 'link "c: d" [ref=e17]':
    - /url: "#x"
"""


def test_a_snapshot_stays_yaml_and_keeps_a_single_dash() -> None:
    for full in (True, False):
        text = render(parse(RAW), None, full=full)
        assert isinstance(yaml.safe_load(text), list), text
        assert '"-"' in text


def test_the_efficient_form_has_no_wrappers_and_every_usable_thing() -> None:
    text = render(parse(RAW), None, full=False)
    assert "generic [ref=e5]" not in text
    for ref in ("e4", "e7", "e8", "e9", "f1e2", "e13", "e15", "e16", "e17"):
        assert f"[ref={ref}]" in text, text
    assert "[ref=e2]" not in text
    assert "[ref=e14]" not in text
    assert "cursor" not in text
    assert len(text) < len(RAW) * 0.75


def test_references_are_those_of_the_page() -> None:
    found = refs(parse(RAW))
    assert {"e1", "e16", "e17", "f1e2"} <= found
    assert "e99" not in found


def test_what_was_not_there_before_is_marked_new() -> None:
    before = signatures(parse(RAW))
    after = RAW + '  - button "Undo" [ref=e30]\n'
    text = render(parse(after), before, full=False)
    assert '- button "Undo" [ref=e30] [new]' in text
    assert text.count("[new]") == 1
    assert "[new]" not in render(parse(after), None, full=False)


def test_a_query_keeps_what_matches_with_what_is_around_it() -> None:
    text = render(parse(RAW), None, full=False, query="frame")
    assert text == '- iframe [ref=e10]:\n  - button "In frame" [ref=f1e2]'
    assert "nothing on the page" in render(parse(RAW), None, full=False, query="zebra")


def test_a_huge_page_stays_within_its_cap_and_says_so() -> None:
    raw = "- list [ref=e1]:\n" + "".join(
        f'  - listitem [ref=e{n}]:\n    - link "Entry {n} {"long text " * 9}" [ref=e{n + 20000}]\n'
        for n in range(10_000)
    )
    for full, most in ((False, EFFICIENT_CHARS), (True, FULL_CHARS)):
        text = render(parse(raw), None, full=full)
        assert len(text) <= most
        assert "more lines are left out" in text
        assert isinstance(yaml.safe_load(text), list)


def test_long_texts_are_cut_before_links_are() -> None:
    raw = "- main [ref=e1]:\n" + "".join(
        f'  - paragraph [ref=e{2 * n}]: "{"word " * 60}{n}"\n  - link "L{n}" [ref=e{2 * n + 1}]\n' for n in range(60)
    )
    text = render(parse(raw), None, full=False)
    assert len(text) <= EFFICIENT_CHARS
    assert text.count("link") == 60
    assert isinstance(yaml.safe_load(text), list)


def test_text_over_several_lines_belongs_to_its_node() -> None:
    tree = parse('- paragraph [ref=e1]: one\n  two\n- button "B" [ref=e2]\n')
    assert [node.role for node in walk(tree)] == ["paragraph", "button"]
    assert "two" in tree[0].text
    assert shortened(tree)[0].head == "text"
