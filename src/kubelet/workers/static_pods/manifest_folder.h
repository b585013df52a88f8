#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/files.h"
#include "http/net/loop.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The static pods of a manifest folder, watched by inotify on a loop. Each gets upstream's
// additions: the node's name in its own, uid and annotations kubernetes.io/config.hash, .source,
// .seen, nodeName, the NoExecute toleration, defaults. An invalid file is logged once and does not
// affect the others; its previous pod keeps running until the file is removed or corrected. Dot
// files are skipped. A missing folder counts as empty.
class ManifestFolder {
 public:
  virtual ~ManifestFolder() = default;
};
// `changed` gets all pods of the folder whenever they change. On a loop's thread, and once before
// this returns. Everything outlives it.
Result<std::unique_ptr<ManifestFolder>> follow_manifests(
    http::Loop& loop, Files& files, const std::string& folder, const api::NodeName& node_name,
    Clock& clock, std::function<void(std::vector<PodPtr>)> changed);

}  // namespace proa::kubelet
