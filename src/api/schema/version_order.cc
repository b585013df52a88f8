#include "api/schema/version_order.h"

#include <optional>
#include <tuple>

#include "base/strings.h"

namespace proa::api {
namespace version_order {

// 2 for v1, 1 for v1beta1, 0 for v1alpha1; then the numbers.
struct Version {
  int stability = 0;
  uint64_t major = 0;
  uint64_t minor = 0;

  auto key() const { return std::tie(stability, major, minor); }
};

// Upstream's pattern has no leading zeros.
std::optional<uint64_t> take_number(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  if (end == 0 || text.front() == '0') return std::nullopt;
  const auto number = parse_uint(text.substr(0, end));
  text.remove_prefix(end);
  if (!number) return std::nullopt;
  return *number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<Version> parse(std::string_view text) {
  if (!take(text, "v")) return std::nullopt;
  const auto major = take_number(text);
  if (!major) return std::nullopt;
  if (text.empty()) return Version{2, *major, 0};
  const int stability = take(text, "beta") ? 1 : 0;
  if (stability == 0 && !take(text, "alpha")) return std::nullopt;
  const auto minor = take_number(text);
  if (!minor || !text.empty()) return std::nullopt;
  return Version{stability, *major, *minor};
}

}  // namespace version_order

bool version_precedes(std::string_view a, std::string_view b) {
  const auto left = version_order::parse(a);
  const auto right = version_order::parse(b);
  if (left && right) return left->key() > right->key();
  if (left || right) return left.has_value();
  return a < b;
}

}  // namespace proa::api
