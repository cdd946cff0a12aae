"""It acts by itself: schedules, the heartbeat, quiet hours. Nothing here calls a model; a due job is a message."""
