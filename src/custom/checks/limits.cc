#include <fmt/format.h>

#include "custom/checks/checker.h"
#include "custom/checks/numbers.h"
#include "custom/checks/words.h"
#include "custom/decode/show.h"

namespace proa::custom {
namespace limits {

// A limit as it is compared: integers with integers, unless the limit is none.
struct Limit {
  double number = 0;
  bool as_integer = false;

  std::string text() const {
    return as_integer ? std::to_string(go_integer(number)) : go_number(number);
  }
};

// The value as an error shows it.
std::string shown_value(const json::Value& value, bool as_integer) {
  if (value.is(json::Kind::kInt) && !as_integer) return go_number(value.as_double());
  return shown(value);
}

bool exceeds(const json::Value& value, const Limit& limit, bool exclusive) {
  if (limit.as_integer) {
    const int64_t most = go_integer(limit.number);
    return value.as_int() > most || (exclusive && value.as_int() == most);
  }
  const double number = value.as_double();
  return number > limit.number || (exclusive && number == limit.number);
}

bool is_below(const json::Value& value, const Limit& limit, bool exclusive) {
  if (limit.as_integer) {
    const int64_t least = go_integer(limit.number);
    return value.as_int() < least || (exclusive && value.as_int() == least);
  }
  const double number = value.as_double();
  return number < limit.number || (exclusive && number == limit.number);
}

bool is_multiple(const json::Value& value, const Limit& factor) {
  if (factor.as_integer) return value.as_int() % go_integer(factor.number) == 0;
  const double number = value.as_double();
  return is_json_integer(factor.number < 1 ? 1 / factor.number * number : number / factor.number);
}

bool is_positive(const Limit& factor) {
  return factor.as_integer ? go_integer(factor.number) > 0 : factor.number > 0;
}

SchemaError not_positive(const Step& at, const Limit& factor) {
  SchemaError error = invalid(at, factor.text(), {});
  error.message = fmt::format("factor MultipleOf declared for {} must be positive: {}",
                              at.checked_path(), factor.text());
  error.body = fmt::format("Invalid value: {}: {}", factor.text(), error.message);
  return error;
}

}  // namespace limits

void Checker::check_limits(const Node& node, const api::NumberChecks& checks,
                           api::StructureKind kind, api::Format format, Tally& tally) {
  // A limit that is not of the type is an error itself, and is compared as a number all the same.
  const auto read = [&](double number, std::string_view name) {
    limits::Limit limit{.number = number, .as_integer = node.value.is(json::Kind::kInt)};
    if (kind == api::StructureKind::kNone) return limit;
    std::string problem = range_problem(json::Value::number(number), kind, format, name, {});
    if (problem.empty()) return limit;
    fail(tally, [&] { return composite(problem + node.at.checked_path()); });
    limit.as_integer = false;
    return limit;
  };
  const auto report = [&](const limits::Limit& limit, std::string_view what) {
    fail(tally, [&] {
      return invalid(node.at, limits::shown_value(node.value, limit.as_integer),
                     fmt::format(" in body should be {} {}", what, limit.text()));
    });
  };
  if (checks.multiple_of) {
    const limits::Limit factor = read(*checks.multiple_of, "MultipleOf");
    if (!limits::is_positive(factor)) {
      fail(tally, [&] { return limits::not_positive(node.at, factor); });
    } else if (!limits::is_multiple(node.value, factor)) {
      report(factor, "a multiple of");
    }
  }
  if (checks.minimum) {
    const limits::Limit least = read(*checks.minimum, "Minimum boundary");
    if (limits::is_below(node.value, least, checks.exclusive_minimum)) {
      report(least, checks.exclusive_minimum ? "greater than" : "greater than or equal to");
    }
  }
  if (checks.maximum) {
    const limits::Limit most = read(*checks.maximum, "Maximum boundary");
    if (limits::exceeds(node.value, most, checks.exclusive_maximum)) {
      report(most, checks.exclusive_maximum ? "less than" : "less than or equal to");
    }
  }
}

}  // namespace proa::custom
