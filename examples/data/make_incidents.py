"""Makes incidents.csv: 5,000 invented incidents over two years, with coordinates of San Francisco.

Nothing in it happened. The columns are those that the city uses for its police reports, so that
the real file can be put in its place. Same seed, same file.
"""

import csv
import math
import random
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROWS = 5_000
START = datetime(2023, 1, 1)
DAYS = 731  # 2023-01-01 to 2024-12-31
QUIET = ("2024-02", "2024-03")  # nothing reported round the Marina while the road was closed

# latitude, longitude, spread in metres, share of the rows
PLACES = [
    (37.769247, -122.426956, 420, 0.14),  # Upper Market
    (37.805052, -122.432952, 380, 0.04),  # Marina
    (37.783900, -122.409000, 700, 0.37),  # Tenderloin
    (37.759900, -122.414800, 900, 0.25),  # Mission
    (37.745000, -122.445000, 3_000, 0.20),  # elsewhere
]
CATEGORIES = {
    "LARCENY/THEFT": ["PETTY THEFT FROM LOCKED AUTO", "GRAND THEFT FROM LOCKED AUTO", "SHOPLIFTING"],
    "VANDALISM": ["MALICIOUS MISCHIEF, BREAKING WINDOWS", "MALICIOUS MISCHIEF, GRAFFITI"],
    "ASSAULT": ["BATTERY", "THREATS AGAINST LIFE"],
    "BURGLARY": ["BURGLARY OF STORE, UNLAWFUL ENTRY", "BURGLARY OF RESIDENCE, FORCIBLE ENTRY"],
    "NON-CRIMINAL": ["LOST PROPERTY", "FOUND PROPERTY", "AIDED CASE"],
}
STREETS = ["MARKET ST", "MARINA BLVD", "CHURCH ST", "MISSION ST", "TURK ST", "CASTRO ST", "FILLMORE ST"]
METRES_PER_DEGREE = math.radians(1) * 6_371_000


def moment(source: random.Random) -> datetime:
    """More in late summer than in winter, more by day than by night."""
    while True:
        day = source.randrange(DAYS)
        season = 0.65 + 0.35 * math.sin((day / 365.25 - 0.35) * 2 * math.pi)
        if source.random() < season:
            return START + timedelta(days=day, minutes=int(source.triangular(0, 1_439, 1_020)))


def row(source: random.Random):
    place = source.choices(range(len(PLACES)), weights=[share for *_, share in PLACES])[0]
    at = moment(source)
    while place == 1 and f"{at:%Y-%m}" in QUIET:
        at = moment(source)
    latitude, longitude, spread, _ = PLACES[place]
    north, east = source.gauss(0, spread), source.gauss(0, spread)
    latitude += north / METRES_PER_DEGREE
    longitude += east / (METRES_PER_DEGREE * math.cos(math.radians(latitude)))
    category = source.choices(list(CATEGORIES), weights=[6, 2, 3, 2, 4])[0]
    return [
        at,
        category,
        source.choice(CATEGORIES[category]),
        f"{source.randint(0, 29) * 100} Block of {source.choice(STREETS)}",
        f"{latitude:.6f}",
        f"{longitude:.6f}",
    ]


def main() -> None:
    source = random.Random(500)
    incidents = sorted(row(source) for _ in range(ROWS))
    # Two reports without a place, as every real export has some.
    incidents[1_203][4:] = ["", ""]
    incidents[3_991][4:] = ["", ""]
    with open(HERE / "incidents.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["Incident Datetime", "Incident Category", "Incident Description", "Address", "Latitude", "Longitude"]
        )
        writer.writerows([[f"{at:%Y-%m-%d %H:%M:%S}", *rest] for at, *rest in incidents])


if __name__ == "__main__":
    main()
