#include "apiserver/access/admission/pods/placement/selector_labels.h"

#include <algorithm>

#include "api/validation/field_errors.h"
#include "api/validation/names.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace selector_labels {

using api::Path;

Status failure(const std::string& text) { return {Reason::kUnknown, text}; }

Result<void> check(std::string_view value, const Path& path, const api::Problems& problems) {
  if (problems.empty()) return {};
  api::FieldErrors errors;
  errors.invalid(path, value, join(problems, "; "));
  return failure(errors.texts()[0]);
}

}  // namespace selector_labels

Result<SelectorLabels> parse_selector_labels(std::string_view text) {
  SelectorLabels labels;
  if (text.empty()) return labels;
  for (const std::string_view part : split(text, ',')) {
    const auto halves = split(part, '=');
    if (halves.size() != 2)
      return selector_labels::failure("invalid selector: [" + join(halves, " ") + "]");
    const std::string_view key = trim(halves[0]);
    const std::string_view value = trim(halves[1]);
    const api::Path nowhere;
    TRY(selector_labels::check(key, nowhere, api::check_qualified_name(key)));
    TRY(selector_labels::check(value, nowhere.key(key), api::check_label_value(value)));
    labels.insert_or_assign(std::string(key), std::string(value));
  }
  return labels;
}

bool do_labels_conflict(const SelectorLabels& labels, api::View selector) {
  return std::any_of(labels.begin(), labels.end(), [&](const auto& label) {
    const api::View value = selector[label.first];
    return value.exists() && value.text() != label.second;
  });
}

bool is_selector_within(api::View selector, const SelectorLabels& labels) {
  if (labels.empty()) return true;
  const auto members = selector.members();
  return std::all_of(members.begin(), members.end(), [&](const json::Member& member) {
    const auto found = labels.find(member.key);
    return found != labels.end() && found->second == api::View(member.value).text();
  });
}

}  // namespace proa::apiserver
