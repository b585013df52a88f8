#pragma once

#include "kubelet/model/object_source.h"
#include "kubelet/model/pod_facts.h"
#include "kubelet/pod/volumes/content/payload.h"
#include "kubelet/pod/volumes/content/token_cache.h"
#include "kubelet/pod/volumes/content/trust_anchors.h"

// The content of volumes that comes from the API server: one function per source.

namespace proa::kubelet {

struct ContentInputs {
  const Pod& pod;
  const PodFacts& facts;
  ObjectSource& objects;
  TokenCache& tokens;
  const TrustBundles& trust_bundles;
};

// `source`: a ConfigMapVolumeSource and so on. Failures have upstream's words, and never contain
// content.
Result<Payload> config_map_content(const ContentInputs& inputs, api::View source);
Result<Payload> secret_content(const ContentInputs& inputs, api::View source);
Result<Payload> downward_content(const ContentInputs& inputs, api::View source);
// If several sources have the same path, the last one wins.
Result<Payload> projected_content(const ContentInputs& inputs, api::View source);

}  // namespace proa::kubelet
