#include "encryption/encryption_at_rest.h"

#include <sys/stat.h>

#include <thread>

#include "base/log.h"
#include "encryption/config/configuration_warnings.h"

namespace proa::encryption {
namespace encryption_at_rest {

using namespace std::chrono_literals;

const Log kLog{"encryption"};

// Upstream's: also looks at the file when nothing reported a change, as with links to other
// folders.
constexpr Duration kLookInterval = 1min;
constexpr Duration kRetryInterval = 10s;
// How long new KMS plugins may take to become healthy, at least.
constexpr Duration kHealthyWithin = 10s;
constexpr Duration kProbeInterval = 100ms;

// False if `until` ends first.
bool pause(Clock& clock, Duration wait, const Until& until) {
  if (until.stop.stop_requested() || clock.steady() + wait > until.deadline) return false;
  std::this_thread::sleep_for(wait);
  return true;
}

void warn(const std::string& path, const EncryptionConfiguration& configuration) {
  std::vector<std::string> warnings = configuration_warnings(configuration);
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    if (auto warning = mode_warning(configuration, found.st_mode)) {
      warnings.push_back(std::move(*warning));
    }
  }
  for (const std::string& warning : warnings) {
    kLog.warn("encryption configuration may not do what is wanted",
              {{"file", path}, {"warning", warning}});
  }
}

}  // namespace encryption_at_rest

Result<std::unique_ptr<EncryptionAtRest>> EncryptionAtRest::open(EncryptionOptions options,
                                                                 Files& files, Clock& clock,
                                                                 Random& random) {
  std::unique_ptr<EncryptionAtRest> opened(
      new EncryptionAtRest(std::move(options), files, clock, random));
  ConfigurationFile file;
  if (!opened->options_.path.empty()) {
    file = TRY(read_configuration(files, opened->options_.path, opened->reload_mode()));
    opened->hash_ = file.hash;
    opened->metrics_.configured(file.hash);
    encryption_at_rest::warn(opened->options_.path, file.configuration);
  }
  std::shared_ptr<const Transformer> made = TRY(opened->make(file.configuration));
  MutexLock lock(opened->mutex_);
  opened->transformer_ = std::move(made);
  return opened;
}

Result<std::shared_ptr<const Transformer>> EncryptionAtRest::make(
    const EncryptionConfiguration& configuration) {
  return Transformer::make(configuration, metrics_, random_, [this](const KmsConfiguration& kms) {
    return connect_kms(kms, metrics_, random_);
  });
}

std::shared_ptr<const Transformer> EncryptionAtRest::transformer() const {
  MutexLock lock(mutex_);
  return transformer_;
}

Result<void> EncryptionAtRest::wait_for_plugins(const Until& until) const {
  const std::shared_ptr<const Transformer> now = transformer();
  for (const auto& plugin : now->plugins()) {
    while (plugin->data_key() == nullptr) {
      const Result<void> probed = plugin->probe();
      if (probed.ok()) break;
      if (!encryption_at_rest::pause(clock_, encryption_at_rest::kProbeInterval, until)) {
        return probed.status();
      }
    }
  }
  return {};
}

Result<std::unique_ptr<FileFollower>> EncryptionAtRest::follow(store::Store& store) {
  if (!options_.reload) return std::unique_ptr<FileFollower>();
  const auto report = [](const Status& why) {
    encryption_at_rest::kLog.warn(
        "watching the encryption configuration failed; it is read once a minute", {{"error", why}});
  };
  return FileFollower::start(
      options_.path,
      [this, &store](const std::stop_token& stop) { return try_reload(store, stop); }, report);
}

Duration EncryptionAtRest::try_reload(store::Store& store, const std::stop_token& stop) {
  using namespace encryption_at_rest;
  const Result<bool> reloaded = reload(store, stop);
  if (reloaded.ok()) {
    if (!*reloaded && !last_failure_.empty()) {
      kLog.info("the encryption config file has the configuration in force again",
                {{"file", options_.path}});
    }
    last_failure_.clear();
    return kLookInterval;
  }
  // Logged once for each cause: it is tried again and again.
  if (reloaded.status().message() != last_failure_) {
    last_failure_ = reloaded.status().message();
    kLog.error("error processing encryption config file; the former configuration stays in force",
               {{"file", options_.path}, {"error", reloaded.status()}});
  }
  return kRetryInterval;
}

Result<void> EncryptionAtRest::wait_healthy(const Transformer& next,
                                            const std::stop_token& stop) const {
  const Until until = Until::after(
      clock_, std::max(encryption_at_rest::kHealthyWithin, 2 * next.kms_timeouts()), stop);
  for (const auto& plugin : next.plugins()) {
    // Its first probe was made when it was created.
    Result<void> healthy = plugin->health();
    while (!healthy.ok()) {
      if (!encryption_at_rest::pause(clock_, encryption_at_rest::kProbeInterval, until)) {
        return healthy.status().in("health check for new transformers failed");
      }
      healthy = plugin->probe();
    }
  }
  return {};
}

Result<bool> EncryptionAtRest::reload(store::Store& store, const std::stop_token& stop) {
  const auto load = [&]() -> Result<bool> {
    const std::string hash = TRY(hash_of_configuration(files_, options_.path));
    if (hash == hash_) return false;
    const ConfigurationFile file = TRY(read_configuration(files_, options_.path, reload_mode()));
    const std::shared_ptr<const Transformer> next = TRY(make(file.configuration));
    TRY(wait_healthy(*next, stop));
    // Refuses keys with which a restart could not read the store.
    TRY(store.set_transformer(next));
    hash_ = file.hash;
    metrics_.configured(file.hash);
    encryption_at_rest::warn(options_.path, file.configuration);
    // Destroyed outside of the lock: it may wait for a plugin.
    std::shared_ptr<const Transformer> former = next;
    MutexLock lock(mutex_);
    former.swap(transformer_);
    return true;
  };
  Result<bool> loaded = load();
  if (!loaded.ok() || *loaded) metrics_.reloaded(loaded.ok());
  if (loaded.ok() && *loaded) {
    encryption_at_rest::kLog.info("encryption configuration reloaded", {{"file", options_.path}});
  }
  return loaded;
}

}  // namespace proa::encryption
