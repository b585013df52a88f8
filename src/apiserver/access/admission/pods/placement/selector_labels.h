#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/result.h"

namespace proa::apiserver {

using SelectorLabels = std::map<std::string, std::string, std::less<>>;

// "infra = false, env=test": the notation of PodNodeSelector. Failures in upstream's words, as an
// error that nobody but an administrator can mend.
Result<SelectorLabels> parse_selector_labels(std::string_view text);

// Whether both have a label, with different values. `selector`: a pod's spec.nodeSelector.
bool do_labels_conflict(const SelectorLabels& labels, api::View selector);
// Whether a selector asks for nothing but these; where there are none, it may ask for anything.
bool is_selector_within(api::View selector, const SelectorLabels& labels);

}  // namespace proa::apiserver
