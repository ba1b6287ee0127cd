"""InfluxDB 1.x, from Debian."""
import asking
from packages import find

SUMMARY = "takes line protocol at /write?db=NAME, once /query has made the database"
SIZES = (1,)
PORTS = ("http", "backup")

CONFIGURATION = """reporting-disabled = true
bind-address = "{backup}"
[meta]
  dir = "{folder}/meta"
[data]
  dir = "{folder}/data"
  wal-dir = "{folder}/wal"
[http]
  bind-address = "{http}"
"""


def fetch(packages):
    packages.need("influxd")


def prepare(group, _packages):
    for node in group.nodes:
        (node.folder / "influxdb.conf").write_text(CONFIGURATION.format(
            folder=node.folder, http=group.place(node), backup=group.place(node, "backup")),
            encoding="ascii")


def command(_group, node, _packages):
    return [find("influxd"), "run", "-config", str(node.folder / "influxdb.conf")]


def is_ready(group):
    return all(asking.answers(f"http://{group.place(node)}/ping") for node in group.running())
