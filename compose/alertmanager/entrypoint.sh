#!/bin/sh
# Write Alertmanager's configuration from the template beside this file, then start it with the arguments given.
# TELEGRAM_CHAT_ID: the owner's numeric chat id; empty, and nobody is told on Telegram when the gateway is down.
# TELEGRAM_API_BASE: default https://api.telegram.org. ALERTMANAGER: the program. CONFIG: where the result is written.
set -eu

here=$(dirname "$0")
config=${CONFIG:-/tmp/alertmanager.yml}
chat=${TELEGRAM_CHAT_ID:-}
base=${TELEGRAM_API_BASE:-https://api.telegram.org}

if [ -z "$chat" ]; then
    echo "No TELEGRAM_CHAT_ID: when the gateway is down, nobody is told." >&2
    sed '/telegram_configs:/,$d' "$here/alertmanager.yml" >"$config"
else
    case ${chat#-} in
        '' | *[!0-9]*)
            echo "error: TELEGRAM_CHAT_ID must be a number such as 123456789, not '$chat'. /whoami in the chat shows it." >&2
            exit 1
            ;;
    esac
    sed -e "s|chat_id: 0 # TELEGRAM_CHAT_ID|chat_id: $chat|" \
        -e "s|api_url: .* # TELEGRAM_API_BASE|api_url: $base|" "$here/alertmanager.yml" >"$config"
fi
exec "${ALERTMANAGER:-/bin/alertmanager}" --config.file="$config" "$@"
