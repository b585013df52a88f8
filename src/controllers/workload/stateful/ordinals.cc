#include "controllers/workload/stateful/ordinals.h"

#include <limits>

#include "base/strings.h"

namespace proa::controllers {
namespace ordinals {

std::optional<int64_t> parse(std::string_view text) {
  const std::optional<int64_t> number = parse_int(text);
  if (!number || *number < 0 || *number > std::numeric_limits<int32_t>::max()) return std::nullopt;
  if (std::to_string(*number) != text) return std::nullopt;
  return number;
}

}  // namespace ordinals

std::string stateful_pod_name(std::string_view set, int64_t ordinal) {
  return std::string(set) + "-" + std::to_string(ordinal);
}

std::string stateful_claim_name(std::string_view claim_template, std::string_view set,
                                int64_t ordinal) {
  return std::string(claim_template) + "-" + stateful_pod_name(set, ordinal);
}

std::optional<int64_t> stateful_ordinal(std::string_view set, std::string_view pod) {
  if (pod.size() < set.size() + 2 || !pod.starts_with(set) || pod[set.size()] != '-') {
    return std::nullopt;
  }
  return ordinals::parse(pod.substr(set.size() + 1));
}

std::vector<std::string> sets_of_claim(std::string_view claim) {
  std::vector<std::string> sets;
  const size_t end = claim.rfind('-');
  if (end == std::string_view::npos || !ordinals::parse(claim.substr(end + 1))) return sets;
  const std::string_view front = claim.substr(0, end);
  for (size_t dash = front.find('-'); dash != std::string_view::npos;
       dash = front.find('-', dash + 1)) {
    sets.emplace_back(front.substr(dash + 1));
  }
  return sets;
}

}  // namespace proa::controllers
