"""Whether a file lies on a network file system, where machines do not share memory."""

from __future__ import annotations

import re
from pathlib import Path

#: Where Linux lists what is mounted (proc(5), section /proc/pid/mountinfo).
_MOUNTS = Path("/proc/self/mountinfo")
#: Types of file systems that several machines may have mounted at once.
_SHARED = {
    *("9p", "afs", "beegfs", "ceph", "cifs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs"),
    *("nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "smb3", "smbfs", "vboxsf", "wekafs"),
    *("fuse.ceph", "fuse.glusterfs", "fuse.juicefs", "fuse.sshfs"),
}


def network_file_system(path: Path) -> str:
    """Type of the network file system that a file lies on, such as nfs4; empty where it is none.

    Only Linux says; elsewhere every file counts as local.
    """
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    place = path.resolve()
    found = ""
    deepest = -1
    for line in lines:
        mounted, _, described = line.partition(" - ")
        # Space, tab, newline and backslash are written in octal.
        point = Path(re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), mounted.split()[4]))
        # Of two mounts at the same place the later one is seen.
        if len(point.parts) >= deepest and place.is_relative_to(point):
            deepest, found = len(point.parts), described.split()[0]
    return found if found in _SHARED else ""
