"""Small wrongs done to a text: bytes, tokens, lines, numbers, brackets, pieces of another text."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

TOKEN = re.compile(rb'[%@#!^]?[\w.$]+|"[^"\n]*"|\s+|->|.', re.DOTALL)
NUMBER = re.compile(rb"-?\d+")
EXTREMES = (
    *("0", "-1", "1", "2", "63", "64", "65", "127", "128", "255", "256", "4096", "65536", "1.5"),
    *("2147483647", "2147483648", "-2147483648", "4294967296", "9223372036854775807", "1e400"),
    *("9223372036854775808", "18446744073709551616", "-9223372036854775809", "0x1F", "00", "-0"),
    *("9" * 40, "9" * 5000, "NaN", "Infinity", "true", "null", "?", "*", "-9223372036854775808"),
)
ODD_BYTES = (
    *(
        b"\x00",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\r\n",
        b"\r",
        b"\x0b",
        b"\x0c",
    ),
    *(
        "é".encode(),
        "²".encode(),
        "٣".encode(),
        "\u2028".encode(),
        b"\\",
        b'"',
        b"//",
        b"\t",
        b"\x1b",
    ),
)
WORDS = (
    *(
        b"index",
        b"i1",
        b"i8",
        b"i64",
        b"i65",
        b"i0",
        b"i4096",
        b"si8",
        b"f32",
        b"none",
        b"vector<2xi8>",
    ),
    *(b"tensor<2xi8>", b"memref<i8>", b"memref<0xi8>", b"memref<?xi8>", b"memref<2x3xi8>", b"true"),
    *(
        b"memref<4xi8, strided<[?], offset: ?>>",
        b"memref<4xi8, strided<[0], offset: 1>>",
        b"tuple<>",
    ),
    *(
        b"memref<99999999999999999999xi8>",
        b"() -> ()",
        b"memref<*xi8>",
        b"complex<f32>",
        b"!x",
        b"#x",
    ),
    *(
        b"scf.for",
        b"scf.yield",
        b"func.return",
        b"arith.constant",
        b"dense<1>",
        b"unit",
        b"loc(unknown)",
    ),
    *(
        b"cf.br",
        b"handshake.fork",
        b"handshake.func",
        b"dataflow.carry",
        b"<{value = 1 : i8}>",
        b"null",
    ),
    *(
        b"unsigned",
        b"overflow<nsw>",
        b'"seq"',
        b"slots",
        b"units",
        b"{}",
        b"[]",
        b"[[]]",
        b'""',
        b"ui3",
    ),
)

Mutator = Callable[[Random, bytes, bytes], bytes]


def pick(random: Random, tokens: list[bytes]) -> int:
    return random.randrange(len(tokens))


def tokens_of(text: bytes) -> list[bytes]:
    return TOKEN.findall(text) or [b""]


def flip_byte(random: Random, text: bytes, _: bytes) -> bytes:
    at = random.randrange(len(text) + 1)
    return text[:at] + bytes([random.randrange(256)]) + text[at + 1 :]


def insert_odd(random: Random, text: bytes, _: bytes) -> bytes:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(ODD_BYTES) * random.choice((1, 1, 1, 50)) + text[at:]


def cut(random: Random, text: bytes, _: bytes) -> bytes:
    at = random.randrange(len(text) + 1)
    return text[:at]


def drop_tokens(random: Random, text: bytes, _: bytes) -> bytes:
    tokens = tokens_of(text)
    at = pick(random, tokens)
    del tokens[at : at + random.choice((1, 1, 2, 5, 20))]
    return b"".join(tokens)


def double_tokens(random: Random, text: bytes, _: bytes) -> bytes:
    tokens = tokens_of(text)
    at = pick(random, tokens)
    some = tokens[at : at + random.choice((1, 1, 3, 10))]
    tokens[at:at] = some * random.choice((1, 1, 2, 100))
    return b"".join(tokens)


def swap_tokens(random: Random, text: bytes, _: bytes) -> bytes:
    tokens = tokens_of(text)
    a, b = pick(random, tokens), pick(random, tokens)
    tokens[a], tokens[b] = tokens[b], tokens[a]
    return b"".join(tokens)


def other_token(random: Random, text: bytes, other: bytes) -> bytes:
    """A token becomes one of this text or of another, preferably of its own sort."""
    tokens = tokens_of(text)
    at = pick(random, tokens)
    pool = tokens_of(other if random.random() < 0.3 else text)
    alike = [token for token in pool if token[:1] == tokens[at][:1]]
    tokens[at] = random.choice(alike if alike and random.random() < 0.7 else pool)
    return b"".join(tokens)


def known_word(random: Random, text: bytes, _: bytes) -> bytes:
    tokens = tokens_of(text)
    tokens[pick(random, tokens)] = random.choice(WORDS)
    return b"".join(tokens)


def extreme_number(random: Random, text: bytes, _: bytes) -> bytes:
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    number = random.choice(found)
    return text[: number.start()] + random.choice(EXTREMES).encode() + text[number.end() :]


def move_lines(random: Random, text: bytes, other: bytes) -> bytes:
    """Some lines go, come twice, or come from another text."""
    lines = text.split(b"\n")
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    count = random.choice((1, 1, 2, 5))
    pool = other.split(b"\n") if random.random() < 0.3 else lines
    start = random.randrange(len(pool))
    some = pool[start : start + count]
    if random.random() < 0.5:
        del lines[a : a + count]
    lines[b:b] = some
    return b"\n".join(lines)


def splice(random: Random, text: bytes, other: bytes) -> bytes:
    a, b = random.randrange(len(text) + 1), random.randrange(len(other) + 1)
    return text[:a] + other[b:]


def nest(random: Random, text: bytes, _: bytes) -> bytes:
    """A token stands in many brackets, closed or not."""
    tokens = tokens_of(text)
    at = pick(random, tokens)
    opening, closing = random.choice(((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<", b">")))
    opening = random.choice((opening, opening, b"tuple<", b"{a = ", b'{"a": ', b"fused["))
    depth = random.choice((1, 3, 50, 500, 5000))
    closed = closing * depth if random.random() < 0.7 else b""
    tokens[at] = opening * depth + tokens[at] + closed
    return b"".join(tokens)


def lengthen(random: Random, text: bytes, _: bytes) -> bytes:
    """A token grows to thousands of characters."""
    tokens = tokens_of(text)
    at = pick(random, tokens)
    tokens[at] = tokens[at] + tokens[at][-1:] * random.choice((40, 1000, 20000))
    return b"".join(tokens)


def other_newlines(random: Random, text: bytes, _: bytes) -> bytes:
    text = text.replace(b"\n", random.choice((b"\r\n", b"\r", b" ", b"")))
    return random.choice((b"", b"\xef\xbb\xbf")) + text


MUTATORS: tuple[Mutator, ...] = (
    *(other_token,) * 6,
    *(known_word, extreme_number, move_lines, drop_tokens) * 3,
    *(double_tokens, swap_tokens, flip_byte) * 2,
    *(insert_odd, cut, splice, nest, lengthen, other_newlines),
)
"""The gentle ones more often: what they make is accepted now and then."""


def mutate(random: Random, text: bytes, other: bytes) -> bytes:
    """One to a few wrongs."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        text = random.choice(MUTATORS)(random, text, other)
    return text
