#include "kinds/checks/difference.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/quantity.h"
#include "api/schema/builtin.h"
#include "api/validation/go_form.h"
#include "base/check.h"
#include "kinds/checks/unified_diff.h"

namespace proa::kinds {

namespace difference {

using api::View;

// Fields whose values are quantities.
bool holds_quantities(std::string_view name) {
  return name == "limits" || name == "requests" || name == "overhead";
}

bool is_nothing(View value) {
  return !value.exists() || (value.is(json::Kind::kArray) && value.empty());
}

bool same_quantity(View a, View b) {
  const auto left = api::Quantity::parse(a.text());
  const auto right = api::Quantity::parse(b.text());
  return left.ok() && right.ok() && *left == *right;
}

// Passes each pair of different values to `Report`, which returns whether to continue.
template <typename Report>
class Walk {
 public:
  explicit Walk(Report report) : report_(report) {}

  bool compare(View a, View b, const std::string& path, bool quantities) {
    if (is_nothing(a) && is_nothing(b)) return true;
    if (a.is(json::Kind::kObject) && b.is(json::Kind::kObject))
      return members(a, b, path, quantities);
    if (a.is(json::Kind::kArray) && b.is(json::Kind::kArray)) return items(a, b, path);
    if (a == b || (quantities && same_quantity(a, b))) return true;
    return report_(path, a, b);
  }

 private:
  bool members(View a, View b, const std::string& path, bool quantities) {
    const auto one = [&](std::string_view name) {
      const bool inner = quantities || holds_quantities(name);
      if (inner && a[name].empty() && b[name].empty() && !quantities) return true;
      return compare(a[name], b[name],
                     path.empty() ? std::string(name) : fmt::format("{}.{}", path, name), inner);
    };
    for (const json::Member& member : a.members())
      if (!one(member.key)) return false;
    for (const json::Member& member : b.members())
      if (a.value()->find(member.key) == nullptr && !one(member.key)) return false;
    return true;
  }

  bool items(View a, View b, const std::string& path) {
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
      if (!compare(a.item(i), b.item(i), fmt::format("{}[{}]", path, i), false)) return false;
    return true;
  }

  Report report_;
};

}  // namespace difference

bool semantically_equal(api::View a, api::View b) {
  if (a == b) return true;
  bool same = true;
  difference::Walk walk([&](const std::string&, api::View, api::View) { return same = false; });
  walk.compare(a, b, {}, false);
  return same;
}

std::string describe_difference(api::View before, api::View after, std::string_view type,
                                std::span<const std::string_view> only) {
  const api::Type* found =
      api::builtin_schema().find_openapi("io.k8s.api.core.v1." + std::string(type));
  CHECK(found != nullptr);
  return unified_diff(api::go_form_lines(before, *found, only),
                      api::go_form_lines(after, *found, only));
}

}  // namespace proa::kinds
