#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/files.h"
#include "http/net/loop.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The pods that stand as files in a folder, followed by inotify on a loop. Each gets what upstream
// gives a static pod: name with the node's, uid and annotations kubernetes.io/config.hash, .source,
// .seen, nodeName, the NoExecute toleration, defaults. A file that makes no sense is told once, in
// the log, and leaves the others alone; the pod that it held before goes on until the file is
// removed or mended. Dot files are skipped. A folder that is not there yet is empty.
class ManifestFolder {
 public:
  virtual ~ManifestFolder() = default;
};
// `changed` gets all pods of the folder each time that they differ. On a loop's thread, and once
// before this returns. Everything outlives it.
Result<std::unique_ptr<ManifestFolder>> follow_manifests(
    http::Loop& loop, Files& files, const std::string& folder, const std::string& node_name,
    Clock& clock, std::function<void(std::vector<PodPtr>)> changed);

}  // namespace proa::kubelet
