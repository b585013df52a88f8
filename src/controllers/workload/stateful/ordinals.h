#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Names of pods and claims of a StatefulSet: pod "web-3", its claim "data-web-3".

namespace proa::controllers {

std::string stateful_pod_name(std::string_view set, int64_t ordinal);
std::string stateful_claim_name(std::string_view claim_template, std::string_view set,
                                int64_t ordinal);
// The ordinal in a pod's name; nullopt if it is not a pod of the set ("web-03").
std::optional<int64_t> stateful_ordinal(std::string_view set, std::string_view pod);
// All sets that a claim may belong to by its name.
std::vector<std::string> sets_of_claim(std::string_view claim);

}  // namespace proa::controllers
