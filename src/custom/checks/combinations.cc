#include <fmt/format.h>

#include "api/validation/go_text.h"
#include "custom/checks/checker.h"
#include "custom/checks/words.h"

namespace proa::custom {

Checker::Tally Checker::check_inner(const Node& node, const api::Structure& structure) {
  // Upstream does not ratchet inside of alternatives.
  return check_node({.value = node.value, .structure = structure, .at = node.at, .old = nullptr});
}

Checker::Tally Checker::try_one(const Node& node, const api::Structure& structure) {
  SchemaErrors* const errors = std::exchange(errors_, nullptr);
  const Tally tally = check_inner(node, structure);
  errors_ = errors;
  return tally;
}

Checker::Tally Checker::check_combinations(const Node& node,
                                           const api::Combinations& combinations) {
  Tally tally;
  if (!combinations.any_of.empty()) tally.add(check_any_of(node, combinations.any_of));
  if (!combinations.one_of.empty()) tally.add(check_one_of(node, combinations.one_of));
  if (!combinations.all_of.empty()) tally.add(check_all_of(node, combinations.all_of));
  if (combinations.negated != nullptr && try_one(node, *combinations.negated).errors == 0) {
    fail(tally, [&] {
      return composite(api::quoted(node.at.checked_path()) + " must not validate the schema (not)");
    });
  }
  return tally;
}

Checker::Tally Checker::check_any_of(const Node& node,
                                     std::span<const api::Structure* const> schemas) {
  const api::Structure* closest = nullptr;
  Tally best;
  for (const api::Structure* schema : schemas) {
    const Tally tally = try_one(node, *schema);
    if (tally.errors == 0) return tally;
    if (closest == nullptr || tally.matches > best.matches) {
      closest = schema;
      best = tally;
    }
  }
  Tally result;
  fail(result, [&] {
    return composite(api::quoted(node.at.checked_path()) +
                     " must validate at least one schema (anyOf)");
  });
  // Again, for its words.
  result.add(errors_ == nullptr ? best : check_inner(node, *closest));
  return result;
}

Checker::Tally Checker::check_one_of(const Node& node,
                                     std::span<const api::Structure* const> schemas) {
  const api::Structure* closest = nullptr;
  Tally best;
  Tally first;
  size_t valid = 0;
  for (const api::Structure* schema : schemas) {
    const Tally tally = try_one(node, *schema);
    if (tally.errors == 0) {
      if (++valid == 1) first = tally;
    } else if (closest == nullptr || tally.matches > best.matches) {
      closest = schema;
      best = tally;
    }
  }
  if (valid == 1) return first;
  Tally result;
  fail(result, [&] {
    const std::string found =
        valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid);
    return composite(fmt::format("{} must validate one and only one schema (oneOf). {}",
                                 api::quoted(node.at.checked_path()), found));
  });
  if (valid == 0) result.add(errors_ == nullptr ? best : check_inner(node, *closest));
  return result;
}

Checker::Tally Checker::check_all_of(const Node& node,
                                     std::span<const api::Structure* const> schemas) {
  Tally result;
  size_t valid = 0;
  for (const api::Structure* schema : schemas) {
    const Tally tally = check_inner(node, *schema);
    if (tally.errors == 0) ++valid;
    result.add(tally);
  }
  if (valid < schemas.size()) {
    fail(result, [&] {
      return composite(fmt::format("{} must validate all the schemas (allOf){}",
                                   api::quoted(node.at.checked_path()),
                                   valid == 0 ? ". None validated" : ""));
    });
  }
  return result;
}

}  // namespace proa::custom
