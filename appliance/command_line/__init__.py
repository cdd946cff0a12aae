"""The groups of commands of `appliance`, and how they reach the running gateway."""
