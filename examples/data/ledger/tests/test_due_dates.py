from datetime import date

from invoices import add_months, due_dates


def test_a_month_later():
    assert add_months(date(2025, 3, 14), 1) == date(2025, 4, 14)


def test_over_the_end_of_a_year():
    assert due_dates(date(2024, 11, 5), 3) == [date(2024, 12, 5), date(2025, 1, 5), date(2025, 2, 5)]


def test_at_the_end_of_a_month():
    assert due_dates(date(2025, 1, 31), 3) == [date(2025, 2, 28), date(2025, 3, 31), date(2025, 4, 30)]
