"""Small databases of those who are treated and studied: a hospital trust's wards and a registry of trials.

As those of studying.py, for a second round of questions; their rows too tell wrong readings apart.
"""

from datetime import date, timedelta
from random import Random

from bench.questions.drawing import LAST_NAMES, NAMES, Made, Row, a_day, one_of

FOUR_YEARS = 1460


def hospital(random: Random) -> Made:
    wards = (
        ("A1", "Ash", "Cardiology", "City General", 24), ("A2", "Beech", "Respiratory", "City General", 28),
        ("A3", "Cedar", "General Surgery", "City General", 30),
        ("A4", "Damson", "Orthopaedics", "City General", 26),
        ("ICU", "Intensive Care", None, "City General", 12),
        ("B1", "Elder", "Geriatrics", "St Mary's", 32), ("B2", "Fern", "Stroke", "St Mary's", 20),
        ("B3", "Gorse", "Maternity", "St Mary's", 18), ("B4", "Hazel", "Paediatrics", "St Mary's", 16),
        ("C1", "Ivy", "Geriatrics", "Northfield", 22), ("C2", "Juniper", "Day Surgery", "Northfield", 14),
    )  # fmt: skip
    conditions = (
        ("I21", "Acute myocardial infarction", "Circulatory"), ("I50", "Heart failure", "Circulatory"),
        ("I63", "Cerebral infarction", "Circulatory"), ("I10", "Essential hypertension", "Circulatory"),
        ("J18", "Pneumonia", "Respiratory"), ("J44", "COPD", "Respiratory"), ("J45", "Asthma", "Respiratory"),
        ("K35", "Acute appendicitis", "Digestive"), ("K80", "Gallstones", "Digestive"),
        ("S72", "Fracture of femur", "Injury"), ("S52", "Fracture of forearm", "Injury"),
        ("E11", "Type 2 diabetes", "Endocrine"), ("N39", "Urinary tract infection", "Genitourinary"),
        ("F03", "Dementia", "Mental"), ("Z51", "Chemotherapy session", None),
    )  # fmt: skip
    usual = {c[0]: 1.0 + 2.0 * (i % 4) for i, c in enumerate(conditions[:-1])}
    procedures = (
        ("P01", "Coronary angioplasty", "surgery", 5200), ("P02", "Echocardiogram", "imaging", 180),
        ("P03", "Chest X-ray", "imaging", 45), ("P04", "CT scan", "imaging", 160),
        ("P05", "MRI scan", "imaging", 290), ("P06", "Appendectomy", "surgery", 3100),
        ("P07", "Hip replacement", "surgery", 7400), ("P08", "Physiotherapy", "therapy", 60),
        ("P09", "IV antibiotics", "drug", 95), ("P10", "Oxygen therapy", "therapy", 70),
        ("P11", "Blood transfusion", "drug", 340), ("P12", "Dialysis", "therapy", 410),
    )  # fmt: skip
    areas = {"NR": 5.0, "IP": 3.0, "CB": 2.0, "PE": 1.0}
    admissions: list[Row] = []
    coded: list[Row] = []
    treated: list[Row] = []
    for i in range(1, 281):
        came, method = a_day(random, FOUR_YEARS), one_of(random, {"EM": 6, "EL": 3, "TR": 1})
        nights = random.choice((0, 1, 2, 3, 4, 5, 7, random.randint(8, 45)))
        left = came + timedelta(days=nights) if random.random() < 0.94 else None
        ward, seen_by = random.choice(wards[:-2] if method == "EM" else wards[:-1])[0], random.randint(1, 26)
        to = one_of(random, {"home": 8, "care home": 1.5, "other hospital": 1, "died": 0.8}) if left else None
        hour = f"{random.randint(0, 23):02}:{random.randint(0, 59):02}"
        admissions.append(
            (7000 + i, 100 + random.randint(1, 122), ward, seen_by, f"{came} {hour}",
             f"{left} {random.randint(9, 18):02}:30" if left else None, method, to)
        )  # fmt: skip
        found: dict[str, None] = dict.fromkeys(
            one_of(random, usual) for _ in range(random.choice((1, 1, 1, 2, 3)))
        )
        coded += [(7000 + i, code, seq) for seq, code in enumerate(found, 1)]
        for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
            code, _, _, price = random.choice(procedures[:-1])
            day = came + timedelta(days=random.randint(0, nights))
            cost = round(price * random.uniform(0.8, 1.5), 2) if random.random() < 0.93 else None
            by = random.choice((None, seen_by, seen_by, random.randint(1, 26)))
            result = one_of(random, {"successful": 7, "complication": 1, "abandoned": 0.4})
            treated.append((len(treated) + 1, 7000 + i, code, str(day), by, cost, result))
    grades = ("Consultant", "Registrar", "Registrar", "Junior doctor")
    return _HOSPITAL, {
        "ward": wards,
        "doctor": [
            (i, random.choice(NAMES), random.choice(LAST_NAMES), random.choice(grades),
             random.choice(wards[:4] + wards[5:9])[2],
             f"{random.randint(2004, 2022)}-{random.randint(1, 12):02}-01")
            for i in range(1, 31)
        ],
        "patient": [
            (100 + i, random.choice(NAMES), random.choice(LAST_NAMES), one_of(random, {"F": 5, "M": 4}),
             str(date(1932, 1, 1) + timedelta(days=random.randint(0, 30000))), one_of(random, areas),
             random.choice((None, "Riverside Surgery", "Mill Lane", "Mill Lane", "The Laurels", "Park View")))
            for i in range(1, 141)
        ],
        "adm_method": [("EM", "emergency"), ("EL", "elective"), ("TR", "transfer"), ("MA", "maternity")],
        "admission": admissions,
        "icd10": conditions,
        "adm_diag": coded,
        "proc_ref": [p[:3] for p in procedures],
        "treatment": treated,
    }  # fmt: skip


_HOSPITAL = """
CREATE TABLE ward (ward_cd TEXT PRIMARY KEY, ward_name TEXT, specialty TEXT, site TEXT, beds INTEGER);
CREATE TABLE doctor (doc_id INTEGER PRIMARY KEY, forename TEXT, surname TEXT, grade TEXT, specialty TEXT,
    joined_on TEXT);
CREATE TABLE patient (pat_no INTEGER PRIMARY KEY, forename TEXT, surname TEXT, sex TEXT, dob TEXT,
    postcode_area TEXT, gp_practice TEXT);
CREATE TABLE adm_method (method_cd TEXT PRIMARY KEY, method_desc TEXT);
CREATE TABLE admission (adm_id INTEGER PRIMARY KEY, pat_no INTEGER REFERENCES patient,
    ward_cd TEXT REFERENCES ward, doc_id INTEGER REFERENCES doctor, admitted_at TEXT, discharged_at TEXT,
    method_cd TEXT REFERENCES adm_method, disch_dest TEXT);
CREATE TABLE icd10 (icd_cd TEXT PRIMARY KEY, descr TEXT, chapter TEXT);
CREATE TABLE adm_diag (adm_id INTEGER REFERENCES admission, icd_cd TEXT REFERENCES icd10, seq INTEGER,
    PRIMARY KEY (adm_id, icd_cd));
CREATE TABLE proc_ref (proc_cd TEXT PRIMARY KEY, proc_name TEXT, proc_type TEXT);
CREATE TABLE treatment (treat_id INTEGER PRIMARY KEY, adm_id INTEGER REFERENCES admission,
    proc_cd TEXT REFERENCES proc_ref, treated_on TEXT, doc_id INTEGER REFERENCES doctor, cost REAL,
    outcome TEXT);
"""


def study_registry(random: Random) -> Made:
    sponsors = (
        (1, "Novagen Pharma", "industry", "Switzerland"), (2, "Helix Biotech", "industry", "USA"),
        (3, "Orchid Therapeutics", "industry", "USA"), (4, "University of Lund", "academic", "Sweden"),
        (5, "Kyoto Medical School", "academic", "Japan"),
        (6, "National Cancer Institute", "government", "USA"),
        (7, "Charite Berlin", "academic", "Germany"), (8, "Pacific Health Fund", "non-profit", "Australia"),
        (9, "Tern Biologics", "industry", "Denmark"),
    )  # fmt: skip
    diseases = ("Breast Cancer", "Type 2 Diabetes", "Alzheimer's Disease", "Asthma", "Rheumatoid Arthritis",
                "Hypertension", "Lung Cancer", "Psoriasis")  # fmt: skip
    cities = (("Boston", "USA"), ("Houston", "USA"), ("Chicago", "USA"), ("Lund", "Sweden"),
              ("Berlin", "Germany"), ("Munich", "Germany"), ("Kyoto", "Japan"), ("Osaka", "Japan"),
              ("Sydney", "Australia"), ("Basel", "Switzerland"), ("Leeds", "United Kingdom"),
              ("Bristol", "United Kingdom"))  # fmt: skip
    kinds = ("University Hospital", "Clinical Research Unit")
    sites = [(i + 1, f"{cities[i % 12][0]} {kinds[i // 12]}", *cities[i % 12]) for i in range(24)]
    markers = (
        ("HBA1C", "Glycated haemoglobin", "%", 4.0, 5.6), ("CRP", "C-reactive protein", "mg/L", 0.0, 5.0),
        ("LDL", "LDL cholesterol", "mmol/L", None, 3.0), ("ALT", "Alanine aminotransferase", "U/L", 7, 56),
        ("EGFR", "Estimated glomerular filtration rate", "mL/min", 60, None),
        ("HGB", "Haemoglobin", "g/dL", 12.0, 17.5), ("TNFA", "TNF alpha", "pg/mL", 0.0, 8.1),
        ("IL6", "Interleukin 6", "pg/mL", 0.0, 7.0), ("CA153", "Cancer antigen 15-3", "U/mL", None, 30),
    )  # fmt: skip
    around = {"HBA1C": 6.1, "CRP": 6, "LDL": 3.1, "ALT": 38, "EGFR": 78, "HGB": 13.4, "TNFA": 7, "IL6": 6}
    states = {"Completed": 5.0, "Recruiting": 3.0, "Active": 3.0, "Terminated": 1.0, "Withdrawn": 0.5}
    studies, opened = [], []
    for i in range(1, 53):
        begins, status, phase = (
            a_day(random, 1200),
            one_of(random, states),
            random.choice((1, 2, 2, 3, 3, 4, None)),
        )
        ends = (
            str(begins + timedelta(days=random.randint(150, 900)))
            if status in ("Completed", "Terminated")
            else None
        )
        acronym = f"{random.choice(('AURORA', 'BEACON', 'CORAL', 'DELTA', 'EMBER'))}-{i}"
        sponsor, wanted = random.choice(sponsors[:-1])[0], random.randint(4, 60) * 10
        studies.append(
            (f"ST{i:03}", acronym, random.choice(diseases), phase, sponsor, str(begins), ends, status, wanted)
        )  # fmt: skip
        for where in sorted(random.sample(range(1, 23), random.randint(1, 4))):
            started = str(begins + timedelta(days=random.randint(0, 120))) if random.random() < 0.85 else None
            opened.append((f"ST{i:03}", where, f"Dr {random.choice(LAST_NAMES)}", started))
    people: list[Row] = []
    measured: list[Row] = []
    events: list[Row] = []
    terms = ("Headache", "Nausea", "Fatigue", "Rash", "Dizziness", "Neutropenia", "Hypotension", "Infection")
    for i in range(1, 261):
        study, where = random.choice(opened[: len(opened) * 4 // 5])[:2]
        begins = date.fromisoformat(next(s[5] for s in studies if s[0] == study))
        joined = begins + timedelta(days=random.randint(0, 250))
        gone = str(joined + timedelta(days=random.randint(10, 300))) if random.random() < 0.15 else None
        arm, sex = one_of(random, {"TRT": 3, "PBO": 2}), one_of(random, {"F": 5, "M": 4, "U": 0.2})
        people.append((f"S{i:04}", study, where, sex, random.randint(1940, 2003), arm, str(joined), gone))
        for marker in random.sample(list(around), random.choice((0, 0, 1, 1, 1))):
            for visit in range(1, random.choice((2, 3, 4, 5))):
                value = round(around[marker] * random.lognormvariate(0, 0.28), 2)
                day = str(joined + timedelta(days=28 * visit + random.randint(-4, 4)))
                measured.append(
                    (
                        len(measured) + 1,
                        f"S{i:04}",
                        marker,
                        visit,
                        day,
                        value if random.random() < 0.94 else None,
                    )
                )
        for _ in range(random.choice((0, 0, 0, 1, 1, 2, 3))):
            onset = joined + timedelta(days=random.randint(1, 200))
            over = str(onset + timedelta(days=random.randint(1, 60))) if random.random() < 0.8 else None
            grade = int(one_of(random, {"1": 5, "2": 4, "3": 2, "4": 0.8, "5": 0.2}))
            serious = "Y" if grade > 3 or random.random() < 0.08 else "N"
            related = random.choice(("Y", "N", "N", None))
            events.append(
                (len(events) + 1, f"S{i:04}", random.choice(terms), grade, serious, related, str(onset), over)
            )
    journals = ("The Trial Letters", "Annals of Immunology", "Oncology Reports", "Metabolism Today")
    return _STUDY_REGISTRY, {
        "sponsor": sponsors,
        "study": studies,
        "site": sites,
        "study_site": opened,
        "participant": people,
        "biomarker": markers,
        "measurement": measured,
        "adverse_event": events,
        "publication": [
            (f"PM{30100 + i}", f"ST{random.randint(1, 40):03}", random.choice(journals),
             random.randint(2020, 2023),
             random.choice((None, 0, random.randint(1, 30), random.randint(5, 140))))
            for i in range(1, 66)
        ],
    }  # fmt: skip


_STUDY_REGISTRY = """
CREATE TABLE sponsor (sponsor_id INTEGER PRIMARY KEY, sponsor_name TEXT, sponsor_type TEXT, hq_country TEXT);
CREATE TABLE study (study_id TEXT PRIMARY KEY, acronym TEXT, condition_name TEXT, phase INTEGER,
    sponsor_id INTEGER REFERENCES sponsor, start_date DATE, end_date DATE, status TEXT, target_n INTEGER);
CREATE TABLE site (site_id INTEGER PRIMARY KEY, site_name TEXT, city TEXT, country TEXT);
CREATE TABLE study_site (study_id TEXT REFERENCES study, site_id INTEGER REFERENCES site,
    principal_investigator TEXT, activated_on DATE, PRIMARY KEY (study_id, site_id));
CREATE TABLE participant (subj_id TEXT PRIMARY KEY, study_id TEXT REFERENCES study,
    site_id INTEGER REFERENCES site, sex TEXT, birth_year INTEGER, arm TEXT, enrolled_on DATE,
    withdrawn_on DATE);
CREATE TABLE biomarker (bm_code TEXT PRIMARY KEY, bm_name TEXT, unit TEXT, ref_low REAL, ref_high REAL);
CREATE TABLE measurement (meas_id INTEGER PRIMARY KEY, subj_id TEXT REFERENCES participant,
    bm_code TEXT REFERENCES biomarker, visit_no INTEGER, meas_date DATE, value REAL);
CREATE TABLE adverse_event (ae_id INTEGER PRIMARY KEY, subj_id TEXT REFERENCES participant, ae_term TEXT,
    grade INTEGER, serious TEXT, related TEXT, onset_date DATE, resolved_date DATE);
CREATE TABLE publication (pmid TEXT PRIMARY KEY, study_id TEXT REFERENCES study, journal TEXT,
    pub_year INTEGER, citations INTEGER);
"""
