"""Reads an SVG chart with a real XML parser. Prints {"root", "series": [{"point", "vertices": [[x, y]…]}…], "texts"}."""

import json
import sys
import xml.etree.ElementTree as ElementTree

try:
    root = ElementTree.parse(sys.argv[1]).getroot()
except ElementTree.ParseError as error:
    sys.exit(f"{sys.argv[1]} is not well-formed XML: {error}")

series = []
for element in root.iter():
    if element.tag.rpartition("}")[2] == "polyline" and "data-point" in element.attrib:
        numbers = [float(part) for part in element.get("points", "").replace(",", " ").split()]
        series.append({"point": element.get("data-point"), "vertices": list(zip(numbers[::2], numbers[1::2]))})
texts = ["".join(element.itertext()) for element in root.iter() if element.tag.rpartition("}")[2] == "text"]
print(json.dumps({"root": root.tag, "series": series, "texts": texts[:1000]}))
