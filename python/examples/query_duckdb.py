#!/usr/bin/env python3
"""Query a set with DuckDB, and write it as Parquet: query_duckdb.py [SET]

Needs duckdb and pyarrow.
"""
import sys

import duckdb
import make_points
import pyarrow
import pyarrow.parquet
import tfrkit


def main():
    path = make_points.path_of(sys.argv)
    features = {'id': 'int64', 'x': 'float[2]', 'label': 'int64'}

    points = pyarrow.RecordBatchReader.from_stream(tfrkit.batches(path, features, batch=1024))
    print(duckdb.sql('SELECT label, count(*) AS points, avg(x[1]) AS mean FROM points GROUP BY label ORDER BY label'))

    table = pyarrow.RecordBatchReader.from_stream(tfrkit.batches(path, features, batch=1024)).read_all()
    pyarrow.parquet.write_table(table, 'points.parquet')


if __name__ == '__main__':
    main()
