"""The home agent appliance.

The path of a message: a *channel* turns a platform's update into an Inbound; the *gateway* checks who speaks, drops
duplicates and writes it to the durable inbox; the *lane* of its session runs one turn at a time; the *agent* builds the
prompt, keeps the transcript and drives the loop between *models* and *tools*; *delivery* writes the reply to the
durable outbox, and the channel carries it back.
"""

__version__ = "0.1.0"
