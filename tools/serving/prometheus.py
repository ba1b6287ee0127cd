"""Prometheus with its remote-write receiver, from Debian."""
import asking
from packages import find

SUMMARY = "takes remote write at /api/v1/write; samples may be an hour out of order"
SIZES = (1,)
PORTS = ("http",)

CONFIGURATION = "storage:\n  tsdb:\n    out_of_order_time_window: 1h\n"


def fetch(packages):
    packages.need("prometheus")


def prepare(group, _packages):
    for node in group.nodes:
        (node.folder / "prometheus.yml").write_text(CONFIGURATION, encoding="ascii")


def options(group, node):
    """Returns the arguments for every version of Prometheus."""
    return [f"--config.file={node.folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={node.folder / 'data'}",
            f"--web.listen-address={group.place(node)}", "--web.enable-remote-write-receiver"]


def command(group, node, _packages):
    return [find("prometheus"), *options(group, node),
            "--enable-feature=native-histograms,exemplar-storage"]


def is_ready(group):
    return all(asking.answers(f"http://{group.place(node)}/-/ready") for node in group.running())
