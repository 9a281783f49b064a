"""`audition worker`: it carries out runs until it is told to end."""

import signal
import threading
from typing import Any


def test_a_worker_says_what_it_works_for_and_ends_when_it_is_told(empty: Any) -> None:
    process = empty.start("worker", "--database", "kept.db")
    errors: list[str] = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    said = process.stdout.readline()

    process.send_signal(signal.SIGTERM)

    assert process.wait(30) == 0
    reader.join()
    process.stdout.close()
    process.stderr.close()
    assert said == f"carrying out the runs of {empty.folder}/kept.db\n"
    assert "Traceback" not in errors[0]
