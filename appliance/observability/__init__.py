"""What the house tells about itself: logs, the audit chain, health, metrics."""
