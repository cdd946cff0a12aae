"""Where commands run: a small process of its own owns the Docker socket and gives each command a fresh container.

gateway side: client.py (asks the runner, and starts it), monitor.py (can commands run, what ended), check.py (doctor),
policy.py with its word lists (what a command may be), approvals.py and plan.py (a person's word on it), host.py and
host_run.py (commands on this machine itself, where the owner turned that on).
runner side: runner.py (the socket), template.py (every setting of a container), engine.py (Docker), pool.py
(containers made ahead), container.py (one command in one container), background.py (commands that go on), egress.py
(the way out), undertaker.py (nothing is left behind); for an engine on another machine address.py (where it is),
tunnel.py (the way there), far.py with copying.py and merging.py (the work folder there and back).
Between them stands protocol.py, the whole grammar of what may be asked.
"""
