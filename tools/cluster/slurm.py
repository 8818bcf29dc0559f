"""A Slurm of one node on this machine: munged, slurmctld and slurmd of a folder, for a while."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo", "scancel")
PACKAGES = "apt-get install slurm-wlm munge"
PATIENCE = 60.0
"""So long the node may take to be ready [s]."""
CONFIGURATION = """ClusterName=loom
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=loom Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def reason_not_to_run() -> str | None:
    """Why there can be no Slurm here; None where there can."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if missing:
        return f"no program {missing[0]} ({PACKAGES})"
    return "slurmd needs root" if os.geteuid() else None


@contextmanager
def one_node_slurm(folder: Path) -> Iterator[Mapping[str, str]]:
    """The environment of programs that see the Slurm; its daemons end with the block.

    Raises RuntimeError, with the ends of the daemons' logs, where the node is not ready in time.
    """
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": path}
    text = CONFIGURATION.format(
        host=socket.gethostname().partition(".")[0], folder=folder,
        ports=free_ports(2), cores=os.cpu_count() or 1,
    )  # fmt: skip
    (folder / "slurm.conf").write_text(text)
    with ExitStack() as stack:
        files = {name: folder / f"munged.{name}" for name in ("pid", "log", "seed")}
        options = [f"--{name}-file={file}" for name, file in files.items()]
        stack.enter_context(daemon(
            folder, environment, "munged", "--foreground", f"--key-file={key}",
            f"--socket={folder}/munge.socket", *options,
        ))  # fmt: skip
        wait_for(folder, environment, ["test", "-S", str(folder / "munge.socket")], "")
        stack.enter_context(daemon(folder, environment, "slurmctld", "-D"))
        stack.enter_context(daemon(folder, environment, "slurmd", "-D"))
        wait_for(folder, environment, ["sinfo", "--noheader", "--format=%T"], "idle\n")
        yield environment


@contextmanager
def daemon(folder: Path, environment: Mapping[str, str], *command: str) -> Iterator[None]:
    """The daemon runs, in the foreground of its own, until the end of the block."""
    with (folder / f"{Path(command[0]).name}.out").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(folder: Path, environment: Mapping[str, str], command: list[str], output: str) -> None:
    """The command has ended with status 0 and this output."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = subprocess.run(command, env=environment, capture_output=True, text=True)
        if found.returncode == 0 and found.stdout == output:
            return
        if time.monotonic() > deadline:
            logs = [log.read_text()[-600:] for log in sorted(folder.glob("*.out"))]
            raise RuntimeError("\n".join([f"no answer to {command[0]}", found.stderr, *logs]))
        time.sleep(0.5)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
