"""WhatsApp by Meta's Cloud API: its servers call /hooks/whatsapp, answers go out by the Graph API."""
