"""Slack in socket mode: the appliance calls out, nothing has to be reachable from outside.

`channel` puts the room together and takes what comes in; `gaps` fetches what was missed; `updates` turns a payload into
what it means for us; `carrier` is delivery's way out; `mrkdwn` writes Slack's markup; `api` is the wire.
"""
