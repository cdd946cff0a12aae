"""How the tables of capture are written: one shape of speech a line, a regular expression over folded text (voices.py).

In it `…` stands for one character of the same clause: `不要…{0,6}推` reads "at most six characters between".
"""


def any_of(*shapes: str) -> str:
    """Given shapes, return the source of one regular expression that finds any of them."""
    return "|".join(shapes).replace("…", "[^，,。]")
