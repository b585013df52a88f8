#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/result.h"

namespace proa::apiserver {

using SelectorLabels = std::map<std::string, std::string, std::less<>>;

// Parses "infra = false, env=test", the notation of PodNodeSelector. Fails with upstream's message
// as an internal error, since only an administrator can fix it.
Result<SelectorLabels> parse_selector_labels(std::string_view text);

// Whether a label has different values in both. `selector` is a pod's spec.nodeSelector.
bool do_labels_conflict(const SelectorLabels& labels, api::View selector);
// Whether the selector contains only these labels; true if there are none.
bool is_selector_within(api::View selector, const SelectorLabels& labels);

}  // namespace proa::apiserver
