"""Small databases of those who keep records: papers and who cites them, a broker's accounts, rented homes.

As those of studying.py, but put apart, as other questions are asked of them; `brokerage` declares no keys.
"""

from datetime import date, timedelta
from random import Random

from bench.questions.drawing import START, Made, Row, a_day, a_name, one_of


def library_of_papers(random: Random) -> Made:
    venues = (
        ("Journal of Applied Learning", "journal", "Elmwood"), ("Annals of Data", "journal", "Elmwood"),
        ("Letters in Genomics", "journal", "Northgate"), ("Vision Quarterly", "journal", None),
        ("Conference on Query Languages", "conference", "ACX"),
        ("Learning Systems Conference", "conference", "ACX"),
        ("Symposium on Networks", "conference", "Northgate"), ("Workshop on Small Data", "workshop", None),
        ("Archive of Negative Results", "journal", "Openleaf"),
    )  # fmt: skip
    topics = ("Neural Networks", "Query Optimization", "Genome Assembly", "Graph Mining", "Image Retrieval",
              "Data Cleaning", "Wireless Routing", "Speech Recognition")  # fmt: skip
    manners = ("A Survey of", "Towards Better", "Rethinking", "Fast", "On the Limits of", "Learning")
    endings = ("", "", " in Practice", " at Scale", " Revisited")
    keywords = ("databases", "machine learning", "genomics", "networks", "benchmark", "survey", "privacy",
                "gpu", "visualization", "ethics")  # fmt: skip
    places = (("Ridgeway University", "Leeds", "UK"), ("Institute of Informatics", "Vienna", "Austria"),
              ("Lakeside College", "Chicago", "USA"), ("Coastal University", "Lisbon", "Portugal"),
              ("Hanbit Institute", "Seoul", "South Korea"), ("University of the North", "Tromso", "Norway"),
              ("Bayside Lab", "Boston", "USA"), ("Orchard Research", "Leeds", "UK"))  # fmt: skip
    countries = {"UK": 3.0, "USA": 5.0, "Norway": 1.0, "South Korea": 2.0, "Portugal": 1.5, "Austria": 1.0}
    papers = []
    for i in range(1, 161):
        venue = random.choice((None, 1, 1, 2, 3, 4, 5, 5, 6, 6, 6, 7, 8))
        doi = f"10.55/{i:04}" if random.random() < 0.8 else None
        title = f"{random.choice(manners)} {random.choice(topics)}{random.choice(endings)}"
        day = a_day(random, 2400) - timedelta(days=1000)
        papers.append((i, title, venue, str(day), random.randint(4, 38), doi))
    cited = sorted({
        (a[0], b[0])
        for a in papers for b in random.choices(papers[:145], k=random.randint(0, 9)) if b[3] < a[3]
    })  # fmt: skip
    return _PAPERS, {
        "author": [
            (i, a_name(random), None if random.random() < 0.1 else one_of(random, countries),
             random.randint(1, 45))
            for i in range(1, 71)
        ],
        "institution": [(f"I{i:02}", *p) for i, p in enumerate(places, 1)],
        "affiliation": [
            (i, f"I{n:02}", random.randint(2005, 2021))
            for i in range(1, 67) for n in sorted(random.sample(range(1, 8), random.choice((1, 1, 1, 2))))
        ],
        "venue": [(i, *v) for i, v in enumerate(venues, 1)],
        "paper": papers,
        "writes": [
            (author, p[0], n)
            for p in papers for n, author in enumerate(random.sample(range(1, 65), random.randint(1, 5)), 1)
        ],
        "keyword": list(enumerate(keywords, 1)),
        "paper_kw": [
            (p[0], k)
            for p in papers for k in sorted(random.sample(range(1, 10), random.choice((0, 1, 2, 2, 3))))
        ],
        "citation": cited,
    }  # fmt: skip


_PAPERS = """
CREATE TABLE author (author_id INTEGER PRIMARY KEY, full_name TEXT, country TEXT, h_index INTEGER);
CREATE TABLE institution (inst_id TEXT PRIMARY KEY, inst_name TEXT, city TEXT, country TEXT);
CREATE TABLE affiliation (author_id INTEGER REFERENCES author, inst_id TEXT REFERENCES institution,
    since_year INTEGER, PRIMARY KEY (author_id, inst_id));
CREATE TABLE venue (venue_id INTEGER PRIMARY KEY, venue_name TEXT, venue_type TEXT, publisher TEXT);
CREATE TABLE paper (paper_id INTEGER PRIMARY KEY, title TEXT, venue_id INTEGER REFERENCES venue,
    pub_date DATE, n_pages INTEGER, doi TEXT);
CREATE TABLE writes (author_id INTEGER REFERENCES author, paper_id INTEGER REFERENCES paper,
    author_position INTEGER, PRIMARY KEY (author_id, paper_id));
CREATE TABLE keyword (kw_id INTEGER PRIMARY KEY, kw TEXT);
CREATE TABLE paper_kw (paper_id INTEGER REFERENCES paper, kw_id INTEGER REFERENCES keyword,
    PRIMARY KEY (paper_id, kw_id));
CREATE TABLE citation (citing_paper INTEGER REFERENCES paper, cited_paper INTEGER REFERENCES paper,
    PRIMARY KEY (citing_paper, cited_paper));
"""


def brokerage(random: Random) -> Made:
    companies = (
        ("ACRN", "Acorn Foods", "Consumer", "NYSE", 1988), ("BRGT", "Brightwell", "Energy", "NYSE", 1979),
        ("CLDX", "Cloudex", "Technology", "NASDAQ", 2014), ("DYNA", "Dynamo", "Consumer", "NASDAQ", 2010),
        ("ELMR", "Elmer Pharma", "Health", "NYSE", 1995), ("FNTX", "Fintrix", "Financials", "NASDAQ", 2018),
        ("GRNH", "Greenhill", "Financials", "NYSE", 1972), ("HLIX", "Helix", "Health", "NASDAQ", 2006),
        ("INFR", "Infrared", "Technology", "NASDAQ", 2001), ("JUNO", "Juno Solar", "Energy", "NASDAQ", 2015),
        ("KITE", "Kite Foods", "Consumer", "NYSE", 2019), ("LUMN", "Lumen Bank", "Financials", "NYSE", 1999),
    )  # fmt: skip
    cities = (("London", "UK"), ("Leeds", "UK"), ("Dublin", "Ireland"), ("Zurich", "Switzerland"),
              ("Geneva", "Switzerland"), ("Oslo", "Norway"))  # fmt: skip
    usual = {c[0]: random.uniform(12, 240) for c in companies}
    accounts = []
    for i in range(1, 121):
        opened = a_day(random, 900)
        closed = str(opened + timedelta(days=random.randint(90, 480))) if random.random() < 0.15 else None
        kind = one_of(random, {"cash": 5, "margin": 3, "retirement": 2})
        held = 0 if closed else round(random.uniform(-6000, 60000), 2)
        accounts.append((10000 + i, f"C{random.randint(1, 74):03}", kind, str(opened), closed, held))
    trades = []
    for i in range(1, 601):
        ticker, kind = random.choice(companies[:-1])[0], one_of(random, {"B": 6, "S": 4, "D": 1.2})
        price = round(usual[ticker] * (0.03 if kind == "D" else random.uniform(0.6, 1.5)), 2)
        fee = 0.0 if kind == "D" else round(random.uniform(1, 25), 2)
        account = 10000 + random.randint(1, 110)
        trades.append((i, account, ticker, kind, random.randint(1, 90), price, fee, str(a_day(random))))
    prices, days = [], [date(2023, 1, 2) + timedelta(days=d) for d in range(65)]
    for c in companies:
        last = usual[c[0]]
        for day in (d for d in days if d.weekday() < 5):
            first, last = last, last * random.uniform(0.965, 1.038)
            prices.append((c[0], str(day), round(first, 2), round(last, 2), random.randint(2000, 90000)))
    return _BROKERAGE, {
        "cust": [
            (f"C{i:03}", a_name(random), *random.choice(cities), str(a_day(random) - timedelta(days=1400)),
             f"c{i}@mail.example" if random.random() < 0.8 else None,
             one_of(random, {"cautious": 3, "balanced": 5, "adventurous": 2}))
            for i in range(1, 81)
        ],
        "account": accounts,
        "instrument": companies,
        "txn_type": [("B", "buy"), ("S", "sell"), ("D", "dividend"), ("T", "transfer")],
        "txn": trades,
        "daily_price": prices,
        "watchlist": [
            (f"C{i:03}", ticker, str(a_day(random)))
            for i in range(1, 81) for ticker in random.sample(list(usual), random.choice((0, 1, 2, 3)))
        ],
    }  # fmt: skip


_BROKERAGE = """
CREATE TABLE cust (cust_id TEXT PRIMARY KEY, cust_name TEXT, city TEXT, country TEXT, joined DATE, email TEXT,
    risk_profile TEXT);
CREATE TABLE account (acct_no INTEGER PRIMARY KEY, cust_id TEXT, acct_type TEXT, opened_on DATE,
    closed_on DATE, balance REAL);
CREATE TABLE instrument (ticker TEXT PRIMARY KEY, company TEXT, sector TEXT, exchange TEXT, ipo_year INTEGER);
CREATE TABLE txn_type (type_code TEXT PRIMARY KEY, type_name TEXT);
CREATE TABLE txn (txn_id INTEGER PRIMARY KEY, acct_no INTEGER, ticker TEXT, type_code TEXT, shares INTEGER,
    unit_price REAL, fee REAL, txn_date DATE);
CREATE TABLE daily_price (ticker TEXT, price_date DATE, open_price REAL, close_price REAL, volume INTEGER);
CREATE TABLE watchlist (cust_id TEXT, ticker TEXT, added_on DATE);
"""


def rentals(random: Random) -> Made:
    cities = {"Austin": 5.0, "Houston": 4.0, "San Antonio": 3.0, "El Paso": 1.5, "Waco": 1.0}
    streets = ("Oak St", "Elm St", "River Rd", "Hill Ave", "Mesa Dr", "Park Ln", "Cedar Ct")
    kinds = {"apartment": (1, 2, 2, 3), "house": (2, 3, 4, 5), "studio": (0,), "loft": (1, 2)}
    properties, requests = [], []
    leases: list[Row] = []
    payments: list[Row] = []
    for i in range(1, 56):
        kind = random.choice(("apartment", "apartment", "house", "studio", "loft"))
        rooms = random.choice(kinds[kind])
        size = None if random.random() < 0.12 else 320 + 310 * rooms + random.randint(0, 240)
        address = f"{random.randint(1, 99)} {random.choice(streets)}"
        city, owner = one_of(random, cities), random.randint(1, 26)
        properties.append((f"P{i:02}", owner, address, city, kind, rooms, size))
        rent = 450 + 330 * rooms + random.randint(0, 60) * 10
        start = START + timedelta(days=random.randint(0, 300))
        while i <= 50 and start < date(2023, 9, 1):
            end = start + timedelta(days=random.choice((181, 364, 364, 729)))
            deposit = random.choice((None, rent, rent, 2 * rent))
            leases.append((len(leases) + 1, f"P{i:02}", str(start), str(end), rent, deposit))
            for month in sorted(random.sample(range(6), random.randint(2, 5))):
                due = start + timedelta(days=30 * month)
                late = random.choice((0, 0, 0, 2, random.randint(1, 40)))
                paid = str(due + timedelta(days=late)) if random.random() < 0.93 else None
                method = one_of(random, {"bank transfer": 6, "card": 3, "check": 1.5}) if paid else None
                part = rent if random.random() < 0.85 else rent - random.randint(5, 30) * 10
                payments.append(
                    (len(payments) + 1, len(leases), str(due), paid, part if paid else None, method)
                )
            rent, start = rent + random.randint(-2, 9) * 10, end + timedelta(days=random.randint(1, 150))
    employers = (None, "Lone Star Bank", "City Hospital", "Mesa Schools", "Self-employed")
    for i in range(1, 171):
        held, opened = random.randint(1, 52), a_day(random)
        done = str(opened + timedelta(days=random.randint(0, 45))) if random.random() < 0.82 else None
        cost = round(random.uniform(30, 1400), 2) if done and random.random() < 0.9 else None
        trade = one_of(random, {"plumbing": 4, "electrical": 3, "heating": 2, "pests": 1, "locks": 1})
        fixer = random.choice((1, 2, 3, 4, 5, 6)) if done else None
        urgency = one_of(random, {"low": 3, "medium": 4, "high": 2})
        requests.append((i, f"P{held:02}", fixer, trade, urgency, str(opened), done, cost))
    return _RENTALS, {
        "owner": [
            (i, a_name(random), f"555-{random.randint(1000, 9999)}" if random.random() < 0.75 else None,
             one_of(random, cities))
            for i in range(1, 31)
        ],
        "property": properties,
        "tenant": [
            (i, *a_name(random).split(), random.choice(employers),
             str(date(1955 + i % 48, 1 + i % 12, 1 + i % 27)))
            for i in range(1, 131)
        ],
        "lease": leases,
        "lease_tenant": [
            (lease[0], t)
            for lease in leases for t in sorted(random.sample(range(1, 121), random.choice((1, 1, 2, 3))))
        ],
        "payment": payments,
        "contractor": [
            (1, "Drip & Sons"), (2, "Bright Sparks"), (3, "Warm Home Co"), (4, "Allround Repairs"),
            (5, "Gulf Plumbing"), (6, "Keymasters"), (7, "Texan Roofers"),
        ],
        "maint_request": requests,
    }  # fmt: skip


_RENTALS = """
CREATE TABLE owner (owner_id INTEGER PRIMARY KEY, owner_name TEXT, phone TEXT, home_city TEXT);
CREATE TABLE property (prop_id TEXT PRIMARY KEY, owner_id INTEGER REFERENCES owner, address TEXT, city TEXT,
    prop_type TEXT, bedrooms INTEGER, sq_ft INTEGER);
CREATE TABLE tenant (tenant_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, employer TEXT,
    birth_date DATE);
CREATE TABLE lease (lease_id INTEGER PRIMARY KEY, prop_id TEXT REFERENCES property, start_date DATE,
    end_date DATE, monthly_rent INTEGER, deposit INTEGER);
CREATE TABLE lease_tenant (lease_id INTEGER REFERENCES lease, tenant_id INTEGER REFERENCES tenant,
    PRIMARY KEY (lease_id, tenant_id));
CREATE TABLE payment (pay_id INTEGER PRIMARY KEY, lease_id INTEGER REFERENCES lease, due_on DATE,
    paid_on DATE, amt INTEGER, method TEXT);
CREATE TABLE contractor (contractor_id INTEGER PRIMARY KEY, company_name TEXT);
CREATE TABLE maint_request (req_id INTEGER PRIMARY KEY, prop_id TEXT REFERENCES property,
    contractor_id INTEGER REFERENCES contractor, category TEXT, urgency TEXT, reported_on DATE,
    resolved_on DATE, cost REAL);
"""
