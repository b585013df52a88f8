#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/selector/label_selector.h"
#include "apiserver/access/admission/matching/equivalents.h"
#include "apiserver/access/admission/matching/rule.h"

namespace proa::apiserver {

// How a request matched: as which version of its resource, and the kind of its object there.
// Lives as long as the request's resource.
struct Matched {
  const api::Resource* resource = nullptr;
  const api::Type* kind = nullptr;
};

// Which requests a webhook, a policy or a binding is about: rules and selectors. Immutable.
class MatchCriteria {
 public:
  enum class NoRules : uint8_t { kMatchNothing, kMatchAll };

  // The criteria of a webhook.
  static MatchCriteria of_webhook(api::View webhook) {
    return MatchCriteria(webhook, webhook["rules"], {}, NoRules::kMatchNothing);
  }
  // The MatchResources of a policy or binding. REQUIRES: it exists.
  static MatchCriteria of_policy(api::View match) {
    return MatchCriteria(match, match["resourceRules"], match["excludeResourceRules"],
                         NoRules::kMatchAll);
  }

  // Nullopt: it does not match. Fails if it would match, but a selector is invalid or the
  // namespace is unknown (kNotFound).
  Result<std::optional<Matched>> match(const Subject& subject,
                                       const Equivalents& equivalents) const;
  // The plural names of all resources that may match; false: any may.
  bool lists_resources(std::vector<std::string_view>& resources) const;

 private:
  // `owner` has matchPolicy and the selectors.
  MatchCriteria(api::View owner, api::View rules, api::View exclude, NoRules no_rules);

  Result<bool> selects_namespace(const Subject& subject) const;
  Result<bool> selects_object(const Subject& subject) const;
  std::optional<Matched> match_rules(const std::vector<AdmissionRule>& rules,
                                     const Subject& subject, const Equivalents& equivalents) const;

  NoRules no_rules_;
  bool exact_;
  std::vector<AdmissionRule> rules_;
  std::vector<AdmissionRule> exclude_;
  Result<api::LabelSelector> namespaces_;
  Result<api::LabelSelector> objects_;
};

}  // namespace proa::apiserver
