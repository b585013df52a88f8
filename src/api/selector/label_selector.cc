#include "api/selector/label_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/selector/label_lexer.h"
#include "api/validation/field_errors.h"
#include "api/validation/go_text.h"
#include "api/validation/names.h"
#include "base/strings.h"

namespace proa::api {

namespace label_selector {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;
using Kind = LabelToken::Kind;

Status bad_selector(std::string message) { return {Reason::kBadRequest, std::move(message)}; }

Status unexpected(const LabelToken& found, std::string_view expected) {
  return bad_selector(fmt::format("found '{}', expected: {}", found.text, expected));
}

// The errors without an object: upstream's ErrorList.ToAggregate.
Status to_bad_request(const FieldErrors& errors) {
  const std::vector<std::string> texts = errors.texts();
  return bad_selector(texts.size() == 1 ? texts.front() : fmt::format("[{}]", join(texts, ", ")));
}

void validate_key(std::string_view key, const Path& path, FieldErrors& errors) {
  if (const Problems problems = check_qualified_name(key); !problems.empty())
    errors.invalid(path, key, join(problems, "; "));
}

void validate_values(const Requirement& requirement, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    const Path index = path.index(i);
    const Path key = index.key(requirement.key);
    const std::string& value = requirement.values[i];
    if (const Problems problems = check_label_value(value); !problems.empty())
      errors.invalid(key, value, join(problems, "; "));
  }
}

// Parses the number, and reports values that do not fit their operator.
void complete(Requirement& requirement, FieldErrors& errors) {
  const Path values("values");
  switch (requirement.op) {
    case Operator::kIn:
    case Operator::kNotIn:
      if (requirement.values.empty())
        errors.invalid(values, View(), "for 'in', 'notin' operators, values set can't be empty");
      break;
    case Operator::kExists:
    case Operator::kDoesNotExist:
      if (!requirement.values.empty()) {
        json::Document list({}, json::Value::array());
        for (const std::string& value : requirement.values)
          list.root().push_back(list.arena(), json::Value::borrowed(value));
        errors.invalid(values, list.root(),
                       "values set must be empty for exists and does not exist");
      }
      break;
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      if (const auto number = parse_int(requirement.values.front())) {
        requirement.number = *number;
      } else {
        errors.invalid(values.index(0), requirement.values.front(),
                       "for 'Gt', 'Lt' operators, the value must be an integer");
      }
      break;
    default:
      break;
  }
  validate_values(requirement, values, errors);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Result<std::vector<Requirement>> parse() {
    std::vector<Requirement> requirements;
    if (lexer_.peek().is(Kind::kEnd)) return requirements;
    if (!starts_requirement())
      return unexpected(lexer_.peek(), "!, identifier, or 'end of string'");
    while (true) {
      auto requirement = parse_requirement();
      if (!requirement.ok()) return requirement.status().in("unable to parse requirement");
      requirements.push_back(std::move(*requirement));
      const LabelToken separator = lexer_.take();
      if (separator.is(Kind::kEnd)) return requirements;
      if (!separator.is(Kind::kComma)) return unexpected(separator, "',' or 'end of string'");
      if (!starts_requirement()) return unexpected(lexer_.peek(), "identifier after ','");
    }
  }

 private:
  bool starts_requirement() const {
    return lexer_.peek().is_word() || lexer_.peek().is(Kind::kNot);
  }
  bool ends_requirement() const {
    return lexer_.peek().is(Kind::kEnd) || lexer_.peek().is(Kind::kComma);
  }

  Result<Requirement> parse_requirement() {
    Requirement requirement;
    FieldErrors errors;
    if (lexer_.peek().is(Kind::kNot)) {
      lexer_.take();
      requirement.op = Operator::kDoesNotExist;
    }
    const LabelToken key = lexer_.take();
    if (!key.is_word()) return unexpected(key, "identifier");
    requirement.key = key.text;
    validate_key(key.text, Path(), errors);
    if (!errors.empty()) return to_bad_request(errors);
    if (requirement.op == Operator::kDoesNotExist || ends_requirement()) return requirement;

    requirement.op = TRY(parse_operator());
    const bool set = requirement.op == Operator::kIn || requirement.op == Operator::kNotIn;
    requirement.values = TRY(set ? parse_set() : parse_value());
    std::sort(requirement.values.begin(), requirement.values.end());
    requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()),
                             requirement.values.end());
    complete(requirement, errors);
    if (!errors.empty()) return to_bad_request(errors);
    return requirement;
  }

  Result<Operator> parse_operator() {
    const LabelToken token = lexer_.take();
    switch (token.kind) {
      case Kind::kIn:
        return Operator::kIn;
      case Kind::kNotIn:
        return Operator::kNotIn;
      case Kind::kEquals:
        return Operator::kEquals;
      case Kind::kDoubleEquals:
        return Operator::kDoubleEquals;
      case Kind::kNotEquals:
        return Operator::kNotEquals;
      case Kind::kGreater:
        return Operator::kGreaterThan;
      case Kind::kLess:
        return Operator::kLessThan;
      default:
        return unexpected(token, "in, notin, =, ==, !=, gt, lt");
    }
  }

  Result<std::vector<std::string>> parse_value() {
    if (ends_requirement()) return std::vector<std::string>{""};
    const LabelToken token = lexer_.take();
    if (!token.is_word()) return unexpected(token, "identifier");
    return std::vector<std::string>{std::string(token.text)};
  }

  // "(a,b)"; a missing element is the empty value.
  Result<std::vector<std::string>> parse_set() {
    std::vector<std::string> values;
    const LabelToken open = lexer_.take();
    if (!open.is(Kind::kOpen))
      return bad_selector(fmt::format("found '{}' expected: '('", open.text));
    if (!lexer_.peek().is_word() && !lexer_.peek().is(Kind::kComma) &&
        !lexer_.peek().is(Kind::kClose)) {
      return unexpected(lexer_.peek(), "',', ')' or identifier");
    }
    while (true) {
      const bool named = lexer_.peek().is_word();
      values.emplace_back(named ? lexer_.take().text : std::string_view());
      const LabelToken separator = lexer_.take();
      if (separator.is(Kind::kClose)) return values;
      if (!separator.is(Kind::kComma))
        return unexpected(separator, named ? "',' or ')'" : "',', or identifier");
    }
  }

  LabelLexer lexer_;
};

std::string_view operator_text(Operator op) {
  switch (op) {
    case Operator::kIn:
      return " in ";
    case Operator::kNotIn:
      return " notin ";
    case Operator::kEquals:
      return "=";
    case Operator::kDoubleEquals:
      return "==";
    case Operator::kNotEquals:
      return "!=";
    case Operator::kGreaterThan:
      return ">";
    case Operator::kLessThan:
      return "<";
    default:
      return "";
  }
}

Requirement equals(std::string_view key, View value) {
  return {.key = std::string(key), .op = Operator::kEquals, .values = {std::string(value.text())}};
}

Result<Requirement> from_expression(View expression) {
  constexpr std::array<std::pair<std::string_view, Operator>, 4> kOperators{{
      {"In", Operator::kIn},
      {"NotIn", Operator::kNotIn},
      {"Exists", Operator::kExists},
      {"DoesNotExist", Operator::kDoesNotExist},
  }};
  const std::string_view word = expression["operator"].text();
  const auto* found = std::find_if(kOperators.begin(), kOperators.end(),
                                   [&](const auto& each) { return each.first == word; });
  if (found == kOperators.end())
    return bad_selector(fmt::format("{} is not a valid label selector operator", quoted(word)));
  Requirement requirement{.key = std::string(expression["key"].text()), .op = found->second};
  for (const View value : expression["values"].items())
    requirement.values.emplace_back(value.text());
  FieldErrors errors;
  validate_key(requirement.key, Path("key"), errors);
  complete(requirement, errors);
  if (!errors.empty()) return to_bad_request(errors);
  std::sort(requirement.values.begin(), requirement.values.end());
  return requirement;
}

}  // namespace label_selector

LabelSelector::LabelSelector(std::vector<Requirement> requirements)
    : requirements_(std::move(requirements)) {
  std::stable_sort(requirements_.begin(), requirements_.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
}

LabelSelector LabelSelector::nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  if (text.size() > kMaxBytes) return label_selector::bad_selector("the selector is too long");
  auto requirements = TRY(label_selector::Parser(text).parse());
  return LabelSelector(std::move(requirements));
}

Result<LabelSelector> LabelSelector::from(View selector) {
  if (!selector.exists()) return nothing();
  std::vector<Requirement> requirements;
  for (const json::Member& label : selector["matchLabels"].members()) {
    Requirement requirement = label_selector::equals(label.key, label.value);
    FieldErrors errors;
    label_selector::validate_key(requirement.key, Path("key"), errors);
    label_selector::validate_values(requirement, Path("values"), errors);
    if (!errors.empty()) return label_selector::to_bad_request(errors);
    requirements.push_back(std::move(requirement));
  }
  for (const View expression : selector["matchExpressions"].items()) {
    auto requirement = TRY(label_selector::from_expression(expression));
    requirements.push_back(std::move(requirement));
  }
  return LabelSelector(std::move(requirements));
}

LabelSelector LabelSelector::from_map(View labels) {
  std::vector<Requirement> requirements;
  for (const json::Member& label : labels.members())
    requirements.push_back(label_selector::equals(label.key, label.value));
  return LabelSelector(std::move(requirements));
}

bool LabelSelector::Requirement::matches(const std::string_view* value) const {
  const auto has = [&] { return std::binary_search(values.begin(), values.end(), *value); };
  switch (op) {
    case Operator::kIn:
    case Operator::kEquals:
    case Operator::kDoubleEquals:
      return value != nullptr && has();
    case Operator::kNotIn:
    case Operator::kNotEquals:
      return value == nullptr || !has();
    case Operator::kExists:
      return value != nullptr;
    case Operator::kDoesNotExist:
      return value == nullptr;
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      break;
  }
  if (value == nullptr) return false;
  const auto given = parse_int(*value);
  if (!given) return false;
  return op == Operator::kGreaterThan ? *given > number : *given < number;
}

bool LabelSelector::matches(std::span<const LabelPair> labels) const {
  if (nothing_) return false;
  // Labels of stored objects are sorted. Few are found faster one by one; many must not be compared
  // with as many requirements.
  constexpr size_t kFew = 16;
  const bool sorted = labels.size() > kFew && std::ranges::is_sorted(labels, {}, &LabelPair::first);
  const auto find = [&](std::string_view key) -> const std::string_view* {
    const auto found = sorted ? std::ranges::lower_bound(labels, key, {}, &LabelPair::first)
                              : std::ranges::find(labels, key, &LabelPair::first);
    return found == labels.end() || found->first != key ? nullptr : &found->second;
  };
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& wanted) { return wanted.matches(find(wanted.key)); });
}

bool LabelSelector::matches(View labels) const {
  if (nothing_) return false;
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& wanted) {
    const View found = labels[wanted.key];
    const std::string_view value = found.text();
    return wanted.matches(found.exists() ? &value : nullptr);
  });
}

std::string LabelSelector::str() const {
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    if (requirement.op == Operator::kDoesNotExist) out += '!';
    out += requirement.key;
    out += label_selector::operator_text(requirement.op);
    const bool set = requirement.op == Operator::kIn || requirement.op == Operator::kNotIn;
    if (set) out += '(';
    out += join(requirement.values, ",");
    if (set) out += ')';
  }
  return out;
}

}  // namespace proa::api
