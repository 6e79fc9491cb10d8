#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py duckdb|spark QUERY.sql SET [BEFORE]: a query over what `nvtxh export --format parquet -o SET` made, as CSV.

The query is the same for both engines. It sees the tables of SET by their names, and the ranges of another run, BEFORE, as `before`.
On a cluster: spark-submit run.py spark QUERY.sql hdfs://.../SET
"""
import csv
import os
import sys


def duckdb(query, tables):
    import duckdb
    database = duckdb.connect()
    for name, folder in tables.items():
        database.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{folder}/**/*.parquet', hive_partitioning = true)")
    result = database.execute(query)
    return [column[0] for column in result.description], result.fetchall()


def spark(query, tables):
    from pyspark.sql import SparkSession
    session = SparkSession.builder.appName('nvtxh').config('spark.ui.showConsoleProgress', 'false').getOrCreate()
    for name, folder in tables.items():
        session.read.parquet(folder).createOrReplaceTempView(name)
    result = session.sql(query)
    return result.columns, [tuple(row) for row in result.collect()]


def main():
    engine, query, folder, *before = sys.argv[1:]
    tables = {name: f'{folder}/{name}' for name in ('ranges', 'marks', 'counters', 'processes')
              if '://' in folder or os.path.isdir(f'{folder}/{name}')}
    if before:
        tables['before'] = f'{before[0]}/ranges'
    with open(query, encoding='utf-8') as f:
        columns, rows = {'duckdb': duckdb, 'spark': spark}[engine](f.read(), tables)
    out = csv.writer(sys.stdout, lineterminator='\n')
    out.writerow(columns)
    out.writerows(rows)


if __name__ == '__main__':
    main()
