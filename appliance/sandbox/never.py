"""Programs that are never offered, by reason: they have no harmless use for an agent in a work folder."""

from __future__ import annotations

import re

_REASONS: dict[str, str] = {
    "raises privileges": (
        "sudo sudoedit doas su pkexec runuser setpriv gosu su-exec sg newgrp capsh visudo pam_exec calife op super "
        "dzdo "
        "run0 kdesu gksu gksudo machinectl polkit pkttyagent setcap"
    ),
    "enters or makes namespaces": (
        "nsenter unshare chroot pivot_root switch_root bwrap firejail proot fakechroot systemd-run systemd-nspawn lxc "
        "lxc-attach lxc-execute lxc-start schroot debootstrap mmdebstrap toolbox distrobox cgexec cgcreate ip-netns"
    ),
    "runs a shell or another program out of sight": (
        "xargs parallel rush sem script scriptreplay expect unbuffer watch entr run-parts start-stop-daemon daemonize "
        "daemon tmux screen byobu dtach abduco zellij ttyrec asciinema strace ltrace gdb lldb perf bpftrace valgrind "
        "rr uftrace sysdig flock chpst softlimit setlock envdir envuidgid setuidgid s6-setuidgid runsv sv svc fakeroot "
        "dbus-run-session dbus-launch xvfb-run ssh-agent proxychains proxychains4 torsocks torify tsocks catchsegv "
        "faketime eatmydata setarch linux32 linux64 i386 x86_64 prlimit runcon newrole nodemon watchexec watchmedo fzf "
        "dialog whiptail rlwrap cpulimit ts-node-dev concurrently find2perl pexec taskspooler tsp numactl choom "
        "uclampset "
        "unionfs-fuse nocache trickle cgclassify xonsh-cat pipexec multitee coproc ld.so"
    ),
    "is an editor or pager that can start a shell": (
        "vi vim nvim view vimdiff gvim rvim rview ex ed red emacs emacsclient nano pico joe jed mcedit micro helix hx "
        "kak "
        "ne less more most lesspipe pg w3m lynx links links2 elinks info pinfo mc ranger nnn lf vifm mutt neomutt "
        "alpine mail "
        "mailx Mail nail sendmail msmtp swaks"
    ),
    "opens sockets or listens": (
        "nc ncat netcat nc.traditional nc.openbsd socat socat1 telnet tcpdump tshark wireshark dumpcap nmap masscan "
        "hping3 "
        "tftp ftp lftp ncftp rlogin rsh rexec rcp websocat wscat pwncat cryptcat sbd chisel ngrok cloudflared frpc "
        "frps tor "
        "gost iodine dnscat dnscat2 ptunnel inlets bore sshuttle stunnel stunnel4 proxytunnel autossh sshpass mosh "
        "ssh-copy-id iptables ip6tables nft ufw firewall-cmd ebtables arptables tc brctl ifup ifdown dhclient route "
        "wg wg-quick openvpn tailscale zerotier-cli darkhttpd busybox-httpd httpd nginx caddy smbclient rpcclient"
    ),
    "changes disks or mounts": (
        "mount umount losetup cryptsetup swapon swapoff mkswap fusermount fusermount3 sshfs mkfs fdisk sfdisk cfdisk "
        "gdisk "
        "sgdisk cgdisk parted partprobe wipefs blkdiscard hdparm badblocks shred srm wipe scrub mke2fs tune2fs "
        "resize2fs "
        "debugfs e2fsck fsck xfs_repair lvremove vgremove pvremove lvcreate vgcreate pvcreate dmsetup mdadm zpool zfs "
        "btrfs "
        "nvme sg_format flashrom efibootmgr grub-install update-grub dd_rescue ddrescue mknod mkfifo chattr setfacl"
    ),
    "stops or changes the machine": (
        "shutdown reboot halt poweroff init telinit systemctl service rc-service rc-update update-rc.d chkconfig "
        "initctl "
        "loginctl launchctl kexec modprobe insmod rmmod depmod sysctl hostnamectl timedatectl hwclock rtcwake "
        "pm-suspend "
        "killall killall5 pkill skill snice wall write mesg dmesg journalctl auditctl update-alternatives ldconfig"
    ),
    "changes accounts or passwords": (
        "passwd chpasswd useradd usermod userdel groupadd groupmod groupdel adduser deluser addgroup delgroup chsh "
        "chfn vipw "
        "vigr gpasswd chage newusers pwconv grpconv"
    ),
    "schedules a later command outside the policy": "crontab at batch anacron atrm fcrontab systemd-cron incrontab",
    "commands a container engine or cluster": (
        "docker dockerd docker-compose podman podman-compose nerdctl ctr crictl containerd containerd-shim runc crun "
        "buildah skopeo kubectl helm k3s minikube kind virsh qemu-system-x86_64 vagrant lxd incus"
    ),
    "prints the environment": "printenv",
    "is a shell builtin that changes or prints the shell itself": (
        "eval exec source . export declare typeset local readonly set unset alias unalias trap ulimit umask enable "
        "hash bind "
        "complete compopt compgen shopt fc history builtin let read mapfile readarray wait jobs fg bg disown suspend "
        "exit "
        "logout return break continue shift getopts dirs pushd popd cd chdir caller times function zmodload autoload "
        "zle "
        "emulate setopt unsetopt zcompile sched print noglob nocorrect functions rehash bye abbr setenv unsetenv where "
        "onintr repeat foreach end switch goto newgrp integer nameref float sysopen zsystem ztcp zselect"
    ),
}
NEVER: dict[str, str] = {name: reason for reason, names in _REASONS.items() for name in names.split()}
_PATTERNS = (
    (re.compile(r"mkfs\..+|fsck\..+|mkfs_.+|newfs(_.+)?"), "changes disks or mounts"),
    (
        re.compile(r"ld(-linux|-musl|-uClibc|64)?[\w.-]*\.so[\w.]*|ld\.so[\w.-]*|ld-\d[\d.]*\.so"),
        "starts programs past their own checks",
    ),
    (re.compile(r"lxc-.+|docker-.+|kube.+|qemu-.+"), "commands a container engine or cluster"),
    (re.compile(r"systemd-.+"), "stops or changes the machine"),
)  # fmt: skip


def reason(name: str) -> str:
    """Given a program's base name, return why it is never run, or ""."""
    found = NEVER.get(name) or NEVER.get(name.lower())
    if found:
        return found
    return next((why for pattern, why in _PATTERNS if pattern.fullmatch(name)), "")
