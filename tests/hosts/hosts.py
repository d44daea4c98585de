"""Several hosts on one machine: a network namespace each, with sshd, as the MPI Operator's pods.

Host i has a name, an address, process numbers and shared memory of its own; its first process is
scripts/k8s/worker-init.sh. The launcher is one more such host without sshd. All see one file
system, as over a network file system.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
INIT = os.path.join(ROOT, "scripts", "k8s", "worker-init.sh")

# What a host does before its first process: name, hosts file, memory and folders of its own.
PREPARE = """
set -e
hostname "$1"; mount --bind "$2" /etc/hosts
mount -t tmpfs tmpfs /dev/shm; mount -t tmpfs tmpfs /run; mkdir -p /run/sshd
shift 2; exec "$@"
"""

SSHD = """
Port 2222
HostKey {folder}/key
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
X11Forwarding no
"""

SSH = """
Port 2222
IdentityFile {folder}/key
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
"""


def run(*command, check=True):
    return subprocess.run(
        [str(word) for word in command],
        check=check,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": PATH},
        timeout=30,
    )


def missing():
    """Why there can be no such hosts here; nothing where there can."""
    for name in ("ip", "unshare", "sshd", "ssh", "ssh-keygen", "mpirun"):
        if not shutil.which(name, path=PATH):
            return f"not installed: {name} (scripts/deps.sh tests)"
    if os.getuid() != 0:
        return "only root may make network namespaces"
    name = f"wavetrain-{os.getpid()}"
    try:
        run("ip", "netns", "add", name)
    except subprocess.CalledProcessError as error:
        return f"network namespaces are not allowed here: {error.stderr.strip()}"
    try:
        run("ip", "netns", "exec", name, "unshare", "--uts", "--mount", "--pid", "--fork", "true")
        run("ip", "-n", name, "link", "add", "probe", "type", "veth", "peer", "name", "other")
        run("ip", "-n", name, "link", "add", "bridge", "type", "bridge")
    except subprocess.CalledProcessError as error:
        return f"namespaces, veth pairs or bridges are not allowed here: {error.stderr.strip()}"
    finally:
        run("ip", "netns", "del", name, check=False)
    return ""


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


class Hosts:
    """The launcher's network and `count` hosts; close() ends and removes them all."""

    def __init__(self, count):
        self.folder = tempfile.mkdtemp(prefix="wavetrain-hosts-")
        self.count = count
        self.centre = f"wt{os.getpid()}"
        self.processes = {}
        run("ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", f"{self.folder}/key")
        self.write("sshd_config", SSHD.format(folder=self.folder))
        self.write("ssh_config", SSH.format(folder=self.folder))
        numbers = range(1, count + 1)
        lines = ["127.0.0.1 localhost", "10.99.0.1 launcher"]
        lines += [f"10.99.0.{10 + i} {self.name(i)}" for i in numbers]
        self.write("hosts", "\n".join(lines) + "\n")
        self.write("hostfile", "".join(f"{self.name(i)} slots=2\n" for i in numbers))
        try:
            self.connect()
            for i in numbers:
                self.start_host(i)
        except BaseException:
            self.close()
            raise

    def name(self, i):
        return f"worker-{i - 1}"

    def space(self, i):
        return f"{self.centre}-{i}"

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def connect(self):
        run("ip", "netns", "add", self.centre)
        for words in (
            "link set lo up",
            "link add bridge type bridge",
            "addr add 10.99.0.1/24 dev bridge",
            "link set bridge up",
        ):
            run("ip", "-n", self.centre, *words.split())
        for i in range(1, self.count + 1):
            run("ip", "netns", "add", self.space(i))
            run("ip", "-n", self.space(i), "link", "set", "lo", "up")
            pair = f"link add v{i} type veth peer name eth0 netns {self.space(i)}"
            run("ip", "-n", self.centre, *pair.split())
            run("ip", "-n", self.centre, "link", "set", f"v{i}", "master", "bridge")
            run("ip", "-n", self.centre, "link", "set", f"v{i}", "up")
            run("ip", "-n", self.space(i), "addr", "add", f"10.99.0.{10 + i}/24", "dev", "eth0")
            run("ip", "-n", self.space(i), "link", "set", "eth0", "up")

    def start_host(self, i):
        """Starts host i anew: as the operator replaces a pod that is gone."""
        with open(os.path.join(self.folder, f"{self.name(i)}.log"), "ab") as log:
            self.processes[i] = subprocess.Popen(
                ["ip", "netns", "exec", self.space(i), "unshare", "--uts", "--mount", "--pid"]
                + ["--fork", "--kill-child", "--mount-proc", "sh", "-c", PREPARE, "sh"]
                + [self.name(i), f"{self.folder}/hosts", INIT, "-f", f"{self.folder}/sshd_config"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "PATH": PATH},
            )
        deadline = time.monotonic() + 20
        probe = ["ip", "netns", "exec", self.centre, "bash", "-c"]
        probe += [f"exec 3<>/dev/tcp/10.99.0.{10 + i}/2222"]
        while subprocess.run(probe, env={**os.environ, "PATH": PATH}, capture_output=True).returncode:
            if time.monotonic() > deadline:
                raise AssertionError(f"sshd of {self.name(i)} does not listen")
            time.sleep(0.05)

    def end_host(self, i):
        """Ends host i with everything in it, at once."""
        process = self.processes.pop(i)
        process.kill()  # --kill-child: its first process goes too, and with that all others
        process.wait(timeout=20)

    def drain_host(self, i):
        """What a drained pod gets: TERM to its first process. Returns when it has ended."""
        process = self.processes.pop(i)
        (first,) = children(process.pid)
        os.kill(first, signal.SIGTERM)
        process.wait(timeout=60)

    def set_link(self, i, state):
        run("ip", "-n", self.centre, "link", "set", f"v{i}", state)

    def launch(self, *command):
        """Starts a command as the launcher's, with the operator's settings; its pid is its own."""
        hidden = ("OMPI_", "PMI", "PRTE_", "SLURM_", "OMP_", "WAVETRAIN_")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        environment.update(
            PATH=PATH,
            OMP_NUM_THREADS="1",
            OMPI_ALLOW_RUN_AS_ROOT="1",
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
            OMPI_MCA_orte_keep_fqdn_hostnames="true",
            OMPI_MCA_orte_default_hostfile=f"{self.folder}/hostfile",
            OMPI_MCA_orte_set_default_slots="2",
            OMPI_MCA_plm_rsh_args=f"-F {self.folder}/ssh_config"
            " -o ConnectTimeout=5 -o ConnectionAttempts=1",
            OMPI_MCA_orte_tmpdir_base="/dev/shm",
            OMPI_MCA_hwloc_base_binding_policy="none",
            OMPI_MCA_mpi_yield_when_idle="1",
            OMPI_MCA_btl_vader_single_copy_mechanism="none",
        )
        return subprocess.Popen(
            ["ip", "netns", "exec", self.centre, "unshare", "--uts", "--mount", "sh", "-c"]
            + [PREPARE, "sh", "launcher", f"{self.folder}/hosts", *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            env=environment,
        )

    def close(self):
        for i in list(self.processes):
            self.end_host(i)
        for space in [self.centre, *(self.space(i) for i in range(1, self.count + 1))]:
            run("ip", "netns", "del", space, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
