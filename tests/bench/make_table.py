#!/usr/bin/env python3
"""Makes a table: make_table.py FOLDER ROWS

table.csv and table.jsonl: 18 columns of integers, decimal numbers and short texts, a few of them in quotes.
"""
import csv
import json
import pathlib
import random
import sys

folder, rows = pathlib.Path(sys.argv[1]), int(sys.argv[2])
draw = random.Random(7)
words = 'the of and a to in is you that it he was for on are as with his they at be this have from or one had by word'.split()
names = 'id user when lat lon score price count flag city title a1 a2 a3 f1 f2 f3 note'.split()


def cells(i):
    """The cells of row `i`."""
    number = draw.randrange
    return [i, number(10**6), 1600000000 + number(10**8), round(draw.uniform(-90, 90), 5), round(draw.uniform(-180, 180), 5),
            round(draw.random(), 4), round(draw.random() * 100, 2), number(50), number(2), draw.choice(words),
            ' '.join(draw.choices(words, k=3)), number(1000), number(10000), number(100), round(draw.random(), 6),
            round(draw.random() * 10, 3), round(draw.random() * 1000, 1),
            ' '.join(draw.choices(words, k=2)) + (', and so on' if i % 9 == 0 else '')]


folder.mkdir(parents=True, exist_ok=True)
with open(folder / 'table.csv', 'w', newline='') as table, open(folder / 'table.jsonl', 'w') as lines:
    writer = csv.writer(table, lineterminator='\n')
    writer.writerow(names)
    for i in range(rows):
        row = cells(i)
        writer.writerow(row)
        lines.write(json.dumps(dict(zip(names, row))) + '\n')
