"""Small databases of businesses: a trader in foods, a service that rents films, hotels, a bookstore.

Their rows tell wrong readings apart: some order nothing, one orders most, prices differ from those paid.
"""

from datetime import timedelta
from random import Random

from bench.questions.drawing import LAST_NAMES, NAMES, Made, a_day, a_name


def trade(random: Random) -> Made:
    cities = (
        ("Berlin", "Germany"),
        ("Hamburg", "Germany"),
        ("Paris", "France"),
        ("Lyon", "France"),
        ("Madrid", "Spain"),
        ("Oslo", "Norway"),
        ("Lima", "Peru"),
    )
    companies = (
        "Blue Kettle",
        "Cafe Mozart",
        "Old Mill",
        "Northern Light",
        "Casa Verde",
        "Tres Hermanos",
        "La Table",
        "Drei Linden",
        "Kontor Nord",
        "Spice Route",
        "Green Door",
        "Harbor House",
    )
    goods = {"Tea": ("Assam", "Darjeeling", "Sencha"), "Coffee": ("Arabica", "Robusta", "Mocha Blend"),
             "Spices": ("Saffron", "Cinnamon", "Cardamom"), "Chocolate": ("Dark Bar", "Milk Bar", "Truffles"),
             "Nuts": ("Almonds", "Walnuts")}  # fmt: skip
    products = [
        (name, random.randint(1, 4), category, round(random.uniform(2, 60), 2),
         random.choice((0, 0, 5, 12, 40, 80)), round(random.uniform(0.1, 5), 1))
        for category, names in enumerate(goods.values(), 1) for name in names
    ]  # fmt: skip
    orders, lines = [], []
    for i in range(1, 201):
        day, customer = a_day(random), random.randint(1, 11)
        to = cities[customer % 7] if random.random() < 0.8 else random.choice(cities)
        shipped = str(day + timedelta(days=random.randint(1, 30))) if random.random() < 0.93 else None
        orders.append(
            (i, customer, random.choice((2, 2, 3, 3, 4, 4, 4, 5, 6)), str(day), shipped,
             random.randint(1, 3), round(random.uniform(3, 200), 2), *to)
        )  # fmt: skip
        lines += [
            (i, p, round(products[p - 1][3] * random.choice((1, 1, 0.9)), 2), random.randint(1, 40))
            for p in random.sample(range(1, len(products)), random.randint(1, 4))
        ]
    return _TRADE, {
        "categories": list(enumerate(goods, 1)),
        "suppliers": [(1, "Alpen Import", "Austria"), (2, "Java Growers", "Indonesia"),
                      (3, "Lisboa Trading", "Portugal"), (4, "Oaxaca Foods", "Mexico")],
        "products": [(i, *p) for i, p in enumerate(products, 1)],
        "customers": [(i, c, a_name(random), *cities[i % 7]) for i, c in enumerate(companies, 1)],
        "employees": [
            (1, "Maria", "Keller", "President", "2010-04-01", None),
            (2, "Tom", "Archer", "Sales Manager", "2012-06-11", 1),
            (3, "Nina", "Fox", "Sales Representative", "2014-02-03", 2),
            (4, "Omar", "Said", "Sales Representative", "2015-09-21", 2),
            (5, "Paula", "Diaz", "Sales Representative", "2017-01-16", 2),
            (6, "Rolf", "Meier", "Purchasing Manager", "2013-10-07", 1),
            (7, "Sara", "Lind", "Buyer", "2018-05-02", 6),
        ],
        "shippers": [(1, "Speedline"), (2, "Overland"), (3, "Seabird")],
        "orders": orders,
        "order_details": lines,
    }  # fmt: skip


_TRADE = """
CREATE TABLE categories (category_id INTEGER PRIMARY KEY, category_name TEXT);
CREATE TABLE suppliers (supplier_id INTEGER PRIMARY KEY, company_name TEXT, country TEXT);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name TEXT,
    supplier_id INTEGER REFERENCES suppliers, category_id INTEGER REFERENCES categories, unit_price REAL,
    units_in_stock INTEGER, weight_kg REAL);
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, company_name TEXT, contact_name TEXT, city TEXT,
    country TEXT);
CREATE TABLE employees (employee_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, title TEXT,
    hire_date DATE, reports_to INTEGER REFERENCES employees);
CREATE TABLE shippers (shipper_id INTEGER PRIMARY KEY, shipper_name TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers,
    employee_id INTEGER REFERENCES employees, order_date DATE, shipped_date DATE,
    shipper_id INTEGER REFERENCES shippers, freight REAL, ship_city TEXT, ship_country TEXT);
CREATE TABLE order_details (order_id INTEGER REFERENCES orders, product_id INTEGER REFERENCES products,
    unit_price REAL, quantity INTEGER, PRIMARY KEY (order_id, product_id));
"""


def media(random: Random) -> Made:
    genres = ("Drama", "Comedy", "Thriller", "Documentary")
    members = ("Ada Byrne", "Ben Cole", "Cy Dunn", "Di Estes", "Ed Frost", "Flo Gray", "Gus Hahn",
               "Hal Ives", "Ivy Jett", "Joy Kerr", "Ken Lowe", "Liz Mohr")  # fmt: skip
    return _MEDIA, {
        "directors": [(1, "Agnes Hale", "France"), (2, "Bruno Tate", "Italy"), (3, "Chen Li", "China"),
                      (4, "Dita Moss", "France")],
        "films": [
            (i, f"Story {i}", random.randint(1, 4), random.randint(1990, 2022), random.randint(70, 210),
             random.choice(genres))
            for i in range(1, 31)
        ],
        "clips": [
            (i, f"Clip {i}", random.randint(1, 28), random.randint(20_000, 900_000),
             random.randint(100_000, 50_000_000))
            for i in range(1, 121)
        ],
        "members": [
            (i, n, random.choice(("Porto", "Lisbon", "Faro")), str(a_day(random)))
            for i, n in enumerate(members, 1)
        ],
        "payments": [
            (i, random.randint(1, 11), str(a_day(random)), round(random.uniform(5, 90), 2),
             random.choice(("card", "cash")))
            for i in range(1, 151)
        ],
        "views": [
            (i, random.randint(1, 11), random.randint(1, 118), random.randint(5, 900)) for i in range(1, 301)
        ],
    }  # fmt: skip


_MEDIA = """
CREATE TABLE directors (director_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE films (film_id INTEGER PRIMARY KEY, title TEXT, director_id INTEGER REFERENCES directors,
    release_year INTEGER, length_minutes INTEGER, genre TEXT);
CREATE TABLE clips (clip_id INTEGER PRIMARY KEY, clip_name TEXT, film_id INTEGER REFERENCES films,
    duration_ms INTEGER, size_bytes INTEGER);
CREATE TABLE members (member_id INTEGER PRIMARY KEY, full_name TEXT, city TEXT, joined_on DATE);
CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members, paid_on DATE,
    amount REAL, method TEXT);
CREATE TABLE views (view_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members,
    clip_id INTEGER REFERENCES clips, seconds_watched INTEGER);
"""


def hotel(random: Random) -> Made:
    guests = [f"{a_name(random)} {i}" for i in range(2, 31)]
    return _HOTEL, {
        "hotel": [(1, "Grand Plaza", "Vienna", 5), (2, "Sea Breeze", "Split", 4),
                  (3, "City Inn", "Vienna", 3), (4, "Old Bridge", "Prague", 4)],
        "room": [
            (i, random.choice((1, 2, 2, 3, 4, 4)), random.choice(("single", "double", "suite")),
             random.randint(50, 300))
            for i in range(1, 41)
        ],
        "guest": [
            (i, n, random.choice(("Czech", "French", "Italian", "Croatian")))
            for i, n in enumerate(("Eva Novak", *guests), 1)
        ],
        "booking": [
            (i, random.choice((1, 1, 2, 3, *range(4, 29))), random.randint(1, 38), str(a_day(random)),
             random.randint(1, 9), round(random.uniform(60, 2000), 2),
             random.choice(("web", "phone", "agency")))
            for i in range(1, 251)
        ],
        "staff": [
            (1, "Petra Kos", "General Manager", 1, None), (2, "Ivan Babic", "Front Desk Manager", 1, 1),
            (3, "Sara Lim", "Receptionist", 1, 2), (4, "Tin Juric", "Receptionist", 2, 2),
            (5, "Lea Weber", "Chef", 3, 1),
        ],
    }  # fmt: skip


_HOTEL = """
CREATE TABLE hotel (hotel_id INTEGER PRIMARY KEY, hotel_name TEXT, city TEXT, stars INTEGER);
CREATE TABLE room (room_id INTEGER PRIMARY KEY, hotel_id INTEGER REFERENCES hotel, room_type TEXT,
    price_per_night REAL);
CREATE TABLE guest (guest_id INTEGER PRIMARY KEY, full_name TEXT, nationality TEXT);
CREATE TABLE booking (booking_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest,
    room_id INTEGER REFERENCES room, check_in DATE, nights INTEGER, total_price REAL, channel TEXT);
CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, staff_name TEXT, job TEXT,
    hotel_id INTEGER REFERENCES hotel, manager_id INTEGER REFERENCES staff);
"""


def bookstore(random: Random) -> Made:
    first, second = ("Silent", "Golden", "Broken", "Distant"), ("River", "Mirror", "Garden", "Tower")
    return _BOOKSTORE, {
        "Author": [(1, "Ursula Kent", "USA"), (2, "Milo Brandt", "Germany"), (3, "Aya Sato", "Japan"),
                   (4, "Per Lund", "Denmark")],
        "Publisher": [(1, "North Press"), (2, "Lantern Books")],
        "Book": [
            (i, f"{random.choice(first)} {random.choice(second)} {i}", random.randint(1, 4),
             random.randint(1, 2), random.choice(("Mystery", "Romance", "Poetry")), random.randint(90, 700),
             random.randint(8, 40), random.randint(150, 1400))
            for i in range(1, 26)
        ],
        "Client": [
            (i, random.choice(NAMES), f"{random.choice(LAST_NAMES)}{i}",
             random.choice(("Bristol", "Bath", "Exeter")), f"c{i}@x.org")
            for i in range(1, 21)
        ],
        "Purchase": [
            (i, random.choice((1, 1, 1, *range(2, 19))), str(a_day(random)),
             random.choice(("Online", "Main Street")))
            for i in range(1, 161)
        ],
        "PurchaseItem": [
            (i, random.randint(1, 160), random.randint(1, 24), random.randint(1, 5), random.randint(5, 40),
             random.choice((0, 0, 0.1, 0.25)))
            for i in range(1, 401)
        ],
        "Audiobook": [
            (i, i, random.choice(("Joan Bell", "Rex Hall")), random.randint(3000, 60000))
            for i in range(1, 15)
        ],
    }  # fmt: skip


_BOOKSTORE = """
CREATE TABLE Author (AuthorId INTEGER PRIMARY KEY, Name TEXT, Country TEXT);
CREATE TABLE Publisher (PublisherId INTEGER PRIMARY KEY, PublisherName TEXT);
CREATE TABLE Book (BookId INTEGER PRIMARY KEY, Title TEXT, AuthorId INTEGER REFERENCES Author,
    PublisherId INTEGER REFERENCES Publisher, Genre TEXT, Pages INTEGER, ListPrice REAL, WeightGrams INTEGER);
CREATE TABLE Client (ClientId INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, City TEXT, Email TEXT);
CREATE TABLE Purchase (PurchaseId INTEGER PRIMARY KEY, ClientId INTEGER REFERENCES Client, PurchaseDate DATE,
    Store TEXT);
CREATE TABLE PurchaseItem (PurchaseItemId INTEGER PRIMARY KEY, PurchaseId INTEGER REFERENCES Purchase,
    BookId INTEGER REFERENCES Book, Qty INTEGER, Price REAL, Discount REAL);
CREATE TABLE Audiobook (AudiobookId INTEGER PRIMARY KEY, BookId INTEGER REFERENCES Book, Narrator TEXT,
    DurationSeconds INTEGER);
"""
