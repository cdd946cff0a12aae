"""One turn, from message to reply: prompt, transcript, window, loop."""
