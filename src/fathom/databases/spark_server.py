"""Serves Spark to the process that started this one, until that closes our input: `python -m`, not imported.

Prints one line of JSON, the port; the token that clients need comes in the environment.
"""

import json
import sys
import tempfile
import warnings

_SETTINGS = {
    "spark.master": "local[2]",
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.log.level": "ERROR",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.artifact.isolation.enabled": "false",
}


def serve() -> None:
    """Start Spark, say where it is, and end with the input."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        from pyspark import SparkConf, SparkContext  # noqa: PLC0415, of this process alone
    with tempfile.TemporaryDirectory(prefix="fathom-spark-") as folder:
        settings = SparkConf(loadDefaults=False)
        settings.setAll([*_SETTINGS.items(), ("spark.sql.warehouse.dir", f"{folder}/warehouse")])
        settings.set("spark.local.dir", folder)
        context = SparkContext(conf=settings)
        service = getattr(context._jvm, "org.apache.spark.sql.connect.service.SparkConnectService$")
        print(json.dumps({"port": getattr(service, "MODULE$").localPort()}), flush=True)  # noqa: T201
        sys.stdin.read()
        context.stop()


if __name__ == "__main__":
    serve()
