"""Pages that need clicking: Chromium behind the address wall, seen as a tree of what can be read and used."""
