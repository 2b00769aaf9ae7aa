"""Look at a note as a reader sees it: drawn by headless Chromium, much as Obsidian draws it.

    python tests/support/look.py NOTE.md [MORE.md ...] --into pictures [--unfold]

Each note becomes three pictures: light, dark, and 400 pixels wide. Chromium is found on the path or named by
CHROMIUM; charts are drawn if MERMAID names a ``mermaid.min.js`` (from ``npm install mermaid``), else shown as
code.
"""

from __future__ import annotations

import argparse
import html
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from markdown_it.token import Token

_CALLOUT = re.compile(r"\[!(?P<kind>[\w-]+)\](?P<fold>[+-]?)[ \t]*(?P<title>[^\n]*)")
_COMMENT = re.compile(r"%%.*?%%", re.DOTALL)
_FRONTMATTER = re.compile(r"\A---\n(?P<properties>.*?)\n---\n", re.DOTALL)
_WIKILINK = re.compile(r"\[\[([^\]|]+)\|?([^\]]*)\]\]")
_CHROMIUM_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--virtual-time-budget=10000",
)
_STYLE = """
:root { --text: #222; --back: #fff; --faint: #5c5c5c; --line: #e0e0e0; --link: #6b4fd8; --code: #fafafa; }
:root.dark { --text: #dadada; --back: #1e1e1e; --faint: #b3b3b3; --line: #363636; --link: #a68af9;
  --code: #242424; }
html { background: var(--back); color: var(--text); }
body { font: 16px/1.5 Inter, "DejaVu Sans", sans-serif; margin: 0 auto; padding: 16px; max-width: 700px; }
h1 { font-size: 1.6em; } h2 { font-size: 1.4em; } h3 { font-size: 1.2em; }
a { color: var(--link); } code, pre { background: var(--code); font-size: .85em; }
pre { padding: 12px; overflow: auto; } pre.mermaid { background: none; padding: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 16px; }
th { text-align: left; }
th, td { border: 1px solid var(--line); padding: 4px 8px; min-width: 32px; }
.properties { color: var(--faint); font-size: 13px; white-space: pre; border-left: 2px solid var(--line);
  padding-left: 8px; }
.callout { --colour: 8, 109, 221; background: rgba(var(--colour), .1); border-radius: 4px; margin: 1em 0;
  padding: 12px 12px 12px 24px; overflow-x: auto; }
.callout > summary { color: rgb(var(--colour)); font-weight: 600; list-style: none; }
.callout:not([open]) > summary::after { content: " \\203a"; }
.callout.summary { --colour: 0, 191, 188; } .callout.question { --colour: 236, 117, 0; }
ul { padding-left: 1.4em; }
"""
_PAGE = """<!doctype html><html class="{theme}"><meta charset="utf-8"><style>{style}</style>
<body>{body}{script}</body></html>"""
_MERMAID = """<script>{library}</script><script>
mermaid.initialize({{startOnLoad: false, theme: "{theme}"}});
mermaid.run({{querySelector: ".mermaid"}}).catch(error => document.body.append("MERMAID: " + error.message))
  .finally(() => document.body.dataset.height = document.documentElement.scrollHeight);
</script>"""
_MEASURE = "<script>document.body.dataset.height = document.documentElement.scrollHeight;</script>"


class View(NamedTuple):
    """One way of looking: the picture's name, the theme, the width in pixels."""

    name: str
    theme: str
    width: int


VIEWS = (View("light", "light", 900), View("dark", "dark", 900), View("narrow", "light", 400))


def page(note: str, theme: str, *, mermaid: Path | None, unfold: bool) -> str:
    """Return the note as a whole HTML page."""
    properties = _FRONTMATTER.match(note)
    text = note[properties.end() :] if properties else note
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(_COMMENT.sub(lambda hit: hit[0] if hit[0].startswith("%%{") else "", text))
    body = markdown.renderer.render(_with_callouts(tokens, unfold=unfold), markdown.options, {})
    body = _WIKILINK.sub(lambda link: f'<a href="#">{link[2] or link[1]}</a>', body)
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    if properties:
        body = f'<div class="properties">{html.escape(properties["properties"])}</div>{body}'
    script = _MEASURE
    if mermaid is not None:
        body = re.sub(
            r'<pre><code class="language-mermaid">(.*?)</code></pre>',
            r'<pre class="mermaid">\1</pre>',
            body,
            flags=re.DOTALL,
        )
        script = _MERMAID.format(
            library=mermaid.read_text(encoding="utf-8"), theme="dark" if theme == "dark" else "default"
        )
    return _PAGE.format(theme=theme, style=_STYLE, body=body, script=script)


def _with_callouts(tokens: list[Token], *, unfold: bool) -> list[Token]:
    """Turn the blockquotes that are callouts into folding boxes."""
    closing: list[bool] = []
    for place, token in enumerate(tokens):
        if token.type == "blockquote_open":
            inline = tokens[place + 2] if place + 2 < len(tokens) else token
            match = _CALLOUT.match(inline.content) if inline.type == "inline" else None
            closing.append(match is not None)
            if match is None:
                continue
            token.tag = "details"
            token.attrs = {"class": f"callout {match['kind'].lower()}"}
            if unfold or match["fold"] != "-":
                token.attrs["open"] = "open"
            tokens[place + 1].tag = tokens[place + 3].tag = "summary"
            tokens[place + 1].hidden = tokens[place + 3].hidden = False
            title = MarkdownIt("commonmark").parseInline(match["title"])
            inline.children = title[0].children
        elif token.type == "blockquote_close" and closing.pop():
            token.tag = "details"
    return tokens


def photograph(note: Path, into: Path, *, unfold: bool) -> list[Path]:
    """Take the pictures of one note, and return where they are."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("Chromium is not on the path; name it by the variable CHROMIUM.")
    library = os.environ.get("MERMAID")
    text = note.read_text(encoding="utf-8")
    pictures = []
    for view in VIEWS:
        picture = into / f"{note.stem}-{view.name}.png"
        content = page(text, view.theme, mermaid=Path(library) if library else None, unfold=unfold)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "note.html"
            source.write_text(content, encoding="utf-8")
            command = [chromium, *_CHROMIUM_FLAGS, f"--user-data-dir={folder}/profile"]
            measured = _run([*command, f"--window-size={view.width},800", "--dump-dom", source.as_uri()])
            height = re.search(r'data-height="(\d+)"', measured)
            size = f"--window-size={view.width},{int(height[1]) if height else 2000}"
            _run([*command, size, f"--screenshot={picture}", source.as_uri()])
        pictures.append(picture)
    return pictures


def _run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def main() -> None:
    """Photograph the notes named on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notes", nargs="+", type=Path)
    parser.add_argument("--into", type=Path, default=Path())
    parser.add_argument("--unfold", action="store_true", help="open folded callouts")
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    for note in arguments.notes:
        for picture in photograph(note, arguments.into, unfold=arguments.unfold):
            print(picture)


if __name__ == "__main__":
    main()
