#pragma once

#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/object/view.h"
#include "api/selector/label_selector.h"
#include "controllers/pods/tolerations.h"

namespace proa::controllers {

// On which nodes a pod may run: by name, selector, required affinity and taints. Resources and
// other pods don't matter here; the scheduler looks at them. Immutable.
class NodeMatch {
 public:
  explicit NodeMatch(api::View pod_spec);

  struct Verdict {
    bool may_start = false;
    bool may_stay = false;  // if it is there already

    bool operator==(const Verdict&) const = default;
  };
  Verdict judge(const api::Object& node) const;

 private:
  struct NameRequirement {
    std::string name;
    bool wanted;  // else: unwanted
  };
  struct Term {
    std::vector<api::LabelSelector::Requirement> labels;
    std::vector<NameRequirement> names;
  };

  static bool read_term(api::View from, Term& term);
  bool attracts(const api::Object& node) const;
  bool bears(const Taint& taint) const;

  std::string node_name_;
  api::LabelSelector node_selector_;
  bool has_affinity_ = false;
  std::vector<Term> terms_;  // any of them
  std::vector<Toleration> tolerations_;
};

}  // namespace proa::controllers
