#pragma once

#include <cstdint>

#include "scheduler/model/pod_shape.h"
#include "scheduler/plugins/affinity/namespace_labels.h"

namespace proa::scheduler {

// The pod being scheduled: which pods its terms match, and whose terms match it. Tracks whether a
// result depends on namespace labels, and is invalid when these change.
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

  // Whether its own term matches pods of that shape.
  bool means(const AffinityTerm& term, const PodShape& other);
  // Whether all its required affinity terms match; false if it has none.
  bool means_by_all_affinity(const PodShape& other);
  // Whether the term of another pod matches it.
  bool is_meant_by(const AffinityTerm& term);

  // False if a result may have changed.
  bool is_current() const { return !asked_namespaces_ || seen_ == namespaces_.generation(); }

 private:
  api::ObjectPtr find_namespace(std::string_view name);

  ShapePtr shape_;
  const NamespaceLabels& namespaces_;
  bool asked_namespaces_ = false;
  uint64_t seen_ = 0;  // the generation of namespaces when one was asked for first
};

}  // namespace proa::scheduler
