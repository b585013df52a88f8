#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/object/view.h"
#include "kubelet/model/object_source.h"

namespace proa::kubelet {

// All ClusterTrustBundles.
using TrustBundles = std::function<Result<std::vector<api::ObjectPtr>>()>;

// The certificates of a ClusterTrustBundleProjection (by name, or by signer and labels), as PEM:
// without duplicates and in a stable order, so that the volume does not change without reason.
// Empty if there are none and it is optional.
Result<std::string> trust_anchors(api::View projection, ObjectSource& objects,
                                  const TrustBundles& all);

}  // namespace proa::kubelet
