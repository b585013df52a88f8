#include "apiserver/access/admission/quota/decision.h"

#include <algorithm>

namespace proa::apiserver::quota {

using kinds::quota::growth;
using kinds::quota::names_of;
using kinds::quota::only;
using kinds::quota::text_of;

namespace decision {

Decision refuse(std::string why) { return {.refusal = std::move(why)}; }

// The used resources that require a quota.
ResourceNames limited_names(const Demand& demand, const Amounts& usage,
                            const Configuration& configuration) {
  ResourceNames names;
  for (const LimitedResource& limited : configuration.limited) {
    if (limited.resource != demand.resource || limited.group != demand.group) continue;
    for (const auto& [name, quantity] : usage) {
      if (quantity.sign() <= 0) continue;
      const auto is_part = [&name = name](const std::string& part) {
        return name.find(part) != std::string::npos;
      };
      if (std::any_of(limited.match_contains.begin(), limited.match_contains.end(), is_part)) {
        names.insert(name);
      }
    }
  }
  return names;
}

// "{PriorityClass In [high]} ...": limited scopes of the object that no quota covers.
std::string uncovered_scopes(const Demand& demand, const std::vector<QuotaFacts>& quotas,
                             const Configuration& configuration) {
  const api::View object = demand.change.object;
  const auto is_covered = [&](const ScopeRule& wanted) {
    return std::any_of(quotas.begin(), quotas.end(), [&](const QuotaFacts& quota) {
      return std::any_of(quota.scopes.begin(), quota.scopes.end(), [&](const ScopeRule& rule) {
        return rule.scope == wanted.scope && demand.evaluator.is_in_scope(object, rule);
      });
    });
  };
  std::string text;
  for (const LimitedResource& limited : configuration.limited) {
    for (const ScopeRule& rule : limited.match_scopes) {
      if (!demand.evaluator.is_in_scope(object, rule) || is_covered(rule)) continue;
      text += (text.empty() ? "" : " ") + rule.text();
    }
  }
  return text;
}

// The usage of an object, and before an update.
struct Usage {
  Amounts now;
  Amounts before;  // empty: it is new
};

Result<Usage> measure(const Demand& demand) {
  Usage usage;
  usage.now = TRY(demand.evaluator.usage(demand.change.object, demand.cluster));
  if (demand.change.is_update()) {
    usage.before = TRY(demand.evaluator.usage(demand.change.old, demand.cluster));
  }
  return usage;
}

// The usage that the quota has not been charged for. An object that enters the quota's scopes is
// new to it.
Amounts growth_for(const QuotaFacts& quota, const Demand& demand, const Usage& usage) {
  const bool knows_it =
      demand.change.is_update() && is_limited_by(quota, demand.change.old, demand);
  return growth(usage.now, knows_it ? usage.before : Amounts());
}

// Empty: it fits.
std::string excess(const QuotaFacts& quota, const Amounts& charge) {
  ResourceNames exceeded;
  for (const auto& [name, quantity] : charge) {
    const auto used = quota.used.find(name);
    const api::Quantity sum = used == quota.used.end() ? quantity : used->second + quantity;
    if (sum > quota.hard.at(name)) exceeded.insert(name);
  }
  if (exceeded.empty()) return {};
  return "exceeded quota: " + quota.name + ", requested: " + text_of(only(charge, exceeded)) +
         ", used: " + text_of(only(quota.used, exceeded)) +
         ", limited: " + text_of(only(quota.hard, exceeded));
}

ResourceNames negative_names(const Amounts& usage) {
  ResourceNames names;
  for (const auto& [name, quantity] : usage) {
    if (quantity.sign() < 0) names.insert(name);
  }
  return names;
}

// The quotas that limit an object, and the resources they limit.
struct Concerned {
  std::vector<size_t> quotas;  // indexes
  ResourceNames covered;
  std::string missing;  // required requests or limits that the object lacks
};

Concerned find_concerned(const Demand& demand, const std::vector<QuotaFacts>& quotas) {
  Concerned found;
  for (size_t i = 0; i < quotas.size() && found.missing.empty(); ++i) {
    const QuotaFacts& quota = quotas[i];
    if (!is_limited_by(quota, demand.change.object, demand)) continue;
    found.quotas.push_back(i);
    const ResourceNames names = demand.evaluator.measured(names_of(quota.hard), demand.cluster);
    found.covered.insert(names.begin(), names.end());
    found.missing = demand.evaluator.missing(demand.change.object, names);
    if (!found.missing.empty())
      found.missing = "failed quota: " + quota.name + ": " + found.missing;
  }
  return found;
}

// Usage that requires a quota and has none. Charges nothing.
Decision find_uncovered(const Demand& demand, const std::vector<QuotaFacts>& quotas,
                        const Configuration& configuration, const Amounts& usage,
                        const ResourceNames& covered) {
  ResourceNames uncovered = limited_names(demand, usage, configuration);
  for (const std::string& name : covered) uncovered.erase(name);
  if (!uncovered.empty()) return refuse("insufficient quota to consume: " + text_of(uncovered));
  const std::string scopes = uncovered_scopes(demand, quotas, configuration);
  if (scopes.empty()) return {};
  return {.refusal = "insufficient quota to match these scopes: [" + scopes + "]",
          .is_unexplained = true};
}

}  // namespace decision

bool is_limited_by(const QuotaFacts& quota, api::View object, const Demand& demand) {
  const bool measures = std::any_of(quota.hard.begin(), quota.hard.end(), [&](const auto& limit) {
    return demand.evaluator.measures(limit.first, demand.cluster);
  });
  return measures && demand.evaluator.is_in_scopes(object, quota.scopes);
}

Result<Decision> decide(const Demand& demand, const std::vector<QuotaFacts>& quotas,
                        const Configuration& configuration) {
  Decision made{.charges = {quotas.size(), Amounts()}};
  const decision::Concerned concerned = decision::find_concerned(demand, quotas);
  if (!concerned.missing.empty()) return decision::refuse(concerned.missing);
  if (concerned.quotas.empty() && configuration.limited.empty()) return made;

  const decision::Usage usage = TRY(decision::measure(demand));
  if (const ResourceNames negative = decision::negative_names(usage.now); !negative.empty()) {
    return decision::refuse("quota usage is negative for resource(s): " + text_of(negative));
  }
  bool uses_more = concerned.quotas.empty() && !growth(usage.now, usage.before).empty();
  for (const size_t i : concerned.quotas) {
    const Amounts more = decision::growth_for(quotas[i], demand, usage);
    uses_more |= !more.empty();
    made.charges[i] = only(more, names_of(quotas[i].hard));
  }
  if (!uses_more) return made;
  Decision refused =
      decision::find_uncovered(demand, quotas, configuration, usage.now, concerned.covered);
  if (!refused.refusal.empty()) return refused;
  // A status reports what has already happened: charged without limit.
  if (demand.change.subresource == "status") return made;
  for (const size_t i : concerned.quotas) {
    std::string excess = decision::excess(quotas[i], made.charges[i]);
    if (!excess.empty()) return decision::refuse(std::move(excess));
  }
  return made;
}

}  // namespace proa::apiserver::quota
