#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/threads/mutex.h"
#include "store/etcd/wire/messages.h"
#include "store/store.h"

namespace proa::store::etcd {

// How keys and values of the store stand in etcd. Keys have another prefix. An object is stored as
// its JSON, with an empty resourceVersion, which is filled in when it is read: its revision is
// known only then. Encryption at rest comes on top. Thread-safe.
class StoredForm {
 public:
  // `root`: how the store's keys begin; `prefix`: what stands in etcd instead.
  StoredForm(std::string root, std::string prefix,
             std::shared_ptr<const ValueTransformer> transformer)
      : root_(std::move(root)), prefix_(std::move(prefix)), transformer_(std::move(transformer)) {}

  const std::string& prefix() const { return prefix_; }
  Result<std::string> key_in_etcd(std::string_view key) const;
  // Nullopt: it is none of the store's.
  std::optional<std::string> key_of(std::string_view in_etcd) const;

  Result<std::string> value_in_etcd(const Put& put) const EXCLUDES(mutex_);
  // `index`: among the changes of its revision. kForbidden or kServiceUnavailable if the
  // transformer cannot read it, now.
  Result<EntryPtr> entry_of(std::string key, const WatchEvent& event, uint32_t index) const
      EXCLUDES(mutex_);

  std::shared_ptr<const ValueTransformer> transformer() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return transformer_;
  }
  void set_transformer(std::shared_ptr<const ValueTransformer> transformer) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    transformer_ = std::move(transformer);
  }

 private:
  const std::string root_;
  const std::string prefix_;
  mutable Mutex mutex_;
  std::shared_ptr<const ValueTransformer> transformer_ GUARDED_BY(mutex_);
};

// A value as it is stored without encryption.
std::string stored_value(std::string_view value, std::optional<size_t> stamp_at);
struct StoredValue {
  std::string_view value;
  std::optional<size_t> stamp_at;
};
// Input is not trusted: whatever it is, it is some value.
StoredValue parse_stored_value(std::string_view stored);
// What the transformer wrote, rather than the value itself.
DiskValue disk_value(std::string_view stored);

}  // namespace proa::store::etcd
