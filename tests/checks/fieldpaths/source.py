"""How C++ code looks into JSON values: finds subscripts of Views and Edits with literal names, and follows local
variables, so that everything a function asks of one value is known as one Use."""
import collections
import re

from fieldpaths.match import Use

TOKEN = re.compile(r'''
    (?P<id>(?!R")[A-Za-z_]\w*)
  | (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<raw>R"(?P<mark>[^(\s]*)\((?:.*?)\)(?P=mark)")
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<char>'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:[\w.']|[eEpP][+-])*)
  | (?P<punct>::|->|&&|\|\||<<|[-+*/%!=<>&|^]=|.)
''', re.X | re.S | re.M)

LAST_NAME = re.compile(r'\.|->')
VIEWS = {'View', 'Edit'}
# Types of variables that may hold a value: View, Edit, json::Value and what is left to auto.
HOLDERS = VIEWS | {'Value', 'auto'}
SAME = {'view', 'value', 'as_const', 'move', 'root'}
READERS = {'text', 'integer', 'flag'}
# Methods of Edit and json::Value that name a member.
CHILD = {'object', 'array', 'existing', 'find'}
TOUCH = {'has', 'remove', 'set_default', 'copy', 'set', 'set_borrowed'}


Token = collections.namedtuple('Token', 'kind text line')


def tokens_of(text):
    found, line = [], 1
    for match in TOKEN.finditer(text):
        kind, value = match.lastgroup, match.group()
        if kind == 'skip':
            line += value.count('\n')
            continue
        if kind == 'string':
            value = value[1:-1]
            if found and found[-1].kind == 'string':  # adjacent literals are one
                value = found.pop().text + value
        found.append(Token(kind, value, line))
        if kind == 'raw':
            line += value.count('\n')
    found.append(Token('end', '', line))
    return found


class Result:
    """What an expression is: a value that is looked into (use), or a text to know it by."""
    __slots__ = ('use', 'text', 'kind', 'next')

    def __init__(self, next_, use=None, text='', kind=''):
        self.next, self.use, self.text, self.kind = next_, use, text, kind


class Reader:
    def __init__(self, text, member_names):
        self.tokens = tokens_of(text)
        self.member_names = member_names  # of Views and Edits that are members of structs
        self.uses = []  # of values that are no part of another
        self.names = [{}]  # scopes of variables: Use, ('members', Use), ('literals', [...]), None
        self.kinds = ['outer']
        self.by_text = {}  # values that are known by the text of their expression, in one function
        self.documents = set()  # texts of expressions whose root was asked for
        self.i = 0
        self.pairs = self.match_brackets()

    def match_brackets(self):
        pairs, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind != 'punct':
                continue
            if token.text in '([{':
                stack.append(i)
            elif token.text in ')]}' and stack:
                pairs[stack.pop()] = i
        return pairs

    # Variables.

    def fresh(self, name, line):
        use = Use(name, line)
        self.uses.append(use)
        return use

    def lookup(self, name):
        for scope in reversed(self.names):
            if name in scope:
                return scope[name]
        return None

    def declare(self, name, what):
        self.names[-1][name] = what

    def root(self, result, line):
        """The Use of a value that is known by the text of its expression."""
        if result.use is not None:
            return result.use
        use = self.by_text.get(result.text)
        if use is None:
            use = self.by_text[result.text] = self.fresh(result.text, line)
        return use

    # Statements.

    def run(self):
        tokens = self.tokens
        while tokens[self.i].kind != 'end':
            self.step()
        return self.uses

    def is_at(self, i, text):
        return self.tokens[i].text == text and self.tokens[i].kind == 'punct'

    def step(self):
        token = self.tokens[self.i]
        if token.kind == 'punct':
            if token.text == '{':
                self.open_brace()
            elif token.text == '}':
                self.close_brace()
            elif token.text == ';' and self.kinds[-1] == 'outer':
                self.names[-1] = {n: w for n, w in self.names[-1].items() if isinstance(w, tuple)}
            elif token.text == '(' and self.is_view_in_brackets(self.i):
                self.i = self.chain(self.i).next
                return
            elif token.text == '[' and self.tokens[self.i + 1].kind == 'string' and self.is_at(self.i + 2, ']'):
                # A subscript of something that is no chain: (a ? b : c)["name"].
                result = self.postfix(Result(self.i, self.fresh('(...)', token.line)))
                self.i = result.next
                return
            self.i += 1
        elif token.kind == 'id':
            if not self.declared():
                self.statement_chain()
        else:
            self.i += 1

    def is_view_in_brackets(self, i):
        end = self.pairs.get(i)
        return end is not None and self.is_at(i + 1, '*') and self.is_at(end + 1, '[')

    def open_brace(self):
        kind = 'inner'
        if self.kinds[-1] == 'outer':
            j = self.i - 1
            words = set()
            while j >= 0 and not (self.tokens[j].kind == 'punct' and self.tokens[j].text in ';{}'):
                words.add(self.tokens[j].text)
                j -= 1
            if words & {'namespace', 'class', 'struct', 'enum', 'union', 'extern'} and ')' not in words:
                kind = 'outer'
            else:
                self.by_text = {}
        self.kinds.append(kind)
        self.names.append({})

    def close_brace(self):
        if len(self.kinds) > 1:
            self.kinds.pop()
            self.names.pop()
        if self.kinds[-1] == 'outer':
            self.names[-1] = {n: w for n, w in self.names[-1].items() if isinstance(w, tuple)}

    def declared(self):
        """True if a declaration that matters begins here; it is read then."""
        last = self.i  # of a qualified name
        while self.is_at(last + 1, '::') and self.tokens[last + 2].kind == 'id':
            last += 2
        word = self.tokens[last].text
        if word in HOLDERS or word == 'Member':
            return self.declaration(last)
        return word in ('string_view', 'char') and self.literals(last)

    def declaration(self, at):
        """At the type's last word. True if it was a declaration, which is read then."""
        tokens, j = self.tokens, at + 1
        is_member = tokens[at].text == 'Member'
        while tokens[j].text in ('const', '&', '*', '&&') and tokens[j].kind in ('id', 'punct'):
            j += 1
        if tokens[j].kind != 'id' or tokens[j + 1].kind != 'punct':
            return False
        name, after, line = tokens[j].text, tokens[j + 1].text, tokens[j].line
        is_auto = tokens[at].text == 'auto'
        if after == ':' and self.is_at(j + 2, ':'):
            return False
        if after == '=':
            result = self.expression(j + 2)
            self.declare(name, self.held(result, name, line, is_auto))
        elif after == ':':
            result = self.expression(j + 2)
            if result.kind == 'items' and result.use is not None:
                self.declare(name, result.use.visit(line))
            elif result.kind == 'members' and result.use is not None:
                self.declare(name, ('members', result.use))
            else:
                self.declare(name, None if is_auto or is_member else self.fresh(name, line))
        elif after in '({' and not is_member:
            close = self.pairs.get(j + 1)
            if close is None:
                return False
            if close == j + 2 or is_auto:  # View x{}; or a function without arguments
                self.declare(name, None if is_auto else self.fresh(name, line))
                self.i = j + 2
                return True
            result = self.last_argument(j + 1)
            self.declare(name, self.held(result, name, line, is_auto))
            self.i = close + 1
            return True
        elif after in ',);':
            self.declare(name, None if is_auto or is_member else self.fresh(name, line))
            self.i = j + 1
            return True
        else:
            return False
        self.i = result.next
        return True

    def held(self, result, name, line, is_auto):
        """What a variable stands for that was initialised by an expression."""
        if result.kind in ('items', 'members') and result.use is not None:
            return (result.kind, result.use)
        if result.use is not None and result.kind == '':
            return result.use
        if result.kind == 'text' and not is_auto and not result.text.endswith(('::object()', '::array()')):
            # The same name in one function is the same value: View(document.root()).
            return self.root(result, line)
        return None if is_auto else self.fresh(name, line)

    def literals(self, at):
        """`for (std::string_view name : {"a", "b"})`, `constexpr std::string_view kName = "a";`"""
        tokens, j = self.tokens, at + 1
        while tokens[j].text in ('const', '&', '*') and tokens[j].kind in ('id', 'punct'):
            j += 1
        if tokens[j].kind != 'id':
            return False
        if self.is_at(j + 1, '=') and tokens[j + 2].kind == 'string' and self.is_at(j + 3, ';'):
            self.declare(tokens[j].text, ('literals', [tokens[j + 2].text]))
            self.i = j + 3
            return True
        if self.is_at(j + 1, ':') and self.is_at(j + 2, '{'):
            close = self.pairs.get(j + 2)
            inner = tokens[j + 3:close]
            if close and all(t.kind == 'string' or t.text == ',' for t in inner):
                self.declare(tokens[j].text, ('literals', [t.text for t in inner if t.kind == 'string']))
                self.i = close + 1
                return True
        return False

    def statement_chain(self):
        start = self.i
        result = self.chain(start)
        self.i = max(result.next, start + 1)
        # A variable that is assigned another value counts as a new one.
        if result.next == start + 1 and self.is_at(self.i, '='):
            name = self.tokens[start].text
            if isinstance(self.lookup(name), Use):
                line = self.tokens[start].line
                after = self.expression(self.i + 1)
                self.i = after.next
                for scope in reversed(self.names):
                    if name in scope:
                        scope[name] = self.fresh(name, line)
                        break

    # Expressions.

    def expression(self, i):
        """The value of a whole initialiser, up to ; , ) or }. Its parts are read on the way."""
        while self.tokens[i].text in ('*', '&') and self.tokens[i].kind == 'punct':
            i += 1
        saved, self.i = self.i, i
        first = None
        if self.tokens[i].kind == 'id' and self.declared():
            i = self.i
        elif self.starts_chain(i):
            first = self.chain(i)
        self.i = saved
        if first is not None and self.tokens[first.next].kind == 'punct' and self.tokens[first.next].text in ';,)}':
            return first
        # More than a chain: read the rest as statements.
        saved, self.i = self.i, first.next if first is not None else i
        depth = 0
        while self.tokens[self.i].kind != 'end':
            token = self.tokens[self.i]
            if token.kind == 'punct':
                if token.text in '([{':
                    depth += 1
                elif token.text in ')]}':
                    if depth == 0:
                        break
                    depth -= 1
                elif token.text in ';,' and depth == 0:
                    break
            before = self.i
            self.step()
            # A step may read past brackets; those it read were balanced.
            if self.i == before + 1:
                continue
            if token.kind == 'punct' and token.text in '([{':
                depth -= 1
        end, self.i = self.i, saved
        return Result(end, kind='other')

    def starts_chain(self, i):
        return self.tokens[i].kind == 'id' or (self.is_at(i, '(') and self.is_view_in_brackets(i))

    def arguments(self, i):
        """Of the brackets that open at i: a Result for each."""
        close, found = self.pairs[i], []
        j = i + 1
        while j < close:
            result = self.expression(j)
            found.append((j, result))
            j = max(result.next, j)
            if j < close and self.is_at(j, ','):
                j += 1
            elif j < close:  # never stand still
                j += 1
        return found

    def last_argument(self, i):
        found = self.arguments(i)
        return found[-1][1] if found else Result(i + 1, kind='other')

    def source(self, start, end):
        return ''.join(t.text if t.kind != 'string' else f'"{t.text}"' for t in self.tokens[start:end])

    def chain(self, i):
        """A name or call, and all that follows it: .x() ->y ["z"] (...)."""
        tokens = self.tokens
        if self.is_at(i, '('):  # (*name)
            inner = self.expression(i + 1)
            return self.postfix(Result(self.pairs[i] + 1, inner.use, inner.text, inner.kind))
        j, last = i, tokens[i].text
        while self.is_at(j + 1, '::') and tokens[j + 2].kind == 'id':
            j += 2
            last = tokens[j].text
        text = last if i == j else self.source(i, j + 1)
        opener = tokens[j + 1].text if tokens[j + 1].kind == 'punct' else ''
        if (opener == '(' or (opener == '{' and last in VIEWS)) and (j + 1) in self.pairs:
            return self.postfix(self.call(last, text, j + 1))
        result = Result(j + 1, text=text, kind='text')
        if i == j:
            known = self.lookup(last)
            if isinstance(known, Use):
                result = Result(j + 1, known)
            elif isinstance(known, tuple) and known[0] in ('items', 'members'):
                result = Result(j + 1, known[1], kind='member' if known[0] == 'members' else 'items')
        return self.postfix(result)

    def call(self, name, text, bracket):
        """View(x), std::move(x): the same value. Another function's result is known by its text."""
        close = self.pairs[bracket]
        found = self.arguments(bracket)
        if name in VIEWS or name in ('move', 'as_const', 'TRY'):
            if found:
                result = found[-1][1]
                if result.kind == 'text' and name in VIEWS:
                    self.documents.add(result.text)
                if result.use is not None or result.kind == 'text':
                    return Result(close + 1, result.use, result.text, result.kind)
        if name == 'each' and found and found[0][1].use is not None:
            self.link_each(bracket, found[0][1].use)
        return Result(close + 1, text=text + self.source(bracket, close + 1), kind='text')

    def link_each(self, bracket, use):
        """each(list, path, [&](View item, ...) {...}): what the lambda asks of its argument is asked of an item."""
        close = self.pairs[bracket]
        for j in range(bracket, close):
            if self.is_at(j, ']') and self.is_at(j + 1, '('):
                k = j + 2
                while k < self.pairs[j + 1] and self.tokens[k].kind != 'punct' or self.tokens[k].text == '::':
                    k += 1
                name = self.tokens[k - 1].text
                for other in reversed(self.uses):
                    if other.name == name and other.line == self.tokens[k - 1].line:
                        use.visit(other.line).absorb(other)
                        return
                return

    def postfix(self, result):
        tokens = self.tokens
        while True:
            i = result.next
            token = tokens[i]
            if token.kind != 'punct':
                return result
            if token.text in ('.', '->') and tokens[i + 1].kind == 'id':
                if self.is_at(i + 2, '(') and (i + 2) in self.pairs:
                    result = self.method(result, tokens[i + 1].text, i + 2)
                else:
                    result = self.data_member(result, tokens[i + 1].text, i + 2, token.text)
            elif token.text == '[' and i in self.pairs:
                result = self.subscript(result, i)
            elif token.text == '(' and i in self.pairs and result.kind == 'text':
                self.arguments(i)
                close = self.pairs[i]
                result = Result(close + 1, text=result.text + self.source(i, close + 1), kind='text')
            else:
                return result

    def data_member(self, result, name, after, arrow):
        if result.kind == 'member':
            if name == 'value':
                return Result(after, result.use.visit(self.tokens[after].line))
            return Result(after, text='', kind='other')
        if result.kind == 'text' or result.use is not None:
            text = (result.text or (result.use.name if result.use else '')) + arrow + name
            return Result(after, text=text, kind='text')
        return Result(after, kind='other')

    def subscript(self, result, i):
        close, inner = self.pairs[i], self.tokens[i + 1]
        if inner.kind == 'string' and close == i + 2:
            if result.kind in ('', 'text'):
                return Result(close + 1, self.root(result, inner.line).member(inner.text, inner.line))
            return Result(close + 1, self.fresh('?', inner.line).member(inner.text, inner.line))
        if inner.kind == 'id' and close == i + 2 and result.use is not None and result.kind == '':
            known = self.lookup(inner.text)
            if isinstance(known, tuple) and known[0] == 'literals':
                for name in known[1]:
                    child = result.use.member(name, inner.line)
                return Result(close + 1, child) if len(known[1]) == 1 else Result(close + 1, kind='other')
        if close > i + 1:
            self.arguments(i)
        if result.kind == 'items' and result.use is not None:
            return Result(close + 1, result.use.visit(inner.line))
        if result.kind == 'text':
            return Result(close + 1, text=result.text + self.source(i, close + 1), kind='text')
        return Result(close + 1, kind='other')

    def method(self, result, name, bracket):
        close, line = self.pairs[bracket], self.tokens[bracket].line
        found = self.arguments(bracket)
        text = ''
        if name == 'root' and result.kind == 'text':
            self.documents.add(result.text)
            return Result(close + 1, text=result.text, kind='text')
        if result.kind == 'text' or result.use is not None and result.kind == '':
            base = result.text or result.use.name
            text = f'{base}.{name}{self.source(bracket, close + 1)}'
        other = Result(close + 1, text=text, kind='text' if text else 'other')
        use = result.use
        if result.kind == 'items':
            if name in ('front', 'back'):
                return Result(close + 1, use.visit(line))
            return Result(close + 1, kind='other')
        if use is None and (name == 'items' or name == 'members' or self.is_view(result, name)):
            use = self.root(result, line) if result.kind == 'text' else None
        if use is None or result.kind not in ('', 'text'):
            return other
        first = self.tokens[bracket + 1]
        literal = first.text if first.kind == 'string' and self.tokens[bracket + 2].text in (',', ')') else None
        if name in SAME and not found:
            return Result(close + 1, use)
        if name in READERS:
            use.reads.setdefault(name, line)
            return Result(close + 1, kind='other')
        if name in ('items', 'members') and not found:
            use.reads.setdefault(name, line)
            return Result(close + 1, use, kind=name)
        if name == 'item' or name == 'push_object':
            return Result(close + 1, use.visit(line))
        if name == 'push':
            if found and found[-1][1].use is not None and found[-1][1].kind == '':
                use.visit(line).absorb(found[-1][1].use)
            return Result(close + 1, kind='other')
        if name == 'at' and literal is not None:
            for part in literal.split('.'):
                use = use.member(part, line)
            return Result(close + 1, use)
        if name in CHILD:
            if literal is None:
                self.documents.add(other.text)
                return other
            return Result(close + 1, use.member(literal, line))
        if name in TOUCH:
            self.touch(use, name, bracket, literal, found, line)
            return Result(close + 1, kind='other')
        return other

    def touch(self, use, name, bracket, literal, found, line):
        # json::Value::set takes the arena first.
        if literal is None and len(found) == 3:
            start = found[1][0]
            if self.tokens[start].kind == 'string':
                literal = self.tokens[start].text
        if literal is None:
            return
        child = use.member(literal, line)
        value = found[-1][1]
        if name != 'copy' and len(found) > 1 and value.use is not None and value.kind == '':
            child.absorb(value.use)

    def is_view(self, result, method):
        """Whether an expression known by its text is surely a View, Edit or json::Value."""
        if result.kind != 'text' or result.text in ('', 'this'):
            return False
        if result.text in self.by_text or result.text in self.documents:
            return True
        if method == 'find':  # many things can be searched
            return False
        return LAST_NAME.split(result.text)[-1].removesuffix('()') in self.member_names
