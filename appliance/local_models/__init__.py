"""Models that run on this machine: a catalogue, what fetches and checks them, the service that answers with them in a
process of its own, and the supervisor that starts that process and keeps it alive."""
