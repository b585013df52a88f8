#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "kubelet/images/keyring.h"

namespace proa::kubelet {

// With which credentials images were pulled, so that a pod can't use what another pod was allowed
// to pull. Images that somebody else brought here are for all (upstream's policy
// NeverVerifyPreloadedImages); after a restart of ours all are such. From any thread.
class PullRecords {
 public:
  // `key`: null when it was pulled without credentials; then it is for all.
  void pulled(const std::string& image_id, const std::string& repository, const PullKey* key)
      EXCLUDES(mutex_);
  // Whether we pulled it, under whatever name.
  bool is_ours(const std::string& image_id) const EXCLUDES(mutex_);
  // Whether one of these keys opens it: the same credentials, or the same secret with new ones.
  // Images that are not ours are open.
  bool may_use(const std::string& image_id, const std::string& repository,
               const std::vector<PullKey>& keys) const EXCLUDES(mutex_);
  // Keeps those of the images that are still there.
  void keep_only(const std::vector<cri::Image>& images) EXCLUDES(mutex_);

 private:
  struct Record {
    bool is_open = false;
    std::vector<PullKey> keys = {};  // without the credentials
  };
  using Repositories = std::map<std::string, Record>;

  mutable Mutex mutex_;
  std::map<std::string, Repositories> images_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
