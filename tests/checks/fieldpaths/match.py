"""Whether the ways in which code looks into a value fit a type."""
from fieldpaths.schema import Type

READS = {'text': ('string', 'int-or-string'), 'integer': ('int', 'int-or-string'), 'flag': ('bool',)}


class Use:
    """How code looks into one value: the members it names, the items it visits, what it reads it as."""
    __slots__ = ('members', 'item', 'reads', 'line', 'name')

    def __init__(self, name, line):
        self.name = name
        self.line = line
        self.members = {}
        self.item = None
        self.reads = {}  # 'text', 'integer', 'flag', 'items': line

    def member(self, name, line):
        found = self.members.get(name)
        if found is None:
            found = self.members[name] = Use(name, line)
        return found

    def visit(self, line):
        if self.item is None:
            self.item = Use('[]', line)
        return self.item

    def absorb(self, other):
        """The same value is looked into there, too."""
        if other is self:
            return
        for name, inner in other.members.items():
            mine = self.members.get(name)
            if mine is None:
                self.members[name] = inner
            else:
                mine.absorb(inner)
        if other.item is not None:
            if self.item is None:
                self.item = other.item
            else:
                self.item.absorb(other.item)
        for how, line in other.reads.items():
            self.reads.setdefault(how, line)

    def is_bare(self):
        return not self.members and self.item is None and not self.reads


def mismatches(position, use, path=''):
    """What does not fit: [(line, path, why)]."""
    if position == 'any':
        return []
    if isinstance(position, tuple) and position[0] == 'either':
        return min((mismatches(p, use, path) for p in position[1:]), key=len)
    if isinstance(position, Type):
        wrong = [(line, path, f'is read as {how}, but is an object') for how, line in use.reads.items()
                 if how != 'members']
        for name, inner in use.members.items():
            where = f'{path}.{name}' if path else name
            field = position.fields.get(name)
            if name.startswith('$'):  # a directive of a strategic merge patch
                continue
            if field is None:
                wrong.append((inner.line, where, f'{position.name} has no field {name}'))
            else:
                wrong += mismatches(field, inner, where)
        if use.item is not None and 'members' not in use.reads:
            wrong.append((use.item.line, path, 'has items, but is an object'))
        return wrong
    if isinstance(position, tuple):
        shape, element = position
        good = 'items' if shape == 'list' else 'members'
        wrong = [(line, path, f'is read as {how}, but is a {shape}') for how, line in use.reads.items() if how != good]
        for name, inner in use.members.items():
            where = f'{path}.{name}'
            if shape == 'list':
                wrong.append((inner.line, where, f'{path or "it"} is a list'))
            else:
                wrong += mismatches(element, inner, where)
        if use.item is not None:
            wrong += mismatches(element, use.item, path + '[]')
        return wrong
    wrong = [(line, path, f'is read as {how}, but is {position}') for how, line in use.reads.items()
             if position not in READS.get(how, ())]
    wrong += [(inner.line, f'{path}.{name}', f'{path} is {position}') for name, inner in use.members.items()]
    if use.item is not None:
        wrong.append((use.item.line, path, f'has items, but is {position}'))
    return wrong
