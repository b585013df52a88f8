#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/object/view.h"
#include "kubelet/model/object_source.h"

namespace proa::kubelet {

// All ClusterTrustBundles there are.
using TrustBundles = std::function<Result<std::vector<api::ObjectPtr>>()>;

// The certificates that a ClusterTrustBundleProjection names (by name, or by signer and labels), as
// PEM text: each once, and always in the same order, so that nothing changes without a reason.
// Empty when there are none and it is optional.
Result<std::string> trust_anchors(api::View projection, ObjectSource& objects,
                                  const TrustBundles& all);

}  // namespace proa::kubelet
