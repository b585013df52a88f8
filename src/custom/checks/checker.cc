#include "custom/checks/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/utf8.h"
#include "custom/checks/choices.h"
#include "custom/checks/numbers.h"
#include "custom/checks/ratchet.h"
#include "custom/checks/words.h"
#include "custom/decode/show.h"
#include "custom/formats/formats.h"

namespace proa::custom {
namespace checker {

std::string_view kind_of(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      return "null";
    case json::Kind::kBool:
      return "boolean";
    case json::Kind::kInt:
      return "integer";
    case json::Kind::kDouble:
      return "number";
    case json::Kind::kString:
      return "string";
    case json::Kind::kArray:
      return "array";
    case json::Kind::kObject:
      return "object";
  }
  return {};
}

// The format that upstream derives from Go's type.
std::string_view format_of(const json::Value& value) {
  if (value.is(json::Kind::kInt)) return "int64";
  return value.is(json::Kind::kDouble) ? "float64" : "";
}

// The types of a schema: one, none, or the two of x-kubernetes-int-or-string.
struct Types {
  api::StructureKind kind = api::StructureKind::kNone;
  bool int_or_string = false;

  bool empty() const { return !int_or_string && kind == api::StructureKind::kNone; }
  bool contains(api::StructureKind wanted) const {
    if (!int_or_string) return kind == wanted;
    return wanted == api::StructureKind::kInteger || wanted == api::StructureKind::kString;
  }
  bool contains(std::string_view name) const {
    if (!int_or_string) return !empty() && api::kind_name(kind) == name;
    return name == "integer" || name == "string";
  }
  std::string_view text() const { return int_or_string ? "integer,string" : api::kind_name(kind); }
};

size_t length_of(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

// How many bytes of text cost as much as a step of the budget.
constexpr size_t kBytesPerStep = 64;

}  // namespace checker

size_t Checker::check(const json::Value& value, const api::Structure& structure,
                      const json::Value* old) {
  const Step root;
  return check_node({.value = value, .structure = structure, .at = root, .old = old}).errors;
}

Checker::Tally Checker::check_node(const Node& node) {
  if (!budget_.take_steps(1)) return {};
  if (node.old == nullptr || errors_ == nullptr) return check_all(node);
  const size_t before = errors_->size();
  Tally tally = check_all(node);
  if (tally.errors > 0 && is_unchanged(node.value, *node.old, node.structure, budget_)) {
    errors_->truncate(before);
    tally.errors = 0;
  }
  return tally;
}

Checker::Tally Checker::check_null(const Node& node) {
  Tally tally;
  const checker::Types types{node.structure.kind, node.structure.int_or_string && !of_default_};
  if (types.empty() || node.structure.nullable) {
    ++tally.matches;
  } else {
    fail(tally, [&] { return wrong_type(node.at, types.text(), "null"); });
  }
  if (node.structure.checks != nullptr) check_choices(node, *node.structure.checks, tally);
  return tally;
}

// The order, and what counts as a match, are those of SchemaValidator.Validate.
Checker::Tally Checker::check_all(const Node& node) {
  if (node.value.is_null()) return check_null(node);
  Tally tally = check_type(node);
  const api::Checks* checks = node.structure.checks;
  if (checks != nullptr && checks->combinations != nullptr) {
    tally.add(check_combinations(node, *checks->combinations));
  }
  // The alternatives, the choices, and the value itself.
  tally.matches += 2 + 1 + 1;
  switch (node.value.kind()) {
    case json::Kind::kString:
      ++tally.matches;
      if (checks != nullptr) check_text(node, *checks, tally);
      break;
    case json::Kind::kInt:
    case json::Kind::kDouble:
      tally.matches += 2;
      check_number(node, checks, tally);
      break;
    case json::Kind::kArray:
      tally.matches += 2;
      check_items(node, tally);
      break;
    default:
      break;
  }
  if (checks != nullptr) check_choices(node, *checks, tally);
  if (node.value.is(json::Kind::kObject)) {
    ++tally.matches;
    check_members(node, tally);
  }
  return tally;
}

Checker::Tally Checker::check_type(const Node& node) {
  Tally tally;
  const checker::Types types{node.structure.kind, node.structure.int_or_string && !of_default_};
  const api::Checks* checks = node.structure.checks;
  const std::string_view format = format_name(checks);
  if (types.empty() && format.empty()) return tally;
  ++tally.matches;
  const std::string_view found = checker::kind_of(node.value);
  const bool is_text = node.value.is(json::Kind::kString);
  const bool fits =
      types.contains(found) ||
      (node.value.is(json::Kind::kInt) && types.contains(api::StructureKind::kNumber)) ||
      (node.value.is(json::Kind::kDouble) && types.contains(api::StructureKind::kInteger) &&
       is_json_integer(node.value.as_double()));
  const bool numeric =
      types.contains(api::StructureKind::kNumber) || types.contains(api::StructureKind::kInteger);
  if (!format.empty() && !is_text && !node.value.is(json::Kind::kArray)) {
    const std::string_view found_format = checker::format_of(node.value);
    if (!fits && found_format != format) {
      fail(tally, [&] { return wrong_type(node.at, format, found_format); });
      return tally;
    }
  } else if (!format.empty() && !numeric) {
    // Upstream leaves texts and lists to the format.
    ++tally.matches;
    return tally;
  }
  if (fits) {
    ++tally.matches;
  } else {
    fail(tally, [&] { return wrong_type(node.at, types.text(), found); });
  }
  return tally;
}

void Checker::check_text(const Node& node, const api::Checks& checks, Tally& tally) {
  const std::string_view text = node.value.as_string();
  const size_t before = tally.errors;
  if (checks.size != nullptr && (checks.size->max_length || checks.size->min_length)) {
    const auto length = static_cast<int64_t>(checker::length_of(text));
    if (checks.size->max_length && length > *checks.size->max_length) {
      fail(tally, [&] { return too_long(node.at, *checks.size->max_length); });
    } else if (checks.size->min_length && length < *checks.size->min_length) {
      fail(tally, [&] {
        return invalid(
            node.at, shown(node.value),
            fmt::format(" in body should be at least {} chars long", *checks.size->min_length));
      });
    }
  }
  // Upstream stops at the first of these.
  if (tally.errors == before && !checks.pattern.empty() && !budget_.exceeded()) {
    const Patterns::Answer answer = patterns_.match(checks.pattern, text, budget_);
    if (!answer.matches) {
      fail(tally, [&] {
        std::string pattern(checks.pattern);
        if (!answer.problem.empty()) pattern += ", but pattern is invalid: " + answer.problem;
        return invalid(node.at, shown(node.value),
                       fmt::format(" in body should match '{}'", pattern));
      });
    }
  }
  check_format(node, checks, tally);
}

std::string_view Checker::format_name(const api::Checks* checks) const {
  if (checks == nullptr) return {};
  return checks->format != api::Format::kNone || of_default_ ? checks->format_name
                                                             : std::string_view();
}

api::Format Checker::text_format_of(const api::Checks& checks) const {
  if (of_default_) return api::text_format(checks.format_name);
  switch (checks.format) {
    case api::Format::kInt32:
    case api::Format::kInt64:
    case api::Format::kFloat:
    case api::Format::kDouble:
      return api::Format::kNone;
    default:
      return checks.format;
  }
}

void Checker::check_format(const Node& node, const api::Checks& checks, Tally& tally) {
  const api::Format format = text_format_of(checks);
  if (format == api::Format::kNone) return;
  ++tally.matches;
  const std::string_view text = node.value.as_string();
  if (!budget_.take_steps(text.size() / checker::kBytesPerStep + 1)) return;
  if (has_format(format, text)) return;
  fail(tally, [&] { return wrong_type(node.at, checks.format_name, text); });
}

void Checker::check_number(const Node& node, const api::Checks* checks, Tally& tally) {
  const bool is_one = !node.structure.int_or_string || of_default_;
  const api::StructureKind kind = is_one ? node.structure.kind : api::StructureKind::kNone;
  const bool numeric = kind == api::StructureKind::kInteger || kind == api::StructureKind::kNumber;
  const api::Format format = checks != nullptr && numeric ? checks->format : api::Format::kNone;
  if (numeric) {
    std::string problem = range_problem(node.value, kind, format, "Checked", {});
    if (!problem.empty()) {
      fail(tally, [&] { return composite(problem + node.at.checked_path()); });
    }
  }
  if (checks != nullptr && checks->number != nullptr) {
    check_limits(node, *checks->number, numeric ? kind : api::StructureKind::kNone, format, tally);
  }
}

void Checker::check_choices(const Node& node, const api::Checks& checks, Tally& tally) {
  if (checks.choices.empty() || !budget_.take_steps(checks.choices.size())) return;
  if (is_choice(node.value, checks.choices)) return;
  fail(tally, [&] { return not_supported(node.at, node.value, checks.choices); });
}

}  // namespace proa::custom
