"""Reads the text form of graphs into plain Python values. Knows the syntax, not the ops."""

import re
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

DTYPES = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f8e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "bool": np.dtype(np.bool_),
    "c64": np.dtype(np.complex64),
    "c128": np.dtype(np.complex128),
}

TOKEN = re.compile(
    r"""\s*(?://[^\n]*\s*)*(?:
      (?P<text>"(?:[^"\\]|\\.)*")
    | (?P<value>%[A-Za-z0-9_.]+)
    | (?P<number>-?(?:0x[0-9a-fA-F]+|inf|NaN|nan|[0-9][0-9A-Za-z.]*(?:(?<=[eE])[-+][0-9]+)?))(?![A-Za-z_])
    | (?P<word>[A-Za-z_][A-Za-z0-9_.]*)
    | (?P<mark>\S)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Shape:
    dtype: np.dtype
    dims: tuple


@dataclass
class Node:
    id: str
    op: str
    inputs: list
    attrs: dict
    results: list


@dataclass
class Graph:
    name: str
    nodes: list = field(default_factory=list)
    outputs: list = field(default_factory=list)


class Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text):
        self.tokens = [(m.lastgroup, m.group(m.lastgroup)) for m in TOKEN.finditer(text)]
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ("end", "")

    def take(self):
        token = self.peek()
        self.at += 1
        return token

    def eat(self, text):
        if self.peek()[1] == text and self.peek()[0] in ("mark", "word"):
            self.at += 1
            return True
        return False

    def expect(self, text):
        if not self.eat(text):
            raise SyntaxError(f"expected {text!r}, found {self.peek()}")

    def separated(self, close, item):
        items = []
        while not self.eat(close):
            items.append(item())
            self.eat(",")
        return items

    def graph(self):
        self.expect("graph")
        graph = Graph(string(self.take()[1]))
        self.expect("{")
        while not self.eat("return"):
            graph.nodes.append(self.node())
        while self.peek()[0] == "value":
            graph.outputs.append(self.take()[1])
            self.eat(",")
        self.expect("}")
        return graph

    def node(self):
        name = self.take()[1]
        self.expect("=")
        op = self.take()[1]
        inputs = []
        while self.peek()[0] == "value":
            inputs.append(self.take()[1])
            self.eat(",")
        attrs = dict(self.separated("}", self.attribute)) if self.eat("{") else {}
        self.expect(":")
        results = self.separated(")", self.shape) if self.eat("(") else [self.shape()]
        if self.eat("@"):
            self.take()
        return Node(name, op, inputs, attrs, results)

    def attribute(self):
        name = self.take()[1]
        self.expect("=")
        return name, self.attribute_value()

    def attribute_value(self):
        kind, text = self.peek()
        if text == "[":
            self.take()
            return self.separated("]", self.attribute_value)
        if text == "{":
            self.take()
            return dict(self.separated("}", self.attribute))
        if kind == "word" and text == "graph":
            return self.graph()
        if kind == "word" and text in DTYPES:
            if self.peek(1)[1] != "[":
                self.take()
                return DTYPES[text]
            shape = self.shape()
            return self.literal(shape) if self.peek()[1] in ("[", "hex") else shape
        self.take()
        if kind == "text":
            return string(text)
        if kind == "number":
            return number(text)
        return {"true": True, "false": False, "none": None, "nan": float("nan")}.get(text, text)

    def shape(self):
        dtype = DTYPES[self.take()[1]]
        self.expect("[")
        return Shape(dtype, tuple(self.separated("]", lambda: int(self.take()[1]))))

    def literal(self, shape):
        if self.eat("hex"):
            data = bytes.fromhex(string(self.take()[1]))
            return np.frombuffer(data, shape.dtype).reshape(shape.dims)
        self.expect("[")
        elements = self.separated("]", lambda: self.element(shape.dtype))
        return np.array(elements, shape.dtype).reshape(shape.dims)

    def element(self, dtype):
        if self.eat("("):
            real = np.zeros(0, dtype).real.dtype
            re_, im_ = self.separated(")", lambda: self.element(real))
            return complex(re_, im_)
        text = self.take()[1]
        if text in ("true", "false"):
            return text == "true"
        if text.startswith("0x"):
            return np.frombuffer(bytes.fromhex(text[2:])[::-1], dtype)[0]
        return np.dtype(dtype).type(number(text)) if dtype.kind in "iu" else float(text)


def string(token):
    return token[1:-1].replace('\\"', '"').replace("\\\\", "\\").replace("\\n", "\n")


def number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


def parse(text):
    return Parser(text).graph()
