#pragma once

#include "controllers/framework/claim.h"
#include "controllers/workload/stateful/stateful_facts.h"

// Pods of StatefulSets and their claims.

namespace proa::controllers {

inline constexpr std::string_view kStatefulPodNameLabel = "statefulset.kubernetes.io/pod-name";
inline constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";

struct StatefulSource {
  const Owner& owner;
  const StatefulFacts& facts;
  api::View root;  // of the set's document
};

// `revision`: the name of the revision of `pod_template`.
json::Document new_stateful_pod(const StatefulSource& set, api::View pod_template,
                                std::string_view revision, int64_t ordinal);
// From the claim template at that index, with the owner that the retention policy requires.
json::Document new_stateful_claim(const StatefulSource& set, size_t index, int64_t ordinal);

// Whether the pod has its labels and mounts its own claims.
bool has_stateful_identity(const api::Object& pod);
bool has_stateful_storage(const api::Object& pod, const StatefulFacts& facts, int64_t ordinal);
// Updates labels and volumes. The server rejects changed volumes of an existing pod.
void put_stateful_identity(api::Edit pod, const StatefulFacts& facts, int64_t ordinal);
void put_stateful_storage(api::Edit pod, const StatefulFacts& facts, int64_t ordinal);

}  // namespace proa::controllers
