"""If no single known fault accounts for all differences, explain_by_several finds several faults
that together do. Its time is bounded."""

from __future__ import annotations

from pathlib import Path

import explained
import pytest
from fault import Case, Difference, Fault

NOWHERE = Path()


class Asked:
    """Makes faults, each of which accounts for differences in sections whose names begin with a
    given letter. Counts how often a fault is asked to account for differences."""

    def __init__(self) -> None:
        self.times = 0

    def fault(self, letter: str) -> Fault:
        def accounts_for(case: Case) -> bool:
            self.times += 1
            return all((d["section"] or "").startswith(letter) for d in case.differences)

        return Fault(letter, "", accounts_for)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    asked = Asked()
    monkeypatch.setattr(explained, "FAULTS", (asked.fault("a"), asked.fault("b")))
    return asked


def explain(*sections: str) -> str | None:
    differences: list[Difference] = [{"section": section} for section in sections]
    return explained.explain_by_several(Case(differences, NOWHERE, NOWHERE, []))


def test_two_faults_account_for_all_together(asked: Asked) -> None:
    assert explain("a", "b", "a1") == "a, b"


def test_checks_end_where_no_fault_accounts_for_a_difference(asked: Asked) -> None:
    assert explain("a", "c", *["b"] * 500) is None
    assert asked.times == 4


def test_too_many_are_not_divided(asked: Asked) -> None:
    assert explain(*["a", "b"] * explained.MOST_DIVIDED) is None
    assert asked.times == 0
