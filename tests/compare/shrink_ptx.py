"""Lists the parts of a PTX program that the shrinker can drop, and makes programs without some
parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from program import Function, Item, Program, Reference, Variable


def remove_dangling(program: Program) -> None:
    """Removes references to undefined names, until none is left. A function loses the pieces of
    code with such references. In an initialiser, each such reference becomes 0. Any other item
    with such a reference is dropped."""
    changed = True
    while changed:
        changed = False
        everywhere = set(program.global_items()) | set(program.undefined)
        for module in program.modules:
            known = everywhere | module.defined() | set(module.declarations)
            dangling: list[int] = []
            for index, item in enumerate(module.items):
                if item.uses() <= known:
                    continue
                changed = True
                if isinstance(item, Function):
                    item.pieces = [p for p in item.pieces if set(p.uses) <= known]
                elif isinstance(item, Variable):
                    module.items[index] = without_references(item, known)
                else:
                    dangling.append(index)
            module.items = [item for i, item in enumerate(module.items) if i not in dangling]


def without_references(variable: Variable, known: set[str]) -> Variable:
    """A copy of the variable. If its initialiser has the address of an unknown name, the copy has 0
    instead."""
    values = [
        "0" if isinstance(v, Reference) and v.name not in known else v
        for v in variable.initialiser or ()
    ]
    return dataclasses.replace(variable, initialiser=values)


class Part(NamedTuple):
    """A part of a program that can be dropped. The numbers are the indices of a module, of an item
    in the module, and of a piece of code in the item."""

    kind: str
    module: int = 0
    item: int = 0
    piece: int = 0
    option: str = ""


def steps(program: Program) -> list[Part]:
    """Everything that the shrinker can drop: first the link options, then the parts, the largest
    ones first."""
    found = [Part("option", option=o) for o in program.link_options]
    found += [Part("module", m) for m in range(len(program.modules))]
    for m, module in enumerate(program.modules):
        found += [Part("item", m, i) for i in range(len(module.items))]
    for m, module in enumerate(program.modules):
        for i, item in enumerate(module.items):
            if isinstance(item, Function):
                found += [Part("piece", m, i, p) for p in range(len(item.pieces))]
                if item.directives:
                    found.append(Part("directives", m, i))
            if isinstance(item, Variable) and item.initialiser:
                found.append(Part("initialiser", m, i))
        if module.options:
            found.append(Part("options", m))
        if module.target != program.arch:
            found.append(Part("target", m))
    return found


def without(program: Program, dropped: Sequence[Part]) -> Program:
    """A copy of the program without the given parts."""
    gone, copy = set(dropped), program.copy()
    copy.link_options = [o for o in copy.link_options if Part("option", option=o) not in gone]
    for m, module in enumerate(copy.modules):
        if Part("options", m) in gone:
            module.options, module.has_dwarf = (), False
        if Part("target", m) in gone:
            module.target = copy.arch
        module.items = [
            without_parts(item, m, i, gone)
            for i, item in enumerate(module.items)
            if Part("item", m, i) not in gone
        ]
    copy.modules = [x for m, x in enumerate(copy.modules) if Part("module", m) not in gone]
    copy.link_order = [n for n in copy.link_order if n in {m.name for m in copy.modules}]
    remove_dangling(copy)
    return copy


def without_parts(item: Item, m: int, i: int, gone: set[Part]) -> Item:
    """The item `i` of the module `m` without the parts in `gone`. A function is changed in
    place."""
    if isinstance(item, Function):
        item.pieces = [x for p, x in enumerate(item.pieces) if Part("piece", m, i, p) not in gone]
        if Part("directives", m, i) in gone:
            item.directives = ()
    if isinstance(item, Variable) and Part("initialiser", m, i) in gone:
        return dataclasses.replace(item, initialiser=None)
    return item
