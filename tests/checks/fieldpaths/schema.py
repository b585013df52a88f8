"""The types of schema/, as far as field paths need them.

A position is what a JSON value may be: a Type, ('list', position), ('map', position), or a scalar as a string:
'string', 'int', 'number', 'bool', 'int-or-string', 'any'.
"""
import re

SCALARS = {'string': 'string', 'bytes': 'string', 'bool': 'bool', 'int32': 'int', 'int64': 'int', 'uint32': 'int',
           'uint64': 'int', 'double': 'number', 'float': 'number', 'any': 'any'}
CODECS = {'quantity': 'string', 'time': 'string', 'micro-time': 'string', 'duration': 'string', 'raw': 'any',
          'json': 'any', 'int-or-string': 'int-or-string'}
SPLIT = re.compile(r'"(?:[^"\\]|\\.)*"?|\{[^}]*\}|\S+')


class Type:
    def __init__(self, name):
        self.name = name
        self.fields = {}  # JSON name: position

    def __repr__(self):
        return self.name


def items(text):
    """The lines that belong together, with comments dropped: (indentation, words)."""
    found, open_quote = [], False
    for line in text.split('\n'):
        content = line.strip()
        if not open_quote and (not content or content.startswith('#')):
            continue
        indentation = len(line) - len(line.lstrip())
        first = content.split(maxsplit=1)[0] if content else ''
        starts = first.isdigit() or first in ('-', 'union', 'removed') or first.startswith('/')
        if open_quote or (indentation and found and not starts):
            found[-1][1] += ' ' + content
        else:
            # Columns of names tell inline groups; numbers are right-aligned.
            found.append([line.index(first) + len(first) if indentation else 0, content])
        if line.count('"') % 2:
            open_quote = not open_quote
    return [(column, SPLIT.findall(text)) for column, text in found]


class File:
    """One schema file: its types by name, and the files whose types it uses."""

    def __init__(self, name, text):
        self.name = name
        self.types = {}
        self.uses = []
        self.settings = {}  # lines of other words, such as "files"
        self.raw = []  # (type, field, word), to be resolved when all files are read
        self.read(items(text))

    def read(self, found):
        current, groups = None, []
        for column, words in found:
            if column:
                if current is not None:
                    self.field(current, groups, column, words)
                continue
            current, groups = None, []
            if words[0] in ('type', 'kind'):
                current = self.types[words[1]] = Type(words[1])
                if words[0] == 'kind':
                    current.fields.update(kind='string', apiVersion='string')
            elif words[0] == 'list':
                made = self.types[words[1]] = Type(words[1])
                made.fields.update(kind='string', apiVersion='string')
                self.raw += [(made, 'metadata', 'ListMeta'), (made, 'items', '[]' + words[3])]
            elif words[0] == 'codec':
                self.codec(words)
            elif words[0] == 'use':
                self.uses += words[1:]
            else:
                self.settings.setdefault(words[0], []).extend(words[1:])

    def field(self, current, groups, column, words):
        if words[0] in ('union', 'removed') or words[0].startswith('/') or len(words) < 3:
            return
        if words[2] != 'inline':  # the fields of an inline group belong to the type itself
            self.raw.append((current, words[1], words[2]))

    def codec(self, words):
        name, form = words[1], words[2]
        if form == 'strings':
            self.types[name] = ('list', 'string')
        elif form.startswith('schema-or-'):
            self.types[name] = ('schema-or', words[4], form)
        else:
            self.types[name] = CODECS[form]


class Schema:
    def __init__(self, files):
        """files: {name without ending: text}"""
        self.files = {name: File(name, text) for name, text in files.items()}
        for file in self.files.values():
            for owner, name, word in file.raw:
                owner.fields[name] = self.resolve(file, word)

    def resolve(self, file, word):
        word = word.lstrip('*')
        if word.startswith('[]'):
            return ('list', self.resolve(file, word[2:]))
        if word.startswith('map['):
            return ('map', self.resolve(file, word[word.index(']') + 1:]))
        if word in file.types:
            found = file.types[word]
        elif '.' in word:
            other, _, inner = word.rpartition('.')
            return self.resolve(self.files[other], inner)
        elif word in SCALARS:
            return SCALARS[word]
        else:
            for other in file.uses:
                if word in self.files[other].types:
                    return self.resolve(self.files[other], word)
            raise KeyError(f'schema file {file.name}: no type {word}')
        if isinstance(found, tuple) and found[0] == 'schema-or':
            inner = self.resolve(file, found[1])
            either = {'schema-or-list': ('list', inner), 'schema-or-bool': 'bool',
                      'schema-or-strings': ('list', 'string')}[found[2]]
            return ('either', inner, either)
        return found

    def message_types(self, names=None):
        """All types with fields, of these files only where names are given."""
        return [t for name, file in self.files.items() if names is None or name in names
                for t in file.types.values() if isinstance(t, Type)]
