"""The published benchmarks that have a name here; other packages add theirs by entry point."""

from fathom.benchmarks.by_name import Published
from fathom.benchmarks.layouts.bi_bench import BI_BENCH
from fathom.benchmarks.layouts.biomedical import BIOMEDSQL
from fathom.benchmarks.layouts.bird import BIRD
from fathom.benchmarks.layouts.spider import SCIENCE, SPIDER
from fathom.benchmarks.layouts.sql_eval import SQL_EVAL
from fathom.benchmarks.layouts.text2sql_data import TEXT2SQL_DATA

bird = Published(BIRD, "bird", "large databases, questions with evidence and difficulty", "dev")
bird_train = Published(BIRD, "bird", "BIRD's training questions", "train")
mini_dev = Published(BIRD, "bird", "500 of BIRD's questions in three dialects", "mini_dev_sqlite")
spider = Published(SPIDER, "spider", "many small databases, no evidence")
sciencebenchmark = Published(SCIENCE, "sciencebenchmark", "three scientific databases")
geoquery = Published(TEXT2SQL_DATA, "geoquery", "US geography, one database")
sql_eval = Published(SQL_EVAL, "sql_eval", "small databases, several right answers a question")
sql_eval_idk = Published(SQL_EVAL, "sql_eval", "questions that the databases can't answer", "idk")
biomedsql = Published(BIOMEDSQL, "biomedsql", "scientific reasoning over a biomedical knowledge base")
bi_bench = Published(BI_BENCH, "bibench", "business questions without gold")
