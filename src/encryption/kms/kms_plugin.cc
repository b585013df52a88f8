#include "encryption/kms/kms_plugin.h"

#include "api/validation/go_text.h"
#include "base/log.h"
#include "base/strings.h"

namespace proa::encryption {
namespace kms_plugin {

using namespace std::chrono_literals;

const Log kLog{"encryption"};

constexpr Duration kPollInterval = 1min;
constexpr Duration kRetryInterval = 10s;
constexpr Duration kKeyLasts = 3min;
// A finding of this age is not news any more.
constexpr Duration kHealthLasts = 20s;
constexpr Duration kFailureLasts = 3s;
constexpr size_t kSeedSize = 32;

std::string new_seed(Random& random) {
  std::array<unsigned char, kSeedSize> seed;
  random.fill(seed);
  return {reinterpret_cast<const char*>(seed.data()), seed.size()};
}

Status unhealthy(std::string why) { return {Reason::kServiceUnavailable, std::move(why)}; }

}  // namespace kms_plugin

void KmsPlugin::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { poll(stop); });
}

void KmsPlugin::stop() {
  thread_.request_stop();
  {
    MutexLock lock(mutex_);
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void KmsPlugin::poll(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      MutexLock lock(mutex_);
      const Duration wait = failed_ ? kms_plugin::kRetryInterval : kms_plugin::kPollInterval;
      // A first probe was made before the thread started, if at all.
      const auto due = std::chrono::steady_clock::now() + (probed_ ? wait : Duration::zero());
      while (!stop.stop_requested() && !wanted_ && changed_.wait_until(mutex_, due)) {
      }
      wanted_ = false;
    }
    if (stop.stop_requested()) return;
    static_cast<void>(probe());
  }
}

Result<void> KmsPlugin::probe() {
  MutexLock probing(probing_);
  const Result<KmsStatus> status = service_->status();
  Result<void> outcome =
      status.ok()
          ? check(*status)
          : Result<void>(status.status().in("failed to perform status section of the healthz "
                                            "check for KMS Provider " +
                                            name_ + ", error"));
  bool changed = false;
  {
    MutexLock lock(mutex_);
    changed = !probed_ || failed_.has_value() != !outcome.ok();
    probed_ = metrics_.clock().steady();
    failed_.reset();
    if (!outcome.ok()) failed_ = outcome.status();
  }
  if (changed && !outcome.ok()) {
    kms_plugin::kLog.error("KMS plugin failed its health check",
                           {{"name", name_}, {"error", outcome.status()}});
  } else if (changed) {
    kms_plugin::kLog.info("KMS plugin is healthy", {{"name", name_}});
  }
  return outcome;
}

Result<void> KmsPlugin::check(const KmsStatus& status) {
  std::vector<std::string> problems;
  if (status.healthz != "ok") {
    problems.push_back("got unexpected healthz status: " + status.healthz);
  }
  if (status.version != "v2" && status.version != "v2beta1") {
    problems.push_back("expected KMSv2 API version v2, got " + status.version);
  } else if (version_.empty()) {
    version_ = status.version;
  } else if (version_ != status.version) {
    problems.push_back(
        "KMSv2 API version should not change after the initial status response version " +
        version_ + ", got " + status.version);
  }
  if (const Result<void> valid = validate_key_id(status.key_id); !valid.ok()) {
    metrics_.invalid_key_reported(name_, key_id_problem(status.key_id));
    problems.push_back("got invalid KMSv2 KeyID hash " + api::quoted(hash_label(status.key_id)) +
                       ": " + valid.status().message());
  } else {
    metrics_.key_reported(name_, status.key_id);
    const Result<void> rotated = rotate(status.key_id);
    if (!rotated.ok()) problems.push_back(rotated.status().message());
  }
  if (problems.empty()) return {};
  return kms_plugin::unhealthy(
      "kmsv2 Provider " + name_ + " is not healthy, error: " +
      (problems.size() == 1 ? problems.front() : "[" + join(problems, ", ") + "]"));
}

// Until the plugin's key is that of the data key, the former one stays, and expires.
Result<void> KmsPlugin::rotate(const std::string& key_id) {
  // From before the call: it is an upper bound.
  const Time expires = metrics_.clock().now() + kms_plugin::kKeyLasts;
  {
    MutexLock lock(mutex_);
    if (key_ != nullptr && key_->envelope.key_id == key_id) {
      expires_ = expires;
      return {};
    }
  }
  const Steady begin = metrics_.clock().steady();
  auto made = std::make_shared<DataKey>();
  made->seed = kms_plugin::new_seed(random_);
  metrics_.data_key_made(metrics_.clock().steady() - begin);
  Result<KmsEncrypted> encrypted = service_->encrypt(made->seed);
  if (!encrypted.ok()) {
    return encrypted.status().in("failed to rotate DEK: failed to encrypt DEK, error");
  }
  made->envelope = {.data = {},
                    .key_id = std::move(encrypted->key_id),
                    .source = std::move(encrypted->ciphertext),
                    .annotations = std::move(encrypted->annotations),
                    .source_type = EncryptedObject::Source::kSeed};
  if (const Result<void> valid = validate_envelope(made->envelope); !valid.ok()) {
    return valid.status().in("failed to rotate DEK");
  }
  if (made->envelope.key_id != key_id) {
    return kms_plugin::unhealthy(
        "failed to rotate DEK: statusKeyIDHash=" + api::quoted(hash_label(key_id)) +
        ", encryptKeyIDHash=" + api::quoted(hash_label(made->envelope.key_id)));
  }
  MutexLock lock(mutex_);
  key_ = std::move(made);
  expires_ = expires;
  return {};
}

std::shared_ptr<const DataKey> KmsPlugin::data_key() const {
  MutexLock lock(mutex_);
  return key_;
}

Result<void> KmsPlugin::writable() const {
  MutexLock lock(mutex_);
  if (key_ == nullptr) {
    return Status(Reason::kInternalError, "Internal error occurred: KMS provider " + name_ +
                                              " has no data key yet" +
                                              (failed_ ? ": " + failed_->message() : ""));
  }
  const Time now = metrics_.clock().now();
  if (now <= expires_) return {};
  return Status(Reason::kInternalError,
                "Internal error occurred: encryptedDEKSource with keyID hash " +
                    api::quoted(hash_label(key_->envelope.key_id)) + " expired at " +
                    format_time(expires_) + " (current time is " + format_time(now) + ")");
}

Result<void> KmsPlugin::health() const {
  MutexLock lock(mutex_);
  if (!probed_) return kms_plugin::unhealthy("KMS provider " + name_ + " was not asked yet");
  const Duration lasts = failed_ ? kms_plugin::kFailureLasts : kms_plugin::kHealthLasts;
  if (metrics_.clock().steady() - *probed_ > lasts) {
    wanted_ = true;
    changed_.notify_all();
  }
  if (failed_) return *failed_;
  return {};
}

}  // namespace proa::encryption
