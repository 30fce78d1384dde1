"""What a notebook can be given: read from its cell tagged `parameters`, cast by declared type, checked before a run.

Nothing is guessed. A parameter has the type of its annotation, else of its default; for a `str`, `12e4567`, `007`,
`true` and `null` are text. A list holds one kind: that in `list[int]`, that of its default's items, or text.
"""

from __future__ import annotations

import ast
import difflib
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragkit.files import read_text, shown
from ragkit.records import BadInput

LIST = re.compile(r"(?:list|List|typing\.List)(?:\[(\w+)\])?")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A name that a notebook lets a run set. `kind` is int, float, str, bool or list[one of these]."""

    name: str
    kind: str
    default: object


def declared(notebook: Mapping[str, Any], where: str) -> dict[str, Parameter]:
    """The parameters by name, in the order of their cell; none when no cell has the tag."""
    cells = [cell for cell in notebook["cells"] if "parameters" in cell["metadata"].get("tags", [])]
    if len(cells) > 1:
        raise BadInput(f"{where}: {len(cells)} cells are tagged `parameters`; tag one")
    try:
        body = ast.parse("".join(cells[0]["source"])).body if cells else []
    except SyntaxError as error:
        raise BadInput(f"{where}: the cell tagged `parameters`, line {error.lineno}: {error.msg}; correct it") from None
    found = {}
    for statement in body:
        for name, annotation, value in _assigned(statement):
            found[name] = _parameter(name, annotation, value)
    return found


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, str, ast.expr]]:
    """Name, annotation and default of what a statement sets by a plain name."""
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
            yield name, ast.unparse(annotation).strip("'\""), value
        case ast.Assign(targets=targets, value=value):
            yield from ((target.id, "", value) for target in targets if isinstance(target, ast.Name))


def _parameter(name: str, annotation: str, value: ast.expr) -> Parameter:
    """A default that is no literal is recorded as its source, and tells no type."""
    try:
        default = ast.literal_eval(value)
    except ValueError:
        return Parameter(name, _kind(annotation, None), ast.unparse(value))
    return Parameter(name, _kind(annotation, default), default)


def _kind(annotation: str, default: object) -> str:
    """
    >>> _kind("", 3), _kind("float", 3), _kind("list", [1, 2.5]), _kind("", None)
    ('int', 'float', 'list[float]', '')
    """
    listed = LIST.fullmatch(annotation or type(default).__name__)
    if not listed:
        return annotation or ("" if default is None else type(default).__name__)
    items = {type(item).__name__ for item in default} if isinstance(default, list) else set()
    of = "float" if items == {"int", "float"} else items.pop() if len(items) == 1 else "str"
    return f"list[{listed[1] or of}]"


def values(known: Mapping[str, Parameter]) -> dict[str, object]:
    """The defaults, as they are recorded with a run."""
    return {name: parameter.default for name, parameter in known.items()}


def reassigned(notebook: Mapping[str, Any], names: Collection[str]) -> Iterator[str]:
    """Cells below the parameters that set one of them again: a value given from outside would be lost there."""
    below = False
    for cell in notebook["cells"]:
        tags = cell["metadata"].get("tags", [])
        if below and cell["cell_type"] == "code" and "injected-parameters" not in tags:
            for name in sorted(_stored("".join(cell["source"])) & set(names)):
                yield f"sets the parameter `{name}` a second time, below its cell; use another name there"
        below = below or "parameters" in tags


def _stored(source: str) -> set[str]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return set()
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


# --- what is given ---------------------------------------------------------------------------------------------------


def given(pairs: Iterable[str] = (), file: str | Path | None = None) -> dict[str, object]:
    """Parameters as text, from a YAML file and from `name=value`, which counts more. A name stands once in either."""
    found: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (equals and name.strip()):
            raise BadInput(f"-p {pair}: write name=value")
        if name.strip() in found:
            raise BadInput(f"-p {pair}: {name.strip()} is given twice; give it once")
        found[name.strip()] = value
    return {**(_from_file(file) if file else {}), **found}


def _from_file(path: str | Path) -> dict[str, object]:
    """The base loader leaves every scalar as it is written: YAML itself would read 007 as 7 and yes as true."""
    import yaml

    try:
        node = yaml.compose(read_text(path), yaml.BaseLoader)
        if not isinstance(node, yaml.MappingNode):
            raise BadInput(f"{shown(path)}: not a mapping; write lines of the form `name: value`")
        seen: set[object] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise BadInput(f"{shown(path)}:{key.start_mark.line + 1}: {key.value} is given twice; give it once")
            seen.add(key.value)
        return yaml.load(read_text(path), yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{shown(path)}:{mark.line + 1}" if mark else shown(path)
        raise BadInput(f"{place}: not YAML ({getattr(error, 'problem', 'unreadable')}); correct it") from None


def chosen(notebook: Mapping[str, Any], wanted: Mapping[str, object], where: str) -> dict[str, object]:
    """The given values with their declared types; bad input when one can not be used as it is given."""
    known = declared(notebook, where)
    if wanted and not known:
        raise BadInput(f"{where}: takes no parameters, none of its cells is tagged `parameters`; tag one, or give none")
    for name in wanted:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f", did you mean `{close[0]}`?" if close else "."
            raise BadInput(f"{where}: has no parameter `{name}`{hint} It has: {', '.join(known)}")
    for finding in reassigned(notebook, wanted):
        raise BadInput(f"{where}: {finding}")
    return {name: cast(known[name], value, where) for name, value in wanted.items()}


def cast(parameter: Parameter, value: object, where: str) -> object:
    """The value as the declared type: text is read as that type, another value has to be of it already."""
    listed = LIST.fullmatch(parameter.kind)
    if (listed[1] if listed else parameter.kind) not in SCALARS:
        kind = f"`{parameter.kind}`" if parameter.kind else "of no known type"
        raise BadInput(f"{where}: parameter `{parameter.name}` is {kind}; annotate it as int, float, str, bool or list")
    try:
        return [_scalar(item, listed[1]) for item in _items(value)] if listed else _scalar(value, parameter.kind)
    except (ValueError, TypeError, KeyError):
        raise BadInput(f"{where}: parameter `{parameter.name}` must be {parameter.kind}, is {value!r}") from None


def _items(value: object) -> list[object]:
    """`[a, b]` or `a, b` as items, quotes as in YAML."""
    import yaml

    if isinstance(value, str):
        text = value.strip()
        try:
            value = yaml.load(text if text.startswith("[") else f"[{text}]", yaml.BaseLoader)
        except yaml.YAMLError:
            raise ValueError from None
    if not isinstance(value, list | tuple):
        raise TypeError
    return list(value)


def _scalar(value: object, kind: str) -> object:
    if isinstance(value, str):
        return SCALARS[kind](value)
    if type(value).__name__ == kind:
        return value
    if kind == "float" and type(value) is int:
        return float(value)
    raise TypeError


def _float(text: str) -> float:
    """Refuses nan, and digits that overflow to infinity (12e4567); `inf` itself may be meant."""
    value = float(text)
    if math.isnan(value) or (math.isinf(value) and "inf" not in text.lower()):
        raise ValueError
    return value


SCALARS: dict[str, Callable[[str], object]] = {
    "int": int,
    "float": _float,
    "str": str,
    "bool": lambda text: {"true": True, "false": False}[text.strip().lower()],
}
