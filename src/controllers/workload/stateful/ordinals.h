#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Names of what belongs to a StatefulSet: "web-3" is its fourth pod, "data-web-3" that one's claim.

namespace proa::controllers {

std::string stateful_pod_name(std::string_view set, int64_t ordinal);
std::string stateful_claim_name(std::string_view claim_template, std::string_view set,
                                int64_t ordinal);
// Which one of the set a pod is by its name; nullopt when it is none of them. "web-03" is none: no
// set makes such a name.
std::optional<int64_t> stateful_ordinal(std::string_view set, std::string_view pod);
// The names of all sets that a claim of that name may belong to.
std::vector<std::string> sets_of_claim(std::string_view claim);

}  // namespace proa::controllers
