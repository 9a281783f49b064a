"""The lint rules: each finds its example and lets the better text be; and what they leave alone."""

import pytest

from audition.errors import UnknownName
from audition.scoring.lint import Criterion, criterion, known_codes, lint, lint_text, rules

ONE_TEXT = [rule for rule in rules() if hasattr(rule, "look")]


def codes(text: str, scenario: str | None = "", tools: list[str] | None = None) -> list[str]:
    """Return the codes of what is found in a text."""
    return [found.code for found in lint_text(text, scenario=scenario, tools=tools)]


def found_by(rule, text: str) -> list[str]:
    """Return the codes of what one rule finds in a text, in the situation of its example."""
    scenario, tools = getattr(rule, "SCENARIO", ""), getattr(rule, "TOOLS", None)
    return [found.code for found in rule.look(criterion(text, scenario=scenario, tools=tools))]


def test_the_rules_are_numbered_without_a_gap():
    assert [rule.CODE for rule in rules()] == [f"L{number}" for number in range(1, 13)]


@pytest.mark.parametrize("rule", ONE_TEXT, ids=lambda rule: rule.CODE)
def test_a_rule_finds_its_example_and_not_the_better_text(rule):
    assert found_by(rule, rule.EXAMPLE) == [rule.CODE]
    assert found_by(rule, rule.REWRITE) == []


@pytest.mark.parametrize("rule", ONE_TEXT, ids=lambda rule: rule.CODE)
def test_a_finding_has_the_severity_of_its_rule_and_a_span_within_the_text(rule):
    one = criterion(rule.EXAMPLE, scenario=getattr(rule, "SCENARIO", ""), tools=getattr(rule, "TOOLS", None))

    (found,) = rule.look(one)

    assert found.severity == rule.SEVERITY
    assert 0 <= found.start < found.end <= len(one.text)


def test_a_span_is_that_of_the_text_as_it_was_written():
    text = "Greets the user.  Says exactly “Good day”."

    (found,) = lint_text(text, scenario="Hi", tools=None)

    assert text[found.start : found.end] == "Says exactly"


def test_findings_stand_in_the_order_of_the_text():
    text = "Is correct in that order. Asks for the name and saves it."

    assert codes(text) == ["L3", "L4"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Nennt die Felder exakt in dieser Reihenfolge und ist professional.", id="German"),
        pytest.param("Répond de façon correcte, verbatim et dans cet ordre.", id="French"),
        pytest.param("La respuesta no es natural, pero es correct.", id="Spanish"),
        pytest.param("検索結果は見つかりませんでした。", id="Japanese"),
        pytest.param("Не называет цену.", id="Russian"),
    ],
)
def test_rules_that_know_english_say_nothing_of_other_languages(text):
    assert codes(text) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Says what the lookup returns.", id="what"),
        pytest.param("If the lookup returns nothing, says so.", id="if"),
        pytest.param("The lookup returns whatever it returns, and the agent says so.", id="whatever"),
        pytest.param("Calls the lookup before it answers.", id="a call"),
    ],
)
def test_a_result_that_is_left_open_is_not_predicted(text):
    assert "L1" not in codes(text)


def test_a_result_that_the_case_makes_the_tool_return_may_be_expected():
    text = "The lookup returns no such ticket."

    assert [found.code for found in lint(criterion(text))] == ["L1"]
    assert lint(criterion(text, canned=True)) == []


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        pytest.param("Cancel my order.", ["L2"], id="nobody gave it"),
        pytest.param("Cancel my order 7731.", [], id="the user gave it"),
        pytest.param(None, [], id="the scenario is not known"),
    ],
)
def test_a_number_has_to_be_in_the_scenario(scenario, expected):
    assert codes("Cancels order 7731.", scenario) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("States that shipping costs $4.99.", id="a price the agent knows"),
        pytest.param("Sends a summary of at most 100 words.", id="a bound"),
        pytest.param("Schedules a callback within 2 hours.", id="a limit"),
        pytest.param("Answers from the provided context.", id="what the agent's makers give"),
        pytest.param("Explains what ISO-9001 is.", id="a name with digits"),
    ],
)
def test_a_value_that_the_user_need_not_give_is_not_missed(text):
    assert "L2" not in codes(text, "How long does it take?")


def test_a_number_that_is_spelt_out_is_given():
    assert codes("Orders 2 pizzas.", "Two pizzas, please.") == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Covers the rules; they need not be word for word.", id="not needed"),
        pytest.param("Does not quote the rules verbatim but explains them.", id="forbidden"),
        pytest.param("Explains what is needed in order to apply.", id="in order to"),
        pytest.param("Does not start with an apology.", id="not at the start"),
    ],
)
def test_wording_and_order_that_are_free_are_not_demanded(text):
    assert "L3" not in codes(text)


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        # a good answer may group them in another way, so demanding the order is a fault
        pytest.param("What happened in 1989?", ["L3"], id="the criterion's own demand"),
        pytest.param("Give me the events of 1989 by date.", [], id="the user asked for it"),
    ],
)
def test_a_natural_order_is_free_unless_the_user_asks_for_it(scenario, expected):
    assert codes("Lists the events in chronological order.", scenario) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Asks for the number before it cancels anything.", id="before"),
        pytest.param("Asks for the name and explains why.", id="a question and an explanation"),
        pytest.param("Asks which day suits, or books the first one.", id="or"),
        pytest.param("Thanks the user and saves the note.", id="no question"),
    ],
)
def test_one_turn_is_not_taken_for_two(text):
    assert "L4" not in codes(text)


def test_two_turns_may_be_described_of_a_whole_conversation():
    text = "Asks for the address and saves it."

    assert [found.code for found in lint(criterion(text))] == ["L4"]
    assert lint(criterion(text, conversation=True)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Agent checks stock, sees the sofa is sold out and suggests another.", "L1", id="the agent sees"),
        pytest.param("warranty api -> expired, bot explains paid repair", "L1", id="an arrow"),
        pytest.param("Because the permit turns out to be approved, it congratulates him.", "L1", id="it turns out"),
        pytest.param("The bus left ten minutes ago. The assistant says so.", "L1", id="it happened"),
        pytest.param("What the caller dictated is passed to accounts.", "L2", id="what somebody dictated"),
        pytest.param("The driver gets told about the stop in Ashford at 15:40.", "L2", id="a time, told to a third"),
        pytest.param("Prices come last, opening hours first.", "L3", id="positions"),
        pytest.param("Not one syllable of the verse may differ.", "L3", id="no other word"),
        pytest.param("Has the guest pick a therapist and puts it in the diary.", "L4", id="has somebody pick"),
        pytest.param("Once the patient has confirmed it, the summary is released.", "L4", id="once confirmed"),
        pytest.param("Client confirms the amount and the transfer is executed.", "L4", id="the user acts"),
    ],
)
def test_a_fault_is_found_however_it_is_worded(text, expected):
    assert expected in codes(text, "A caller wants something.")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Cats see well in dim light, and the answer explains why.", id="general knowledge"),
        pytest.param("Should the tracking be down, it says so rather than guessing.", id="a condition without if"),
        pytest.param("The request is refused for privacy reasons.", id="what the agent does, in the passive"),
        pytest.param("Tells him that it'll place the order once he has picked a dish.", id="a promise"),
        pytest.param("It may ask for her reason but cancels regardless of an answer.", id="regardless of the answer"),
        pytest.param("Asks which of the two is meant, without sending a car yet.", id="what is not done yet"),
        pytest.param("Leaves gaps such as [name] for the parent to fill in.", id="a gap"),
    ],
)
def test_a_near_miss_of_a_fault_is_none(text):
    assert not {"L1", "L2", "L3", "L4"} & set(codes(text, "A caller wants something."))


@pytest.mark.parametrize(
    ("text", "scenario"),
    [
        pytest.param("Names only the payments which the tool listed.", "Any payments?", id="a part of what is named"),
        pytest.param("Both terms are explained, no jargon left undefined.", "Net or gross?", id="of the reply itself"),
        pytest.param("Nothing else was added.", "A user asks to add milk.", id="what the agent is not to do"),
        pytest.param("Doesn't say that the flight is on time.", "Is my flight on time?", id="what is not to be said"),
        pytest.param("Gift cards don't expire, the reply says so.", "Do gift cards expire?", id="things in general"),
        pytest.param("Finds that i is never increased.", "Why does my loop not end?", id="a thought"),
        pytest.param("Sees that the port is blocked.", "A user pastes a config.", id="what the user shows"),
        pytest.param("Confirms that too much was billed.", "She says the bill is wrong.", id="what the user said"),
        pytest.param("The table has ten rows.", "A user asks for a table of primes.", id="what the user wants made"),
        pytest.param("A ticket is opened and its number given.", "A lamp is broken.", id="what the agent does"),
        pytest.param("Says the term is fixed, or refers him to HR.", "Can I leave early?", id="another way out"),
    ],
)
def test_what_no_lookup_has_to_tell_is_not_predicted(text, scenario):
    assert "L1" not in codes(text, scenario)


@pytest.mark.parametrize(
    ("text", "scenario"),
    [
        pytest.param(
            "The trail is blocked, the bot warns him.", "A hiker asks if the trail is open.", id="what was asked"
        ),
        pytest.param("Order 1188 has been shipped.", "A user asks about order 1188.", id="what has happened to it"),
        pytest.param("There won't be any account in the system.", "Which account is mine?", id="what will be there"),
        pytest.param("Rex is on leave per the roster.", "Who is on call?", id="what a record has it"),
        pytest.param("Runs the line test, which passes.", "My line is dead.", id="how a check goes"),
    ],
)
def test_an_answer_to_what_was_asked_is_predicted(text, scenario):
    assert codes(text, scenario) == ["L1"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The number has 12 digits and begins with a letter.", id="another thing begins so"),
        pytest.param("Mentions that families go first.", id="an order that is told of"),
        pytest.param("Recommends listing jobs in reverse order.", id="an order that is recommended"),
        pytest.param("Says to put heavy things at the bottom.", id="a place that is told of"),
        pytest.param("No limit is stated before the account has been looked up.", id="a condition"),
        pytest.param("Leaves the account untouched.", id="untouched, and no text"),
        pytest.param("Not nec. in the guest's order.", id="an abbreviation"),
        pytest.param("The law isn't quoted word for word.", id="n't"),
        pytest.param("Says who came first and who came second.", id="who"),
    ],
)
def test_what_is_not_about_the_wording_or_order_of_the_reply_is_no_demand(text):
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "scenario"),
    [
        pytest.param("Asks for the date and explains that the change takes a day.", "", id="what is so anyway"),
        pytest.param("Asks for confirmation; nothing is deleted yet.", "", id="nothing is done"),
        pytest.param("Asks for the reason and connects nobody yet.", "", id="nobody is"),
        pytest.param("Asks where. If she said so already, files the report.", "", id="unless it is known"),
        pytest.param("Cancels it after his yes.", "Yes, go ahead and cancel it.", id="the answer is there"),
        pytest.param("Asks no further questions and sends her to the hotline.", "", id="nothing is asked"),
        pytest.param("Asks for the purpose, and lists documents that all need.", "", id="only spoken"),
    ],
)
def test_what_needs_no_answer_is_one_turn(text, scenario):
    assert codes(text, scenario) == []


@pytest.mark.parametrize(
    ("text", "scenario"),
    [
        pytest.param("The answer says what the tool actually listed.", "Any payments?", id="an adverb is no thing"),
        pytest.param("The fee is refunded and the owner told so.", "The owner wants a refund.", id="who is told"),
        pytest.param(
            "Refers to the quoted passage.", "His policy, quoted in the chat, covers hail.", id="said to be given"
        ),
        pytest.param("Creates a plan with 4 exercises.", "A user wants a workout.", id="a number of what is made"),
        pytest.param('Corrects "teh" to "the".', 'Correct "teh cat".', id="a correction"),
        pytest.param("Arrives at ten people.", "5 stalls take 2 people each.", id="a sum"),
    ],
)
def test_what_the_agent_finds_out_itself_need_not_be_given(text, scenario):
    assert "L2" not in codes(text, scenario)


def test_a_text_that_names_an_observable_beside_its_praise_is_not_vague():
    assert codes("Is helpful: names two museums.") == []


def test_a_text_of_many_parts_is_taken_apart():
    (found,) = lint_text("Names A; names B; names C; names D; names E.", scenario="", tools=None)

    assert (found.code, found.rewrite) == ("L6", "- Names A\n- names B\n- names C\n- names D\n- names E")


def test_a_text_that_also_wants_something_does_not_only_forbid():
    assert codes("Does not promise a discount, and offers help.") == []


def test_a_copied_text_is_found_in_any_language():
    text = "Sagt dem Kunden dass das Parken am Abend nach sechs Uhr frei ist"

    assert codes(text, text) == ["L8"]


def test_the_tools_of_an_agent_may_be_named_and_are_suggested():
    tools = ["search_orders", "createTicket"]

    assert codes("Calls search_orders and then createTicket.", "", tools) == []
    (found,) = lint_text("Calls `search_order`.", scenario="", tools=tools)
    assert (found.code, found.rewrite) == ("L9", "Calls `search_orders`.")


def test_nothing_is_said_of_tools_that_are_not_known():
    assert codes("Calls cancel_order.", "", None) == []


def test_an_empty_text_has_no_fault():
    assert codes("") == codes("  \n ") == []


def test_the_criterion_keeps_the_length_of_its_text():
    one: Criterion = criterion("Says\u00a0“yes”\nand   ‘no’.")

    assert len(one.plain) == len(one.text)


def test_a_code_is_known_in_any_case_and_another_is_refused():
    assert known_codes(["l1", " L12 "]) == {"L1", "L12"}
    with pytest.raises(UnknownName, match="no lint rule called 'L99'"):
        known_codes(["L99"])


def test_the_line_break_at_the_end_of_a_block_adds_no_part():
    assert codes("Names A, names B, names C, names D.\n") == []
    (found,) = lint_text("  Names A, names B, names C, names D, names E.\n", scenario="", tools=None)
    assert found.rewrite is not None
    assert found.rewrite.splitlines()[1] == "- names B"
