"""Skills: folders with a SKILL.md that say how a kind of work is done; found, checked, pinned, listed. Text only."""
