"""Makes shop.sqlite: a small shop's customers, products, orders and order lines over fifteen months.

Same seed, same rows. The bytes may differ with the SQLite version, which the file format records.
"""

import random
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
CUSTOMERS = 240
ORDERS = 2_600
START = datetime(2024, 4, 1)
DAYS = 456  # up to and including 2025-06-30

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, joined_on TEXT NOT NULL);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price_cents INTEGER NOT NULL);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    ordered_at TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('paid', 'shipped', 'cancelled'))
);
CREATE TABLE order_lines (
    order_id INTEGER NOT NULL REFERENCES orders (id),
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity INTEGER NOT NULL,
    unit_price_cents INTEGER NOT NULL,
    PRIMARY KEY (order_id, product_id)
) WITHOUT ROWID;
CREATE INDEX orders_by_customer ON orders (customer_id, ordered_at);
"""

FIRST = ["Ada", "Bjørn", "Chiara", "Dmitri", "Elif", "Farid", "Grace", "Hana", "Íris", "Jonas", "Kwame", "Léa"]
LAST = ["Abbott", "Brandt", "Costa", "Dubois", "Eriksen", "Fujita", "Green", "Håkansson", "Ito", "Jansen"]
CITIES = ["Bergen", "Gent", "Graz", "Lyon", "Porto", "Turku"]
GOODS = {
    "Coffee": ["House blend", "Single estate", "Decaf", "Espresso", "Filter pack", "Cold brew"],
    "Tea": ["Assam", "Sencha", "Rooibos", "Earl Grey", "Mint", "Oolong"],
    "Ware": ["Moka pot", "Grinder", "Kettle", "Cup pair", "Scale", "Dripper"],
}


def main() -> None:
    source = random.Random(77)
    path = HERE / "shop.sqlite"
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)

    names = [f"{first} {last}" for first in FIRST for last in LAST]
    people = [names[i % len(names)] + ("" if i < len(names) else " jr.") for i in range(CUSTOMERS)]
    database.executemany(
        "INSERT INTO customers VALUES (?, ?, ?, ?)",
        [
            (i + 1, name, source.choice(CITIES), f"{source.randint(2019, 2023)}-{source.randint(1, 12):02d}-15")
            for i, name in enumerate(people)
        ],
    )

    products = []
    for category, goods in GOODS.items():
        for name in goods:
            products.append((len(products) + 1, name, category, source.randint(350, 14_900)))
    database.executemany("INSERT INTO products VALUES (?, ?, ?, ?)", products)

    # Every fifth customer leaves at some time, so that spending does fall, sometimes to nothing.
    last_day = [source.randint(200, DAYS) if i % 5 == 0 else DAYS for i in range(CUSTOMERS)]
    order = 0
    while order < ORDERS:
        customer = source.randrange(CUSTOMERS)
        day = source.randrange(DAYS)
        if day > last_day[customer]:
            continue
        order += 1
        at = START + timedelta(days=day, seconds=source.randrange(86_400))
        status = source.choices(["paid", "shipped", "cancelled"], weights=[3, 6, 1])[0]
        database.execute(
            "INSERT INTO orders VALUES (?, ?, ?, ?)",
            (order, customer + 1, at.isoformat(sep=" "), status),
        )
        for product, _, _, price in source.sample(products, source.randint(1, 4)):
            database.execute(
                "INSERT INTO order_lines VALUES (?, ?, ?, ?)",
                (order, product, source.randint(1, 3), price - source.randint(0, price // 20)),
            )
    database.commit()
    database.execute("VACUUM")
    database.close()


if __name__ == "__main__":
    main()
