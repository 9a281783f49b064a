"""Evals in Python, for where they are many and alike: one for each kind of problem. Reading this file runs it."""

from audition import Check, Eval, Turn

DEPARTMENTS = {
    "My laptop is broken.": "IT Engineering",
    "I lost an invoice.": "Billing",
    "The parcel has the wrong label.": "Logistics",
    "The coffee machine is broken.": "General",
}


def _goes_to(department: str, problem: str) -> Eval:
    said = Check(category="response", spec={"contains": department})
    told = Check(category="tools", spec={"called": "notifyDepartment", "params": {"department": department}})
    return Eval(
        name=f"{department.lower().replace(' ', '-')}-gets-its-tickets",
        type="regression",
        tags=("tickets", "departments"),
        turns=(Turn(user=problem, checks=(said, told)),),
    )


evals = [_goes_to(department, problem) for problem, department in DEPARTMENTS.items()]
