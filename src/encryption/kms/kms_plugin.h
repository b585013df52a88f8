#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/random.h"
#include "base/threads/mutex.h"
#include "encryption/kms/kms_service.h"

namespace proa::encryption {

// A seed for data keys, as it is known here, and as the KMS encrypted it.
struct DataKey {
  std::string seed;
  EncryptedObject envelope;  // without data
};

// Keeps the data key of a KMS v2 plugin up to date: asks the plugin for its status, once a minute,
// or every ten seconds while it fails, and makes a new data key when the plugin's key changes. If
// the plugin fails, the data key can be used for three minutes more (upstream's numbers).
// Thread-safe.
class KmsPlugin {
 public:
  // All arguments outlive it. start() makes it poll.
  KmsPlugin(std::string name, std::unique_ptr<KmsService> service, EncryptionMetrics& metrics,
            Random& random)
      : name_(std::move(name)), service_(std::move(service)), metrics_(metrics), random_(random) {}
  ~KmsPlugin() { stop(); }

  const std::string& name() const { return name_; }
  KmsService& service() const { return *service_; }

  void start();
  void stop();
  // Asks the plugin now, and makes a data key if it needs another. Blocks.
  Result<void> probe() EXCLUDES(mutex_, probing_);

  // The data key to write with; null if there never was one.
  std::shared_ptr<const DataKey> data_key() const EXCLUDES(mutex_);
  // Whether it may be used now. In upstream's words.
  Result<void> writable() const EXCLUDES(mutex_);
  // What the last probe found. An old finding makes it probe again, soon. Does not block.
  Result<void> health() const EXCLUDES(mutex_);

 private:
  Result<void> check(const KmsStatus& status) REQUIRES(probing_) EXCLUDES(mutex_);
  Result<void> rotate(const std::string& key_id) REQUIRES(probing_) EXCLUDES(mutex_);
  void poll(const std::stop_token& stop) EXCLUDES(mutex_);

  const std::string name_;
  const std::unique_ptr<KmsService> service_;
  EncryptionMetrics& metrics_;
  Random& random_;
  Mutex probing_;  // one probe at a time
  std::string version_ GUARDED_BY(probing_);
  mutable Mutex mutex_;
  mutable CondVar changed_;
  std::shared_ptr<const DataKey> key_ GUARDED_BY(mutex_);
  Time expires_ GUARDED_BY(mutex_);
  std::optional<Status> failed_ GUARDED_BY(mutex_);
  std::optional<Steady> probed_ GUARDED_BY(mutex_);
  mutable bool wanted_ GUARDED_BY(mutex_) = false;  // a probe, before it is due
  std::jthread thread_;
};

}  // namespace proa::encryption
