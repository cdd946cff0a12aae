"""Discord by its gateway.

`channel` puts the room together and takes what comes in; `gaps` fetches what was missed; `updates` turns a payload into
what it means for us; `carrier` is delivery's way out; `api` speaks to Discord through discord.py, imported when the
channel starts; `state` is what is remembered in core.db.
"""
