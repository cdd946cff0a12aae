"""What is new for the owner: clients of the owner's own accounts. They read, and change nothing.

Their credentials are secrets of the settings: a check returns what it found, never where or as whom it looked.
"""
