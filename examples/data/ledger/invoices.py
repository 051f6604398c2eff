"""When invoices fall due, and what their instalments are."""

from datetime import date


def add_months(day, months):
    """The same day of a later month."""
    month = day.month + months
    return date(day.year + (month - 1) // 12, (month - 1) % 12 + 1, day.day)


def due_dates(issued, instalments):
    """One month after the invoice was issued, and each month from then on."""
    return [add_months(issued, number) for number in range(1, instalments + 1)]


def split_cents(total, instalments):
    """Instalments that add up to the total and differ by a cent at most, the larger ones first."""
    share, rest = divmod(total, instalments)
    return [share + (1 if index < rest else 0) for index in range(instalments)]
