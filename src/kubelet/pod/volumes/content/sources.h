#pragma once

#include "kubelet/model/object_source.h"
#include "kubelet/model/pod_facts.h"
#include "kubelet/pod/volumes/content/payload.h"
#include "kubelet/pod/volumes/content/token_cache.h"
#include "kubelet/pod/volumes/content/trust_anchors.h"

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
