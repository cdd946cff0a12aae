"""Names in the environment: which are settings, and which of them other tools use too."""

PREFIX = "APPLIANCE_"
# Well-known names that other tools use too, and where each lands in the tree.
SHORT_NAMES = {
    "ANTHROPIC_API_KEY": ("anthropic", "api_key"),
    "ANTHROPIC_BASE_URL": ("anthropic", "base_url"),
    "TELEGRAM_BOT_TOKEN": ("telegram", "bot_token"),
    "TELEGRAM_API_BASE": ("telegram", "api_base"),
    "DISCORD_BOT_TOKEN": ("discord", "bot_token"),
    "DISCORD_API_BASE": ("discord", "api_base"),
    "SLACK_BOT_TOKEN": ("slack", "bot_token"),
    "SLACK_APP_TOKEN": ("slack", "app_token"),
    "EMAIL_PASSWORD": ("email", "password"),
    "WHATSAPP_ACCESS_TOKEN": ("whatsapp", "access_token"),
    "WHATSAPP_APP_SECRET": ("whatsapp", "app_secret"),
}
# Read from the environment by other parts (test seams, compose), not settings.
NOT_SETTINGS = {"APPLIANCE_CONFIG", "APPLIANCE_TOKEN", "APPLIANCE_URL", "APPLIANCE_REQUIRE", "APPLIANCE_CRASH_AT"}
