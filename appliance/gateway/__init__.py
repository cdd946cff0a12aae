"""One front door: in through intake, out through delivery; both durable."""
