#include "encryption/metrics.h"

#include <array>

#include "crypto/digest.h"
#include "http/client/grpc_status.h"

namespace proa::encryption {
namespace metrics {

template <size_t Count>
constexpr std::array<double, Count> doubling(double first) {
  std::array<double, Count> bounds{};
  for (double& bound : bounds) {
    bound = first;
    first *= 2;
  }
  return bounds;
}

constexpr auto kTransformationBounds = doubling<25>(5e-6);
constexpr auto kKeyBounds = doubling<14>(5e-6);
constexpr auto kCallBounds = doubling<20>(0.0001);

constexpr MetricFamily kOperations{
    "apiserver_storage_transformation_operations_total",
    "Values that were encrypted or decrypted, by resource, provider and outcome.",
    MetricKind::kCounter,
    {"resource", "transformation_type", "transformer_prefix", "status"}};
constexpr MetricFamily kDurations{"apiserver_storage_transformation_duration_seconds",
                                  "How long encrypting or decrypting a value took.",
                                  MetricKind::kHistogram,
                                  {"transformation_type", "transformer_prefix"},
                                  kTransformationBounds};
constexpr MetricFamily kCacheMisses{"apiserver_storage_envelope_transformation_cache_misses_total",
                                    "Data keys that a KMS plugin had to decrypt.",
                                    MetricKind::kCounter,
                                    {}};
constexpr MetricFamily kKeySeconds{"apiserver_storage_data_key_generation_duration_seconds",
                                   "How long making a data key took.",
                                   MetricKind::kHistogram,
                                   {},
                                   kKeyBounds};
constexpr MetricFamily kCalls{"apiserver_envelope_encryption_kms_operations_latency_seconds",
                              "How long calls of KMS plugins took, by outcome.",
                              MetricKind::kHistogram,
                              {"provider_name", "method_name", "grpc_status_code"},
                              kCallBounds};
constexpr MetricFamily kKeyUses{
    "apiserver_envelope_encryption_key_id_hash_total",
    "How often the key of a KMS was used.",
    MetricKind::kCounter,
    {"transformation_type", "provider_name", "key_id_hash", "apiserver_id_hash"}};
constexpr MetricFamily kKeyUsed{
    "apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds",
    "When the key of a KMS was last used.",
    MetricKind::kGauge,
    {"transformation_type", "provider_name", "key_id_hash", "apiserver_id_hash"}};
constexpr MetricFamily kKeyReported{
    "apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds",
    "When a KMS plugin last named this key as its current one.",
    MetricKind::kGauge,
    {"provider_name", "key_id_hash", "apiserver_id_hash"}};
constexpr MetricFamily kInvalidKeys{
    "apiserver_envelope_encryption_invalid_key_id_from_status_total",
    "How often a KMS plugin named an invalid key.",
    MetricKind::kCounter,
    {"provider_name", "error"}};
constexpr MetricFamily kCacheSize{"apiserver_envelope_encryption_dek_source_cache_size",
                                  "Data keys in the cache: about as many calls of the plugin does "
                                  "a start need.",
                                  MetricKind::kGauge,
                                  {"provider_name"}};
constexpr ReloadFamilies kReloads{
    .reloads = {"apiserver_encryption_config_controller_automatic_reloads_total",
                "Reloads of the encryption configuration, by outcome.",
                MetricKind::kCounter,
                {"status", "apiserver_id_hash"}},
    .reloaded = {"apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds",
                 "When the encryption configuration was last reloaded, by outcome.",
                 MetricKind::kGauge,
                 {"status", "apiserver_id_hash"}},
    .in_force = {"apiserver_encryption_config_controller_last_config_info",
                 "Always 1; the label is the hash of the configuration that is in force.",
                 MetricKind::kGauge,
                 {"apiserver_id_hash", "hash"}}};

std::string_view type_label(Transformation transformation) {
  return transformation == Transformation::kFromStorage ? "from_storage" : "to_storage";
}

double seconds(Duration took) { return std::chrono::duration<double>(took).count(); }

// As Go prints codes.Code.
std::string_view code_label(http::GrpcCode code) {
  constexpr std::array<std::string_view, 17> kNames = {
      "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
      "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
      "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
      "DataLoss", "Unauthenticated"};
  return kNames[static_cast<size_t>(code) % kNames.size()];
}

}  // namespace metrics

std::string status_label(const Result<void>& outcome) {
  if (outcome.ok()) return "OK";
  // Only failures of calls keep a code among their causes.
  if (outcome.status().details().causes.empty()) return "unknown-non-grpc";
  return std::string(metrics::code_label(http::grpc_code(outcome.status())));
}

std::string hash_label(std::string_view text) {
  return text.empty() ? std::string() : "sha256:" + crypto::sha256(text).hex();
}

EncryptionMetrics::EncryptionMetrics(Metrics& metrics, Clock& clock, std::string_view server)
    : metrics_(metrics),
      clock_(clock),
      server_hash_(hash_label(server)),
      reloads_(metrics::kReloads, server_hash_) {
  metrics_.collect([this](MetricsText& text) { reloads_.write(text); });
}

int64_t EncryptionMetrics::now_seconds() const {
  return std::chrono::duration_cast<std::chrono::seconds>(clock_.now().time_since_epoch()).count();
}

void EncryptionMetrics::kms_call(std::string_view provider, std::string_view method,
                                 const Result<void>& outcome, Duration took) {
  metrics_.histogram(metrics::kCalls, {provider, method, status_label(outcome)})
      .observe(metrics::seconds(took));
}

void EncryptionMetrics::key_used(Transformation transformation, std::string_view provider,
                                 std::string_view key_id) {
  const std::string hash = hash_label(key_id);
  const std::string_view type = metrics::type_label(transformation);
  metrics_.counter(metrics::kKeyUses, {type, provider, hash, server_hash_}).add();
  metrics_.gauge(metrics::kKeyUsed, {type, provider, hash, server_hash_}).set(now_seconds());
}

void EncryptionMetrics::key_reported(std::string_view provider, std::string_view key_id) {
  metrics_.gauge(metrics::kKeyReported, {provider, hash_label(key_id), server_hash_})
      .set(now_seconds());
}

void EncryptionMetrics::invalid_key_reported(std::string_view provider, std::string_view error) {
  metrics_.counter(metrics::kInvalidKeys, {provider, error}).add();
}

void EncryptionMetrics::data_key_made(Duration took) {
  metrics_.histogram(metrics::kKeySeconds).observe(metrics::seconds(took));
}

void EncryptionMetrics::cache_missed() { metrics_.counter(metrics::kCacheMisses).add(); }

void EncryptionMetrics::cache_size(std::string_view provider, size_t entries) {
  metrics_.gauge(metrics::kCacheSize, {provider}).set(static_cast<int64_t>(entries));
}

void OperationMetrics::record(Transformation transformation, const Result<void>& outcome,
                              Steady begin) const {
  const std::string_view type = metrics::type_label(transformation);
  Metrics& registry = metrics_.registry();
  if (!outcome.ok()) {
    registry.counter(metrics::kOperations, {resource_, type, prefix_, status_label(outcome)}).add();
    return;
  }
  Kept& kept = kept_[static_cast<size_t>(transformation)];
  Counter* succeeded = kept.succeeded.load(std::memory_order_acquire);
  if (succeeded == nullptr) {
    succeeded = &registry.counter(metrics::kOperations, {resource_, type, prefix_, "OK"});
    kept.succeeded.store(succeeded, std::memory_order_release);
  }
  Histogram* seconds = kept.seconds.load(std::memory_order_acquire);
  if (seconds == nullptr) {
    seconds = &registry.histogram(metrics::kDurations, {type, prefix_});
    kept.seconds.store(seconds, std::memory_order_release);
  }
  succeeded->add();
  seconds->observe(metrics::seconds(metrics_.clock().steady() - begin));
}

}  // namespace proa::encryption
