#!/usr/bin/env bash
# The walk-through of the evals REST API with curl: an agent and its dataset, then an orchestrator with two agents and a
# tool. Start the service first: `make serve`, or `audition serve` in this folder with the two variables below.
set -euo pipefail
: "${AUDITION_URL:=http://127.0.0.1:8080}"
: "${AUDITION_OWNER_EMAIL:=owner@example.com}" "${AUDITION_OWNER_PASSWORD:=correct-horse-battery}"  # as `make serve` has it
V1="$AUDITION_URL/api/v1"

say() { printf '\n# %s\n' "$1" >&2; }
show() { local answer; answer=$(cat); printf '%s\n' "$answer" >&2; printf '%s' "$answer"; }
first_id() { sed -nE 's/^\{"id":([0-9]+).*/\1/p'; }
post() { curl -sS --fail-with-body -X POST "$1" -H "Content-Type: application/json" -H "Authorization: Bearer $ADMIN_TOKEN" -d "$2"; }
get() { curl -sS --fail-with-body "$1" -H "Authorization: Bearer $ADMIN_TOKEN"; }

finished() {  # poll the run at $1 until its status leaves pending and running
  for _ in $(seq 1 150); do
    body=$(get "$1")
    case $body in *'"status":"completed"'* | *'"status":"failed"'*) printf '%s' "$body"; return ;; esac
    sleep 0.2
  done
  echo "the run at $1 did not end within 30 s" >&2
  return 1
}

say "Wait until the service is there, at most 30 s, and log in"
for _ in $(seq 1 150); do
  curl -fsS "$AUDITION_URL/healthz" >/dev/null 2>&1 && break
  sleep 0.2
done
ADMIN_TOKEN=$(curl -sS --fail-with-body -X POST "$V1/auth/login" -H "Content-Type: application/json" \
  -d "{\"email\": \"$AUDITION_OWNER_EMAIL\", \"password\": \"$AUDITION_OWNER_PASSWORD\"}" |
  sed -nE 's/^\{"token":"([^"]*)".*/\1/p')
test -n "$ADMIN_TOKEN"

say "An agent"
AGENT=$(post "$V1/agents" '{"name": "Hours FAQ", "base_system_prompt": "You are a receptionist.", "model": "scripted:hours.yaml"}' |
  show | first_id)

say "Create a dataset"
DATASET=$(post "$V1/agents/$AGENT/eval-datasets" '{"name": "Hours FAQ"}' | show | first_id)

say "Add a case"
post "$V1/agents/$AGENT/eval-datasets/$DATASET/cases" '{
    "scenario": "A customer asks what your business hours are.",
    "expected_criteria": "States specific opening and closing hours or days of the week."
  }' | show >/dev/null

say "Run against a candidate prompt"
RUN=$(post "$V1/agents/$AGENT/eval-datasets/$DATASET/runs" \
  '{"candidate_system_prompt": "You are a helpful receptionist. We are open 9-5 Mon-Fri."}' | show | first_id)

say "Check the run's results"
finished "$V1/agents/$AGENT/eval-datasets/$DATASET/runs/$RUN" | show | grep -q '"verdict":"pass"'

say "An orchestrator: the agent above, and one that looks orders up"
ORDERS=$(post "$V1/agents" '{
    "name": "Orders",
    "base_system_prompt": "You look orders up and say where they are.",
    "model": "scripted:orders.yaml",
    "tools": [{"kind": "mock", "name": "find_order", "description": "Finds an order by its number.",
      "parameters": {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]},
      "results": [{"result": {"status": "sent", "day": "yesterday"}}]}]
  }' | show | first_id)
DESK=$(post "$V1/orchestrators" "{
    \"name\": \"Front desk\", \"description\": \"Answers the phone.\",
    \"instruction\": \"Hand the caller over to whoever knows.\",
    \"model\": \"scripted:front_desk.yaml\", \"agents\": [$AGENT, $ORDERS]
  }" | show | first_id)

say "Its dataset, two cases and a run"
DATASET=$(post "$V1/orchestrators/$DESK/eval-datasets" '{"name": "Front desk"}' | show | first_id)
post "$V1/orchestrators/$DESK/eval-datasets/$DATASET/cases" '{
    "scenario": "Where is my order A-7?",
    "expected_criteria": "Says whether the order is on its way."
  }' | show >/dev/null
post "$V1/orchestrators/$DESK/eval-datasets/$DATASET/cases" '{
    "scenario": "A customer asks what your business hours are.",
    "expected_criteria": "States specific opening and closing hours or days of the week."
  }' | show >/dev/null
RUN=$(post "$V1/orchestrators/$DESK/eval-datasets/$DATASET/runs" \
  '{"candidate_system_prompt": "You are the front desk. Hand orders to Orders and hours to Hours FAQ."}' | show | first_id)
test "$(finished "$V1/orchestrators/$DESK/eval-datasets/$DATASET/runs/$RUN" | show | grep -o '"verdict":"pass"' | wc -l)" = 2

say "The subjects are as they were: a run never changes them"
get "$V1/agents/$AGENT" | show | grep -q '"base_system_prompt":"You are a receptionist."'
get "$V1/orchestrators/$DESK" | show | grep -q '"instruction":"Hand the caller over to whoever knows."'

printf '\nall as expected\n'
