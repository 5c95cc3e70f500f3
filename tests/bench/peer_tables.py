#!/usr/bin/env python3
"""What pyarrow and pandas do with tables: peer_tables.py pyarrow|pandas read|write csv|jsonl FOLDER OUT

`read` reads FOLDER/table.csv or FOLDER/table.jsonl into columns in memory; `write` writes the columns of FOLDER/table.csv
to OUT.  Prints the seconds of the work as JSON, without the import and, for `write`, without the reading.
"""
import json
import pathlib
import sys
import time

library, job, form, folder, out = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]), sys.argv[5]
source = folder / ('table.' + form)

if library == 'pyarrow':
    import pyarrow.csv
    import pyarrow.json

    def read(path):
        return pyarrow.csv.read_csv(path) if path.suffix == '.csv' else pyarrow.json.read_json(path)

    def write(table):
        pyarrow.csv.write_csv(table, out)
else:
    import pandas

    def read(path):
        return pandas.read_csv(path) if path.suffix == '.csv' else pandas.read_json(path, lines=True)

    def write(table):
        if form == 'csv':
            table.to_csv(out, index=False)
        else:
            table.to_json(out, orient='records', lines=True)

table = read(folder / 'table.csv') if job == 'write' else None
start, cpu = time.perf_counter(), time.process_time()
if job == 'write':
    write(table)
else:
    read(source)
print(json.dumps({'seconds': time.perf_counter() - start, 'cpu': time.process_time() - cpu}))
