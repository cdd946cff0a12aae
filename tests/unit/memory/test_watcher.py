"""Which folders send no events."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.memory.watcher import is_network_mount

MOUNTS = """/dev/sda1 / ext4 rw 0 0
nas:/share /mnt/nas nfs4 rw 0 0
//box/my\\040files /mnt/my\\040files cifs rw 0 0
/dev/sdb1 /mnt/nas/local ext4 rw 0 0
host /mnt/fuse fuse.sshfs rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("folder", "network"),
    [
        ("/home/sam/state", False),
        ("/mnt/nas", True),
        ("/mnt/nas/agents/main", True),
        ("/mnt/nasty", False),
        ("/mnt/my files/x", True),
        ("/mnt/nas/local/x", False),
        ("/mnt/fuse/x", True),
    ],
)
def test_a_folder_is_judged_by_its_nearest_mount(folder: str, network: bool) -> None:
    assert is_network_mount(Path(folder), MOUNTS) is network


def test_no_list_of_mounts_is_no_network(tmp_path: Path) -> None:
    assert is_network_mount(tmp_path, "") is False
