#include "controllers/workload/daemon/node_match.h"

#include <algorithm>

namespace proa::controllers {

using kinds::pods::kNoExecute;
using kinds::pods::kNoSchedule;
using kinds::pods::NodeSelector;
using kinds::pods::Taint;
using kinds::pods::Toleration;

NodeMatch::NodeMatch(api::View pod_spec)
    : node_name_(pod_spec["nodeName"].text()),
      node_selector_(api::LabelSelector::from_map(pod_spec["nodeSelector"])),
      tolerations_(kinds::pods::read_tolerations(pod_spec)) {
  const api::View affinity =
      pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  if (affinity.exists()) affinity_ = NodeSelector(affinity);
}

bool NodeMatch::attracts(const api::Object& node) const {
  const api::Metadata& metadata = node.metadata();
  if (!node_name_.empty() && node_name_ != metadata.name) return false;
  if (!node_selector_.matches(metadata.labels)) return false;
  return !affinity_ || affinity_->matches(metadata);
}

bool NodeMatch::bears(const Taint& taint) const {
  return std::any_of(tolerations_.begin(), tolerations_.end(),
                     [&](const Toleration& one) { return tolerates(one, taint); });
}

NodeMatch::Verdict NodeMatch::judge(const api::Object& node) const {
  if (!attracts(node)) return {};
  Verdict verdict{.may_start = true, .may_stay = true};
  for (const Taint& taint : kinds::pods::taints_of(node)) {
    const bool evicts = taint.effect == kNoExecute;
    if ((!evicts && taint.effect != kNoSchedule) || bears(taint)) continue;
    verdict.may_start = false;
    if (evicts) verdict.may_stay = false;
  }
  return verdict;
}

}  // namespace proa::controllers
