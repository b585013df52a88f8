#include "custom/checks/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace proa::custom {
namespace numbers {

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kMostJson = 9007199254740991.0;  // 2^53 - 1
constexpr double kEpsilon = 1e-9;

bool fits_integer(double number) {
  return std::trunc(number) == number && number >= -kTwo63 && number < kTwo63;
}

// strconv.ParseFloat(text, 32) fails beyond the largest float, rounded.
bool fits_float(double number) { return !std::isinf(static_cast<float>(number)); }

bool fits(const json::Value& number, api::StructureKind kind, api::Format format) {
  if (kind == api::StructureKind::kInteger) {
    const double value = number.as_double();
    if (!number.is(json::Kind::kInt) && !fits_integer(value)) return false;
    if (format != api::Format::kInt32) return true;
    const int64_t integer =
        number.is(json::Kind::kInt) ? number.as_int() : static_cast<int64_t>(value);
    return integer >= std::numeric_limits<int32_t>::min() &&
           integer <= std::numeric_limits<int32_t>::max();
  }
  return format != api::Format::kFloat || fits_float(number.as_double());
}

}  // namespace numbers

int64_t go_integer(double number) {
  if (!(number >= -numbers::kTwo63 && number < numbers::kTwo63)) {
    return std::numeric_limits<int64_t>::min();
  }
  return static_cast<int64_t>(number);
}

bool is_json_integer(double number) {
  if (!std::isfinite(number) || std::abs(number) > numbers::kMostJson) return false;
  if (std::trunc(number) == number) return true;
  // Upstream converts to uint64: a negative number becomes an enormous one, and is never close.
  if (number < 0) return false;
  const double whole = std::trunc(number);
  if (whole == 0) return false;
  return (number - whole) / (number + whole) < numbers::kEpsilon;
}

bool deep_equal(const json::Value& a, const json::Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is(json::Kind::kArray)) {
    return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                      deep_equal);
  }
  if (!a.is(json::Kind::kObject)) return a == b;
  if (a.size() != b.size()) return false;
  return std::all_of(a.members().begin(), a.members().end(), [&](const json::Member& member) {
    const json::Value* other = b.find(member.key);
    return other != nullptr && deep_equal(member.value, *other);
  });
}

std::string range_problem(const json::Value& number, api::StructureKind kind, api::Format format,
                          std::string_view prefix, std::string_view path) {
  if (numbers::fits(number, kind, format)) return {};
  const std::string_view type = api::kind_name(kind);
  std::string_view name;
  if (format == api::Format::kInt32) name = "int32";
  if (format == api::Format::kInt64) name = "int64";
  if (format == api::Format::kFloat) name = "float";
  if (format == api::Format::kDouble) name = "double";
  if (name.empty()) {
    return fmt::format("{} value must be of type {} (default format) in {}", prefix, type, path);
  }
  return fmt::format("{} value must be of type {} with format {} in {}", prefix, type, name, path);
}

}  // namespace proa::custom
