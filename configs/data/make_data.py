"""Writes the data sets of the examples, always the same: python3 configs/data/make_data.py [FOLDER]

circle.csv: 200 points of the square [-1, 1]^2; the label is +1 inside the circle that covers half of
the square, -1 outside. sectors.csv: 240 points; the label is which third of the full turn the point
is seen in from the origin: 0, 1 or 2.
"""

import math
import os
import random
import sys

SEED = 1


def circle(chance):
    for _ in range(200):
        x, y = round(chance.uniform(-1, 1), 4), round(chance.uniform(-1, 1), 4)
        yield x, y, 1 if x * x + y * y < 2 / math.pi else -1


def sectors(chance):
    for _ in range(240):
        x, y = round(chance.uniform(-1, 1), 4), round(chance.uniform(-1, 1), 4)
        yield x, y, int((math.atan2(y, x) / (2 * math.pi) % 1.0) * 3)


folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
for name, rows in (("circle", circle), ("sectors", sectors)):
    with open(os.path.join(folder, name + ".csv"), "w") as file:
        file.write("x0,x1,label\n")
        for x, y, label in rows(random.Random(SEED)):
            file.write(f"{x},{y},{label}\n")
