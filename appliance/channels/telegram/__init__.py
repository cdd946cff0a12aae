"""Telegram by long polling.

`channel` puts the room together; `polling` fetches updates and moves the offset only after the commit; `updates` turns
an update into an Inbound; `carrier` is delivery's way out; `api` speaks to the Bot API through aiogram, imported when
the channel starts; `menu` registers commands; `state` is what is remembered in core.db.
"""
