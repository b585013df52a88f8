#include "apiserver/access/admission/matching/criteria.h"

#include "apiserver/request/failures.h"

namespace proa::apiserver {
namespace match_criteria {

std::vector<AdmissionRule> read_rules(api::View list) {
  std::vector<AdmissionRule> rules;
  for (const api::View rule : list.items()) rules.emplace_back(rule);
  return rules;
}

// As upstream wraps what is wrong with a selector.
Result<api::LabelSelector> read_selector(api::View selector) {
  Result<api::LabelSelector> read = api::LabelSelector::from(selector);
  if (read) return read;
  return internal_error(read.status().message());
}

bool selects(const api::LabelSelector& selector, api::View object) {
  return object.exists() && selector.matches(object["metadata"]["labels"]);
}

}  // namespace match_criteria

MatchCriteria::MatchCriteria(api::View owner, api::View rules, api::View exclude, NoRules no_rules)
    : no_rules_(no_rules),
      exact_(owner["matchPolicy"].text("Exact") == "Exact"),
      rules_(match_criteria::read_rules(rules)),
      exclude_(match_criteria::read_rules(exclude)),
      namespaces_(match_criteria::read_selector(owner["namespaceSelector"])),
      objects_(match_criteria::read_selector(owner["objectSelector"])) {}

Result<std::optional<Matched>> MatchCriteria::match(const Subject& subject,
                                                    const Equivalents& equivalents) const {
  // Rules come first here, since they cost least; what fails counts only if all else matches.
  std::optional<Matched> matched;
  if (rules_.empty() && no_rules_ == NoRules::kMatchAll) {
    matched = Matched{&subject.resource(), &subject.kind()};
  } else {
    matched = match_rules(rules_, subject, equivalents);
  }
  if (!matched || match_rules(exclude_, subject, equivalents)) return std::optional<Matched>();
  const Result<bool> in_namespace = selects_namespace(subject);
  if (in_namespace && !*in_namespace) return std::optional<Matched>();
  const Result<bool> is_selected = selects_object(subject);
  if (is_selected && !*is_selected) return std::optional<Matched>();
  if (!in_namespace) return in_namespace.status();
  if (!is_selected) return is_selected.status();
  return matched;
}

bool MatchCriteria::lists_resources(std::vector<std::string_view>& resources) const {
  if (rules_.empty()) return no_rules_ == NoRules::kMatchNothing;
  for (const AdmissionRule& rule : rules_) {
    if (!rule.lists_resources(resources)) return false;
  }
  return true;
}

Result<bool> MatchCriteria::selects_namespace(const Subject& subject) const {
  const bool is_namespaces = subject.resource().name == "namespaces";
  if (subject.name_space().empty() && !is_namespaces) return true;
  if (!namespaces_) return namespaces_.status();
  if (namespaces_->matches_everything()) return true;
  const Operation operation = subject.admission().operation;
  const bool written = operation == Operation::kCreate || operation == Operation::kUpdate;
  if (is_namespaces && subject.subresource().empty() && written) {
    return namespaces_->matches(subject.object()["metadata"]["labels"]);
  }
  const api::ObjectPtr found = TRY(subject.find_namespace());
  return namespaces_->matches(found->metadata().labels);
}

Result<bool> MatchCriteria::selects_object(const Subject& subject) const {
  if (!objects_) return objects_.status();
  if (objects_->matches_everything()) return true;
  return match_criteria::selects(*objects_, subject.object()) ||
         match_criteria::selects(*objects_, subject.old());
}

std::optional<Matched> MatchCriteria::match_rules(const std::vector<AdmissionRule>& rules,
                                                  const Subject& subject,
                                                  const Equivalents& equivalents) const {
  for (const AdmissionRule& rule : rules) {
    if (rule.matches(subject, subject.resource()) && rule.names(subject.name())) {
      return Matched{&subject.resource(), &subject.kind()};
    }
  }
  if (exact_ || rules.empty()) return std::nullopt;
  const std::vector<const api::Resource*> others = equivalents.of(subject);
  for (const AdmissionRule& rule : rules) {
    for (const api::Resource* version : others) {
      if (rule.matches(subject, *version) && rule.names(subject.name())) {
        return Matched{version, &subject.kind_of(*version)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace proa::apiserver
