"""Works out the answer a second time from a fresh copy of the shop, and compares the answer table with it.

Prints {"failures": [{"message", "expected"?, "actual"?}]}. Arguments: fresh copy, answer, two quarters.
"""

import json
import sqlite3
import sys
from pathlib import Path

MOST = 3


def read_only(path):
    return sqlite3.connect(Path(path).absolute().as_uri() + "?mode=ro&immutable=1", uri=True)


def spending(shop, quarter):
    year, number = quarter.split("-Q")
    first = (int(number) - 1) * 3 + 1
    months = [f"{year}-{month:02d}" for month in range(first, first + 3)]
    totals = {}
    for customer, month, amount in shop.execute(
        "SELECT o.customer_id, substr(o.ordered_at, 1, 7), l.quantity * l.unit_price_cents"
        " FROM orders AS o JOIN order_lines AS l ON l.order_id = o.id WHERE o.status <> 'cancelled'"
    ):
        if month in months:
            totals[customer] = totals.get(customer, 0) + amount
    return totals


def expected_rows(path, before, after):
    shop = read_only(path)
    earlier, later = spending(shop, before), spending(shop, after)
    return {
        customer: (customer, name, spent, later.get(customer, 0), spent - later.get(customer, 0))
        for customer, name in shop.execute("SELECT id, name FROM customers")
        if (spent := earlier.get(customer, 0)) > later.get(customer, 0)
    }


def actual_rows(path):
    answer = read_only(path)
    kind = answer.execute("SELECT type FROM sqlite_master WHERE name = 'falling_customers'").fetchone()
    if kind != ("table",):
        raise sqlite3.DatabaseError("there is no table falling_customers in it")
    return answer.execute(
        "SELECT customer_id, name, before_cents, after_cents, drop_cents FROM falling_customers LIMIT 100000"
    ).fetchall()


def failures(fresh, answer, before, after):
    wanted = expected_rows(fresh, before, after)
    try:
        found = actual_rows(answer)
    except sqlite3.Error as error:
        yield {"message": f"{answer} cannot be used: {error}."}
        return
    if len(found) != len(wanted):
        yield {
            "message": "falling_customers has the wrong number of rows.",
            "expected": str(len(wanted)),
            "actual": str(len(found)),
        }
    by_customer = {row[0]: row for row in found}
    wrong = [key for key, row in wanted.items() if by_customer.get(key) != row]
    for key in wrong[:MOST]:
        yield {
            "message": f"falling_customers: the row of customer {key} is wrong.",
            "expected": repr(wanted[key]),
            "actual": repr(by_customer[key]) if key in by_customer else "no row",
        }
    for key in [key for key in by_customer if key not in wanted][:MOST]:
        yield {"message": f"falling_customers: customer {key} does not belong there.", "actual": repr(by_customer[key])}


print(json.dumps({"failures": list(failures(*sys.argv[1:5]))}))
