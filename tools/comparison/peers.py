"""The measured programs, one row each, with their source, command and the reader of their output.

A configuration in peers/ may contain these words: @PORT@, @BUFFER@ (bytes), @OUTPUT@ (file or
folder), @FOLDER@ (scratch), @HERE@ (peers/), @PROTO@ (the folder of telemetry.proto), @PLUGINS@ and
@TYPES@ (for collectd).
"""
import dataclasses
import pathlib
import platform
import signal
import sys
from typing import Callable

import reading

HERE = pathlib.Path(__file__).resolve().parent
CONFIGURATIONS = HERE / "peers"
PROTO = HERE.parents[1] / "proto"
LIBRARIES = f"usr/lib/{platform.machine()}-linux-gnu"


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    configuration: str
    # Returns the command. Its arguments are the program's folder, and the configuration with its
    # words replaced. The configuration is None if only the first word of the command is needed.
    command: Callable[[pathlib.Path, pathlib.Path], list]
    reader: type
    traffic: str = "telemetry"  # one of traffic.KINDS
    decodes: str = "no"
    counts_drops: str = "no"
    # True if the program has a setting for the receive buffer. Other programs get the system's
    # default, which is set to the same size during the measurement.
    sets_buffer: bool = True
    package: str = ""  # Debian's package
    module: str = ""  # Go module, with its version
    program: str = ""  # the Go package in the module
    tags: str = ""  # Go build tags
    version: tuple = ("--version",)  # the option that prints the program's version
    stop_signal: int = signal.SIGTERM

    def text(self):
        return (CONFIGURATIONS / self.configuration).read_text(encoding="utf-8")


def words_of(config):
    """Returns the words of this file, which are the arguments of a program without a configuration
    file."""
    return config.read_text(encoding="utf-8").split()


def sluice(root, config):
    return [root / "sluice", "--config", config]


def rsyslog(root, config):
    return [root / "usr/sbin/rsyslogd", "-n", "-i", f"{config}.pid",
            "-M", root / LIBRARIES / "rsyslog", "-f", config]


def syslog_ng(root, config):
    return [root / "usr/sbin/syslog-ng", "--foreground", "--no-caps",
            f"--module-path={root}/usr/lib/syslog-ng/3.38", f"--cfgfile={config}",
            f"--pidfile={config}.pid", f"--persist-file={config}.persist",
            f"--control={config}.control"]


def pmtelemetryd(root, config):
    return [root / "usr/sbin/pmtelemetryd", "-f", config]


def telegraf(root, config):
    return [root / "telegraf", "--quiet", "--config", config]


def collectd(root, config):
    return [root / "usr/sbin/collectd", "-f", "-C", config]


def goflow2(root, config):
    return [root / "goflow2", *(words_of(config) if config else [])]


def python(_, config):
    return [sys.executable, *(words_of(config) if config else [])]


PEERS = [
    Peer("sluice", "sluice.yaml", sluice, reading.Text, decodes="yes", counts_drops="yes"),
    Peer("rsyslog", "rsyslog.conf", rsyslog, reading.Text, package="rsyslog", version=("-v",)),
    Peer("syslog-ng", "syslog-ng.conf", syslog_ng, reading.Text, package="syslog-ng-core"),
    Peer("pmtelemetryd", "pmacct.conf", pmtelemetryd, reading.Base64, decodes="no, base64 in JSON",
         package="pmacct", version=("-V",), stop_signal=signal.SIGINT),
    Peer("telegraf", "telegraf.conf", telegraf, reading.Text, decodes="yes",
         module="github.com/influxdata/telegraf@v1.37.2", program="cmd/telegraf",
         tags="custom,inputs.socket_listener,outputs.file,parsers.xpath,serializers.json"),
    Peer("collectd", "collectd.conf", collectd, reading.Values, traffic="collectd",
         decodes="no, its own protocol", sets_buffer=False, package="collectd-core",
         version=("-h",)),
    Peer("goflow2", "goflow2.args", goflow2, reading.Flows, traffic="netflow",
         decodes="no, NetFlow", sets_buffer=False,
         module="github.com/netsampler/goflow2/v2@v2.2.6", program="cmd/goflow2", version=("-v",)),
    Peer("python", "python.args", python, reading.Hex),
]


def chosen(names):
    """Returns the rows with these names, in the table's order. Raises KeyError for an unknown name.
    """
    known = {peer.name: peer for peer in PEERS}
    for name in names:
        known[name]
    return [peer for peer in PEERS if peer.name in names]
