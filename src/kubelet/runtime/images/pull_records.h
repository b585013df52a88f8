#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "kubelet/runtime/images/pull_record_files.h"

namespace proa::kubelet {

// Records with which credentials images were pulled, so that a pod cannot use an image that only
// another pod may pull. Preloaded images are for all pods (upstream's policy
// NeverVerifyPreloadedImages). From any thread.
class PullRecords {
 public:
  // Without files, a restart loses all records, and images are for all pods then.
  explicit PullRecords(std::optional<PullRecordFiles> files = std::nullopt);

  // The image of that reference will be ours, even if this program dies during the pull.
  void begins(const std::string& reference) EXCLUDES(mutex_);
  void ended(const std::string& reference, bool ok) EXCLUDES(mutex_);
  // `key`: null if it was pulled anonymously; then it is for all pods.
  void pulled(const std::string& image_id, const std::string& repository, const PullKey* key)
      EXCLUDES(mutex_);
  // Whether this node pulled it, under any name, or may have started to.
  bool is_ours(const std::string& image_id, const std::string& reference) const EXCLUDES(mutex_);
  // Whether one of these keys allows its use: the same credentials, or the same secret with new
  // ones. REQUIRES: it is ours.
  bool may_use(const std::string& image_id, const std::string& repository,
               const std::vector<PullKey>& keys) const EXCLUDES(mutex_);
  // Drops the records of all other images.
  void keep_only(const std::vector<cri::Image>& images) EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::optional<PullRecordFiles> files_ GUARDED_BY(mutex_);
  std::map<std::string, ImagePulls> images_ GUARDED_BY(mutex_);
  // References whose pulls a previous program started and did not finish.
  std::set<std::string> interrupted_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
