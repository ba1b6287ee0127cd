"""VictoriaMetrics, from Debian."""
import asking
from packages import find

SUMMARY = "a store of samples: /write, /api/v1/import/prometheus, /api/v1/write"
SIZES = (1,)
PORTS = ("http",)


def fetch(packages):
    packages.need("victoria-metrics")


def prepare(_group, _packages):
    pass


def command(group, node, _packages):
    return [find("victoria-metrics"), f"-httpListenAddr={group.place(node)}",
            f"-storageDataPath={node.folder / 'data'}", "-retentionPeriod=100y",
            "-memory.allowedBytes=256MiB"]


def is_ready(group):
    return all(asking.answers(f"http://{group.place(node)}/health") for node in group.running())
