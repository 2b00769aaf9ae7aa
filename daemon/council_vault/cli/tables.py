"""A table in a box that fits the screen, as plain lines or for rich: the same either way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from council_vault.cli.widths import padded, pieces, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table as RichTable


class Box(NamedTuple):
    """What a box is drawn with; each rule is its left end, its crossing and its right end."""

    line: str
    side: str
    top: str
    middle: str
    bottom: str


BOX = Box("─", "│", "┌┬┐", "├┼┤", "└┴┘")
PLAIN_BOX = Box("-", "|", "+++", "+++", "+++")
_NARROWEST = 8  # columns of a name; below that there is no table


class Words(NamedTuple):
    """Some text, and the style that rich draws it in."""

    text: str
    style: str = ""


class Table(NamedTuple):
    """A table whose first column has names and whose others have figures.

    Attributes:
        header: what stands above the columns; its words go below each other where there is little room.
        names: of each row, whole, and short for where there is little room.
        figures: of each row, the cells behind its name.
        above: a rule stands below so many rows, if there are more.
    """

    header: Sequence[str]
    names: Sequence[tuple[str, str]]
    figures: Sequence[Sequence[Words]]
    above: int

    def fitted(self, columns: int | None) -> Fitted | None:
        """Return the table as it fits so many columns: with as much as possible in one line and whole.

        ``None``: it does not, even with names in pieces.
        """
        folded = [title.replace(" ", "\n") for title in self.header]
        choices = [
            Fitted.of(header, [pair[length] for pair in self.names], self.figures, self.above)
            for length in (0, 1)
            for header in (self.header, folded)
        ]
        if columns is None:
            return choices[0]
        choices.append(choices[-1].narrowed(columns))
        return next((choice for choice in choices if choice.width <= columns), None)

    def listed(self) -> Iterator[tuple[Words, ...]]:
        """Yield lines that say the same, for where no table fits."""
        for (_, name), figures in zip(self.names, self.figures, strict=True):
            yield (Words(f"  {name}", "bold"),)
            for title, figure in zip(self.header[1:], figures, strict=True):
                yield Words(f"    {title}: "), figure


class Fitted(NamedTuple):
    """A table whose columns have their widths; lines of a cell are parted by line ends."""

    header: Sequence[str]
    rows: Sequence[Sequence[Words]]
    above: int
    widths: Sequence[int]

    @classmethod
    def of(
        cls, header: Sequence[str], names: Sequence[str], figures: Sequence[Sequence[Words]], above: int
    ) -> Self:
        """Return a table in which every column is as wide as its widest line, and titles end at the rule."""
        height = max(title.count("\n") for title in header)
        header = ["\n" * (height - title.count("\n")) + title for title in header]
        rows = [(Words(name), *cells) for name, cells in zip(names, figures, strict=True)]
        texts = [header, *([cell.text for cell in row] for row in rows)]
        widths = [
            max(width(line) for cell in column for line in cell.split("\n"))
            for column in zip(*texts, strict=True)
        ]
        return cls(header, rows, above, widths)

    @property
    def width(self) -> int:
        """How many columns of the screen it takes: each cell with a space around it, and bars."""
        return sum(self.widths) + 3 * len(self.widths) + 1

    def narrowed(self, columns: int) -> Fitted:
        """Return the table with names in as many lines as it takes for it to fit."""
        room = max(_NARROWEST, self.widths[0] - (self.width - columns))
        rows = [(Words("\n".join(pieces(row[0].text, room))), *row[1:]) for row in self.rows]
        return self._replace(rows=rows, widths=(room, *self.widths[1:]))

    def lines(self, box: Box = BOX) -> Iterator[str]:
        """Yield the table's lines."""
        yield self._rule(box.line, box.top)
        yield from self._row(self.header, box.side)
        yield self._rule(box.line, box.middle)
        for place, row in enumerate(self.rows):
            if place and place == self.above:
                yield self._rule(box.line, box.middle)
            yield from self._row([cell.text for cell in row], box.side)
        yield self._rule(box.line, box.bottom)

    def _rule(self, line: str, ends: str) -> str:
        return ends[0] + ends[1].join(line * (columns + 2) for columns in self.widths) + ends[2]

    def _row(self, cells: Sequence[str], side: str) -> Iterator[str]:
        lines = [cell.split("\n") for cell in cells]
        for place in range(max(map(len, lines))):
            texts = [cell[place] if place < len(cell) else "" for cell in lines]
            inner = f" {side} ".join(map(padded, texts, self.widths))
            yield f"{side} {inner} {side}"

    def painted(self, box: Box = BOX) -> RichTable:
        """Return the table for rich."""
        from rich import box as boxes  # noqa: PLC0415 - programs that read reports do not wait for it
        from rich.table import Table as Painted  # noqa: PLC0415 - likewise
        from rich.text import Text  # noqa: PLC0415 - likewise

        table = Painted(box=boxes.SQUARE if box == BOX else boxes.ASCII2, header_style="bold")
        for title, columns in zip(self.header, self.widths, strict=True):
            table.add_column(Text(title), width=columns, no_wrap=True, overflow="ignore")
        for place, row in enumerate(self.rows, start=1):
            table.add_row(*(Text(cell.text, cell.style) for cell in row), end_section=place == self.above)
        return table
