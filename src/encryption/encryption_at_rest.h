#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/random.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"
#include "base/watch/file_follower.h"
#include "encryption/config/read_configuration.h"
#include "encryption/metrics.h"
#include "encryption/transformer.h"
#include "store/store.h"

namespace proa::encryption {

struct EncryptionOptions {
  std::string path;  // of the EncryptionConfiguration; empty: nothing is encrypted
  bool reload = false;
  std::string server;  // its identity, for metrics
};

// The encryption of a server's store: reads the configuration, gives the store its transformer, and
// another one whenever the file changes. Thread-safe.
class EncryptionAtRest {
 public:
  // The arguments outlive it.
  static Result<std::unique_ptr<EncryptionAtRest>> open(EncryptionOptions options, Files& files,
                                                        Clock& clock, Random& random);

  // For opening the store. Never null: without a configuration it refuses encrypted values.
  std::shared_ptr<const Transformer> transformer() const EXCLUDES(mutex_);
  // Waits until every KMS plugin gave a data key: a store cannot be read without.
  Result<void> wait_for_plugins(const Until& until) const;

  // Follows the file, if the options say so, as long as the result lives, which `store` and this
  // outlive.
  Result<std::unique_ptr<FileFollower>> follow(store::Store& store);
  // Reads the file, and changes the store's transformer if the file changed; whether it did. A
  // Status leaves the former configuration in force. Blocks. REQUIRES: one thread at a time.
  Result<bool> reload(store::Store& store, const std::stop_token& stop = {}) EXCLUDES(mutex_);

  // Whether /readyz has a check for KMS plugins.
  bool has_health() const { return options_.reload || !transformer()->plugins().empty(); }
  // Does not block.
  Result<void> health() const { return transformer()->health(); }
  std::string metrics_text() const { return registry_.text(); }

 private:
  EncryptionAtRest(EncryptionOptions options, Files& files, Clock& clock, Random& random)
      : options_(std::move(options)),
        files_(files),
        clock_(clock),
        random_(random),
        metrics_(registry_, clock, options_.server) {}

  Reload reload_mode() const { return options_.reload ? Reload::kOn : Reload::kOff; }
  Result<std::shared_ptr<const Transformer>> make(const EncryptionConfiguration& configuration);
  Result<void> wait_healthy(const Transformer& next, const std::stop_token& stop) const;
  // How long it takes at most to the next attempt.
  Duration try_reload(store::Store& store, const std::stop_token& stop);

  const EncryptionOptions options_;
  Files& files_;
  Clock& clock_;
  Random& random_;
  Metrics registry_;
  EncryptionMetrics metrics_;
  mutable Mutex mutex_;
  std::shared_ptr<const Transformer> transformer_ GUARDED_BY(mutex_);
  std::string hash_;          // of the configuration in force
  std::string last_failure_;  // of a reload, as logged
};

}  // namespace proa::encryption
