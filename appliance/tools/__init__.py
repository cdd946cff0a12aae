"""What the model may do. Every failure becomes a result that the model can read."""
