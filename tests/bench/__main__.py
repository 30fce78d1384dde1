"""Speed beside other engines, and of whole commands beside a floor: `python -m tests.bench`.

Every ratio is from one run, both sides in turn. Ends with 1 when a target is missed. Takes some minutes; close what
else keeps the processor busy.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.bench import embedding, engines, history, lexical, processes, table

Part = Callable[[bool], list[table.Row]]
PARTS: dict[str, Part] = {
    "lexical": lexical.measure,
    "embedding": embedding.measure,
    "notebook": processes.notebook,
    "ask": processes.ask,
    "history": history.measure,
}


def main(arguments: Sequence[str] | None = None, parts: Mapping[str, Part] = PARTS) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=parts, help="one part")
    parser.add_argument("--quick", action="store_true", help="look less often: a first impression")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the table as CSV too")
    options = parser.parse_args(arguments)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}")
    print(engines.versions())
    rows: list[table.Row] = []
    for name, part in parts.items():
        if options.only in (None, name):
            print(f"{name} ...", flush=True)
            rows += part(options.quick)
    print(f"\n{table.text(rows)}\n\n{table.NOTE}")
    if options.out:
        table.write(rows, options.out)
    return table.exit_code(rows)


if __name__ == "__main__":
    sys.exit(main())
