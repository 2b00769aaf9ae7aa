"""Drawn notes as the templates make them, small but with everything in them."""

from __future__ import annotations

STAMP = "m-20251207T112104Z"


def block(title: str, *tags: str, day: str = "2026-05-14") -> str:
    listed = "".join(f"  - {tag}\n" for tag in ("council", *tags))
    return (
        f"---\ntitle: {title}\ndate: {day}\ntype: reference\ntags:\n{listed}"
        f"status: active\ncouncil_memory: {STAMP}\n---\n"
    )


def performance(count: int = 64, leader: str = "claude-sonnet-4", day: str = "2026-05-14") -> str:
    return f"""{block("Council Model Performance", "model-performance", "ai-verification", day=day)}
# Council Model Performance

%% council-vault:begin performance (rewritten at every sync; your own text goes above or below) %%

> [!summary] {leader} leads with an average rank of 1.8
>
> - **{count}** deliberations, **24** models, 2025-12-07 to {day}
> - gpt-4.1 follows at 2.2
>
> [[council-routing-intelligence|Routing]] · [[council-deliberation-log|Log]]

## Leaderboard

| Model                  |     Rank |   n |  Chaired | Self-pref |
| ---------------------- | -------: | --: | -------: | --------: |
| {leader:<22} | 1.8 ±0.1 | {count:>3} | 19 (38%) |        2% |
| gpt-4.1                | 2.2 ±0.1 |  50 | 16 (32%) |        4% |
| llama_3_70b            | 3.7 ±0.1 |  50 |   0 (0%) |       12% |

### Peers outranked

```mermaid
%%{{init: {{"xyChart": {{"width": 340, "height": 154}}}}}}%%
xychart-beta horizontal
    x-axis ["{leader}", "gpt-4.1", "llama_3_70b"]
    y-axis "% of the other answers ranked below" 0 --> 105
    bar [72, 60, {count}]
```

> [!note]- 20 more models, most with fewer than 5 deliberations
>
> | Model     | Rank |   n | Self-pref |
> | --------- | ---: | --: | --------: |
> | qwen3-32b |  1.3 |   3 |        0% |

> [!question]- How to read this
>
> - **Rank**: mean place in the peer review, 1 is best; ±1 is its standard error; **n** the deliberations.
> - A model is ranked from 5 deliberations on, a category from 3.

%% council-vault:end %%
"""


def log(count: int = 3, day: str = "2026-05-14") -> str:
    return f"""{block("Council Deliberation Log", "deliberation-log", day=day)}
# Council Deliberation Log

%% council-vault:begin log (rewritten at every sync; your own text goes above or below) %%

> [!summary] {count} deliberations, latest on {day}
>
> - **2** rated: 1 positive, 1 negative
> - To rate one, type `positive`, `neutral` or `negative` into its Rating cell
>
> [[council-model-performance|Model performance]] · [[council-routing-intelligence|Routing]]

%% council-vault:end %%

| ID | Date | Query Summary | Chairman | Confidence | Cost | Rating |
| --- | --- | --- | --- | --- | ---: | --- |
| d_20260514_001 | 2026-05-14 | Grow by partners or by direct sales | gpt-4.1 | ★★★ | $0.10 | — |
"""
