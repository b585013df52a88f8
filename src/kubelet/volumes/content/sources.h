#pragma once

#include "kubelet/environment/pod_facts.h"
#include "kubelet/pods/object_source.h"
#include "kubelet/volumes/content/payload.h"
#include "kubelet/volumes/content/token_cache.h"
#include "kubelet/volumes/content/trust_anchors.h"

// What volumes have for content that comes from the API: one function for each source.

namespace proa::kubelet {

struct ContentInputs {
  const Pod& pod;
  const PodFacts& facts;
  ObjectSource& objects;
  TokenCache& tokens;
  const TrustBundles& trust_bundles;
};

// `source`: a ConfigMapVolumeSource and so on. Failures in upstream's words; none holds content.
Result<Payload> config_map_content(const ContentInputs& inputs, api::View source);
Result<Payload> secret_content(const ContentInputs& inputs, api::View source);
Result<Payload> downward_content(const ContentInputs& inputs, api::View source);
// Of several sources, the later ones win where paths are the same.
Result<Payload> projected_content(const ContentInputs& inputs, api::View source);

}  // namespace proa::kubelet
