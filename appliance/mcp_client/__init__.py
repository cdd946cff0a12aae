"""Servers of the Model Context Protocol: connected to when first needed, bounded in every way, never trusted.

`wire` is the only module that imports the protocol's library; it is loaded with the first connection.
"""
