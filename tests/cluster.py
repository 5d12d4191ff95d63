"""A SLURM of one node for tests: Debian's slurmctld, slurmd and munged in a folder of their own."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol")

_SETTINGS = """
ClusterName=test
SlurmctldHost=localhost
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ReturnToService=2
KillWait=1
DefMemPerCPU=500
SlurmdParameters=config_overrides
NodeName=localhost NodeHostName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000
PartitionName=main Nodes=localhost Default=YES State=UP
"""


def why_not():
    """What is missing here for a SLURM of one's own; empty where nothing is."""
    if missing := [each for each in _PROGRAMS if shutil.which(each) is None]:
        return f"{', '.join(missing)} not installed (Debian: slurmctld slurmd slurm-client munge)"
    return "" if os.geteuid() == 0 else "SLURM's daemons are started by root alone"


@contextmanager
def running_slurm():
    """A SLURM that is ready for jobs; SLURM_CONF, which its commands need, is set in the block."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="slurm")))  # a short path
        folder.chmod(0o755)  # its socket is for all users
        (folder / "munge.key").write_bytes(os.urandom(64))
        (folder / "munge.key").chmod(0o400)
        controller, node = _free_ports(2)
        settings = _SETTINGS.format(
            folder=folder, controller=controller, node=node, host=socket.gethostname()
        )
        (folder / "slurm.conf").write_text(settings)
        before = os.environ.get("SLURM_CONF")
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        try:
            files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "seed-file": "seed"}
            options = [f"--{option}={folder}/munge.{end}" for option, end in files.items()]
            options.append(f"--log-file={folder}/munge.log")
            stack.enter_context(_daemon("munged", "--foreground", *options))
            _wait_for((folder / "munge.socket").exists, folder)
            stack.enter_context(_daemon("slurmctld", "-D", "-c"))
            stack.enter_context(_daemon("slurmd", "-D", "-N", "localhost"))
            states = ("sinfo", "--noheader", "--format=%t")
            _wait_for(lambda: "idle" in asked(*states, check=False), folder)
            try:
                yield
            finally:
                asked("scancel", "--user=root", "--signal=KILL", "--full", check=False)
        finally:
            del os.environ["SLURM_CONF"]
            if before is not None:
                os.environ["SLURM_CONF"] = before


def asked(*command, check=True):
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=check)
    return done.stdout


def wait_for_jobs():
    """Wait until nothing is queued or running."""
    folder = Path(os.environ["SLURM_CONF"]).parent
    _wait_for(lambda: not asked("squeue", "--noheader"), folder, seconds=180.0)


def _wait_for(condition, folder, seconds=30.0):
    """Wait until a condition is true; where it does not become so, the daemons' logs say why."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            logs = [log.read_text()[-2000:] for log in sorted(folder.glob("*.log"))]
            raise TimeoutError("SLURM did not get there in time\n" + "\n".join(logs))
        time.sleep(0.1)


@contextmanager
def _daemon(*command):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, **quiet)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _free_ports(count):
    """Ports that nobody uses now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
