"""Strict fakes of the outermost seams, shipped so that a user can test a setup without the real services."""
