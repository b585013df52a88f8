#include "scheduler/plugins/preemption/budgets.h"

#include "api/object/view.h"

namespace proa::scheduler {

bool Budget::covers(const Pod& pod) const {
  // One without a selector, or with an empty one, covers nothing; and nothing covers a pod without
  // labels (upstream's filterPodsWithPDBViolation).
  return name_space == pod.name_space() && !selector.matches_everything() &&
         !pod.shape->labels.all().empty() && selector.matches(pod.shape->labels.all());
}

Budget read_budget(const api::Object& object) {
  Budget budget;
  const Result<json::Document> document = object.document();
  if (!document) return budget;
  const api::View root = document->root();
  budget.name_space = object.metadata().name_space;
  Result<api::LabelSelector> selector = api::LabelSelector::from(root["spec"]["selector"]);
  budget.selector = selector ? std::move(*selector) : api::LabelSelector::nothing();
  const api::View status = root["status"];
  budget.allowed = status["disruptionsAllowed"].integer();
  for (const json::Member& pod : status["disruptedPods"].members()) {
    budget.on_their_way.emplace(pod.key);
  }
  return budget;
}

Budgets::Budgets(client::Informers& informers)
    : informer_(informers.of("policy", "poddisruptionbudgets")) {
  informer_.add_handler([this](const client::Change&) { ++changes_; });
}

const std::vector<Budget>& Budgets::all() const {
  if (read_at_ == changes_) return budgets_;
  read_at_ = changes_;
  budgets_.clear();
  for (const api::ObjectPtr& one : informer_.cache().list()) {
    budgets_.push_back(read_budget(*one));
  }
  return budgets_;
}

}  // namespace proa::scheduler
