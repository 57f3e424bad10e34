#!/usr/bin/env python3
"""Compares rlx-chat's template language with Jinja as configured by transformers, on small templates: every filter, test and method on values
of every kind, operators on all pairs of values, statements, white space, and random templates.

    scripts/judge_template_language.py [--random N] [--show N] [--seed N]
    scripts/judge_template_language.py --write crates/rlx-chat/tests/goldens/templates.jsonl

Both sides render the same variables. A template that transformers refuses must be refused. Features that rlx-chat refuses by name, as listed
in docs/language-models.md, are counted separately. `--write` writes a sample with transformers' results, which the tests of rlx-chat read.
"""

import argparse
import datetime
import itertools
import json
import pathlib
import random
import subprocess
import sys

from transformers.utils import chat_template_utils

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALL = {"id": "a", "type": "function", "function": {"name": "f", "parameters": {"x": [1, 2.5, None], "y": "z"}}}
VARIABLES = {
    "messages": [
        {"role": "system", "content": "You are é."},
        {"role": "user", "content": " Hi <b>there</b> "},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "content": "t"},
    ],
    "n": 7,
    "f": 2.5,
    "s": "a b\nc",
    "d": {"b": 1, "a": [1, 2], "items": 3},
    "l": [3, 1, 2],
    "add_generation_prompt": False,
    "bos_token": "<s>",
}
# Templates that rlx-chat renders although Python fails on them.
STUMBLES = ["TypeError: 'NoneType' object is not iterable", "TypeError: Object of type generator is not JSON serializable"]
# Parts of rlx-chat's messages for templates that it refuses although Jinja renders them.
REFUSED = [
    "is not supported",
    "is supported for",
    "larger than 127 bits",
    "a number is too large",
    "complex number",
    "has no text",
    "has no slices",
    "a LoopContext has no items",
    "entity that is not supported",
]

TEXTS = [
    "'abc def'", "''", "'a,b,,c'", "'  x y  '", "'Hello World-foo'", "'é ß ǅ ﬁ'", "'a\\nb\\r\\nc\\n'", "'12'",
    "'0x1F'", '\'<a href="x">&amp; y</a>\'', "'-5'", '\'\\\'"\'', "'tab\\tx'", "'x'*3",
]
METHODS = [
    'upper()', 'lower()', 'title()', 'capitalize()', 'swapcase()', 'strip()', 'lstrip()', 'rstrip()', "strip('ab ')",
    'split()', "split(' ')", "split(',')", "split(',',1)", 'split(None,1)', 'split(maxsplit=1)', 'rsplit()',
    "rsplit(',',1)", 'rsplit(None,1)', 'splitlines()', 'splitlines(true)', 'zfill(9)', 'center(11)', 'center(10)',
    "center(9,'*')", "ljust(12,'.')", 'rjust(12)', "partition(' ')", "rpartition(' ')", "partition(',')",
    "rpartition(',')", "replace('a','b')", "replace('','-')", "replace('','-',2)", "replace('b','',1)", "find('b')",
    "rfind('b')", "find('b',2)", "index('a')", "rindex('c')", "count('a')", "count('')", "startswith('a')",
    "startswith(('x','a'))", "endswith('c')", "endswith('')", 'isalpha()', 'isdigit()', 'isalnum()', 'isspace()',
    'isupper()', 'islower()', 'istitle()', 'isdecimal()', 'isnumeric()', 'isidentifier()', 'isprintable()',
    'isascii()', "removeprefix('a')", "removesuffix('c')", "join(['a','b'])", "join('xy')", 'expandtabs()',
    'expandtabs(4)', 'format(1)', 'encode()', 'casefold()', "translate({97:'Z'})", '__class__', 'x', 'nope()',
    'find()', 'strip(1)', "split('')", "index('zz')", 'center()',
]
FILTERS = [
    'upper', 'lower', 'title', 'capitalize', 'trim', "trim('ab')", 'length', 'count', 'list', 'first', 'last',
    'reverse', 'sort', 'unique|list', 'wordcount', 'wordwrap(3)', 'wordwrap(5,false)', 'wordwrap(10)', 'truncate(5)',
    'truncate(5,true)', "truncate(5,true,'..')", "truncate(3,false,'',0)", 'center(11)', 'center', 'urlencode',
    'striptags', 'forceescape', 'e', 'escape', 'safe', "replace('a','b')", "replace('b','x',1)", 'indent(2)',
    'indent', 'indent(2,true)', 'indent(2,true,true)', "indent('> ')", 'string', 'int', 'int(5)', 'int(0,16)',
    'float', 'float(2)', 'abs', 'round', 'tojson', 'tojson(indent=2)', 'pprint', "default('q')", "d('q',true)",
    'batch(2)|list', 'slice(2)|list', "join('-')", 'max', 'min', 'sum', "format('x')", 'filesizeformat', 'xmlattr',
    'items|list', 'dictsort', "map('upper')|list", 'select|list', 'reject|list', "select('string')|list",
    'groupby(0)', "attr('upper')", 'map(attribute=0)|list', 'random|length', 'nope', 'upper()', 'upper(1)',
    'escape|upper', 'safe|length', "batch(2,'x')|list", "slice(2,'y')|list", 'min(true)', 'sort(true)',
    'sort(reverse=true)', 'last|upper',
]
VALUES = [
    '[3,1,2]', '[]', "['b','A','c','a']", "{'b':1,'a':[1,2]}", '{}', '(1,2)', '()', '5', '-3', '2.5', '-0.0', '1e20',
    'true', 'none', 'undef', 'range(4)', "[{'a':1,'b':'x'},{'a':2,'b':'y'},{'a':1,'b':'Z'}]", '[1.5,2]',
    '[[1,2],[3]]', '3000', '1', '123456789', '[none,1]', "['a',1]", 'messages', 'd', "'<'|e", '[undef]', 'd.items()',
    'd.keys()', "[true,1,1.0,'1']",
]
OPERANDS = [
    '1', '2', '-7', '7', '3', '0', '2.5', '-2.5', '0.0', 'true', "'a'", '[1]', '(1,)', 'none', 'undef', '{}',
    '10**20', '1e308',
]
OPERATORS = "+ - * / // % ** ~ == != < <= > >= in and or".split() + ["not in"]
TESTS = [
    'boolean', 'callable', 'defined', 'even', 'odd', 'false', 'true', 'float', 'integer', 'iterable', 'lower',
    'upper', 'mapping', 'none', 'number', 'sequence', 'string', 'undefined', 'escaped', 'divisibleby 2',
    'divisibleby(3)', 'eq 1', 'in [1,2]', 'sameas none', 'gt 1', 'filter', 'test', 'nope', 'not none', 'sameas(true)',
    "lt 'b'",
]
TESTED = [
    "'A'", "'upper'", 'range(2)', 'd', 'l', 'range', 'loop', 'self', 'namespace()', "[1]|map('string')", 'd.items()',
    "'<'|e", 'messages[0].get',
]
EXPRESSIONS = [
    'l.index(2)', 'l.index(9)', 'l.count(1)', 'l.copy()', 'l.append(1)', 'l.append is defined', 'l.pop()', 'l.sort()',
    "d.get('b')", "d.get('z')", "d.get('z',5)", 'd.keys()', 'd.values()', 'd.items()', 'd.items', "d['items']",
    'd.copy()', "d.pop('a')", 'd.update({})', 'd.b', "d['b']", 'd.zz', "d['zz']", 'd.zz.y', 'd.keys()|list',
    'd.items()|list', 'd.items()|length', 'l[0]', 'l[-1]', 'l[5]', 'l[5].x', 'l[0:2]', 'l[::-1]', 'l[::2]', 'l[1:]',
    'l[:-1]', 'l[5:1]', 'l[::0]', "l['a']", "'abcdef'[1:4]", "'abcdef'[::-1]", "'abcdef'[-2:]", "'abcdef'[::2]",
    "'é日本'[1]", "'é日本'[::-1]", "'abc'[5]", '(1,2)[0]', '(1,2,3)[::2]', 'range(10)[2:5]', 'range(10)[-1]',
    'range(10)[::3]|list', 'range(5,0,-2)|list', 'range(3)', 'range(1,2,3)', 'range(0)', 'range(100001)|length',
    'range(1,5).start', 'range(4).index(2)', 'range(4).count(9)', '2 in range(3)', '2.0 in range(3)',
    "'a' in range(3)", 'dict(a=1,b=2)', "dict([('x',1)],y=2)", 'dict()', 'dict.fromkeys([1,2])',
    "dict.fromkeys('ab',0)", 'namespace(a=1)', 'namespace(a=1).a', 'namespace(a=1).b', "namespace({'x':2}).x",
    'namespace(_a=1)', "namespace(a=1)['a']", '[1,2]+[3]', '(1,)+(2,)', '[1]*3', "3*'ab'", "'ab'*-1", "{'a':1}.a",
    "{'a':{'b':2}}.a.b", '{1:2}[1]', '{1:2}[1.0]', '{1:2}[true]', '{(1,2):3}[(1,2)]', '{[1]:2}', '1 if true',
    '1 if false', '(1 if false).x', '1 if false else 2', '1 < 2 < 3', '1 < 3 < 2', '1 == 1.0', "'a' < 'b'",
    '[1,2] < [1,3]', '(1,) < (2,)', "1 < 'a'", 'none < 1', 'not true', 'not not 1', '-2**2', '2**-1', '2**3**2',
    '7//-2', '-7//2', '7%-3', '-7%3', '7.5%2', '-7.5%2', '-7.5//2', '1/3', '4/2', '10**20', '0.1+0.2', '1e16', '1e15',
    '123456789012345678', '1_000', '0x1f', '0b101', '0o17', '1.5e3', '1e-5',
    '100000000000000000000000000000000000000000', 'true+true', 'true*3', "'a' 'b'", "'a' ~ 1 ~ none ~ true ~ 2.0",
    '1,2', '(1)', '(1,)', '()', '[1,]', "{'a':1,}", '[]', 'undef', 'undef|default(3)', 'undef.x', "undef['x']",
    'undef()', 'undef + 1', "undef ~ 'x'", 'undef == undef', 'undef == none', 'undef in [1]', '1 in undef',
    'not undef', '-undef', '[undef]', "{'a':undef}", 'undef|list', 'undef|length', 'undef|int', 'n|string', 'f|int',
    'f|round', '2.675|round(2)', '1234.5|round(-2)', "42.55|round(1,'ceil')", "42.55|round(1,'floor')", '2.5|round',
    '3.5|round', '-2.5|round', '42|round', '42|round(-1)', '45|round(-1)', '1e300|round(2)', "'%s' % 'a'",
    "'%s %d' % ('a',5)",
    "'%5.2f|%-5d|%05d|%+d|% d|%x|%X|%o|%#x|%e|%g|%c|%r|%%' % (3.14159,4,5,6,7,255,255,8,255,12345.678,0.0001,'z','q')",
    "'%(a)s' % {'a':1}", "'%*d' % (5,3)", "'%.3s' % 'abcdef'", "'%s' % (1,2)", "'%d' % 'a'", "'%s %s' % 'a'",
    "'x' % 1", "'x' % []", "'%5s|%-5s|' % ('a','b')", "'%05.1f' % -2.34", "'%i' % 3.9", "'%g' % 1e10",
    "'%g' % 100000", "'%g' % 1000000", "'%G' % 1e-10", "'%.0f' % 2.5", "'%#.0f' % 3", "'%a' % 'é'", "'{}'.format(1)",
    "'{} {}'.format('a','b')", "'{0} {1} {0}'.format('a','b')", "'{a}'.format(a=1)",
    "'{:5}|{:<5}|{:>5}|{:^5}|{:*^7}'.format(1,2,3,4,'x')",
    "'{:05d} {:+} {:x} {:#x} {:b} {:,} {:_}'.format(5,6,255,255,5,1234567,1234567)",
    "'{:.2f} {:e} {:g} {:%}'.format(3.14159,1234.5,0.00001,0.25)", "'{:.3}'.format(3.14159)",
    "'{:.3}'.format('abcdef')", "'{:{w}}'.format(1,w=5)", "'{0[a]} {0.b}'.format({'a':1})", "'{0[0]}'.format([5])",
    "'{!r} {!s}'.format('a','b')", "'{{}}'.format()", "'{'.format()", "'}'.format()", "'{}'.format()",
    "'{:10.3f}|'.format(2.5)", "'{:<10,.2f}|'.format(12345.678)", "'{:08.2f}'.format(-3.14159)",
    "'{:+.1e}'.format(12345)", "'{:c}'.format(97)", "'{:d}'.format(true)", "'{}'.format(true)", "'{:5}'.format(true)",
    "'{:s}'.format(1)", "'{:010,}'.format(1234567)", "'{:.3}'.format(1234.5)", "'{:.10}'.format(1234.5)",
    "'{:.1}'.format(0.5)", "'{}'.format([1])", "'{:5}'.format([1])", "'{a}'.format_map({'a':5})",
    "'%s' | format('x')", "'%s-%s'|format(1,2)", "'%(a)s'|format(a=3)", "['a','b']|join(', ')", "[1,[2,'x']]|join",
    "messages|map(attribute='role')|join(',')", "messages|selectattr('role','equalto','user')|list",
    "messages|rejectattr('content')|map(attribute='role')|list",
    "messages|selectattr('content','string')|list|length", "messages|map(attribute='content',default='Q')|list",
    "messages|map(attribute='zz',default='Q')|list", "messages|groupby('role')|list",
    "messages|groupby('role')|map(attribute='grouper')|list", 'l|sort', 'l|sort(reverse=true)', "['b','A']|sort",
    "['b','A']|sort(case_sensitive=true)", "[{'a':2,'b':1},{'a':1,'b':2}]|sort(attribute='a')",
    "[{'a':2,'b':1},{'a':1,'b':2}]|sort(attribute='b,a')", "[1,'a']|sort", 'l|min', 'l|max', '[]|max', 'l|sum',
    "[{'a':1}]|sum(attribute='a')", '[0.1]*3|sum', "['a']|sum", '[[1],[2]]|sum(start=[])',
    "[1,1.0,true,'1']|unique|list", "['a','A','b']|unique|list", "l|map('string')|join", "[1,2,3]|select('odd')|list",
    "[1,2,3]|reject('gt',1)|list", "['a']|map('replace','a','b')|list", '3000|filesizeformat',
    '3000|filesizeformat(true)', '1|filesizeformat', '0|filesizeformat', '1500000|filesizeformat',
    '1e30|filesizeformat', "{'a':1,'b c':2}|xmlattr", "{'a':1,'b':none,'c':'<'}|xmlattr",
    "{'a':'x y','b':'&'}|urlencode", "[('a',1)]|urlencode", "'a/b c?é'|urlencode", 'd|dictsort',
    "{'b':1,'A':2}|dictsort", "{'b':1,'A':2}|dictsort(true)", "{'b':1,'A':2}|dictsort(by='value')",
    "{'b':1,'A':2}|dictsort(reverse=true)", 'd|items|list', 'none|items|list', 'undef|items|list', 'd|tojson',
    'd|tojson(indent=2)', 'd|tojson(sort_keys=true)', "[1,'é',none,true,1.5,{'a':[]}]|tojson",
    "'é'|tojson(ensure_ascii=true)", "'é\\u007f\\u0001😀'|tojson(ensure_ascii=true)", '[]|tojson(indent=2)',
    '{}|tojson(indent=2)', "[1,[2]]|tojson(indent='--')", '[1]|tojson(indent=0)', 'undef|tojson', '(1,2)|tojson',
    '{1:2,none:3,true:4,1.5:5}|tojson', 'range(3)|tojson', "[1,2]|tojson(separators=(',',':'))", '1e20|tojson',
    '1e100|tojson', "'<'|e", "('<'|e) + '<'", "('<'|e) ~ '<'", "'<' + ('<'|e)", "['<'|e]", "('<'|e)|length",
    "('<'|e) is escaped", "'a'|attr('upper')", "d|attr('b')",
    "strftime_now('%d %b %Y %H:%M:%S %A %B %j %p %y %-d %e %I %Z')",
    "strftime_now('%Y-%m-%dT%H:%M:%S%z|%c|%x|%X|%D|%U|%W|%V|%G|%u|%w|%C|%R|%r|%s|%n|%t|%%|%f|%h')", 'self',
    'self is defined', 'self.x', 'self.x()', 'range', 'loop', 'loop is defined', 'caller', 'super', 'super()',
    'varargs', "cycler('a','b').next()", 'cycler().next()', 'joiner()()', 'lipsum is defined',
    'namespace is callable', 'cycler is defined', 'joiner is callable', "raise_exception('x')", 'raise_exception()',
    'n.real', 'n.bit_length()', 'f.is_integer()', 'true.real', '(5).numerator', "'a'.upper", 'none.x', '5 .x', '5.x',
    'd.__class__', "''.__class__.__mro__", 'l.__len__()', 'd._x', '[1,2,3][1,2]', "{'a':1}['a','b']", 'l|last',
    "'abc'|last", 'd|first', 'range(3)|last', 'l|reverse|list', "'abc'|reverse", 'd|list', 'd|length', '5|length',
    '5|list', "'abc'|batch(2)|list", 'l|slice(2)|list', 'range(7)|batch(3,0)|list', "range(7)|slice(3,'z')|list",
    "'x'|default", "''|default('e',true)", "none|default('e')", "none|default('e',true)", "false|d('x',boolean=true)",
    "'5'|int + 1", "'5.7'|int", "' 5 '|int", "'abc'|int", "'abc'|int(3)", "'1_000'|int", "'ff'|int(0,16)",
    "'0x1A'|int(0,16)", "'z'|int(0,36)", 'none|int', '[]|int', "'1e3'|float", "'inf'|float", "'nan'|float",
    "'x'|float(1)", '3|float', 'true|int', '-5|abs', '-2.5|abs', "'a'|abs", '1.0', '1.10', '1e3', '1.5e-7', '0.00001',
    '12345678.9', '-0.0', '3.0|int', '3 is divisibleby 2', '4 is divisibleby(2)', '3 is odd', '3 is not odd',
    '3 is in [1,3]', "'a' is in 'abc'", 'x is defined and y is defined', 'n is number and n > 3', 'not n is none',
    "n if n is defined else 'q'", 'n is none or n is string', "'a' in d", "'a' in d.keys()", '1 in d.values()',
    "('b',1) in d.items()", "'a' not in 'b'", "'' in 'abc'", "1 in 'abc'", '1 in [1.0]', 'none in [none]',
    '[1] == [1.0]', "{'a':1} == {'a':1.0}", '(1,2) == [1,2]', "'a' == 1", 'd == d', '1 == true', "'1' == 1",
    '0.1+0.2 == 0.3', 'l.index(2,1)', "{'a':1,'a':2}", "{1:'a',1.0:'b',true:'c'}", '[1,2,3]|batch(0)|list',
    "'abc'|list", "messages[0]['role']", 'messages[0].role', 'messages[2].tool_calls[0].function.parameters.x',
    'messages[-1].content', 'messages[99]', 'messages[99].role', 'messages|length', 'messages[1:]|length',
    'messages[1:][0].content', 'messages[2].content', 'messages[2].content is none', 'messages[0].items()|list',
    '(messages|last).role', 'messages|first', "'a\\x41\\u00e9\\U0001F600\\101\\q\\\\'", "'a\\\nb'", "'\\N{DASH}'",
    '"a\'b"|tojson', '[\'a\\\'b\',\'a"b\',\'a\\\'"b\',\'\\n\',\'\\x00\',\'é\',\'\\u200b\',\'\\xa0\',\'\\\\\']',
    "'a'|upper~'b'", '1+2|string', '-1|abs', '(-1)|abs', '- 1', '+5', "+'a'", '--5', 'not 1 == 2', '1 and 2',
    "0 or 'x'", "'' or none", '1 or undef.x', 'n>5 and f<3', "'abc'|truncate(2,true,'')",
    "'hello world foo bar'|truncate(11)", "'hello world foo bar'|truncate(11,false,'...',0)",
    "'foo-bar baz--qux x'|wordwrap(5)", "'averylongwordhere ok'|wordwrap(6,false)",
    "'averylong-wordhere ok'|wordwrap(8)", "'a b\\n\\nc d'|wordwrap(3,wrapstring='|')",
    "'  lead  and  more '|wordwrap(6)", "'a-b-c-d-e-f'|wordwrap(4)",
    "'self-explanatory well-known'|wordwrap(7,true,'/',false)", "'one two'|title", '"it\'s o\'neil-smith (x)"|title',
    '"it\'s o\'neil-smith (x)".title()', "'ß'.upper()", "'ß'.capitalize()", "'ΑΣ'.lower()", "'ǆ'.title()",
    "'İ'.lower()", "'a_b c'|wordcount", "'<p>a &lt; b</p> <!-- c --> x'|striptags", "'a&nbsp;b&copy;'|striptags",
    "'x'|pprint", '[1,2]|pprint', "{'a':1}|pprint", "{'b':1,'a':2}|pprint", "'http://a.b'|urlize", '[1,2,3]|random',
    "'abc'|map('upper')|list", "d|map('upper')|list", '[1,2]|map|list', "[1,2]|map('nope')|list",
    "[1,2]|select('nope')|list", "[]|select('nope')|list", '(1,2)|list', '((1,2),)', '[(1,),()]', "{'a':(1,)}",
    '1 is sameas 1', '[] is sameas []', 'none is sameas none', "'a'.join('bc')", "''.join([1])",
    "'-'.join(messages|map(attribute='role'))", "'a' is eq 'a'", "'a' is ne('b')", '1 is lt 2', '2 is ge(2)',
    "'x' is string and 'y'", '1 is number is string', "(l|map('string'))|length", "l|map('string')",
    "(l|map('string'))|first", "l|map('string')|list|length", 'l|reverse', 'l|reverse|length', 'd.items()|first',
    'd.items()[0]', '1.5.is_integer()', '1 ,', '[,]', '{,}', '(,)', 'a b', '1 +', '* 1', 'a.', 'a[', 'a[1', 'a(',
    'a(1', "'abc", '{{', '}}', 'a|', 'a is', 'a is not', '1 if', 'if', 'not', 'a.b.c', 'a[:]', '[1,2,3][:2:]',
    '[1,2,3][::]', '[1,2,3][1:2:3:4]', 'f(a=1,2)', 'f(*l)', 'f(**d)', 'dict(**d)', "dict(*[[('a',1)]])",
    'cycler(*l).next()', 'f(a=1,a=2)', "dict(a=1,**{'b':2})", "dict(a=1,**{'a':2})", "'%s %s' % l", "'%s'%(l,)",
    'a=1', 'a:=1', 'a;b', 'a!b', 'a@b', 'a$b', 'a?b', '1..2', '1.', '0x', '0b2', '08', '1__0', '1e', '1e+', 'é', 'é1',
    '1é', '_', '__x__',
]
STATEMENTS = r'''
{% for c in 'abc' %}{{ c }}{{ ',' if not loop.last }}{{ loop.length }}{{ loop.revindex }}{% endfor %}
{% for x in [1,2,3] %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}
{% for x in [] %}{{ x }}{% else %}none{% endfor %}
{% for x in [1] %}{{ x }}{% else %}none{% endfor %}
{% for x in undef %}{{ x }}{% else %}none{% endfor %}
{% for x in none %}{{ x }}{% endfor %}
{% for x in 5 %}{{ x }}{% endfor %}
{% for a, b in d.items() %}{{ a }}={{ b }};{% endfor %}
{% for a, b in [(1,2,3)] %}{{ a }}{% endfor %}
{% for a, b in [(1,)] %}{{ a }}{% endfor %}
{% for (a, (b, c)) in [(1,(2,3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}
{% for [a, b] in [(1,2)] %}{{ a }}{{ b }}{% endfor %}
{% for k in d %}{{ k }}{% endfor %}
{% for x in [1,2,3,4] if x % 2 == 0 %}{{ x }}{{ loop.index }}{{ loop.length }}{{ loop.last }}{% endfor %}
{% for x in [1,2,3,4] if x > 9 %}{{ x }}{% else %}no{% endfor %}
{% for x in [1,2,3,4] if loop.index > 2 %}{{ x }}{% endfor %}
{% for x in range(3) %}{% for y in range(2) %}{{ loop.index }}{{ loop.depth }}{{ x }}{{ y }}{% endfor %}{{ loop.index }}{% endfor %}
{% for x in [1,2,3] %}{% if x == 2 %}{% continue %}{% endif %}{{ x }}{% endfor %}
{% for x in [1,2,3] %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}
{% for x in [1,2,3] %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% else %}e{% endfor %}
{% break %}
{% for x in [1] %}{% else %}{% break %}{% endfor %}
{% for y in [1,2] %}{% for x in [] %}{% else %}{% break %}{% endfor %}{{ y }}{% endfor %}
{% for x in [1] %}{% set y %}{% break %}{% endset %}{% endfor %}z
{% for x in [1,2] %}{{ x }}{% set y %}a{% break %}{% endset %}{% endfor %}z
{% for x in [1,2] %}{% filter upper %}a{% break %}{% endfilter %}{% endfor %}z
{% for x in [1,2] %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}z
{% for x in [1,2] %}{% call range() %}{% break %}{% endcall %}{% endfor %}z
{% for x in [1,2] %}{% generation %}{% break %}{% endgeneration %}{% endfor %}z
{% for x in [1,2] %}{% with a=1 %}{{ x }}{% break %}{% endwith %}{% endfor %}z
{% for x in [1,2] %}{% block b %}{% break %}{% endblock %}{% endfor %}z
{% for x in [1,2] recursive %}{{ x }}{% endfor %}
{% for x in [{'v':1,'c':[{'v':2,'c':[]},{'v':3}]}] recursive %}{{ x.v }}{{ loop.depth }}{% if x.c %}({{ loop(x.c) }}){% endif %}{% endfor %}
{% for x in [1] %}{{ loop([2]) }}{% endfor %}
{% for x in [1,2,3,4,5] %}{{ loop.cycle('a','b') }}{% endfor %}
{% for x in [1,1,2,2,1] %}{{ loop.changed(x) }}{% endfor %}
{% for x in [1,1,2] %}{% if loop.changed(x, 'k') %}{{ x }}{% endif %}{% endfor %}
{% for x in [1,2] %}{{ loop }}{% endfor %}
{% for x in [1,2] %}{{ loop|length }}{% endfor %}
{% for x in [3,4]|map('string') %}{{ x }}{{ loop.last }}{{ loop.length }}{{ loop.revindex }}{% endfor %}
{% for x in 'añb' %}{{ x }}{{ loop.nextitem }}{{ loop.previtem }}{{ loop.length }}{% endfor %}
{% for x in ''%}{% else %}empty{% endfor %}
{% for loop in [1,2] %}{{ loop }}{% endfor %}
{% for x in [1,2] %}{% set x = 5 %}{{ x }}{% endfor %}{{ x }}
{% set x = 0 %}{% for i in [1,2] %}{{ x }}{% set x = i %}{{ x }}{% endfor %}{{ x }}
{% set ns = namespace(x=0) %}{% for i in [1,2] %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}
{% set ns = namespace() %}{% set ns.a, b = 1, 2 %}{{ ns.a }}{{ b }}
{% set ns = namespace(a=1) %}{% set ns.b %}q{% endset %}{{ ns.b }}{{ ns }}
{% set ns = {} %}{% set ns.a = 1 %}
{% set ns = namespace() %}{% set ns.__class__ = 1 %}
{% set ns = namespace() %}{{ ns.zz }}{{ ns.zz is defined }}
{% set ns = namespace() %}{% set ns.x = ns %}{{ ns.x.x is defined }}
{% set a, b = 1, 2 %}{{ a }}{{ b }}
{% set a = 1, 2 %}{{ a }}
{% set (a, b) = [1, 2] %}{{ a }}{{ b }}
{% set a, b = 'xy' %}{{ a }}{{ b }}
{% set a = b = 1 %}
{% set true = 1 %}
{% set none = 1 %}
{% set x %}a {{ 1 }} b{% endset %}[{{ x }}]
{% set x | upper %}abc{% endset %}{{ x }}
{% set x | replace('a','b') | upper %}abc{% endset %}{{ x }}
{% set x %}{% set y = 1 %}{% endset %}{{ y }}
{% filter upper %}abc{{ 'd' }}{% endfilter %}
{% filter upper|replace('A','x') %}abc{% endfilter %}
{% filter nope %}abc{% endfilter %}
{% filter upper %}{% set z = 1 %}{% endfilter %}{{ z }}
{% if false %}{{ 1|nope }}{% endif %}ok
{% if false %}{% for x in [1] %}{{ 1|nope }}{% endfor %}{% endif %}ok
{{ 1 if true else 2|nope }}
{{ (1|nope) if false else 2 }}
{% if 1 is nope %}{% endif %}ok
{% if false %}{{ 1 is nope }}{% endif %}ok
{% if true %}{{ 1|nope }}{% endif %}ok
{% with a=1, b=2 %}{{ a }}{{ b }}{% endwith %}{{ a }}
{% with %}{% set q=1 %}{{ q }}{% endwith %}{{ q }}
{% set a = 1 %}{% with a=2, b=a %}{{ a }}{{ b }}{% endwith %}
{% with a, b = 1, 2 %}{{ a }}{% endwith %}
{% with (a, b) = (1, 2) %}{{ a }}{{ b }}{% endwith %}
{% macro m(a, b=2) %}[{{ a }}{{ b }}]{% endmacro %}{{ m(1) }}{{ m(1,3) }}{{ m(a=4) }}{{ m() }}{{ m(b=1,a=0) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1,2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1,b=2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1,a=2) }}
{% macro m(a) %}{{ a }}{{ varargs }}{% endmacro %}{{ m(1,2,3) }}
{% macro m(a) %}{{ a }}{{ kwargs }}{% endmacro %}{{ m(1,b=2,c=3) }}
{% macro m() %}{{ varargs }}{{ kwargs }}{{ caller }}{% endmacro %}{{ m(1,x=2) }}
{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}
{% macro m(a=1, b) %}{% endmacro %}
{% macro m(a, a) %}{% endmacro %}
{% macro m(x) %}{{ x }}{% if x > 0 %}{{ m(x-1) }}{% endif %}{% endmacro %}{{ m(5) }}
{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}
{% macro m() %}{{ v }}{% endmacro %}{% set v = 1 %}{{ m() }}
{% set v = 1 %}{% macro m() %}{{ v }}{% endmacro %}{% set v = 2 %}{{ m() }}
{% macro m() %}{% set z = 1 %}{{ z }}{% endmacro %}{{ m() }}{{ z }}
{% for v in [1,2] %}{% macro m() %}{{ v }}{% endmacro %}{{ m() }}{% endfor %}
{% for v in [1,2] %}{% macro m() %}{{ loop.index }}{% endmacro %}{{ m() }}{% endfor %}
{% macro m() %}{{ v }}{% endmacro %}{% for v in [1,2] %}{{ m() }}{% endfor %}
{% macro m() %}({{ caller() }}){% endmacro %}{% call m() %}x{% endcall %}
{% macro m() %}({{ caller(1, 2) }}){% endmacro %}{% call(a, b) m() %}{{ a }}-{{ b }}{% endcall %}
{% macro m(x) %}({{ x }}{{ caller() }}){% endmacro %}{% call m('q') %}x{% endcall %}
{% macro m() %}x{% endmacro %}{% call m() %}y{% endcall %}
{% macro m() %}{{ kwargs }}{% endmacro %}{% call m() %}y{% endcall %}
{% macro m(caller) %}{{ caller }}{% endmacro %}{{ m(1) }}
{% macro m(caller=none) %}{{ caller is none }}{% endmacro %}{{ m() }}
{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}{% call m() %}{% endcall %}
{% macro m() %}{% call n() %}{{ caller() }}{% endcall %}{% endmacro %}{% macro n() %}<{{ caller() }}>{% endmacro %}{% call m() %}z{% endcall %}
{% macro m() %}a{% endmacro %}{{ m }}{{ m.name }}{{ m.arguments }}{{ m.catch_kwargs }}{{ m.catch_varargs }}{{ m.caller }}
{% macro m(a,b=1) %}{{ kwargs }}{% endmacro %}{{ m.name }}{{ m.arguments }}{{ m.catch_kwargs }}{{ m.zz }}
{% macro m() %} a {% endmacro %}[{{ m() }}][{{ m()|trim }}][{{ m() is string }}]
{% macro m() %}<{% endmacro %}{{ m()|e }}{{ m() is escaped }}
{% call 5 %}x{% endcall %}
{% call range(2) %}x{% endcall %}
{% block b %}x{{ n }}{% endblock %}
{% block b %}x{% endblock b %}{{ self.b() }}
{% block b %}x{% endblock %}{% block b %}y{% endblock %}
{% for i in [1,2] %}{% block b %}{{ i }}{% endblock %}{% endfor %}
{% for i in [1,2] %}{% block b scoped %}{{ i }}{% endblock %}{% endfor %}
{% block b required %}{% endblock %}
{% block b required %}x{% endblock %}
{% set q = 1 %}{% block b %}{{ q }}{% set q = 2 %}{% endblock %}{{ q }}
{% block b %}{{ super() }}{% endblock %}
{% block b-c %}{% endblock %}
{{ self.b() }}{% block b %}x{% endblock %}
{% macro m() %}{{ self is defined }}{% endmacro %}{{ m() }}
{% extends 'x' %}
{% include 'x' %}
{% include 'x' ignore missing %}
{% import 'x' as y %}
{% from 'x' import y %}
{% if false %}{% include 'x' %}{% endif %}ok
{% do 1 %}
{% trans %}{% endtrans %}
{% autoescape false %}{{ '<' }}{% endautoescape %}
{% autoescape false %}{% set i=1 %}{% endautoescape %}{{ i }}
{% generation %}a{% set g = 1 %}{{ g }}{% endgeneration %}{{ g }}
{% set g = 0 %}{% generation %}{{ g }}{% set g = 1 %}{% endgeneration %}{{ g }}
{% if true %}a{% elif true %}b{% else %}c{% endif %}
{% if false %}a{% elif true %}b{% else %}c{% endif %}
{% if false %}a{% elif false %}b{% else %}c{% endif %}
{% if false %}{% set w = 1 %}{% endif %}{{ w }}
{% if true %}{% set w = 1 %}{% endif %}{{ w }}
{% if n is defined and n == 7 %}y{% endif %}
{% if (n == 7) and not (n == 8) %}y{% endif %}
{% if 1, 2 %}y{% endif %}
{% if n == 7: %}y{% endif %}
{% for x in 1, 2 %}{{ x }}{% endfor %}
{% for x in [1,2] if x else [] %}{{ x }}{% endfor %}
{% for x in ([1] if true else [2]) %}{{ x }}{% endfor %}
{% for x in messages|selectattr('role','eq','user') %}{{ x.content }}{% endfor %}
{% for m in messages %}{{ m.role }}{{ loop.last }}{{ loop.length }}{% endfor %}
{% for m in messages %}{{ m['tool_calls'] is defined }}{{ m.tool_calls is defined and m.tool_calls }}{% endfor %}
{% raw %}{{ x }}{% endraw %}
{% raw %}{% if %}{% endraw %}
{% raw %}a
{%- raw -%} {{ x }} {%- endraw -%} b
{# comment #}a{# {{ x }} {% if %} #}b
{# a
a #} b
{{ '{{' }}{{ '%}' }}{{ "}}" }}
{{ {'a':{'b':1}}.a.b }}{{ {}}}
{{ }}
{% %}
{{ 'a
b' }}
{% print 1 %}{% print 1, 2 %}{% print %}
{% if %}{% endif %}
{% endif %}
{% if true %}
{% for %}{% endfor %}
{% for x %}{% endfor %}
{% for x in %}{% endfor %}
{% set %}
{% set x %}
{% macro %}{% endmacro %}
{% macro m %}{% endmacro %}
{% nope %}
{% 5 %}
{{ a b }}
{{ 1 }
{% if true }
{%if true%}a{%endif%}
{%- if true -%} a {%- endif -%} b
  {%+ if true %}a{% endif +%}
b
{{- 1 -}} x
a {{- 1 -}} b
a {{+ 1 }} b
a {{ -1 }} b
a {{-1 }} b
{% set c=cycler('a','b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.reset() }}{{ c.next() }}
{% set j=joiner(';') %}{{ j() }}a{{ j() }}b{{ j() }}
{% set j=joiner() %}{{ j() }}a{{ j() }}b
{% set l2 = l + [9] %}{{ l2 }}{{ l }}
{% set x = dict(a=1) %}{{ x.update({'b':2}) }}
{{ l.append(4) }}
{{ l.append }}
{{ l.append is defined }}{{ d.update is defined }}{{ d.pop }}
{{ messages[0].__class__ }}
{{ ''.__class__ }}{{ ''.__class__ is defined }}
{{ ''.__class__.x }}
{{ undef.x }}
{{ undef.x is defined }}
{{ undef['x'] }}
{{ d.zz.y }}
{{ d.zz is defined }}{{ d.zz }}{{ d['zz'] is defined }}
{{ (d.zz or {}).y }}
{{ d.zz|default({})|length }}
{{ messages[0]['content'][:3] }}{{ messages[0].content[-2:] }}
{{ messages[2].tool_calls[0].function.parameters|tojson }}
{{ messages[2].tool_calls[0].function.parameters.items()|list }}
{% for k, v in messages[2].tool_calls[0].function.parameters|items %}{{ k }}:{{ v }};{% endfor %}
{% for k, v in d|dictsort %}{{ k }}:{{ v }};{% endfor %}
{% for k in d.keys()|sort %}{{ k }}{% endfor %}
{% set x = [] %}{% for i in range(3) %}{% set x = x + [i] %}{% endfor %}{{ x }}
{{ range(3)|list }}{{ range(1,4)|join(',') }}
{{ raise_exception('bad') }}
{{ '%02d:%02d' % (5, 7) }}
{{ 'x'.join(['a','b']) }}
{{ "a" if n > 5 else "b" }}{{ "a" if n < 5 }}
{{ n if n else 0 }}{{ not n }}
{{ 'a' in s and 'b' in s }}
{{ s.split()[0] }}{{ s.split('\n')|length }}
{{ messages|map(attribute='role')|unique|list }}
{{ messages|map(attribute='role')|list|tojson }}
{{ (messages|selectattr('role','equalto','user')|first).content|trim }}
{{ messages|selectattr('role','in',['user','tool'])|list|length }}
{{ messages|groupby('role')|length }}{% for g in messages|groupby('role') %}{{ g.grouper }}{{ g.list|length }}{{ g[0] }}{% endfor %}
{% for r, ms in messages|groupby('role') %}{{ r }}{{ ms|length }}{% endfor %}
{% for b in range(5)|batch(2) %}{{ b }}{% endfor %}
{{ [1,2,3][loop] }}
{{ caller() }}
{{ varargs }}{{ kwargs }}
{% set self = 1 %}{{ self }}
{% set range = 1 %}{{ range }}
{% set loop = 3 %}{{ loop }}
{% set x = namespace(a=[1]) %}{{ x.a }}{{ x['a'] }}{{ x|string }}
{{ -1|abs }}{{ (-1)|abs }}{{ 2 * -3 }}{{ 2 - -3 }}
{{ 1 + 2 ~ 3 + 4 }}{{ 1 ~ 2 * 3 }}{{ 2 ** 3 * 2 }}{{ 10 / 4 }}{{ 10 // 4 }}{{ 7 % 4 }}
{{ not true and false }}{{ not (true and false) }}{{ true or true and false }}
{{ 1 < 2 and 2 < 3 }}{{ 1 < 2 == true }}
{{ 'a' < 'b' < 'c' }}{{ 1 in [1,2] in [[1,2]] }}
{{ "a" ~ "b" | upper }}{{ ("a" ~ "b") | upper }}
{{ 1 if true else 2 if false else 3 }}{{ 1 if false else 2 if false else 3 }}
{{ [x for x in y] }}
{{ lambda: 1 }}
{{ a[1:2, 3] }}
{{ 'abc'[1] }}{{ 'abc'.0 }}{{ l.0 }}{{ l.9 }}
{{ l[1:][0] }}{{ l[::-1][0] }}
{{ ns.x }}{% set ns = namespace(x=1) %}
{% set ns = namespace(x=1) %}{% macro m() %}{% set ns.x = 2 %}{% endmacro %}{{ m() }}{{ ns.x }}
{% set ns = namespace(x=false) %}{% for m in messages if not ns.x %}{{ m.role }}{% if m.role == 'user' %}{% set ns.x = true %}{% endif %}{% endfor %}
{% for m in messages %}{% if loop.previtem is defined %}{{ loop.previtem.role }}{% endif %}{% if not loop.last and loop.nextitem.role %}>{{ loop.nextitem.role }}{% endif %};{% endfor %}
{% for x in [1,2,3] %}{% if loop.first %}{% set y = x %}{% endif %}{{ y }}{% endfor %}
{% set y = 0 %}{% if true %}{% for x in [1] %}{% set y = 1 %}{% endfor %}{% endif %}{{ y }}
{% set x = 1 %}{% if x %}{% set x = 2 %}{% endif %}{{ x }}
{% set a = namespace(v=[]) %}{% set a.v = a.v + [1] %}{{ a.v }}
{%- set x = 'a' -%}
{%- if x -%} {{ x }} {%- endif %}
{{ bos_token }}{% for message in messages %}{{ '<|' + message['role'] + '|>' }}{% endfor %}{% if add_generation_prompt %}{{ '<|a|>' }}{% endif %}
'''
LINES = [
    '{% for x in [1,2] %}\n  {{ x }}\n{% endfor %}\n', 'a\r\n{% if true %}\r\nb\r\n{% endif %}\r\nc\r', 'a\rb', '\n',
    '\n\n', 'a\n\n', '', 'x{# c #}\ny', '  {# c #}\ny', '{#- c -#}  y', '{# a #', '{#', '{%', '{{', '{% raw %}',
    '{% raw', 'a{%- endraw %}', '\t{% if true %}\t\nx\n\t{% endif %}\t\ny', '{% if true %}  \n  x{% endif %}',
    'a\u2028{% if true %}b{% endif %}', '\xa0{% if true %}b{% endif %}', "{{ 'a'\n'b' }}",
    '{%\nif\ntrue\n%}x{%endif%}', '{{\n1\n}}\n', '{%- raw %} a {% endraw -%} b', '{% raw +%}\nx{% endraw %}',
    '  {% raw %}x\n  {% endraw %}\ny', '{%- if true -%}\n\n x \n\n{%- endif -%}\n\ny',
]


def fixed():
    """The templates that are the same in each run."""
    yield from ("{{ %s.%s }}" % pair for pair in itertools.product(TEXTS, METHODS))
    yield from ("{{ %s|%s }}" % pair for pair in itertools.product(TEXTS + VALUES, FILTERS))
    yield from ("{{ %s %s %s }}" % (a, op, b) for a, b, op in itertools.product(OPERANDS, OPERANDS, OPERATORS))
    yield from ("{{ %s is %s }}" % pair for pair in itertools.product(OPERANDS + TESTED, TESTS))
    yield from ("{{ %s }}" % expression for expression in EXPRESSIONS)
    yield from STATEMENTS.strip().split("\n")
    yield from LINES
    before = ["x ", "x\n  ", "", "  ", "\n", "x\t"]
    after = [" y", "\n y", "\n\ny", "", "  \n", "\r\ny"]
    for a, b, x, y in itertools.product(["", "-", "+"], ["", "-", "+"], before, after):
        yield f"{x}{{%{a} if true {b}%}}{y}{{%{b} endif {a}%}}{y}z\n"
        yield f"{x}{{#{a} c {b}#}}{y}z"
        yield f"{x}{{{{{a} 'v' {b}}}}}{y}z"
        yield f"{x}{{%{a} raw {b}%}}{y}{{{{ x }}}}{x}{{%{b} endraw {a}%}}{y}z"
        yield f"{x}{{%{a} set q = 1 {b}%}}{y}{x}{{%{a} set r %}}{y}{{%{a} endset {b}%}}{y}"


class Random:
    """Random templates."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.methods = ["d.get('b')", "d.items()", "l.index(2)", "s.split()", "s.upper()", "messages[0].content", "d.keys()"]

    def pick(self, *choices):
        return self.random.choice(choices)

    def expression(self, depth):
        if depth == 0:
            return self.pick("1", "2", "0", "'a'", "'ab c'", "n", "f", "s", "d", "l", "x", "y", "true", "none", "ns.v", "loop", "[]", "{}")
        e = lambda: self.expression(depth - 1)
        kind = self.random.randrange(16)
        if kind < 3:
            return f"({e()} {self.pick(*OPERATORS)} {e()})"
        if kind < 6:
            return f"{e()}|{self.pick(*FILTERS)}"
        if kind < 8:
            return f"({e()} is {self.pick('', 'not ')}{self.pick(*TESTS)})"
        if kind == 8:
            return f"({e()} if {e()} else {e()})"
        if kind == 9:
            return f"[{e()}, {e()}]"
        if kind == 10:
            return f"{{{e()}: {e()}}}"
        if kind == 11:
            return f"{e()}[{self.pick('0', '-1', '1:', ':-1', '::-1', '::2')}]"
        if kind == 12:
            return f"{e()}.{self.pick(*METHODS)}"
        if kind == 13:
            return f"{self.pick('not ', '-')}{e()}"
        if kind == 14:
            return self.pick(*self.methods)
        return f"({e()}, {e()})"

    def body(self, depth):
        space = lambda: self.pick("", "", " ", "\n", "\n  ", "t ")
        return "".join(space() + self.statement(depth) + space() for _ in range(self.random.randint(1, 2 if depth else 1)))

    def statement(self, depth):
        e = lambda: self.expression(self.random.randint(0, 2))
        a, b = self.pick("", "", "-", "+"), self.pick("", "", "-")
        if depth == 0:
            return f"{{{{{self.pick('', '-')} {e()} {b}}}}}"
        inner = lambda: self.body(depth - 1)
        match self.random.randrange(12):
            case 0 | 1:
                return f"{{%{a} if {e()} {b}%}}{inner()}{{% else %}}{inner()}{{%{a} endif %}}"
            case 2 | 3:
                test = self.pick("", "", f" if {e()}")
                return f"{{%{a} for x in {e()}{test} {b}%}}{inner()}{{% else %}}{inner()}{{% endfor {b}%}}"
            case 4:
                more = self.pick("", "{% if loop.first %}{% continue %}{% endif %}", "{% if loop.index > 1 %}{% break %}{% endif %}")
                return f"{{% for x, y in d.items() %}}{more}{inner()}{{{{ loop.{self.pick('index', 'last', 'revindex', 'length')} }}}}{{% endfor %}}"
            case 5:
                return f"{{%{a} set {self.pick('x', 'y', 'x, y', 'ns.v')} = {e()} {b}%}}"
            case 6:
                return f"{{% set x{self.pick('', ' | upper')} %}}{inner()}{{% endset %}}{{{{ x }}}}"
            case 7:
                return f"{{% macro m(x, y={e()}) {b}%}}{inner()}{{% endmacro %}}{{{{ m({e()}) }}}}"
            case 8:
                return f"{{% macro m(x) %}}[{{{{ caller(x) }}}}]{{% endmacro %}}{{% call(y) m({e()}) %}}{inner()}{{% endcall %}}"
            case 9:
                return f"{{% with x = {e()} %}}{inner()}{{% endwith %}}"
            case 10:
                return f"{{% filter {self.pick('upper', 'trim', 'indent(2)', 'tojson')} %}}{inner()}{{% endfilter %}}"
            case _:
                return f"{{{{ {e()} }}}}"

    def template(self):
        return "{% set ns = namespace(v=1) %}" + self.body(self.random.randint(1, 3))


class Then(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime(2024, 2, 29, 13, 12, 25)


def theirs(template):
    try:
        compiled = chat_template_utils._compile_jinja_template(template)
        return compiled.render(**json.loads(json.dumps(VARIABLES)))
    except Exception as error:  # Templates and the library raise whatever they like.
        return {"error": f"{type(error).__name__}: {error}"}


def ours(templates):
    subprocess.run(["cargo", "build", "-q", "-p", "rlx-chat", "--example", "render_templates"], cwd=ROOT, check=True)
    lines = "".join(json.dumps([template, VARIABLES]) + "\n" for template in templates)
    program = ROOT / "target/debug/examples/render_templates"
    out = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.split("\n") if line]


def write(path):
    """A sample of the fixed templates, taken at intervals so that it changes little when templates are added."""
    given = list(dict.fromkeys(fixed()))
    statements = set(STATEMENTS.strip().split("\n") + LINES + ["{{ %s }}" % expression for expression in EXPRESSIONS])
    sample = [template for i, template in enumerate(given) if template in statements or i % 23 == 0]
    with open(path, "w") as file:
        file.write(json.dumps(VARIABLES, ensure_ascii=False) + "\n")
        for template in sample:
            other = theirs(template)
            if isinstance(other, dict) and other["error"] in STUMBLES:
                continue
            if isinstance(other, str) and (" at 0x" in other or "<class" in other or "<bound" in other or "random" in template):
                continue
            other = other if isinstance(other, str) else None
            file.write(json.dumps([template, other], ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--random", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    chat_template_utils.datetime = Then
    if args.write:
        write(args.write)
        return
    made = Random(args.seed)
    given = list(dict.fromkeys([*fixed(), *(made.template() for _ in range(args.random))]))
    same = refused = unsupported = stumbles = different = 0
    for template, mine in zip(given, ours(given), strict=True):
        other = theirs(template)
        if isinstance(other, dict) and isinstance(mine, dict):
            refused += 1
        elif mine == other:
            same += 1
        elif isinstance(mine, dict) and any(part in mine["error"] for part in REFUSED) or isinstance(other, str) and " at 0x" in other:
            unsupported += 1
        elif isinstance(other, dict) and other["error"] in STUMBLES:
            stumbles += 1
        else:
            different += 1
            if different <= args.show:
                print(f"{template!r}\n  ours   {mine!r}\n  theirs {other!r}")
    print(f"{same} texts are the same, {refused} templates are refused by both, {unsupported} by rlx-chat alone, by name;")
    print(f"{stumbles} are rendered by rlx-chat where Python stumbles, {different} differ")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
