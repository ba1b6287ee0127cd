"""Kafka without ZooKeeper (KRaft), from Maven: each node is a broker and a controller."""
import subprocess

import identity
from packages import find

SUMMARY = "Kafka (KRaft); on three nodes a topic has three replicas, and two acknowledge"
SECURES = True
SIZES = (1, 3)
PORTS = ("client", "controller", "sasl", "tls")

VERSION = "4.1.1"
FETCHED = f"kafka-{VERSION}"
LOGGING = "1.7.36"

PROJECT = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>servers</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>{VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>{LOGGING}</version>
    </dependency>
  </dependencies>
</project>
"""

# The cleaner's default buffer, 128 MiB, does not fit in the small heap of a node.
PROPERTIES = """\
process.roles=broker,controller
node.id={number}
listeners=PLAINTEXT://{client},CONTROLLER://{controller}
advertised.listeners=PLAINTEXT://{client}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
controller.quorum.voters={voters}
log.dirs={folder}/data
num.partitions={partitions}
offsets.topic.replication.factor={replicas}
transaction.state.log.replication.factor={replicas}
transaction.state.log.min.isr={acknowledging}
default.replication.factor={replicas}
min.insync.replicas={acknowledging}
group.initial.rebalance.delay.ms=0
log.cleaner.dedupe.buffer.size=4194304
"""

# In addition to the open listener, two that require a login: in clear text, and with TLS.
SECURE = """\
listeners=PLAINTEXT://{client},CONTROLLER://{controller},SASL_PLAINTEXT://{sasl},SASL_SSL://{tls}
advertised.listeners=PLAINTEXT://{client},SASL_PLAINTEXT://{sasl},SASL_SSL://{tls}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,\
SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_plaintext.plain.sasl.jaas.config={login}
listener.name.sasl_ssl.plain.sasl.jaas.config={login}
ssl.keystore.type=PEM
ssl.keystore.location={folder}/tls/server.pem
"""
LOGIN = ("org.apache.kafka.common.security.plain.PlainLoginModule required "
         'user_{user}="{password}";')
PARTITIONS = 6
HEAP = "256m"
LIMIT = 5  # seconds that one check may take


def fetch(packages):
    packages.need("java", "mvn", "kcat")

    def download(folder, cache):
        (folder / "pom.xml").write_text(PROJECT, encoding="ascii")
        packages.run("downloads Kafka", [
            "mvn", "--quiet", "--batch-mode", f"-Dmaven.repo.local={cache}",
            "dependency:copy-dependencies", f"-DoutputDirectory={folder / 'libs'}"], cwd=folder)
    packages.once(FETCHED, download)


def _java(packages, *words):
    return [find("java"), f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseSerialGC",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
            f"{packages.path(FETCHED, 'libs')}/*", *map(str, words)]


def prepare(group, packages):
    tool = "kafka.tools.StorageTool"
    cluster = subprocess.run(_java(packages, tool, "random-uuid"), check=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    several = len(group.nodes) > 1
    login = group.secure and LOGIN.format(user=identity.USER, password=identity.make(group))
    for node in group.nodes:
        file = node.folder / "server.properties"
        file.write_text(PROPERTIES.format(
            number=node.number, client=group.place(node),
            controller=group.place(node, "controller"), folder=node.folder, partitions=PARTITIONS,
            voters=",".join(f"{each.number}@{group.place(each, 'controller')}"
                            for each in group.nodes),
            replicas=3 if several else 1, acknowledging=2 if several else 1) + (SECURE.format(
                folder=group.folder, login=login,
                **{port: group.place(node, port) for port in PORTS}) if login else ""),
            encoding="utf-8")
        packages.run("formats the log", _java(packages, tool, "format", "-t", cluster, "-c", file))


def command(_group, node, packages):
    return _java(packages, "kafka.Kafka", node.folder / "server.properties")


def is_ready(group):
    """Returns True if each running node lists all of them as active brokers. Each node is queried
    itself, because the others detect only after some seconds that a node was killed.
    """
    nodes = group.running()
    for asked in nodes:
        try:
            listed = subprocess.run(["kcat", "-b", group.place(asked), "-L", "-m", "2"],
                                    stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                    timeout=LIMIT, check=False).stdout
        except subprocess.TimeoutExpired:
            return False
        if f"from broker {asked.number}:" not in listed or not all(
                f"broker {node.number} at {group.place(node)}" in listed for node in nodes):
            return False
    return True
