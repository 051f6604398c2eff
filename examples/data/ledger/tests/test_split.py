from invoices import split_cents


def test_adds_up():
    assert split_cents(1000, 3) == [334, 333, 333]


def test_one_instalment():
    assert split_cents(999, 1) == [999]
