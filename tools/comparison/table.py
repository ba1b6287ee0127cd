"""The table of the report, in Markdown."""
from peers import PEERS
from measuring import median


def number(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def of(found, peer, part="rates", **where):
    return [row for row in found["runs"] if row["peer"] == peer and row["part"] == part
            and all(row[key] == value for key, value in where.items())]


def loss(rows):
    """Returns the loss of the median run, in per cent."""
    return median([100 * row["lost"] / row["sent"] for row in rows if row["sent"]])


def per_cent(value):
    if value is None:
        return "-"
    return "0" if value <= 0 else "<0.01 %" if value < 0.01 else f"{value:.2g} %"


def cpu(rows):
    """Returns the processor time in ns for each written datagram, or None if less than half were
    written."""
    return median([row["cpu_ns"] / row["written"] for row in rows
                   if row["written"] > row["sent"] / 2])


def bounds(found, peer):
    """Returns two rates: the highest rate without loss that is below all rates with loss, and the
    lowest rate with loss; None if there is no such rate. A rate counts as without loss if one of
    its runs had no loss, because machines pause."""
    rows = of(found, peer) + of(found, peer, "highest")
    lossless = {row["rate"] or row["offered"] for row in rows if row["lost"] <= 0}
    lossy = {row["rate"] or row["offered"] for row in rows} - lossless
    high = min(lossy, default=None)
    low = max((rate for rate in lossless if high is None or rate < high), default=None)
    return low, high


def highest(found, peer):
    low, high = bounds(found, peer)
    if low is None:
        return f"below {number(high)}"
    return number(low) if high else f"{number(low)}, all that was sent"


def rates_of(found):
    return sorted({row["rate"] for row in found["runs"] if row["part"] == "rates"},
                  key=lambda rate: rate or float("inf"))


def buffers_of(found):
    return sorted({row["receive_buffer"] for row in found["runs"] if row["part"] == "buffers"})


def rate_name(rate):
    return f"{rate:,}/s" if rate else "max"


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def head(cells):
    return line(cells) + line(["---"] * len(cells))


def peers_in(found):
    measured = {row["peer"] for row in found["runs"]}
    return [peer for peer in PEERS if peer.name in measured]


def summary(found, rates):
    shown = [rate for rate in (20_000, 100_000) if rate in rates] or rates[:1]
    text = head(["program", "decodes protobuf", "counts drops",
                 *(f"ns a datagram at {rate_name(rate)}" for rate in shown),
                 "highest rate without loss", "memory idle, most"])
    for peer in peers_in(found):
        every = of(found, peer.name)
        memory = " , ".join(
            f"{number(value / 2**20, 1)}" for value in (
                median([row["memory_idle"] for row in every]),
                max((row["memory"] for row in every), default=None)) if value is not None)
        text += line([f"{peer.name} {found['versions'].get(peer.name, '')}".strip(), peer.decodes,
                      peer.counts_drops,
                      *(number(cpu(of(found, peer.name, rate=rate))) for rate in shown),
                      highest(found, peer.name), memory.replace(" ,", ",") + " MiB"])
    return text


def losses(found, rates):
    text = head(["lost at", *(rate_name(rate) for rate in rates)])
    for peer in peers_in(found):
        text += line([peer.name, *(per_cent(loss(of(found, peer.name, rate=rate)))
                                   for rate in rates)])
    return text


def own_losses(found):
    """Returns the datagrams that are neither in the output nor in the kernel's counter: the program
    lost them."""
    own = []
    for peer in peers_in(found):
        shares = [100 * (row["lost"] - row["kernel_drops"]) / row["sent"]
                  for row in found["runs"]
                  if row["peer"] == peer.name and row["kernel_drops"] is not None and row["sent"]]
        worst = max(shares, default=0)
        if worst > 0:
            own.append(f"{peer.name} (at most {per_cent(worst)} of a run)")
    if not own:
        return "All that was lost the kernel dropped; no program lost what it had received.\n"
    return f"Lost by the program itself, after the kernel had handed it over: {', '.join(own)}.\n"


def latencies(found, rates):
    text = head(["latency (median, 99 %), ms", *(rate_name(rate) for rate in rates)])
    for peer in peers_in(found):
        cells = []
        for rate in rates:
            rows = of(found, peer.name, rate=rate)
            cells.append(", ".join(
                number(median([row["latency_ms"][which] for row in rows]), 1)
                for which in ("median", "p99")))
        text += line([peer.name, *cells])
    return text


def buffers(found):
    sizes = buffers_of(found)
    if not sizes:
        return ""
    rate = next(row["rate"] for row in found["runs"] if row["part"] == "buffers")
    text = head([f"lost at {rate_name(rate)} with a receive buffer of",
                 *(f"{size >> 10:,} KiB" for size in sizes)])
    for peer in peers_in(found):
        text += line([peer.name, *(per_cent(loss(of(found, peer.name, "buffers",
                                                    receive_buffer=size))) for size in sizes)])
    return text + "\n"


def write(found):
    rates = rates_of(found)
    where = found["machine"]
    counts = [len(of(found, peer.name, rate=rate)) for peer in peers_in(found) for rate in rates]
    least, most = min(counts, default=0), max(counts, default=0)
    rounds = f"{most}" if least == most else f"{least} to {most}"
    text = (f"{where['date']}, {where['processors']} x {where['processor']}, Linux "
            f"{where['kernel']}; medians of {rounds} rounds; measured in {found['seconds'] // 60} min "
            f"{found['seconds'] % 60} s.\n\n")
    if not found["runs"]:
        return text + "No run was measured.\n"
    text += "\n".join([summary(found, rates), losses(found, rates), own_losses(found),
                       latencies(found, rates), buffers(found)])
    for name, why in sorted(found["failed"].items()):
        if name not in {peer.name for peer in peers_in(found)}:
            text += f"Not measured: {name}: {why}.\n"
    return text.rstrip() + "\n"
