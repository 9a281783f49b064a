"""TypeScript read without running it: constants, literals and what is made of them. Everything else is refused.

What JavaScript would make of the same text, where it is read at all, is made of it here too; a test compares the two.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from audition.documents.located import Mark
from audition.errors import Fault, Where
from audition.formats._ts_evaluating import Evaluator
from audition.formats._ts_module import Export, Module
from audition.formats._ts_parsing import Node, Source
from audition.formats._ts_values import EVAL_CLASS, HOLE, JsObject, Opaque
from audition.formats._ts_workspace import BOTPRESS, Problem, UnreadableError, Workspace
