#!/bin/sh
# EGRESS_PUBLIC=1 opens the second listener; never on a network that commands are on.
# Write the owner's domains (ALLOW_DOMAINS, separated by spaces) for squid, then run it.
# `example.org` allows that name and its subdomains, as the owner means it.
set -eu
: > /run/egress/domains
for domain in ${ALLOW_DOMAINS:-}; do
    case $domain in
        *[!A-Za-z0-9.-]*|*..*|-*) echo "egress: not a domain: $domain" >&2; exit 64 ;;
    esac
    printf '.%s\n' "${domain#.}" >> /run/egress/domains
done
# squid wants at least one entry; this name can never exist.
[ -s /run/egress/domains ] || printf 'nothing-is-allowed.invalid\n' > /run/egress/domains
echo 'http_port 3128 name=listed' > /run/egress/listeners
if [ "${EGRESS_PUBLIC:-0}" = 1 ]; then echo 'http_port 3129 name=public' >> /run/egress/listeners; fi
exec squid -N -f /etc/appliance/squid.conf
