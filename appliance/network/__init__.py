"""The wall between addresses that a model or a page names and the network this machine stands in."""
