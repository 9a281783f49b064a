"""Reading what a judge says about criteria: clauses, or what became of one, or an error; never a guess."""

from audition.errors import JudgeError
from audition.judges import Grade
from audition.judges.reply import contradicts, read_object
from audition.scoring.clauses import Unusable, read_clause_answer, read_clauses

_WORTH = {"met": 5, "unmet": 1}


def read_split(text: str, finish_reason: str, criteria: str) -> Grade:
    """Return the clauses in a judge's reply, as an answer.

    The object is looked for as that of a grade is.

    Raises: JudgeError, with the reply, when it holds none, or clauses that are not those of the criteria.
    """
    found = read_object(text, finish_reason, ("clauses",))
    try:
        clauses = read_clauses(found, criteria)
    except Unusable as error:
        raise JudgeError(str(error), raw=text) from None
    answer = {"clauses": [{"text": clause.text, "type": clause.type} for clause in clauses]}
    return Grade(score=None, answer=answer, reason=f"{len(clauses)} clauses", raw=text)


def read_status(text: str, finish_reason: str) -> Grade:
    """Return what a judge's reply says of a clause, as an answer.

    Raises: JudgeError, with the reply, when it is incomplete, or contradicts itself.
    """
    found = read_object(text, finish_reason, ("status",))
    try:
        said = read_clause_answer(found)
    except Unusable as error:
        raise JudgeError(str(error), raw=text) from None
    if contradicts(found, _WORTH.get(said.status)):
        raise JudgeError(f"its verdict contradicts its status of {said.status!r}", raw=text)
    answer = {
        "evidence": [{"source": quote.source, "quote": quote.text} for quote in said.evidence],
        "reasoning": said.reasoning,
        "call": said.call or "none",
        "faithful": "none" if said.faithful is None else ("yes" if said.faithful else "no"),
        "status": said.status,
    }
    return Grade(score=None, answer=answer, reason=said.reasoning, raw=text)
