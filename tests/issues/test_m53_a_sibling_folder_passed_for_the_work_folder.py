"""M53: the folder check compared text prefixes, so /tmp/safevil passed for /tmp/safe."""

from pathlib import Path

import pytest

from appliance.errors import ToolError
from appliance.tools.files import read_file


def test_a_folder_whose_name_only_begins_alike_is_outside(tmp_path: Path) -> None:
    (tmp_path / "safe").mkdir()
    (tmp_path / "safevil").mkdir()
    (tmp_path / "safevil" / "secret").write_text("SECRET")
    for path in (
        str(tmp_path / "safevil/secret"),
        "../safevil/secret",
        "/workspacevil/secret",
        "/workspace/../safevil/secret",
    ):
        with pytest.raises(ToolError):
            read_file(tmp_path / "safe", path)
