#include "apiserver/access/admission/pods/placement/tolerations.h"

#include <algorithm>
#include <vector>

namespace proa::apiserver {
namespace tolerations {

using api::View;

// Bounds the quadratic comparison. Beyond it redundant tolerations are kept, which is harmless.
constexpr size_t kMaxToCompare = 1024;

bool same(View a, View b) {
  for (const std::string_view field : {"key", "operator", "value", "effect"})
    if (a[field].text() != b[field].text()) return false;
  return a["tolerationSeconds"] == b["tolerationSeconds"];
}

// Whether it tolerates at least as long; only NoExecute has a duration.
bool covers_time(View wider, View toleration) {
  if (wider["effect"].text() != "NoExecute" || !wider["tolerationSeconds"].exists()) return true;
  return toleration["tolerationSeconds"].exists() &&
         toleration["tolerationSeconds"].integer() <= wider["tolerationSeconds"].integer();
}

bool covers_value(View wider, View toleration) {
  const std::string_view operation = wider["operator"].text();
  if (operation == "Exists") return true;
  // No operator means Equal, but upstream's isSuperset requires the literal "Equal".
  return (operation.empty() || operation == "Equal") && toleration["operator"].text() == "Equal" &&
         toleration["value"].text() == wider["value"].text();
}

// `later`: the tolerations after it, not yet processed.
bool is_redundant(View toleration, std::span<const View> kept, std::span<const View> later) {
  return std::any_of(kept.begin(), kept.end(),
                     [&](View other) { return covers_toleration(other, toleration); }) ||
         std::any_of(later.begin(), later.end(), [&](View other) {
           return !same(other, toleration) && covers_toleration(other, toleration);
         });
}

std::vector<View> without_redundant(const std::vector<View>& all) {
  if (all.size() > kMaxToCompare) return all;
  std::vector<View> kept;
  for (size_t i = 0; i < all.size(); ++i)
    if (!is_redundant(all[i], kept, std::span(all).subspan(i + 1))) kept.push_back(all[i]);
  return kept;
}

}  // namespace tolerations

bool covers_toleration(api::View wider, api::View toleration) {
  if (tolerations::same(wider, toleration)) return true;
  const std::string_view key = wider["key"].text();
  const bool any_key = key.empty() && wider["operator"].text() == "Exists";
  if (!any_key && key != toleration["key"].text()) return false;
  const std::string_view effect = wider["effect"].text();
  if (!effect.empty() && effect != toleration["effect"].text()) return false;
  return tolerations::covers_time(wider, toleration) &&
         tolerations::covers_value(wider, toleration);
}

bool are_tolerations_allowed(api::View tolerations, api::View allowed) {
  const auto is_allowed = [&](const json::Value& toleration) {
    return std::any_of(
        allowed.items().begin(), allowed.items().end(),
        [&](const json::Value& wider) { return covers_toleration(wider, toleration); });
  };
  return std::all_of(tolerations.items().begin(), tolerations.items().end(), is_allowed);
}

void merge_tolerations(api::Edit pod_spec, api::View more) {
  std::vector<api::View> all;
  for (const api::View toleration : pod_spec["tolerations"].items()) all.push_back(toleration);
  for (const api::View toleration : more.items()) all.push_back(toleration);
  if (all.empty()) return;
  json::Value merged = json::Value::array();
  for (const api::View toleration : tolerations::without_redundant(all))
    merged.push_back(pod_spec.arena(), toleration.value()->copy(pod_spec.arena()));
  pod_spec.set("tolerations", std::move(merged));
}

}  // namespace proa::apiserver
