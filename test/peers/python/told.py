"""How a client in Python talks to the program that starts it.

The program plays the browser. A line {"visit": URL} on the output is answered by one line on the input, the address at
which the browser came back. Every other line is {"told": NAME, "value": WHAT}.
"""
import json
import sys


def say(line):
    print(json.dumps(line), flush=True)


def tell(name, value):
    say({"told": name, "value": value})


def visit(url):
    say({"visit": url})
    return sys.stdin.readline().strip()
