"""The HTTP API, one module a subject. Each offers `routes(services)`, the handlers for what the services hold."""
