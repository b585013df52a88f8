#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics/metrics.h"
#include "base/result.h"
#include "base/watch/reload_metrics.h"

namespace proa::encryption {

enum class Transformation : uint8_t { kFromStorage, kToStorage };

// "OK", the name of a gRPC code, or "unknown-non-grpc": upstream's label for how a call ended.
std::string status_label(const Result<void>& outcome);
// "sha256:..."; empty for nothing.
std::string hash_label(std::string_view text);

// What is counted of encryption, under upstream's names. Thread-safe.
class EncryptionMetrics {
 public:
  // `server`: the identity of this server, for labels.
  EncryptionMetrics(Metrics& metrics, Clock& clock, std::string_view server);

  Metrics& registry() const { return metrics_; }
  Clock& clock() const { return clock_; }

  void kms_call(std::string_view provider, std::string_view method, const Result<void>& outcome,
                Duration took);
  void key_used(Transformation transformation, std::string_view provider, std::string_view key_id);
  void key_reported(std::string_view provider, std::string_view key_id);
  void invalid_key_reported(std::string_view provider, std::string_view error);
  void data_key_made(Duration took);
  void cache_missed();
  void cache_size(std::string_view provider, size_t entries);
  void reloaded(bool succeeded) { reloads_.reloaded(succeeded, clock_.now()); }
  // The configuration in force.
  void configured(const std::string& hash) { reloads_.configured(hash); }

 private:
  int64_t now_seconds() const;

  Metrics& metrics_;
  Clock& clock_;
  const std::string server_hash_;
  ReloadMetrics reloads_;
};

// Counts transformations of one resource by one provider. Thread-safe.
class OperationMetrics {
 public:
  OperationMetrics(EncryptionMetrics& metrics, std::string resource, std::string prefix)
      : metrics_(metrics), resource_(std::move(resource)), prefix_(std::move(prefix)) {}

  void record(Transformation transformation, const Result<void>& outcome, Steady begin) const;

 private:
  // Kept after the first use: looking them up costs more than encrypting a small value.
  struct Kept {
    std::atomic<Counter*> succeeded = nullptr;
    std::atomic<Histogram*> seconds = nullptr;
  };

  EncryptionMetrics& metrics_;
  const std::string resource_;
  const std::string prefix_;
  mutable Kept kept_[2];
};

}  // namespace proa::encryption
