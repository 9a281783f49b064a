"""The check categories: each file is one, and offers what `audition.scoring.rule.Category` asks for."""

from audition.registry import Folder

CATEGORIES = Folder("check category", "audition.scoring.checks")
