"""Small databases that analysts and students ask of: flights, reviews of businesses and a college.

Their names are as uneven as those met in practice, `reviews` declares no keys, and their rows tell wrong
readings apart: names occur twice, values are missing, some of everything has none of anything.
"""

from datetime import timedelta
from random import Random

from bench.questions.drawing import LAST_NAMES, NAMES, Made, a_day, one_of


def airline(random: Random) -> Made:
    cities = (
        ("BOS", "Boston", "MA", "USA"), ("NYC", "New York", "NY", "USA"), ("CHI", "Chicago", "IL", "USA"),
        ("DEN", "Denver", "CO", "USA"), ("ATL", "Atlanta", "GA", "USA"), ("DAL", "Dallas", "TX", "USA"),
        ("SFC", "San Francisco", "CA", "USA"), ("SEA", "Seattle", "WA", "USA"),
        ("PDX", "Portland", "OR", "USA"), ("PWM", "Portland", "ME", "USA"), ("BZN", "Bozeman", "MT", "USA"),
        ("YTO", "Toronto", None, "Canada"), ("YVR", "Vancouver", None, "Canada"),
    )  # fmt: skip
    airports = (
        ("BOS", "Logan International", "BOS", 19), ("JFK", "John F. Kennedy International", "NYC", 13),
        ("LGA", "LaGuardia", "NYC", 21), ("ORD", "O'Hare International", "CHI", 672),
        ("MDW", "Midway", "CHI", 620), ("DEN", "Denver International", "DEN", 5434),
        ("ATL", "Hartsfield-Jackson", "ATL", 1026), ("DFW", "Dallas/Fort Worth International", "DAL", 607),
        ("SFO", "San Francisco International", "SFC", 14), ("SEA", "Seattle-Tacoma", "SEA", 433),
        ("PDX", "Portland International", "PDX", 31), ("PWM", "Portland Jetport", "PWM", 76),
        ("YYZ", "Pearson International", "YTO", 569), ("YVR", "Vancouver International", "YVR", 12),
        ("BZN", "Yellowstone", "BZN", 4473),
    )  # fmt: skip
    aircraft = (
        ("738", "Boeing", "737-800", 160, 5400), ("772", "Boeing", "777-200", 300, 9700),
        ("320", "Airbus", "A320", 150, 6100), ("321", "Airbus", "A321", 185, 5900),
        ("E90", "Embraer", "E190", 100, 4500), ("CR9", "Bombardier", "CRJ900", 76, 2800),
        ("359", "Airbus", "A350-900", 315, 15000),
    )  # fmt: skip
    served = {"DL": 5.0, "UA": 4.0, "AA": 4.0, "B6": 2.0, "AS": 2.0, "AC": 1.0}
    hubs = {a[0]: 5.0 if a[0] in ("BOS", "DEN", "ATL", "JFK") else 2.0 for a in airports[:-1]}
    city = {a[0]: a[2] for a in airports}
    routes = [
        (f"{carrier}{n}", carrier, here, there, random.randint(60, 380))
        for n in range(101, 221)
        for carrier, here, there in [(one_of(random, served), one_of(random, hubs), one_of(random, hubs))]
        if city[here] != city[there]
    ]
    flights = []
    for i in range(1, 421):
        number, carrier, here, there, usual = random.choice(routes)
        plane, leaves = random.choice(aircraft[:-1]), random.randint(300, 1330)
        took = usual + random.randint(0, 15)
        status = one_of(random, {"landed": 12, "cancelled": 1, "diverted": 0.5})
        late = None if status == "cancelled" else random.choice((0, 0, 0, random.randint(1, 190)))
        aboard = None if status == "cancelled" else random.randint(plane[3] // 3, plane[3])
        flights.append(
            (i, number, carrier, here, there, plane[0], str(a_day(random)), _clock(leaves),
             _clock(leaves + took), took, status, late, aboard)
        )  # fmt: skip
    fares = []
    for i in range(1, 61):
        kind = one_of(random, {"economy": 6, "business": 2, "first": 1})
        cost = random.randint(4900, 49900) * {"economy": 1, "business": 3, "first": 5}[kind] / 100
        back = round(cost * random.uniform(1.4, 2), 2) if random.random() < 0.75 else None
        fares.append((i, kind, cost, back, random.choice(("yes", "no", "no"))))
    return _AIRLINE, {
        "city": cities,
        "airport": airports,
        "airline": [
            ("DL", "Delta Air Lines", 1925, "USA"), ("UA", "United Airlines", 1931, "USA"),
            ("AA", "American Airlines", 1930, "USA"), ("B6", "JetBlue Airways", 1998, "USA"),
            ("AS", "Alaska Airlines", 1932, "USA"), ("AC", "Air Canada", 1937, "Canada"),
            ("MX", "Breeze Airways", 2018, "USA"),
        ],
        "aircraft": aircraft,
        "flight": flights,
        "fare": fares,
        "flight_fare": [
            (f[0], fare) for f in flights for fare in random.sample(range(1, 58), random.randint(0, 3))
        ],
    }  # fmt: skip


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


_AIRLINE = """
CREATE TABLE city (city_code TEXT PRIMARY KEY, city_name TEXT, state_code TEXT, country_name TEXT);
CREATE TABLE airport (airport_code TEXT PRIMARY KEY, airport_name TEXT, city_code TEXT REFERENCES city,
    elevation_ft INTEGER);
CREATE TABLE airline (airline_code TEXT PRIMARY KEY, airline_name TEXT, founded INTEGER, country TEXT);
CREATE TABLE aircraft (aircraft_code TEXT PRIMARY KEY, manufacturer TEXT, model TEXT, seats INTEGER,
    range_km INTEGER);
CREATE TABLE flight (flight_id INTEGER PRIMARY KEY, flight_no TEXT, airline_code TEXT REFERENCES airline,
    from_airport TEXT REFERENCES airport, to_airport TEXT REFERENCES airport,
    aircraft_code TEXT REFERENCES aircraft, flight_date DATE, dep_time TEXT, arr_time TEXT,
    duration_min INTEGER, status TEXT, delay_min INTEGER, passengers INTEGER);
CREATE TABLE fare (fare_id INTEGER PRIMARY KEY, fare_class TEXT, one_way_cost REAL, round_trip_cost REAL,
    refundable TEXT);
CREATE TABLE flight_fare (flight_id INTEGER REFERENCES flight, fare_id INTEGER REFERENCES fare,
    PRIMARY KEY (flight_id, fare_id));
"""


def reviews(random: Random) -> Made:
    kinds = {"Cafe": 2, "Diner": 1, "Grill": 1, "Pizzeria": 3, "Barber": 5, "Gym": 6, "Books": 7}
    categories = ("Restaurants", "Coffee & Tea", "Pizza", "Bars", "Hair Salons", "Gyms", "Bookstores",
                  "Nightlife", "Dentists")  # fmt: skip
    places = (("Phoenix", "AZ"), ("Tempe", "AZ"), ("Las Vegas", "NV"), ("Madison", "WI"), ("Cleveland", "OH"),
              ("Pittsburgh", "PA"))  # fmt: skip
    businesses, belongs = [], []
    for i in range(1, 61):
        kind = random.choice(list(kinds))
        name = f"{random.choice(('Corner', 'Golden', 'Blue', 'Old Town', 'Happy', 'Lucky'))} {kind}"
        price = random.choice((None, 1, 1, 2, 2, 3, 4))
        place = random.choices(places, (6, 2, 5, 3, 2, 2))[0]
        businesses.append((f"b{i:03}", name, *place, price, int(random.random() < 0.8)))
        extra = random.sample((1, 4, 8), random.choice((0, 0, 1, 2))) if kinds[kind] < 5 else []
        belongs += [(f"b{i:03}", c) for c in sorted({kinds[kind], *extra})]
    comments = ("Great service", "Will come back", "Too noisy", "Slow service", "Lovely staff", "Overpriced",
                None)  # fmt: skip
    return _REVIEWS, {
        "business": businesses,
        "category": list(enumerate(categories, 1)),
        "business_category": belongs,
        "users": [
            (f"u{i:03}", random.choice((*NAMES, "Daniela", "Annette", "Ken", "Marta", "Raj", "Sofia")),
             str(a_day(random) - timedelta(days=1400)), random.choice((0, 0, random.randint(1, 250))))
            for i in range(1, 91)
        ],
        "review": [
            (i, f"b{random.randint(1, random.choice((20, 57))):03}", f"u{random.randint(1, 82):03}",
             int(one_of(random, {"5": 4, "4": 4, "3": 2, "2": 1, "1": 1.3})), str(a_day(random)),
             random.choice((0, 0, 1, random.randint(2, 60))), random.choice(comments))
            for i in range(1, 561)
        ],
        "tip": [
            (i, f"b{random.randint(1, 50):03}", f"u{random.randint(1, 90):03}", str(a_day(random)),
             random.choice(("Try the happy hour", "Parking is hard", "Cash only", "Go early")),
             random.choice((0, 0, 0, 1, 2, 7)))
            for i in range(1, 131)
        ],
        "checkin": [
            (f"b{b:03}", day, random.randint(1, 60))
            for b in range(1, 58)
            for day in random.sample(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), 4)
        ],
    }  # fmt: skip


_REVIEWS = """
CREATE TABLE business (business_id TEXT PRIMARY KEY, name TEXT, city TEXT, state TEXT, price_level INTEGER,
    is_open INTEGER);
CREATE TABLE category (category_id INTEGER PRIMARY KEY, category_name TEXT);
CREATE TABLE business_category (business_id TEXT, category_id INTEGER);
CREATE TABLE users (user_id TEXT PRIMARY KEY, name TEXT, member_since DATE, fans INTEGER);
CREATE TABLE review (rid INTEGER PRIMARY KEY, business_id TEXT, user_id TEXT, stars INTEGER,
    review_date DATE, useful INTEGER, comment TEXT);
CREATE TABLE tip (tip_id INTEGER PRIMARY KEY, business_id TEXT, user_id TEXT, tip_date DATE, tip_text TEXT,
    likes INTEGER);
CREATE TABLE checkin (business_id TEXT, day TEXT, cnt INTEGER);
"""


def college(random: Random) -> Made:
    departments = (
        ("BIO", "Biology", "Darwin Hall", 820000), ("CHE", "Chemistry", "Curie Hall", 640000),
        ("CSC", "Computer Science", "Turing Hall", 1250000), ("ECO", "Economics", "Market House", 910000),
        ("HIS", "History", "Old Library", 310000), ("MAT", "Mathematics", "Turing Hall", 570000),
        ("MUS", "Music", None, 150000),
    )  # fmt: skip
    subjects = {
        "BIO": ("Genetics", "Cell Biology", "Ecology"), "CHE": ("Organic Chemistry", "General Chemistry"),
        "CSC": ("Introduction to Programming", "Databases", "Operating Systems", "Machine Learning"),
        "ECO": ("Microeconomics", "Econometrics", "Introduction to Finance"),
        "HIS": ("Ancient History", "Modern Europe"),
        "MAT": ("Calculus", "Linear Algebra", "Statistics", "Number Theory"),
        "MUS": ("Harmony",),
    }  # fmt: skip
    courses = [
        (f"{dept}{100 * n + 1}", title, random.choice((2, 3, 4, 6)), dept)
        for dept, titles in subjects.items() for n, title in enumerate(titles, 1)
    ]  # fmt: skip
    ranks = (("Lecturer", 4800), ("Assistant Professor", 6100), ("Professor", 8300))
    staffed = (0, 1, 2, 3, 4, 5, 2, 5, 2)
    teachers = [
        (i, random.choice(NAMES), random.choice(LAST_NAMES), departments[staffed[i % 9]][0], rank,
         f"{random.randint(1998, 2021)}-{random.randint(1, 12):02}-01", pay * 10 + random.randint(0, 20000))
        for i in range(1, 28)
        for rank, pay in [random.choice(ranks)]
    ]  # fmt: skip
    programmes = (
        (1, "Biology", "BSc", "BIO"), (2, "Chemistry", "BSc", "CHE"), (3, "Computer Science", "BSc", "CSC"),
        (4, "Data Science", "MSc", "CSC"), (5, "Economics", "BA", "ECO"), (6, "Finance", "MSc", "ECO"),
        (7, "History", "BA", "HIS"), (8, "Mathematics", "BSc", "MAT"),
        (9, "Applied Statistics", "MSc", "MAT"),
    )  # fmt: skip
    sections, enrolments = [], []
    for i in range(1, 71):
        course = random.choice(courses[:-1])
        term, year = random.choice(("Spring", "Fall")), random.randint(2020, 2023)
        own = [t[0] for t in teachers[:21] if t[3] == course[3]] or [1]
        room = random.choice((None, "A12", "A14", "B3", "C101", "Lab 2"))
        sections.append((i, course[0], random.choice(own), term, year, room, random.randint(3, 12) * 10))
        for student in sorted(random.sample(range(1, 141), random.randint(2, 13))):
            day = f"{year}-{random.choice(('01', '02') if term == 'Spring' else ('08', '09'))}"
            grade = None if random.random() < 0.12 else min(100, max(20, round(random.gauss(72, 14))))
            enrolments.append((student, i, f"{day}-{random.randint(1, 28):02}", grade))
    return _COLLEGE, {
        "department": departments,
        "programme": programmes,
        "instructor": teachers,
        "student": [
            (i, random.choice(NAMES), random.choice(LAST_NAMES), one_of(random, {"F": 5, "M": 4}),
             str(a_day(random) - timedelta(days=8400)), random.choice(programmes[:8])[0],
             str(a_day(random) - timedelta(days=1400)),
             random.choice((None, "Lagos", "Izmir", "Split", "Porto", "Porto", "Kyoto")),
             random.choice((None, *range(1, 19))))
            for i in range(1, 151)
        ],
        "course": courses,
        "section": sections,
        "enrolment": enrolments,
        "prerequisite": [
            ("CSC201", "CSC101"), ("CSC301", "CSC101"), ("CSC401", "MAT301"), ("CSC401", "CSC101"),
            ("CSC401", "MAT201"), ("ECO201", "MAT301"), ("ECO201", "ECO101"), ("MAT201", "MAT101"),
            ("BIO101", "BIO201"), ("CHE101", "CHE201"), ("ECO301", "ECO101"),
        ],
    }  # fmt: skip


_COLLEGE = """
CREATE TABLE department (dept_id TEXT PRIMARY KEY, dept_name TEXT, building TEXT, budget INTEGER);
CREATE TABLE programme (prog_id INTEGER PRIMARY KEY, prog_name TEXT, degree TEXT,
    dept_id TEXT REFERENCES department);
CREATE TABLE instructor (instr_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT,
    dept_id TEXT REFERENCES department, position TEXT, hire_date DATE, salary INTEGER);
CREATE TABLE student (stu_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, gender TEXT,
    date_of_birth DATE, prog_id INTEGER REFERENCES programme, admitted_on DATE, home_city TEXT,
    advisor_id INTEGER REFERENCES instructor);
CREATE TABLE course (course_id TEXT PRIMARY KEY, title TEXT, credits INTEGER,
    dept_id TEXT REFERENCES department);
CREATE TABLE section (section_id INTEGER PRIMARY KEY, course_id TEXT REFERENCES course,
    instr_id INTEGER REFERENCES instructor, term TEXT, yr INTEGER, room TEXT, capacity INTEGER);
CREATE TABLE enrolment (stu_id INTEGER REFERENCES student, section_id INTEGER REFERENCES section,
    enrolled_on DATE, grade INTEGER, PRIMARY KEY (stu_id, section_id));
CREATE TABLE prerequisite (course_id TEXT REFERENCES course, prereq_id TEXT REFERENCES course,
    PRIMARY KEY (course_id, prereq_id));
"""
