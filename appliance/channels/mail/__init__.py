"""E-mail as a channel: letters come by IMAP (told of by IDLE), answers go by SMTP."""
