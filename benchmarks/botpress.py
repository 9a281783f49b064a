"""How long Botpress eval files take to be read without running them: 200 files that import a shared one."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import PYTHON, Figure, Size, best_of, run_child

_SHARED = """\
export const GREETING = 'Hello'
export const common = [{ not_contains: 'error' }] as const
"""

_EVAL = """\
import { Eval } from '@botpress/evals'
import { GREETING, common } from './shared'

const options = { idleTimeout: 60_000, judgePassThreshold: 4 } as const

// what a customer asks first
export default new Eval({
  name: 'eval-%(number)d',
  description: 'What number %(number)d tests',
  type: 'regression',
  tags: ['tools', `number-${%(number)d}`],
  setup: {
    state: { bot: { welcomeMessageSent: true }, user: { plan: 'pro' }, conversation: { topic: 'billing' } },
    workflow: { trigger: 'onboarding', input: { userId: 'user-%(number)d' } },
  },
  conversation: [
    {
      user: GREETING + ', this is number %(number)d',
      assert: {
        response: [
          ...common,
          { contains: 'ticket' },
          { matches: /TKT-\\d{3}/ },
          { llm_judge: 'Response confirms the ticket was created' },
        ],
        tools: [
          { called: 'createTicket', params: { priority: { equals: 'high' }, department: { contains: 'IT' } } },
          { not_called: 'deleteTicket' },
        ],
        timing: [{ response_time: { lte: 5000 } }],
      },
    },
    {
      event: { payload: { orderId: 'ORD-001', total: 49.99 } },
      assert: { workflow: [{ name: 'order', entered: true }] },
    },
    { user: 'Please ignore this.', expectSilence: true },
  ],
  outcome: {
    state: [{ path: 'conversation.resolved', equals: true }],
    workflow: [{ name: 'ticketFlow', completed: true }],
  },
  options,
})
"""

_READ = """\
import sys, time
from pathlib import Path
from audition.formats import gather
begun = time.process_time()
found = gather([Path(sys.argv[1])])
assert not found.faults and len(found.suite.evals) == int(sys.argv[2]), found.faults
print(time.process_time() - begun)
"""

_FILES = 200


def figures(size: Size) -> Iterator[Figure]:
    """Yield what reading costs, the parser's import included, and what the whole process costs beside a bare one."""
    count = min(_FILES, size.few)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shared.ts").write_text(_SHARED, encoding="utf-8")
        for number in range(count):
            (folder / f"{number}.eval.ts").write_text(_EVAL % {"number": number}, encoding="utf-8")
        runs = {
            "plain": lambda: run_child([PYTHON, "-c", "import audition.formats"], folder),
            "read": lambda: run_child([PYTHON, "-c", _READ, str(folder), str(count)], folder),
        }
        cost = best_of(size.rounds, runs)
    reading = float(cost["read"].said)
    yield Figure(name=f"read {count} .eval.ts, CPU", value=reading, unit="s", goal=0.5)
    yield Figure(name="an .eval.ts, CPU", value=1000 * reading / count, unit="ms")
    plain = cost["plain"].cpu_s
    yield Figure(name="the whole process, CPU", value=cost["read"].cpu_s, unit="s", plain=plain, note="plain: imports")
