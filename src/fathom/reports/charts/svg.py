"""The elements that charts are made of. Sizes are in pixels of a 400 pixel wide drawing: a phone's width."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10

from markupsafe import Markup

WIDTH = 400
_DASHES = ("", "7 3", "2 3", "10 3 2 3", "14 4", "4 2 1 2", "1 2", "10 2 2 2 2 2", "4 4", "14 2 4 2")


def element(name: str, content: str | Markup = "", /, **attributes: object) -> Markup:
    """One element with its content; a trailing underscore and inner ones in names become nothing and `-`."""
    given = Markup(" ").join(
        Markup('{}="{}"').format(k.rstrip("_").replace("_", "-"), _short(v)) for k, v in attributes.items()
    )
    return Markup("<{0} {1}>{2}</{0}>").format(Markup(name), given, content)


def _short(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


_LABEL = 'aria-label="'


def join(parts: Iterable[Markup]) -> Markup:
    """Elements one after the other."""
    return Markup("").join(parts)


def drawing(height: int, parts: Iterable[Markup], label: str) -> Markup:
    """The whole drawing; `label` is what a screen reader says."""
    return element(
        "svg", join(parts), viewBox=f"0 0 {WIDTH} {height}", role="img", aria_label=label, class_="chart"
    )


def relabelled(chart: Markup, label: str) -> Markup:
    """A whole drawing with another label for screen readers."""
    before, _, rest = chart.partition(_LABEL)
    return Markup("").join((before, Markup(_LABEL), label, Markup(rest[rest.index('"') :])))


def text(content: str, x: float, y: float, *, anchor: str = "middle", class_: str = "tick") -> Markup:
    """A piece of text."""
    return element("text", content, x=x, y=y, text_anchor=anchor, class_=class_)


def colour(run: int) -> str:
    """The class that gives an element the colour of a run."""
    return f"of-run-{run % 10}"


def dashes(run: int) -> str:
    """The dashes of a run's lines: as many as there are colours, for those who see none."""
    return _DASHES[run % 10]


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from `low` to `high` on pixels from `start` to `end`; logarithmic where `log`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        low, high = (log10(self.low), log10(self.high)) if self.log else (self.low, self.high)
        at = log10(max(value, self.low)) if self.log else value
        return self.start + (self.end - self.start) * ((at - low) / (high - low) if high > low else 0.5)

    def ticks(self) -> list[float]:
        """A handful of round values."""
        if self.log:
            first, last = floor(log10(self.low)), floor(log10(self.high))
            steps = (1, 2, 5) if last - first < 3 else (1,)
            marks = (s * 10.0**e for e in range(first, last + 1) for s in steps)
            return [m for m in marks if self.low <= m <= self.high]
        span = self.high - self.low or 1.0
        step = 10.0 ** floor(log10(span))
        for part in (0.1, 0.2, 0.25, 0.5, 1.0):
            if span / (step * part) <= 5.001:
                step *= part
                break
        first = -floor(-self.low / step)
        return [round(step * i, 12) for i in range(first, floor(self.high / step + 1e-9) + 1)]


def percent(value: float) -> str:
    """A share as people read it."""
    return f"{100 * value:.0f} %"


def plain(value: float) -> str:
    """A number in few characters."""
    if value and abs(value) < 0.001:
        return f"{value:.0e}".replace("e-0", "e-")
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def grid(
    x: Scale,
    y: Scale,
    *,
    x_label: str,
    y_label: str,
    x_format: Sequence[tuple[float, str]],
    percent_y: bool = True,
) -> list[Markup]:
    """Axes with their ticks and labels; `y` runs upwards."""
    parts = []
    for value in y.ticks():
        at = y(value)
        parts.append(element("line", x1=x.start, x2=x.end, y1=at, y2=at, class_="grid"))
        parts.append(text(percent(value) if percent_y else plain(value), x.start - 6, at + 4, anchor="end"))
    for value, shown in x_format:
        parts.append(text(shown, x(value), y.start + 16))
    parts.append(element("line", x1=x.start, x2=x.end, y1=y.start, y2=y.start, class_="axis"))
    parts.append(text(x_label, (x.start + x.end) / 2, y.start + 34, class_="label"))
    parts.append(text(y_label, 4, 12, anchor="start", class_="label"))
    return parts
