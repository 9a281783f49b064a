"""What the service keeps: subjects, datasets, runs and results, people and what they did, in one SQL database.

`database` opens it, `tables` says what is in it; each other file holds the questions and changes of one part.
"""
