"""nats-server with JetStream, from Debian: one node, or a cluster of three."""
import asking
import identity
from packages import find

SUMMARY = "nats-server with JetStream; three nodes are a cluster"
SECURES = True
SIZES = (1, 3)
PORTS = ("client", "http", "cluster")


def fetch(packages):
    packages.need("nats-server")


def prepare(group, _packages):
    secure = []
    if group.secure:
        tls = group.folder / "tls"
        secure = [f'tls {{ cert_file: "{tls / "server.crt"}", key_file: "{tls / "server.key"}" }}',
                  f'authorization {{ user: {identity.USER}, password: "{identity.make(group)}" }}']
    routes = ", ".join(f"nats://{group.place(node, 'cluster')}" for node in group.nodes)
    for node in group.nodes:
        lines = [f"server_name: {node.name}",
                 f"listen: {group.place(node)}",
                 f"http: {group.place(node, 'http')}",
                 f'jetstream {{ store_dir: "{node.folder / "data"}", max_mem: 64M, max_file: 8G }}',
                 *secure]
        if len(group.nodes) > 1:
            lines.append(f"cluster {{ name: sluice, listen: {group.place(node, 'cluster')}, "
                         f"routes: [{routes}] }}")
        (node.folder / "nats.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")


def command(_group, node, _packages):
    return [find("nats-server"), "-c", node.folder / "nats.conf"]


def is_ready(group):
    """Returns True if the cluster has a leader, elected by most of its nodes."""
    urls = [f"http://{group.place(node, 'http')}" for node in group.running()]
    if not all(asking.answers(f"{url}/healthz") for url in urls):
        return False
    return len(group.nodes) == 1 or len(urls) < 2 or any(
        asking.json_answer(f"{url}/jsz").get("meta_cluster", {}).get("leader") for url in urls)
