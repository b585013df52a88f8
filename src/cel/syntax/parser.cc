#include "cel/syntax/parser.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "base/utf8.h"
#include "cel/syntax/lexer.h"
#include "cel/syntax/literal.h"

namespace proa::cel {
namespace parser {

// Upstream's limits.
constexpr size_t kMaxCodePoints = 100'000;
constexpr int kMaxDepth = 250;

constexpr std::string_view kReserved[] = {
    "as",        "break", "const",  "continue", "else", "false", "for",
    "function",  "if",    "import", "in",       "let",  "loop",  "package",
    "namespace", "null",  "return", "true",     "var",  "void",  "while"};

constexpr std::string_view kExpectsOperand =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}";

bool is_reserved(std::string_view name) {
  for (const std::string_view word : kReserved) {
    if (word == name) return true;
  }
  return false;
}

struct Operator {
  std::string_view symbol;
  std::string_view function;
};
constexpr Operator kRelations[] = {{"<", "_<_"}, {"<=", "_<=_"}, {">=", "_>=_"},
                                   {">", "_>_"}, {"==", "_==_"}, {"!=", "_!=_"}};
constexpr Operator kSums[] = {{"+", "_+_"}, {"-", "_-_"}};
constexpr Operator kProducts[] = {{"*", "_*_"}, {"/", "_/_"}, {"%", "_%_"}};

class Parser {
 public:
  Parser(std::string_view source, const SyntaxOptions& options, AstFactory& factory, Issues& issues)
      : options_(options), factory_(factory), issues_(issues), tokens_(tokenize(source, issues)) {}

  Expr* run() {
    Expr* node = expression();
    if (node != nullptr && !at_end()) {
      syntax_error("extraneous input '" + std::string(token().text) + "' expecting <EOF>");
    }
    return issues_.empty() ? node : nullptr;
  }

 private:
  const Token& token() const { return tokens_[next_]; }
  const Token& ahead(size_t count) const {
    return tokens_[std::min(next_ + count, tokens_.size() - 1)];
  }
  bool at_end() const { return token().kind == TokenKind::kEnd; }
  const Token& take() { return tokens_[at_end() ? next_ : next_++]; }
  bool take(std::string_view symbol) {
    if (!token().is(symbol)) return false;
    ++next_;
    return true;
  }

  // One error is enough: nothing is parsed behind a syntax error.
  Expr* syntax_error(std::string message) {
    if (!failed_) issues_.add(token().position, "Syntax error: " + std::move(message));
    failed_ = true;
    return nullptr;
  }
  Expr* mismatch(std::string_view expected) {
    return syntax_error("mismatched input '" + std::string(token().text) + "' expecting " +
                        std::string(expected));
  }
  bool expect(std::string_view symbol) {
    if (take(symbol)) return true;
    mismatch("'" + std::string(symbol) + "'");
    return false;
  }
  // Errors that do not keep the rest from being parsed.
  Expr* report(uint32_t position, std::string message) {
    issues_.add(position, std::move(message));
    return factory_.make(ExprKind::kLiteral, position);
  }
  Expr* too_deep() {
    if (!failed_) {
      issues_.add(Issues::kNowhere,
                  "expression recursion limit exceeded: " + std::to_string(kMaxDepth));
    }
    failed_ = true;
    return nullptr;
  }

  // Sets the height of a node whose children are complete. Upstream bounds the height in operators,
  // selections and calls, whatever else lies between.
  Expr* finish(Expr* node, uint16_t levels = 0) {
    uint16_t height = node->target == nullptr ? 0 : node->target->height;
    for (const Expr* arg : node->args) height = std::max(height, arg->height);
    for (const MapItem& entry : node->entries) {
      if (entry.key != nullptr) height = std::max(height, entry.key->height);
      height = std::max(height, entry.value->height);
    }
    node->height = static_cast<uint16_t>(height + levels);
    if (node->height <= kMaxDepth) return node;
    if (!failed_) issues_.add(Issues::kNowhere, "max recursion depth exceeded");
    failed_ = true;
    return nullptr;
  }
  Expr* binary(uint32_t position, std::string_view function, Expr* left, Expr* right) {
    return right == nullptr ? nullptr : finish(factory_.call(position, function, {left, right}), 1);
  }

  Expr* expression() {
    if (++depth_ > kMaxDepth) return too_deep();
    Expr* node = conditional();
    --depth_;
    return node;
  }

  Expr* conditional() {
    Expr* condition = logical(operators::kOr);
    if (condition == nullptr || !token().is("?")) return condition;
    const uint32_t position = take().position;
    Expr* yes = logical(operators::kOr);
    if (yes == nullptr || !expect(":")) return nullptr;
    Expr* no = expression();
    if (no == nullptr) return nullptr;
    return finish(factory_.call(position, operators::kConditional, {condition, yes, no}), 1);
  }

  // Chains of && and || become balanced trees, so that long ones stay shallow.
  Expr* logical(std::string_view function) {
    const bool is_or = function == operators::kOr;
    std::vector<Expr*> terms;
    std::vector<uint32_t> positions;
    do {
      if (!terms.empty()) positions.push_back(tokens_[next_ - 1].position);
      Expr* term = is_or ? logical(operators::kAnd) : relation();
      if (term == nullptr) return nullptr;
      terms.push_back(term);
    } while (take(is_or ? "||" : "&&"));
    if (positions.empty()) return terms[0];
    return balanced(function, terms, positions, 0, positions.size() - 1);
  }

  Expr* balanced(std::string_view function, const std::vector<Expr*>& terms,
                 const std::vector<uint32_t>& positions, size_t low, size_t high) {
    const size_t middle = (low + high + 1) / 2;
    Expr* left =
        middle == low ? terms[middle] : balanced(function, terms, positions, low, middle - 1);
    Expr* right =
        middle == high ? terms[middle + 1] : balanced(function, terms, positions, middle + 1, high);
    return finish(factory_.call(positions[middle], function, {left, right}));
  }

  template <size_t kCount>
  std::string_view take_operator(const Operator (&table)[kCount], uint32_t& position) {
    for (const Operator& entry : table) {
      if (!token().is(entry.symbol)) continue;
      position = take().position;
      return entry.function;
    }
    return {};
  }

  std::string_view take_relation(uint32_t& position) {
    if (token().kind != TokenKind::kIn) return take_operator(kRelations, position);
    position = take().position;
    return "@in";
  }

  Expr* relation() {
    Expr* left = sum();
    uint32_t position = 0;
    for (int length = 1; left != nullptr; ++length) {
      const std::string_view function = take_relation(position);
      if (function.empty()) return left;
      if (length >= kMaxDepth) return too_deep();
      left = binary(position, function, left, sum());
    }
    return nullptr;
  }

  Expr* sum() {
    Expr* left = product();
    uint32_t position = 0;
    for (int length = 1; left != nullptr; ++length) {
      const std::string_view function = take_operator(kSums, position);
      if (function.empty()) return left;
      if (length >= kMaxDepth) return too_deep();
      left = binary(position, function, left, product());
    }
    return nullptr;
  }

  Expr* product() {
    Expr* left = unary();
    uint32_t position = 0;
    for (int length = 1; left != nullptr; ++length) {
      const std::string_view function = take_operator(kProducts, position);
      if (function.empty()) return left;
      if (length >= kMaxDepth) return too_deep();
      left = binary(position, function, left, unary());
    }
    return nullptr;
  }

  bool starts_number(size_t count) const {
    const TokenKind kind = ahead(count).kind;
    return kind == TokenKind::kInt || kind == TokenKind::kDouble;
  }

  Expr* unary() {
    for (const auto& [symbol, function] :
         {std::pair("!", operators::kNot), std::pair("-", operators::kNegate)}) {
      // A single minus before a number belongs to the literal.
      if (!token().is(symbol) || (token().is("-") && starts_number(1))) continue;
      const uint32_t position = token().position;
      size_t count = 0;
      while (take(symbol)) ++count;
      Expr* operand = member();
      if (operand == nullptr || count % 2 == 0) return operand;
      return finish(factory_.call(position, function, {operand}));
    }
    return member();
  }

  Expr* member() {
    Expr* node = primary();
    for (int length = 1; node != nullptr; ++length) {
      if (!token().is(".") && !token().is("[")) return node;
      if (length >= kMaxDepth) return too_deep();
      node = token().is(".") ? select(node) : index(node);
    }
    return nullptr;
  }

  Expr* select(Expr* operand) {
    const uint32_t dot = take().position;
    const bool optional = take("?");
    const Token name = token();
    if (name.kind != TokenKind::kIdent && name.kind != TokenKind::kEscapedIdent) {
      return optional
                 ? mismatch("{IDENTIFIER, ESC_IDENTIFIER}")
                 : syntax_error("no viable alternative at input '." + std::string(name.text) + "'");
    }
    take();
    if (name.kind == TokenKind::kEscapedIdent) {
      return report(name.position, "unsupported syntax: '`'");
    }
    if (optional) {
      if (!options_.optionals) return report(dot, "unsupported syntax '.?'");
      Expr* field = factory_.literal(name.position, Value::string(name.text));
      return binary(dot, operators::kOptionalSelect, operand, field);
    }
    if (token().is("(")) return call(name.text, operand);
    Expr* node = factory_.make(ExprKind::kSelect, dot);
    node->target = operand;
    node->name = name.text;
    return finish(node, 1);
  }

  Expr* index(Expr* operand) {
    const uint32_t position = take().position;
    const bool optional = take("?");
    Expr* key = expression();
    if (key == nullptr || !expect("]")) return nullptr;
    if (optional && !options_.optionals) return report(position, "unsupported syntax '[?'");
    const std::string_view function = optional ? operators::kOptionalIndex : operators::kIndex;
    return binary(position, function, operand, key);
  }

  // REQUIRES: the next token is the opening bracket.
  Expr* call(std::string_view function, Expr* target) {
    const uint32_t position = take().position;
    std::vector<Expr*> args;
    if (!token().is(")")) {
      do {
        Expr* arg = expression();
        if (arg == nullptr) return nullptr;
        args.push_back(arg);
      } while (take(","));
    }
    if (!expect(")")) return nullptr;
    Expr* node = finish(factory_.member_call(position, function, target, args), target ? 1 : 0);
    if (node == nullptr) return nullptr;
    std::optional<MacroError> error;
    Expr* expanded = expand_macro(factory_, options_, node, error);
    if (error) return report(error->position, std::move(error->message));
    if (factory_.exhausted()) return syntax_error("expression is too large");
    if (expanded == nullptr) return node;
    expanded->height = node->height;
    return expanded;
  }

  Expr* primary() {
    const Token first = token();
    switch (first.kind) {
      case TokenKind::kIdent:
        return named();
      case TokenKind::kInt:
      case TokenKind::kUint:
      case TokenKind::kDouble:
        return number(false);
      case TokenKind::kString:
      case TokenKind::kBytes:
        return text();
      case TokenKind::kTrue:
      case TokenKind::kFalse:
        take();
        return factory_.literal(first.position, Value::boolean(first.kind == TokenKind::kTrue));
      case TokenKind::kNull:
        take();
        return factory_.literal(first.position, Value::null());
      case TokenKind::kSymbol:
        return bracketed();
      default:
        return mismatch(kExpectsOperand);
    }
  }

  Expr* bracketed() {
    if (token().is("-") && starts_number(1)) {
      take();
      return number(true);
    }
    if (token().is(".") && ahead(1).kind == TokenKind::kIdent) return named();
    if (token().is("[")) return list();
    if (token().is("{")) return map();
    if (!take("(")) return mismatch(kExpectsOperand);
    Expr* node = expression();
    return node != nullptr && expect(")") ? node : nullptr;
  }

  // Whether what follows is name{...}, with a name that may have dots.
  bool starts_struct(size_t count) const {
    while (ahead(count).kind == TokenKind::kIdent) {
      if (ahead(count + 1).is("{")) return true;
      if (!ahead(count + 1).is(".")) return false;
      count += 2;
    }
    return false;
  }

  Expr* named() {
    const uint32_t position = token().position;
    const bool absolute = take(".");
    if (starts_struct(0)) return structure(absolute);
    const Token name = take();
    // There is no container: with a leading dot it is the same name, but of no loop's variable.
    const std::string_view text =
        absolute ? factory_.arena().copy("." + std::string(name.text)) : name.text;
    if (is_reserved(name.text)) {
      if (token().is("(")) call(name.text, nullptr);
      return report(position, "reserved identifier: " + std::string(name.text));
    }
    if (token().is("(")) return call(text, nullptr);
    return factory_.ident(name.position, text);
  }

  Expr* structure(bool absolute) {
    std::string name(absolute ? "." : "");
    do {
      if (name.size() > (absolute ? 1U : 0U)) name += '.';
      name += take().text;
    } while (take("."));
    Expr* node = factory_.make(ExprKind::kStruct, token().position);
    node->name = factory_.arena().copy(name);
    take();
    std::vector<MapItem> entries;
    while (!token().is("}")) {
      MapItem entry;
      entry.optional = take("?");
      if (token().kind != TokenKind::kIdent) return mismatch("{'}', '?', ',', IDENTIFIER}");
      entry.name = take().text;
      if (!entry_value(entry)) return nullptr;
      entries.push_back(entry);
      if (!take(",")) break;
    }
    if (!expect("}")) return nullptr;
    set_entries(node, entries);
    return finish(node);
  }

  bool entry_value(MapItem& entry) {
    entry.position = token().position;
    if (!expect(":")) return false;
    entry.value = expression();
    if (entry.optional && !options_.optionals) report(entry.position, "unsupported syntax '?'");
    return entry.value != nullptr;
  }

  void set_entries(Expr* node, const std::vector<MapItem>& entries) {
    auto* place = static_cast<MapItem*>(
        factory_.arena().allocate(sizeof(MapItem) * entries.size(), alignof(MapItem)));
    std::copy(entries.begin(), entries.end(), place);
    node->entries = {place, entries.size()};
  }

  Expr* map() {
    Expr* node = factory_.make(ExprKind::kMap, take().position);
    std::vector<MapItem> entries;
    while (!token().is("}")) {
      if (entries.empty() && take(",")) break;
      MapItem entry;
      entry.optional = take("?");
      entry.key = expression();
      if (entry.key == nullptr || !entry_value(entry)) return nullptr;
      entries.push_back(entry);
      if (!take(",")) break;
    }
    if (!expect("}")) return nullptr;
    set_entries(node, entries);
    return finish(node);
  }

  Expr* list() {
    const uint32_t position = take().position;
    std::vector<Expr*> elements;
    std::vector<bool> optional;
    while (!token().is("]")) {
      if (elements.empty() && take(",")) break;
      const uint32_t mark = token().position;
      optional.push_back(take("?"));
      if (optional.back() && !options_.optionals) report(mark, "unsupported syntax '?'");
      Expr* element = expression();
      if (element == nullptr) return nullptr;
      elements.push_back(element);
      if (!take(",")) break;
    }
    if (!expect("]")) return nullptr;
    Expr* node = factory_.list(position, elements);
    if (std::find(optional.begin(), optional.end(), true) != optional.end()) {
      auto* place = static_cast<bool*>(factory_.arena().allocate(optional.size(), 1));
      std::copy(optional.begin(), optional.end(), place);
      node->optional_args = {place, optional.size()};
    }
    return finish(node);
  }

  Expr* number(bool negative) {
    const Token literal = take();
    const uint32_t position = negative ? tokens_[next_ - 2].position : literal.position;
    const Result<Value> value = read_number(literal.text, negative);
    return value.ok() ? factory_.literal(position, *value)
                      : report(position, value.status().message());
  }

  Expr* text() {
    const Token literal = take();
    const bool bytes = literal.kind == TokenKind::kBytes;
    const Result<std::string> content = unescape(literal.text, bytes);
    if (!content.ok()) return report(literal.position, content.status().message());
    const std::string_view copy = factory_.arena().copy(*content);
    return factory_.literal(literal.position, bytes ? Value::bytes(copy) : Value::string(copy));
  }

  SyntaxOptions options_;
  AstFactory& factory_;
  Issues& issues_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

size_t code_points(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(decode_utf8(text).size);
  return count;
}

}  // namespace parser

Expr* parse(std::string_view source, const SyntaxOptions& options, AstFactory& factory,
            Issues& issues) {
  if (source.size() > parser::kMaxCodePoints) {
    const size_t size = parser::code_points(source);
    if (size > parser::kMaxCodePoints) {
      issues.add(Issues::kNowhere,
                 "expression code point size exceeds limit: size: " + std::to_string(size) +
                     ", limit " + std::to_string(parser::kMaxCodePoints));
      return nullptr;
    }
  }
  return parser::Parser(source, options, factory, issues).run();
}

}  // namespace proa::cel
