#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/node.h"
#include "scheduler/model/resources.h"

namespace proa::scheduler {

// A resource that a node has too little of.
struct Shortage {
  size_t resource = 0;  // a number that Demand::name() knows
  int64_t requested = 0;
  int64_t used = 0;
  int64_t capacity = 0;
  bool unresolvable =
      false;  // does not fit on the empty node either; never set for "pods", as upstream
};

// The requests of a pod, for comparison with many nodes.
class Demand {
 public:
  explicit Demand(Resources request) : request_(std::move(request)) {}

  // Whether the pod fits, including the number of pods. Resources that are not requested are
  // ignored, even if the node is overcommitted.
  bool fits(const Node& node) const {
    const Resources& total = node.facts().allocatable;
    const Resources& used = node.requested();
    return static_cast<int64_t>(node.pods().size()) < node.facts().allowed_pods &&
           (request_.milli_cpu <= 0 || request_.milli_cpu <= total.milli_cpu - used.milli_cpu) &&
           (request_.memory <= 0 || request_.memory <= total.memory - used.memory) &&
           (request_.ephemeral_storage <= 0 ||
            request_.ephemeral_storage <= total.ephemeral_storage - used.ephemeral_storage) &&
           (request_.others.empty() || others_fit(node));
  }

  // Lists what the node lacks; `shortages` is cleared first.
  void list_shortages(const Node& node, std::vector<Shortage>& shortages) const;

  // "pods", "cpu", ...
  std::string_view name(size_t resource) const;
  // "Insufficient cpu", "Too many pods": upstream's words.
  std::string reason(const Shortage& shortage) const;
  // What it lacks and what would help: "needs 500m cpu, has 200m free of 4: free 300m, or request
  // less".
  std::string describe(const Shortage& shortage) const;

 private:
  bool others_fit(const Node& node) const;

  Resources request_;
};

// Whether a pod with these requests fits on the empty node.
bool fits_empty(const Resources& request, const NodeFacts& node);

}  // namespace proa::scheduler
