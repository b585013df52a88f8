#pragma once

#include "controllers/framework/claim.h"
#include "controllers/workload/stateful/stateful_facts.h"

// Pods of StatefulSets, and the claims that they mount: what they look like.

namespace proa::controllers {

inline constexpr std::string_view kStatefulPodNameLabel = "statefulset.kubernetes.io/pod-name";
inline constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";

struct StatefulSource {
  const Owner& owner;
  const StatefulFacts& facts;
  api::View root;  // the set
};

// `revision`: the name of the one that `pod_template` is of.
json::Document new_stateful_pod(const StatefulSource& set, api::View pod_template,
                                std::string_view revision, int64_t ordinal);
// Of the template at that index. It is the set's at once where the retention policy wants that.
json::Document new_stateful_claim(const StatefulSource& set, size_t index, int64_t ordinal);

// Whether the pod says which one it is, and mounts the claims that are its own.
bool has_stateful_identity(const api::Object& pod);
bool has_stateful_storage(const api::Object& pod, const StatefulFacts& facts, int64_t ordinal);
// Makes it so. The server takes labels, but no volumes, for a pod that is there already.
void put_stateful_identity(api::Edit pod, const StatefulFacts& facts, int64_t ordinal);
void put_stateful_storage(api::Edit pod, const StatefulFacts& facts, int64_t ordinal);

}  // namespace proa::controllers
