"""Small databases of those who pay: a group of car dealers and a wallet on mobile phones.

As those of visiting.py; `wallet` declares no keys.
"""

from datetime import date, timedelta
from random import Random

from bench.questions.drawing import LAST_NAMES, NAMES, START, Made, Row, a_day, a_name, one_of

FOUR_YEARS = 1460


def dealership(random: Random) -> Made:
    branches = (
        (1, "Northside Motors", "Leeds", "North", 1994), (2, "Riverside Cars", "York", "North", 2001),
        (3, "Castle Autos", "Nottingham", "Midlands", 1988), (4, "Gateway Motors", "Derby", "Midlands", 2010),
        (5, "Harbour Cars", "Bristol", "South", 2006), (6, "Downs Autos", "Brighton", "South", 2015),
        (7, "Capital Motors", "London", "South", 1979), (8, "Wharf Electric", "London", "South", 2023),
    )  # fmt: skip
    models = (
        ("Ford", "Fiesta", "hatchback", "petrol", 17500), ("Ford", "Focus", "hatchback", "diesel", 23900),
        ("Ford", "Kuga", "SUV", "hybrid", 32400), ("Toyota", "Yaris", "hatchback", "hybrid", 21200),
        ("Toyota", "Corolla", "estate", "hybrid", 29800), ("Toyota", "RAV4", "SUV", "hybrid", 37900),
        ("Volkswagen", "Golf", "hatchback", "petrol", 26800),
        ("Volkswagen", "Passat", "estate", "diesel", 34100),
        ("Volkswagen", "ID.3", "hatchback", "electric", 36300), ("BMW", "320d", "saloon", "diesel", 42700),
        ("BMW", "i4", "saloon", "electric", 52600), ("BMW", "X3", "SUV", "petrol", 48900),
        ("Kia", "Niro", "SUV", "electric", 37200), ("Kia", "Picanto", "hatchback", "petrol", 14100),
        ("Kia", "Sportage", "SUV", "hybrid", 33600), ("Volvo", "V60", "estate", "petrol", 39500),
        ("Volvo", "XC40", "SUV", "electric", 46800),
    )  # fmt: skip
    extras = (("TOW", "Tow bar", 650), ("ROOF", "Panoramic roof", 1200), ("HEAT", "Heated seats", 380),
              ("NAV", "Navigation", 720), ("WARR", "Extended warranty", 900), ("MATS", "Floor mats", 75),
              ("WRAP", "Paint wrap", 1500))  # fmt: skip
    staff: list[Row] = []
    for i in range(1, 46):
        joined = date(2012, 1, 1) + timedelta(days=random.randint(0, 3900))
        left = min(max(joined, START) + timedelta(days=random.randint(200, 1300)), date(2023, 12, 15))
        gone = str(left) if random.random() < 0.2 else None
        where = (i - 1) % 7 + 1
        staff.append(
            (500 + i, random.choice(NAMES), random.choice(LAST_NAMES), where, str(joined), gone,
             random.randint(190, 340) * 100, 500 + where if i > 7 else None)
        )  # fmt: skip
    cars: list[Row] = []
    sales: list[Row] = []
    payments: list[Row] = []
    added: list[Row] = []
    for i in range(1, 261):
        number, new = random.randint(1, len(models)), random.random() < 0.45
        arrived, branch = a_day(random, FOUR_YEARS - 60), random.choice((1, 1, 2, 3, 3, 4, 5, 6, 7, 7, 7))
        age = 0 if new else random.randint(1, 9)
        price = round(models[number - 1][4] * 0.87**age * random.uniform(0.95, 1.1) / 50) * 50
        vin = f"WV{random.randint(10**6, 10**7 - 1)}{i:03}"
        miles = random.randint(3, 60) if new else age * random.randint(3000, 12000)
        paint = one_of(random, {"black": 4, "white": 4, "silver": 3, "blue": 2, "red": 2, "green": 0.5})
        cars.append(
            (vin, number, branch, paint, arrived.year - age, miles, "N" if new else "U", price, str(arrived))
        )
        sold = arrived + timedelta(days=random.randint(2, 120))
        if random.random() > 0.72 or sold > date(2023, 12, 31):
            continue
        here = [s[0] for s in staff[:42] if s[3] == branch and s[4] <= str(sold) < (s[5] or "2024")]
        off = random.choice((0, 0, 0, random.randint(1, 8) * 100, random.randint(1, 25) * 100))
        means = one_of(random, {"cash": 3, "loan": 5, "lease": 2})
        sale = 9000 + len(sales) + 1
        sales.append(
            (
                sale,
                vin,
                random.randint(1, 112),
                random.choice(here or [500 + branch]),
                str(sold),
                price - off,
                off,
                means,
            )
        )
        added += [(sale, e[0]) for e in sorted(random.sample(extras[:-1], random.choice((0, 0, 1, 1, 2, 3))))]
        parts = 1 if means == "cash" else random.randint(2, 4)
        for part in range(parts):
            due = sold + timedelta(days=30 * part)
            paid = due + timedelta(days=random.choice((0, 0, 0, 1, random.randint(2, 40))))
            by = one_of(random, {"bank transfer": 5, "card": 3, "cheque": 1, "cash": 0.7})
            if random.random() < 0.93:
                amount = round((price - off) / parts, 2)
                payments.append((len(payments) + 1, sale, str(due), str(paid), amount, by))
            else:
                payments.append(
                    (len(payments) + 1, sale, str(due), None, round((price - off) / parts, 2), None)
                )
    towns = {"Leeds": 4.0, "York": 2.0, "Nottingham": 3.0, "Derby": 2.0, "Brighton": 1.0, "London": 5.0}
    return _DEALERSHIP, {
        "branch": branches,
        "salesperson": staff,
        "car_model": [(i, *m) for i, m in enumerate(models, 1)],
        "car": cars,
        "customer": [
            (i, a_name(random) if kind == "P" else f"{random.choice(LAST_NAMES)} Group {i}", kind,
             one_of(random, towns), f"c{i}@post.example" if random.random() < 0.7 else None,
             str(a_day(random, FOUR_YEARS) - timedelta(days=1400)))
            for i in range(1, 126) for kind in [one_of(random, {"P": 4, "C": 1})]
        ],
        "sale": sales,
        "payment": payments,
        "extra": extras,
        "sale_extra": added,
    }  # fmt: skip


_DEALERSHIP = """
CREATE TABLE branch (branch_id INTEGER PRIMARY KEY, branch_name TEXT, town TEXT, region TEXT,
    opened_year INTEGER);
CREATE TABLE salesperson (emp_no INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT,
    branch_id INTEGER REFERENCES branch, hired_on DATE, left_on DATE, base_salary INTEGER,
    manager_no INTEGER REFERENCES salesperson);
CREATE TABLE car_model (model_id INTEGER PRIMARY KEY, make TEXT, model_name TEXT, body_type TEXT, fuel TEXT,
    list_price INTEGER);
CREATE TABLE car (vin TEXT PRIMARY KEY, model_id INTEGER REFERENCES car_model,
    branch_id INTEGER REFERENCES branch, colour TEXT, model_year INTEGER, mileage INTEGER, new_used TEXT,
    asking_price INTEGER, arrived_on DATE);
CREATE TABLE customer (cust_no INTEGER PRIMARY KEY, cust_name TEXT, cust_type TEXT, town TEXT, email TEXT,
    customer_since DATE);
CREATE TABLE sale (sale_no INTEGER PRIMARY KEY, vin TEXT REFERENCES car, cust_no INTEGER REFERENCES customer,
    emp_no INTEGER REFERENCES salesperson, sale_dt DATE, sale_price INTEGER, discount INTEGER,
    finance_type TEXT);
CREATE TABLE payment (pmt_id INTEGER PRIMARY KEY, sale_no INTEGER REFERENCES sale, due_dt DATE, paid_dt DATE,
    amt REAL, pmt_method TEXT);
CREATE TABLE extra (extra_cd TEXT PRIMARY KEY, extra_name TEXT, price INTEGER);
CREATE TABLE sale_extra (sale_no INTEGER REFERENCES sale, extra_cd TEXT REFERENCES extra,
    PRIMARY KEY (sale_no, extra_cd));
"""


def wallet(random: Random) -> Made:
    sorts = (
        ("5411", "Groceries"), ("5812", "Restaurants"), ("4121", "Taxis"), ("5732", "Electronics"),
        ("5651", "Clothing"), ("7832", "Cinemas"), ("5912", "Pharmacies"), ("4900", "Utilities"),
    )  # fmt: skip
    firsts = ("Blue", "Happy", "Metro", "Green", "Royal", "Quick")
    lasts = ("Market", "Kitchen", "Cabs", "Digital", "Fashion", "Screens", "Care")
    merchants = [
        (f"M{i:03}", f"{random.choice(firsts)} {lasts[i % 7]}", sorts[i % 7][0],
         random.choice(("Nairobi", "Nairobi", "Mombasa", "Kampala", "Kigali", "Accra")),
         str(a_day(random, 900)), int(random.random() < 0.88))
        for i in range(1, 53)
    ]  # fmt: skip
    users: list[Row] = []
    countries = {"Kenya": 6.0, "Uganda": 3.0, "Rwanda": 2.0, "Ghana": 1.5}
    for i in range(1, 131):
        state = one_of(random, {"active": 8, "blocked": 1, "closed": 1})
        level = int(one_of(random, {"0": 2, "1": 4, "2": 3}))
        by = random.randint(1, i - 1) if i > 5 and random.random() < 0.35 else None
        phone = f"+2547{random.randint(10**7, 10**8 - 1)}"
        joined = f"{a_day(random, 1300) - timedelta(days=500)} {_clock(random)}"
        users.append((i, a_name(random), phone, one_of(random, countries), level, joined, by, state))
    coupons: list[Row] = []
    for i in range(1, 51):
        start = START + timedelta(days=random.randint(30, 1350))
        owner = f"M{random.randint(1, 40):03}" if random.random() < 0.75 else None
        code = f"{random.choice(('SAVE', 'HELLO', 'WEEKEND', 'PAY'))}{i}"
        least = random.choice((None, None, 10, 20, 50))
        end = str(start + timedelta(days=random.choice((14, 30, 60, 90))))
        coupons.append((i, code, owner, random.choice((5, 10, 10, 15, 20, 30)), least, str(start), end))
    claims: list[Row] = []
    for who in range(1, 121):
        for number in sorted(random.sample(range(1, 47), random.choice((0, 1, 1, 2, 3, 4)))):
            day = date.fromisoformat(coupons[number - 1][5]) + timedelta(days=random.randint(0, 6))
            used = (
                f"{day + timedelta(days=random.randint(1, 8))} {_clock(random)}"
                if random.random() < 0.55
                else None
            )
            claims.append((who, number, f"{day} {_clock(random)}", used))
    moved: list[Row] = []
    for i in range(1, 401):
        sender, shop = random.randint(1, random.choice((40, 115))), random.random() < 0.55
        other = random.choice([u for u in range(1, 125) if u != sender])
        amount = round(random.lognormvariate(3.2, 0.9), 2)
        fee = 0.0 if shop else round(max(0.1, amount * 0.01), 2)
        state = one_of(random, {"SUCCESS": 10, "FAILED": 1.2, "REVERSED": 0.6})
        to = (None, f"M{random.randint(1, 47):03}") if shop else (other, None)
        note = random.choice((None, None, "rent", "lunch", "thanks", "bill"))
        at = f"{a_day(random, FOUR_YEARS)} {_clock(random)}"
        moved.append((i, sender, *to, amount, fee, state, at, note))
    told: list[Row] = []
    for i in range(1, 381):
        day = a_day(random, FOUR_YEARS)
        seen = (
            f"{day + timedelta(days=random.randint(1, 4))} {_clock(random)}"
            if random.random() < 0.6
            else None
        )
        channel = one_of(random, {"push": 6, "sms": 3, "email": 2})
        topic = one_of(random, {"payment received": 4, "promotion": 4, "low balance": 2, "security": 1})
        told.append((i, random.randint(1, 126), channel, topic, f"{day} {_clock(random)}", seen))
    return _WALLET, {
        "usr": users,
        "mcc": sorts,
        "merchant": merchants,
        "transfer": moved,
        "balance": [
            (u, ccy, round(random.choice((0, random.uniform(0, 90), random.uniform(20, 2500))), 2),
             str(a_day(random, FOUR_YEARS)))
            for u in range(1, 126)
            for ccy in random.sample(("USD", "KES", "EUR"), random.choice((1, 1, 1, 2, 3)))
        ],
        "coupon": coupons,
        "usr_coupon": claims,
        "notif": told,
    }  # fmt: skip


def _clock(random: Random) -> str:
    return f"{random.randint(6, 23):02}:{random.randint(0, 59):02}:{random.randint(0, 59):02}"


_WALLET = """
CREATE TABLE usr (uid INTEGER PRIMARY KEY, full_name TEXT, phone TEXT, country TEXT, kyc_level INTEGER,
    joined_at TEXT, referred_by INTEGER, acct_status TEXT);
CREATE TABLE mcc (mcc TEXT PRIMARY KEY, mcc_desc TEXT);
CREATE TABLE merchant (mid TEXT PRIMARY KEY, m_name TEXT, mcc TEXT, city TEXT, onboarded_on TEXT,
    is_active INTEGER);
CREATE TABLE transfer (tr_id INTEGER PRIMARY KEY, from_uid INTEGER, to_uid INTEGER, to_mid TEXT, amt REAL,
    fee REAL, tr_status TEXT, created_at TEXT, note TEXT);
CREATE TABLE balance (uid INTEGER, ccy TEXT, amt REAL, updated_on TEXT, PRIMARY KEY (uid, ccy));
CREATE TABLE coupon (coupon_id INTEGER PRIMARY KEY, code TEXT, mid TEXT, discount_pct INTEGER,
    min_spend INTEGER, valid_from TEXT, valid_to TEXT);
CREATE TABLE usr_coupon (uid INTEGER, coupon_id INTEGER, claimed_at TEXT, redeemed_at TEXT);
CREATE TABLE notif (notif_id INTEGER PRIMARY KEY, uid INTEGER, channel TEXT, topic TEXT, sent_at TEXT,
    read_at TEXT);
"""
