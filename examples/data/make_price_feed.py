"""Makes price-feed.csv: 420 rows of a supplier price feed, one of them without a usable price.

Three suppliers write the same euros in three ways, as real feeds do. Same seed, same file.
"""

import csv
import random
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROWS = 420
BROKEN_ROW = 287  # deep inside, so that a glance at the head of the file shows nothing

CATALOGUE = {
    "Lighting": (["Desk lamp", "Floor lamp", "LED strip", "Wall light", "Pendant"], 900, 24_900),
    "Seating": (["Task chair", "Stool", "Lounge chair", "Bench", "Sofa"], 4_900, 329_000),
    "Storage": (["Shelf", "Cabinet", "Drawer unit", "Crate", "Wardrobe"], 1_200, 149_000),
    "Textiles": (["Rug", "Curtain", "Cushion", "Throw", "Table runner"], 700, 89_000),
    "Tables": (["Dining table", "Side table", "Standing desk", "Console", "Trestle"], 3_900, 259_000),
}
FINISHES = ["oak", "ash", "walnut", "graphite", "sand", "white", "moss", "indigo"]


def english(cents: int) -> str:
    return f"€{cents // 100:,}.{cents % 100:02d}"


def german(cents: int) -> str:
    return f"{cents // 100:,}".replace(",", ".") + f",{cents % 100:02d} €"


def plain(cents: int) -> str:
    return f"EUR {cents // 100}.{cents % 100:02d}"


SUPPLIERS = {"Harbour & Sons": english, "Nordlicht GmbH": german, "Atelier Lune": plain}


def rows(source: random.Random):
    for number in range(1, ROWS + 1):
        category = source.choice(list(CATALOGUE))
        names, lowest, highest = CATALOGUE[category]
        # The reputable two write most of the feed; the German style is rare enough to be overlooked.
        supplier = source.choices(list(SUPPLIERS), weights=[6, 1, 3])[0]
        cents = int(lowest * (highest / lowest) ** source.random())
        price = "n/a" if number == BROKEN_ROW else SUPPLIERS[supplier](cents)
        product = f"{source.choice(names)}, {source.choice(FINISHES)}"
        yield [f"FR-{10_000 + number * 7}", product, category, supplier, price, source.randint(0, 60)]


def main() -> None:
    with open(HERE / "price-feed.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["sku", "product", "category", "supplier", "unit_price", "stock"])
        writer.writerows(rows(random.Random(5)))


if __name__ == "__main__":
    main()
