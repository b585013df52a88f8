#pragma once

#include <cstdint>

#include "scheduler/model/pod_shape.h"
#include "scheduler/plugins/affinity/namespace_labels.h"

namespace proa::scheduler {

// A pod that looks for a node: whom its terms mean, and whose terms mean it. It remembers whether
// any answer came from labels of namespaces, since then it holds only as long as these do.
class IncomingPod {
 public:
  // `namespaces` outlives it.
  IncomingPod(ShapePtr shape, const NamespaceLabels& namespaces)
      : shape_(std::move(shape)), namespaces_(namespaces) {}

  const PodShape& shape() const { return *shape_; }
  bool has_required_terms() const {
    return !shape_->affinity.empty() || !shape_->anti_affinity.empty();
  }
  bool has_preferred_terms() const {
    return !shape_->preferred_affinity.empty() || !shape_->preferred_anti_affinity.empty();
  }

  // Whether that term of its own means pods of that shape.
  bool means(const AffinityTerm& term, const PodShape& other);
  // Whether all terms of its required affinity do; false when it has none.
  bool means_by_all_affinity(const PodShape& other);
  // Whether that term of another pod means it.
  bool is_meant_by(const AffinityTerm& term);

  // False when some answer may be another one now.
  bool still_holds() const { return !asked_namespaces_ || seen_ == namespaces_.generation(); }

 private:
  api::ObjectPtr find_namespace(std::string_view name);

  ShapePtr shape_;
  const NamespaceLabels& namespaces_;
  bool asked_namespaces_ = false;
  uint64_t seen_ = 0;  // the generation of namespaces when one was asked for first
};

}  // namespace proa::scheduler
