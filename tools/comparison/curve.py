"""The curves of the report as SVG: loss and latency against the offered rate and the receive
buffer. A single file without external resources. It follows the reader's light or dark theme, and
names each line at its end, so that neither colour nor a legend is needed."""
import html
import math

from measuring import median
from peers import PEERS
from table import buffers_of, of, peers_in, rate_name, rates_of

WIDTH, HEIGHT = 960, 860
PANEL = {"width": 300, "height": 270}
LEFT, TOP, BETWEEN_X, BETWEEN_Y = 70, 90, 480, 360
LINE_HEIGHT = 14

# Each row has the colours for the light and the dark theme, with a contrast of 4.5:1 to the
# background. The rows are in the order of the programs.
COLOURS = [("#0b57a4", "#7ab8ff"), ("#b3261e", "#ff9a92"), ("#1b6e3c", "#7fd8a0"),
           ("#7a4b00", "#e8b661"), ("#6f3fb0", "#cfaeff"), ("#00696e", "#6fd6dc"),
           ("#9c1c6b", "#ff9fd6"), ("#555555", "#bbbbbb")]
DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 4", "1 4", "6 2 1 2"]
MARK = 3

LOSS_TICKS = (0, 0.01, 0.1, 1, 10, 100)  # per cent
LOSS_LEAST = 0.002  # where 0 is on the logarithmic scale


def style():
    rules = ["text{font:12px system-ui,sans-serif;fill:var(--ink)}", ".title{font-size:15px;"
             "font-weight:600}", ".panel{font-weight:600}", ".note{font-size:11px}",
             ".axis{stroke:var(--ink);fill:none}", ".grid{stroke:var(--grid)}",
             ".ground{fill:var(--ground)}", "polyline{fill:none;stroke-width:2}",
             ".sluice{stroke-width:3.5}", "text.sluice{font-weight:700;stroke:none}",
             ".leader{stroke-width:.7;opacity:.7}"]
    themes = []
    for which, ground, ink, grid in ((0, "#ffffff", "#1c1c1c", "#dddddd"),
                                     (1, "#14171a", "#ececec", "#3a3f45")):
        colours = "".join(f"--c{i}:{pair[which]};" for i, pair in enumerate(COLOURS))
        themes.append(f"svg{{--ground:{ground};--ink:{ink};--grid:{grid};{colours}}}")
    rules += [themes[0], f"@media(prefers-color-scheme:dark){{{themes[1]}}}"]
    for i in range(len(COLOURS)):
        rules.append(f".s{i}{{stroke:var(--c{i})}} .f{i}{{fill:var(--c{i})}}")
    return "".join(f"  {rule}\n" for rule in rules)


class Scale:
    """Positions on a logarithmic axis."""

    def __init__(self, least, most, begin, end):
        self.least, self.most = math.log10(least), math.log10(max(most, least * 10))
        self.begin, self.end = begin, end

    def __call__(self, value):
        share = (math.log10(value) - self.least) / (self.most - self.least)
        return self.begin + min(max(share, 0), 1) * (self.end - self.begin)


def apart(places, least, most):
    """Moves heights so that labels do not overlap. Keeps the order of `places`."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = {}
    at = least
    for i in order:
        at = max(places[i], at)
        moved[i] = at
        at += LINE_HEIGHT
    over = at - LINE_HEIGHT - most
    if over > 0:
        at = most
        for i in reversed(order):
            moved[i] = min(moved[i], at)
            at = moved[i] - LINE_HEIGHT
    return [moved[i] for i in range(len(places))]


class Panel:
    def __init__(self, x, y, title, across, up):
        self.x, self.y, self.title = x, y, title
        self.across, self.up = across, up  # names of the axes
        self.bottom, self.right = y + PANEL["height"], x + PANEL["width"]

    def frame(self, ticks_across, ticks_up):
        """Draws the axes. Ticks are pairs of a position and its label."""
        yield f'<text class="panel" x="{self.x}" y="{self.y - 12}">{html.escape(self.title)}</text>'
        for at, name in ticks_up:
            yield (f'<line class="grid" x1="{self.x}" x2="{self.right}" y1="{at:.1f}" '
                   f'y2="{at:.1f}"/><text x="{self.x - 6}" y="{at + 4:.1f}" '
                   f'text-anchor="end">{name}</text>')
        for at, name in ticks_across:
            yield (f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{self.bottom}" '
                   f'y2="{self.bottom + 4}"/><text x="{at:.1f}" y="{self.bottom + 18}" '
                   f'text-anchor="middle">{name}</text>')
        yield f'<path class="axis" d="M{self.x} {self.y}V{self.bottom}H{self.right}"/>'
        yield (f'<text x="{self.x + PANEL["width"] / 2}" y="{self.bottom + 36}" '
               f'text-anchor="middle">{html.escape(self.across)}</text>')
        middle = self.y + PANEL["height"] / 2
        yield (f'<text transform="translate({self.x - 52} {middle}) rotate(-90)" '
               f'text-anchor="middle">{html.escape(self.up)}</text>')

    def lines(self, series):
        """Draws the lines. `series` has pairs: a program's index with its name, and its points."""
        series = [each for each in series if each[1]]
        heights = apart([points[-1][1] for _, points in series], self.y + 4, self.bottom)
        for ((index, name), points), height in zip(series, heights):
            own = f"sluice s{index}" if name == "sluice" else f"s{index}"
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            dash = f' stroke-dasharray="{DASHES[index % len(DASHES)]}"' if index else ""
            yield f'<polyline class="{own}"{dash} points="{path}"/>'
            for x, y in points:
                yield f'<circle class="f{index}" cx="{x:.1f}" cy="{y:.1f}" r="{MARK}"/>'
            end, y = points[-1]
            yield (f'<line class="leader s{index}" x1="{end + 4:.1f}" y1="{y:.1f}" '
                   f'x2="{self.right + 12}" y2="{height:.1f}"/>')
            label = f"sluice f{index}" if name == "sluice" else f"f{index}"
            yield (f'<text class="{label}" style="fill:var(--c{index})" x="{self.right + 15}" '
                   f'y="{height + 4:.1f}">{html.escape(name)}</text>')


def short(value):
    """Formats 1,000 as 1k, a million as 1M, and 0.1 as 0.1."""
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def powers(least, most):
    return [10.0**power for power in range(math.floor(math.log10(least)),
                                           math.ceil(math.log10(most)) + 1)]


def points_of(found, part, key, values, x_of, y_of, value_of):
    """Yields each program with the points of its medians."""
    for peer in peers_in(found):
        points = []
        for value in values:
            rows = of(found, peer.name, part, **{key: value})
            y = value_of(rows)
            if rows and y is not None:
                points.append((x_of(rows), y_of(y)))
        yield (PEERS.index(peer), peer.name), points


def loss_of(rows):
    return median([max(0, 100 * row["lost"] / row["sent"]) for row in rows if row["sent"]])


def latency_of(rows):
    return median([row["latency_ms"]["median"] for row in rows])


def pair(found, part, key, values, x, ticks, across, what):
    """Draws two panels, loss above latency, with the same horizontal axis."""
    _, x_of = x
    column = LEFT if part == "rates" else LEFT + BETWEEN_X
    upper = Panel(column, TOP, f"Loss {what}", across, "lost, per cent")
    up = Scale(LOSS_LEAST, 100, upper.bottom, upper.y)

    def place(value):
        return up(max(value, LOSS_LEAST))
    yield from upper.frame(ticks, [(place(tick), f"{tick:g}") for tick in LOSS_TICKS])
    yield from upper.lines(points_of(found, part, key, values, x_of, place, loss_of))

    lower = Panel(column, TOP + BETWEEN_Y, f"Latency {what}", across, "median latency, ms")
    every = [latency_of([row]) for row in found["runs"] if row["part"] == part]
    every = [max(value, 0.1) for value in every if value is not None] or [1]
    steps = powers(min(every), max(every))
    up_ms = Scale(steps[0], steps[-1], lower.bottom, lower.y)
    down = [(at, name) for at, name in ticks]
    yield from lower.frame(down, [(up_ms(step), short(step)) for step in steps])
    yield from lower.lines(points_of(found, part, key, values, x_of,
                                     lambda value: up_ms(max(value, steps[0])), latency_of))


def against_rate(found):
    rates = rates_of(found)
    if not rates:
        return
    runs = [row for row in found["runs"] if row["part"] == "rates"]
    across = Scale(min(row["offered"] for row in runs), max(row["offered"] for row in runs),
                   LEFT, LEFT + PANEL["width"])
    ticks = [(across(tick), short(tick)) for step in powers(1000, 10**7)
             for tick in (step, 3 * step)
             if min(row["offered"] for row in runs) * 0.95 <= tick
             <= max(row["offered"] for row in runs)]
    yield from pair(found, "rates", "rate", rates,
                    (across, lambda rows: across(median([row["offered"] for row in rows]))), ticks,
                    "datagrams offered a second", "against the offered rate")


def against_buffer(found):
    sizes = buffers_of(found)
    if not sizes:
        return
    begin = LEFT + BETWEEN_X
    across = Scale(sizes[0], sizes[-1], begin, begin + PANEL["width"])
    ticks = [(across(size), f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB")
             for size in sizes]
    rate = next(row["rate"] for row in found["runs"] if row["part"] == "buffers")
    yield from pair(found, "buffers", "receive_buffer", sizes,
                    (across, lambda rows: across(rows[0]["receive_buffer"])), ticks,
                    "receive buffer", f"at {rate_name(rate)}")


def notes(found):
    where = found["machine"]
    versions = ", ".join(f"{name} {found['versions'].get(name, '')}".strip()
                         for name in (peer.name for peer in peers_in(found)))
    return [f"{where['date']}, {where['processors']} x {where['processor']}, Linux "
            f"{where['kernel']}. Loss: what was sent and is not in the output. Medians of all rounds.",
            versions + "."]


def draw(found):
    title = "Loss and latency"
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="title notes">',
             f'<title id="title">{title}</title>',
             f'<desc id="notes">{html.escape(" ".join(notes(found)))}</desc>',
             f"<style>\n{style()}</style>",
             f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>',
             f'<text class="title" x="{LEFT}" y="34">{title}</text>',
             *against_rate(found), *against_buffer(found)]
    lines += [f'<text class="note" x="{LEFT}" y="{HEIGHT - 32 + 16 * row}">{html.escape(text)}</text>'
              for row, text in enumerate(notes(found))]
    return "\n".join(lines) + "\n</svg>\n"
