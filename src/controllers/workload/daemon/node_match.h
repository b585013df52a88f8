#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/object/view.h"
#include "api/selector/label_selector.h"
#include "kinds/core/placement/node_selector.h"
#include "kinds/core/placement/tolerations.h"

namespace proa::controllers {

// The nodes that a pod may run on, by name, selector, required affinity and taints. Resources and
// other pods are left to the scheduler. Immutable.
class NodeMatch {
 public:
  explicit NodeMatch(api::View pod_spec);

  struct Verdict {
    bool may_start = false;
    bool may_stay = false;  // if it runs there already

    bool operator==(const Verdict&) const = default;
  };
  Verdict judge(const api::Object& node) const;

 private:
  bool attracts(const api::Object& node) const;
  bool bears(const kinds::pods::Taint& taint) const;

  std::string node_name_;
  api::LabelSelector node_selector_;
  std::optional<kinds::pods::NodeSelector> affinity_;
  std::vector<kinds::pods::Toleration> tolerations_;
};

}  // namespace proa::controllers
