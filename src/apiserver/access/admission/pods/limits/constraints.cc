#include "apiserver/access/admission/pods/limits/constraints.h"

#include <fmt/format.h>

#include <limits>
#include <span>
#include <vector>

#include "apiserver/access/admission/pods/aggregate.h"
#include "kinds/core/resources/resources.h"

namespace proa::apiserver {
namespace constraints {

using api::Quantity;
using api::View;
using kinds::pods::Amounts;
using kinds::pods::Bound;

constexpr int64_t kMaxMilliValue = std::numeric_limits<int64_t>::max() / 1000;

struct Needs {
  Amounts requests;
  Amounts limits;
};

// One resource of it, with the enforced amount.
struct Compared {
  std::string_view type;  // "Container"
  std::string_view resource;
  const Quantity& enforced;
  const Quantity* request = nullptr;  // null: not given
  const Quantity* limit = nullptr;
  // Compared as in upstream's requestLimitEnforcedValues: in milli-units, rounded up, if all values
  // fit; otherwise in whole units.
  int64_t request_value = 0;
  int64_t limit_value = 0;
  int64_t enforced_value = 0;
};

const Quantity* find(const Amounts& amounts, std::string_view resource) {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? nullptr : &found->second;
}

Compared compare(std::string_view type, std::string_view resource, const Quantity& enforced,
                 const Needs& needs) {
  Compared compared{.type = type, .resource = resource, .enforced = enforced};
  compared.request = find(needs.requests, resource);
  compared.limit = find(needs.limits, resource);
  const Quantity zero;
  const Quantity& request = compared.request == nullptr ? zero : *compared.request;
  const Quantity& limit = compared.limit == nullptr ? zero : *compared.limit;
  const bool exact = request.value() <= kMaxMilliValue && limit.value() <= kMaxMilliValue &&
                     enforced.value() <= kMaxMilliValue;
  compared.request_value = exact ? request.milli_value() : request.value();
  compared.limit_value = exact ? limit.milli_value() : limit.value();
  compared.enforced_value = exact ? enforced.milli_value() : enforced.value();
  return compared;
}

std::string bound_text(std::string_view which, const Compared& c) {
  return fmt::format("{} {} usage per {} is {}", which, c.resource, c.type, c.enforced.str());
}

std::string minimum_problem(const Compared& c) {
  const std::string text = bound_text("minimum", c);
  if (c.request == nullptr) return text + ".  No request is specified";
  if (c.request_value < c.enforced_value) return text + ", but request is " + c.request->str();
  if (c.limit != nullptr && c.limit_value < c.enforced_value)
    return text + ", but limit is " + c.limit->str();
  return "";
}

std::string maximum_problem(const Compared& c) {
  const std::string text = bound_text("maximum", c);
  if (c.limit == nullptr) return text + ".  No limit is specified";
  if (c.limit_value > c.enforced_value) return text + ", but limit is " + c.limit->str();
  if (c.request != nullptr && c.request_value > c.enforced_value)
    return text + ", but request is " + c.request->str();
  return "";
}

// For objects without limits.
std::string maximum_request_problem(const Compared& c) {
  const std::string text = bound_text("maximum", c);
  if (c.request == nullptr) return text + ".  No request is specified";
  if (c.request_value > c.enforced_value) return text + ", but request is " + c.request->str();
  return "";
}

std::string ratio_problem(const Compared& c) {
  const std::string text = fmt::format("{} max limit to request ratio per {} is {}, but ",
                                       c.resource, c.type, c.enforced.str());
  if (c.request == nullptr || c.request_value == 0)
    return text + "no request is specified or request is 0";
  if (c.limit == nullptr || c.limit_value == 0) return text + "no limit is specified or limit is 0";
  const double ratio = static_cast<double>(c.limit_value) / static_cast<double>(c.request_value);
  const bool exact = c.enforced.value() <= kMaxMilliValue;
  const double most = static_cast<double>(exact ? c.enforced.milli_value() : c.enforced.value());
  if ((exact ? ratio * 1000 : ratio) <= most) return "";
  return text + fmt::format("provided ratio is {:f}", ratio);
}

using Problem = std::string (*)(const Compared& compared);
struct Rule {
  std::string_view field;  // of a LimitRangeItem
  Problem problem;
};
constexpr Rule kRulesOfPods[] = {
    {"min", minimum_problem}, {"max", maximum_problem}, {"maxLimitRequestRatio", ratio_problem}};
constexpr Rule kRulesOfClaims[] = {{"min", minimum_problem}, {"max", maximum_request_problem}};

void check(View item, std::span<const Rule> rules, const Needs& needs,
           std::vector<std::string>& problems) {
  for (const Rule& rule : rules) {
    for (const auto& [resource, enforced] : kinds::pods::read_amounts(item[rule.field])) {
      std::string problem = rule.problem(compare(item["type"].text(), resource, enforced, needs));
      if (!problem.empty()) problems.push_back(std::move(problem));
    }
  }
}

Needs needs_of(View resources) {
  return {kinds::pods::read_amounts(resources["requests"]),
          kinds::pods::read_amounts(resources["limits"])};
}

Amounts needs_of_pod(View spec, Bound bound) {
  Amounts sum = kinds::pods::sum_of_containers(spec, bound);
  const View whole = spec["resources"][bound == Bound::kRequests ? "requests" : "limits"];
  // Pod-level resources override the sum; for huge pages upstream uses the containers.
  for (auto& [resource, amount] : kinds::pods::read_amounts(whole))
    if (resource == "cpu" || resource == "memory") sum[resource] = amount;
  return sum;
}

void check_pod(View item, View spec, std::vector<std::string>& problems) {
  const std::string_view type = item["type"].text();
  if (type == "Container") {
    for (const std::string_view list : {"containers", "initContainers"}) {
      for (const View container : spec[list].items())
        check(item, kRulesOfPods, needs_of(container["resources"]), problems);
    }
  } else if (type == "Pod") {
    const Needs needs{needs_of_pod(spec, Bound::kRequests), needs_of_pod(spec, Bound::kLimits)};
    check(item, kRulesOfPods, needs, problems);
  }
}

void check_claim(View item, View spec, std::vector<std::string>& problems) {
  if (item["type"].text() != "PersistentVolumeClaim") return;
  // A claim has no limits: its request is its size.
  const Needs needs{kinds::pods::read_amounts(spec["resources"]["requests"]), {}};
  check(item, kRulesOfClaims, needs, problems);
}

}  // namespace constraints

std::string limit_problems_of_pod(api::View limits, api::View pod_spec) {
  std::vector<std::string> problems;
  for (const api::View item : limits.items()) constraints::check_pod(item, pod_spec, problems);
  return aggregate_text(problems);
}

std::string limit_problems_of_claim(api::View limits, api::View claim_spec) {
  std::vector<std::string> problems;
  for (const api::View item : limits.items()) constraints::check_claim(item, claim_spec, problems);
  return aggregate_text(problems);
}

}  // namespace proa::apiserver
