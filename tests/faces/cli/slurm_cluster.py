"""A Slurm cluster on this machine, of Debian's slurmctld and slurmds: nodes are processes. Needs root."""

import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

COMMANDS = ("munged", "slurmctld", "slurmd", "sbatch", "unshare")


def missing():
    """Why there can be no cluster; None: nothing is missing."""
    lacks = [command for command in COMMANDS if not shutil.which(command)]
    if lacks:
        return f"there is no {lacks[0]} (Debian: munge, slurmctld, slurmd, slurm-client)"
    return None if os.geteuid() == 0 else "nodes start jobs as their user, which only root may"


def free_ports(count):
    """Below those that the system gives to connections: such a port could be taken while its daemon is dead."""
    ports, first = [], random.randrange(10000, 30000)
    for port in range(first, first + 2000):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) != 0:
                ports.append(port)
        if len(ports) == count:
            return ports
    raise RuntimeError(f"no {count} free ports from {first} on")


def processes_in(mount_namespace):
    pids = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{entry}/ns/mnt") == mount_namespace:
                pids.append(int(entry))
        except OSError:  # it has ended
            pass
    return pids


class Cluster:
    """A folder with everything of the cluster. Each node sees `disk` with contents of its own, disks/NAME."""

    def __init__(self, nodes=2, cpus=1):
        self.folder = tempfile.mkdtemp(prefix="drywarp_slurm_")
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        self.disk = self.path("disk")
        for name in ["state", "munge", "disk", *(f"disks/{node}" for node in self.nodes), *(f"spool/{node}" for node in self.nodes)]:
            os.makedirs(self.path(name), mode=0o700)
        with open(self.path("munge/key"), "wb") as key:
            key.write(secrets.token_bytes(128))
        os.chmod(self.path("munge/key"), 0o600)
        os.chmod(self.folder, 0o755)  # munged refuses a socket that others cannot reach
        os.chmod(self.path("munge"), 0o711)
        ports = free_ports(nodes + 1)
        lines = f"""ClusterName=drywarp
SlurmctldHost={socket.gethostname()}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self.path("munge/socket")},cred_expire=15
SlurmctldPort={ports[0]}
StateSaveLocation={self.path("state")}
SlurmdSpoolDir={self.path("spool")}/%n
SlurmctldPidFile={self.path("slurmctld.pid")}
SlurmdPidFile={self.path("slurmd")}.%n.pid
SlurmctldLogFile={self.path("slurmctld.log")}
SlurmdLogFile={self.path("slurmd")}.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=5
InactiveLimit=0
KillWait=1
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
MpiDefault=none
PartitionName=debug Nodes={",".join(self.nodes)} Default=YES State=UP
"""
        for node, port in zip(self.nodes, ports[1:]):
            lines += f"NodeName={node} NodeHostname={socket.gethostname()} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} State=UNKNOWN\n"
        with open(self.path("slurm.conf"), "w") as config:
            config.write(lines)
        self.environment = {**os.environ, "SLURM_CONF": self.path("slurm.conf")}
        self.processes = {}
        self.start("munged", ["munged", "--foreground", "--force", f"--key-file={self.path('munge/key')}",
                              f"--socket={self.path('munge/socket')}", f"--pid-file={self.path('munge/pid')}",
                              f"--log-file={self.path('munge/log')}", f"--seed-file={self.path('munge/seed')}"])
        self.wait(lambda: os.path.exists(self.path("munge/socket")), "munged")
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)
        self.wait(lambda: self.say("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == str(nodes), "the nodes")

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, name, command):
        with open(self.path(name + ".out"), "ab") as out:
            self.processes[name] = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                                                    stderr=out, start_new_session=True)

    def start_controller(self):
        self.start("slurmctld", ["slurmctld", "-D"])
        self.wait(lambda: " UP" in self.say("scontrol", "ping"), "the controller")

    def start_node(self, node):
        # A mount namespace of its own: what it writes to `disk`, no other node sees.
        mount = f"mount --bind {self.path('disks')}/{node} {self.disk} && exec slurmd -D -N {node}"
        self.start(node, ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount])

    def kill(self, name):
        """As if its machine lost its power: a node with its jobs, which are in its mount namespace."""
        process = self.processes.pop(name)
        victims = [process.pid] if name not in self.nodes else processes_in(os.readlink(f"/proc/{process.pid}/ns/mnt"))
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        process.wait()

    def say(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True).stdout

    def state(self):
        """What there is to see when a test waits for too long."""
        said = [f"{' '.join(command)}:\n{self.say(*command)}" for command in (("sinfo", "-N"), ("squeue", "-r"), ("scontrol", "show", "job"))]
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(self.path(name), errors="replace") as log:
                    said.append(f"{name}:\n{''.join(log.readlines()[-40:])}")
        return "\n".join(said)

    def wait(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"waited {seconds} s for {what}\n{self.state()}")
            time.sleep(0.1)

    def close(self):
        for name in list(self.processes):
            self.kill(name)
        shutil.rmtree(self.folder, ignore_errors=True)
