#include "controllers/lifecycle/definitions/names.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::controllers::definitions {
namespace names {

std::string in_use_text(std::string_view name) { return api::quoted(name) + " is already in use"; }

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

// The texts of the new abbreviations that somebody has; each once, as upstream's aggregates.
std::vector<std::string> refused_short_names(const Names& wanted, const Names& accepted,
                                             const NamesInUse& in_use) {
  std::vector<std::string> texts;
  for (const std::string& name : wanted.short_names) {
    if (contains(accepted.short_names, name) || !in_use.has_resource(name)) continue;
    std::string text = in_use_text(name);
    if (!contains(texts, text)) texts.push_back(std::move(text));
  }
  return texts;
}

void refuse(Condition& condition, std::string_view reason, std::string message) {
  condition.status = "False";
  condition.reason = reason;
  condition.message = std::move(message);
}

}  // namespace names

bool NamesInUse::has_resource(std::string_view name) const {
  return std::ranges::any_of(all_, [&](const Names* one) {
    return one->plural == name || one->singular == name || names::contains(one->short_names, name);
  });
}

bool NamesInUse::has_kind(std::string_view name) const {
  return std::ranges::any_of(
      all_, [&](const Names* one) { return one->kind == name || one->list_kind == name; });
}

// The last conflict is the one that the condition states, as upstream's.
NamesDecision decide_names(const Names& wanted, const Names& accepted, const NamesInUse& in_use) {
  NamesDecision decision{.accepted = accepted,
                         .condition = {.type = "NamesAccepted",
                                       .status = "True",
                                       .reason = "NoConflicts",
                                       .message = "no conflicts found"}};
  Condition& condition = decision.condition;
  const auto decide = [&](std::string Names::*name,
                          bool (NamesInUse::*is_used)(std::string_view) const,
                          std::string_view conflict) {
    const std::string& requested = wanted.*name;
    if (requested != accepted.*name && (in_use.*is_used)(requested)) {
      names::refuse(condition, conflict, names::in_use_text(requested));
    } else {
      decision.accepted.*name = requested;
    }
  };
  decide(&Names::plural, &NamesInUse::has_resource, "PluralConflict");
  decide(&Names::singular, &NamesInUse::has_resource, "SingularConflict");
  const std::vector<std::string> refused = names::refused_short_names(wanted, accepted, in_use);
  if (refused.empty()) {
    decision.accepted.short_names = wanted.short_names;
  } else {
    names::refuse(condition, "ShortNamesConflict",
                  refused.size() == 1 ? refused.front() : "[" + join(refused, ", ") + "]");
  }
  decide(&Names::kind, &NamesInUse::has_kind, "KindConflict");
  decide(&Names::list_kind, &NamesInUse::has_kind, "ListKindConflict");
  decision.accepted.categories = wanted.categories;
  return decision;
}

}  // namespace proa::controllers::definitions
