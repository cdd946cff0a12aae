"""Platform text in, platform text out. Each channel knows its platform and nothing of the agent."""
