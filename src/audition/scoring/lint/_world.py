"""What an agent looks into: tools and records, what they tell of, and the states that it may be in."""

from audition.scoring.lint._english import words

SOURCE = words(
    "lookup look-up search query tool api call check database db record records system directory calendar crm "
    "service backend base function index registry register tracking tracker inventory stock ledger log logs "
    "history timetable roster portal file files schedule page feed map catalogue catalog whois checker monitor "
    "dashboard entry listing table diary archive platform server account profile app queue planner software "
    "spreadsheet scan lookups diagnostics diagnosis rota scoreboard census inbox mailbox finder gateway endpoint "
    "results data wiki intranet sensor telemetry backoffice back-office pipeline scanner tracer statement "
    "repository repo cache enquiry export overview screen job task connector integration webhook locator "
    "validator forecast audit website-search bookings cmdb erp ehr lms pos wms helpdesk ticketing tracing sap"
)
"""What tells an agent how things are."""

ENTITY = words(
    "record ticket order invoice account reservation booking case claim appointment parcel package shipment entry "
    "delivery product item policy payment file document subscription flight contract application permit slot seat "
    "room table vehicle device registration transaction match result letter referral refund return prescription "
    "licence license card pass membership voucher coupon points deposit transfer transferred loan mortgage train "
    "bus ferry bag luggage suitcase order's upload form submission report build backup server incident job visit "
    "technician engineer courier rider driver item's stock part parts balance status fine penalty visa passport "
    "consent certificate reference references check test sample scan charge charges debit credit cheque invoice's "
    "plate class course place spot copy copies title book painting exhibit scarf coat jacket sofa size sizes "
    "model warranty guarantee cover coverage meter reading line connection number address request pr branch "
    "deployment domain key pension salary payslip wage leave holiday clash conflict duplicate hit debt arrears "
    "amount bill contact lead property plot flat house apartment car van truck bike bicycle lot unit units batch "
    "pallet container shift event session lesson tour ticket's date time train's trains flights runner finisher "
    "winner grade mark exam thesis essay assignment vaccination jab allergy result's ward bed operation surgery "
    "slot's cabin pitch court lane locker table's trainer doctor surgeon dentist teacher caretaker landlord "
    "supplier warehouse sender operation's login logon password token premium price rent speed project milestone "
    "sprint issue bug alert outage disruption repair replacement package's procedure complaint's parcel's"
)
"""What records tell of."""

AVAILABLE = words(
    "opening openings vacancy vacancies availability seat seats place places slot slots space spaces room rooms "
    "table tables ticket tickets spot spots capacity stock copy copies unit units appointment appointments hit "
    "hits record records entry entries match matches result results trace sign evidence mention account fund "
    "funds money upload uploads log bookings reservation reservations order orders restriction restrictions "
    "outage incident incidents conflict clash"
)
"""What there may be none of."""

STATE = words(
    "suspended expired overdrawn full available unavailable overdue paid unpaid shipped dispatched delivered "
    "delayed lost stuck pending approved rejected declined denied cancelled canceled inactive active locked "
    "blocked flagged missing outstanding empty taken covered insured eligible ineligible verified unverified due "
    "valid invalid processed occupied booked discontinued back-ordered backordered down offline unreachable "
    "up-to-date outdated granted refused incomplete complete completed low negative positive clean unclear absent "
    "gone free vacant open closed queued failing failed succeeded successful overbooked oversubscribed withdrawn "
    "revoked void voided lapsed frozen dormant deactivated disabled terminated returned received posted scheduled "
    "registered unregistered enrolled listed unlisted unsigned signed ready broken faulty damaged defective "
    "recalled late early punctual running grounded held detained seized impounded towed unopened unread "
    "undelivered stopped paused settled unsettled cleared uncleared bounced reversed refunded disputed escalated "
    "resolved finished unresolved assigned unassigned reserved sold busy away red green amber yellow unknown exhausted "
    "spent used unused redeemed maxed capped billed charged unclaimed left flat abandoned misrouted "
    "rerouted misplaced archived deleted banned barred unconfirmed confirmed waitlisted"
) | {
    "sold out", "out of", "in stock", "fully booked", "on hold", "in transit", "at customs", "on its", "out for",
    "under review", "in arrears", "past due", "in progress", "on order", "on file", "on record", "on back",
    "in underwriting",
    "under way", "on holiday", "on leave", "in storage", "on loan", "on strike", "at the", "in customs", "in process",
    "under repair", "in use", "on display", "off sick", "on time", "past its", "under maintenance", "in production",
}  # fmt: skip
"""How what is looked into may be, as one word or as the first two of a phrase."""

FOUND = words(
    "find locate trace list see match return detect discover identify store know retrieve spot register record "
    "hold show mark flag display file"
)
"""Passives that say that something is in the records, or is not."""

ABSENT = words("exist lack lapse expire arrive fail stand remain show run end fall owe hold contain match miss bounce")
"""What things do by themselves, as a lookup tells."""

BY_AGENTS = words(
    "opened closed paid processed assigned confirmed cancelled canceled registered scheduled recorded logged "
    "stored saved sent posted refunded credited booked reserved updated escalated archived deleted signed charged "
    "blocked locked verified received enrolled completed returned shipped dispatched suspended flagged filed "
    "approved rejected declined resolved settled reversed disputed held refused granted complete free open "
    "covered deactivated disabled terminated frozen listed queued redeemed withdrawn rerouted stopped paused used"
)  # fmt: skip
"""States that an agent may bring about itself."""


def is_state(participle: str, after: str) -> bool:
    """Tell whether a participle says how something is, rather than what the agent does with it."""
    if after.startswith(("as ", "against ", "under ")) and participle in (
        "shown",
        "listed",
        "marked",
        "flagged",
        "recorded",
    ):
        return True
    if participle in ("booked", "sold", "filled", "snapped", "maxed") and after.startswith(("out", "up", "solid")):
        return True
    if participle in ("taken", "left") and after and not after.startswith("by"):
        return False
    if participle in ("held", "called", "put") and after.startswith(("back", "up", "off")):
        return True
    return participle in STATE and participle not in BY_AGENTS


def is_of_the_world(noun: str) -> bool:
    """Tell whether a noun is one that records tell of."""
    one = noun.removesuffix("s")
    return (
        noun in ENTITY
        or one in ENTITY
        or noun in AVAILABLE
        or one in AVAILABLE
        or (noun.endswith("ies") and (f"{noun[:-3]}y" in ENTITY | AVAILABLE))
    )
