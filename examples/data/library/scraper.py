"""Reads the result pages of the catalogue of the Lindenau public library."""

from html.parser import HTMLParser


class _Results(HTMLParser):
    """Collects the text of each cell, row by row."""

    def __init__(self):
        super().__init__()
        self.rows = []
        self._cell = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "tr" and attrs.get("class") == "hit":
            self.rows.append({})
        elif tag == "td" and self.rows:
            self._cell = attrs.get("class")
            self.rows[-1][self._cell] = ""
        elif tag == "a" and self._cell == "title":
            self.rows[-1]["record"] = attrs["href"].rsplit("/", 1)[1]

    def handle_endtag(self, tag):
        if tag == "td":
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self.rows[-1][self._cell] += data


def books(page):
    """The books on a result page: record, title, author, year, copies, and how many of them are free."""
    results = _Results()
    results.feed(page)
    found = []
    for row in results.rows:
        free, copies = row["copies"].split(" of ")
        found.append(
            {
                "record": int(row["record"]),
                "title": " ".join(row["title"].split()),
                "author": row["author"].strip() or None,
                "year": int(row["year"]),
                "copies": int(copies.split()[0]),
                "free": int(free),
            }
        )
    return found
