"""What the shrinker asks of a PTX program: what can be dropped, and the program without it."""

from __future__ import annotations

import dataclasses
from typing import Any

from program import Function, Program, Reference, Variable


def remove_dangling(program: Program) -> None:
    """Drops items that refer to undefined names, until there are none."""
    changed = True
    while changed:
        changed = False
        everywhere = set(program.global_items()) | set(program.undefined)
        for module in program.modules:
            known = everywhere | module.defined() | set(module.declarations)
            for index, item in enumerate(module.items):
                if item.uses() <= known:
                    continue
                changed = True
                if isinstance(item, Function):
                    item.pieces = [p for p in item.pieces if set(p.uses) <= known]
                elif isinstance(item, Variable):
                    module.items[index] = without_references(item, known)
                else:
                    module.items[index] = None
            module.items = [item for item in module.items if item is not None]


def without_references(variable: Variable, known: set[str]) -> Variable:
    """The variable with 0 in place of addresses of unknown names."""
    values = [
        "0" if isinstance(v, Reference) and v.name not in known else v for v in variable.initialiser
    ]
    return dataclasses.replace(variable, initialiser=values)


def steps(program: Program) -> list[tuple[Any, ...]]:
    """Everything that can be dropped from a program, the largest parts first."""
    found: list[tuple[Any, ...]] = [("option", o) for o in program.link_options]
    found += [("module", m) for m in range(len(program.modules))]
    for m, module in enumerate(program.modules):
        found += [("item", m, i) for i in range(len(module.items))]
    for m, module in enumerate(program.modules):
        for i, item in enumerate(module.items):
            if isinstance(item, Function):
                found += [("piece", m, i, p) for p in range(len(item.pieces))]
                if item.directives:
                    found.append(("directives", m, i))
            if isinstance(item, Variable) and item.initialiser:
                found.append(("initialiser", m, i))
        if module.options:
            found.append(("options", m))
        if module.target != program.arch:
            found.append(("target", m))
    return found


def without(program: Program, dropped: list[tuple[Any, ...]]) -> Program:
    """A copy of the program without the given parts.

    Dropped parts first become None, so that the positions of the others remain valid."""
    copy = program.copy()
    for kind, *place in dropped:
        if kind == "option":
            copy.link_options = [o for o in copy.link_options if o != place[0]]
        else:
            drop_part(copy, kind, *place)
    copy.modules = [module for module in copy.modules if module is not None]
    for module in copy.modules:
        module.items = [item for item in module.items if item is not None]
        for function in module.of_type(Function):
            function.pieces = [piece for piece in function.pieces if piece is not None]
    copy.link_order = [n for n in copy.link_order if n in {m.name for m in copy.modules}]
    remove_dangling(copy)
    return copy


def drop_part(copy: Program, kind: str, m: int, i: int = 0, p: int = 0) -> None:
    module = copy.modules[m]
    if module is None or (i < len(module.items) and module.items[i] is None):
        return  # its owner has been dropped already
    match kind:
        case "module":
            copy.modules[m] = None
        case "item":
            module.items[i] = None
        case "piece":
            module.items[i].pieces[p] = None
        case "directives":
            module.items[i].directives = ()
        case "initialiser":
            module.items[i] = dataclasses.replace(module.items[i], initialiser=None)
        case "options":
            module.options, module.has_dwarf = (), False
        case "target":
            module.target = copy.arch
