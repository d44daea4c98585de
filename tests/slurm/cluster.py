"""A Slurm of two nodes on this machine: slurmctld, two slurmd and munge, for as long as a test."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "srun", "scontrol", "squeue", "scancel")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"

# cred_expire: a requeued job waits until what its first start was allowed to do has expired, with
# the default of 120 s for two minutes. Made to start earlier, it can be taken for its first start.
CONFIG = """\
ClusterName=wavetrain
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=10
MpiDefault=pmix
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TmpFS={folder}/tmp.%n
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=5,bf_interval=5,sched_min_interval=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ReturnToService=2
KillWait=5
SlurmdTimeout=10
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname={host} Port={ports[1]} CPUs=8 RealMemory=1000
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname={host} Port={ports[2]} CPUs=8 RealMemory=1000
PartitionName=low Nodes=n[1-2] Default=YES State=UP PriorityTier=1 GraceTime=20
PartitionName=high Nodes=n[1-2] State=UP PriorityTier=10
"""


def missing():
    """Why there can be no Slurm here; nothing where there can."""
    absent = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
    if absent:
        return f"not installed: {' '.join(absent)} (scripts/deps.sh tests)"
    if os.getuid() != 0:
        return "slurmd must be started by root"
    return ""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def wait_until(condition, what, seconds=60):
    """Polls until `condition()` is true; returns its value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.1)


class Cluster:
    """Started by start(); stop() ends every daemon by its own pid and removes the folder."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="wavetrain-slurm-")
        # slurm.conf wants the short name, as slurmd asks the system for it.
        self.host = socket.gethostname().split(".")[0]
        hidden = ("OMPI_", "PMI", "PRTE_", "SLURM_", "OMP_", "WAVETRAIN_")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        self.environment.update(
            PATH=PATH,
            SLURM_CONF=f"{self.folder}/slurm.conf",
            # Two nodes on one host name: shared memory would be taken for common to both.
            OMPI_MCA_btl="self,tcp",
            OMPI_MCA_btl_tcp_if_include="lo",
            OMPI_MCA_oob_tcp_if_include="lo",
            OMPI_MCA_mpi_yield_when_idle="1",
        )

    def start(self):
        for name in ("state", "spool.n1", "spool.n2", "tmp.n1", "tmp.n2"):
            os.makedirs(f"{self.folder}/{name}")
        with open(f"{self.folder}/slurm.conf", "w") as file:
            file.write(
                CONFIG.format(host=self.host, ports=free_ports(3), user="root", folder=self.folder)
            )
        key = f"{self.folder}/munge.key"
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(1024))
        at = self.folder + "/munge"
        self.run(
            *f"munged --force --key-file={key} --socket={at}.sock --pid-file={at}d.pid".split(),
            *f"--log-file={at}.log --seed-file={at}.seed".split(),
        )
        self.run("slurmctld", "-c")
        for node in ("n1", "n2"):
            self.run("slurmd", "-N", node)
        wait_until(lambda: self.node_states() == {"idle"}, "nodes are idle")

    def stop(self):
        names = [name for name in os.listdir(self.folder) if name.endswith(".pid")]
        for name in sorted(names, reverse=True):  # the daemons before munged
            with open(f"{self.folder}/{name}") as file:
                pid = int(file.read())
            try:
                os.kill(pid, 15)
                wait_until(lambda pid=pid: not os.path.exists(f"/proc/{pid}"), name, seconds=20)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *command, check=True, folder=None, **variables):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder or self.folder,
            env={**self.environment, **variables},
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
        )
        if check and done.returncode != 0:
            raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout}")
        return done.stdout

    def node_states(self):
        return set(self.run("sinfo", "-h", "-o", "%T", check=False).split())

    def submit(self, *arguments, **options):
        """The number of the job."""
        return re.search(r"job (\d+)", self.run("sbatch", *arguments, **options)).group(1)

    def job(self, number):
        """What scontrol says of a job, as a dictionary."""
        text = self.run("scontrol", "show", "job", number)
        return dict(re.findall(r"(\w+)=(\S*)", text.split("\n\n")[0]))

    def wait_for_state(self, number, *states, seconds=90):
        return wait_until(
            lambda: self.job(number).get("JobState") in states and self.job(number),
            f"job {number} is {' or '.join(states)}",
            seconds,
        )
