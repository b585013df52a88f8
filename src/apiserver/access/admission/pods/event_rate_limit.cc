#include <array>

#include "api/validation/field_errors.h"
#include "apiserver/access/admission/pods/aggregate.h"
#include "apiserver/access/admission/pods/pods.h"
#include "apiserver/access/admission/pods/rate_buckets.h"

namespace proa::apiserver {
namespace event_rate_limit {

using api::Path;
using api::View;

constexpr size_t kDefaultCacheSize = 4096;

// The key by which events share a bucket.
using KeyOf = std::string (*)(View event, const Admission& admission);

std::string server_key(View, const Admission&) { return ""; }

std::string namespace_key(View, const Admission& admission) { return admission.request.name_space; }

std::string user_key(View, const Admission& admission) { return admission.request.user->name; }

std::string source_and_object_key(View event, const Admission&) {
  std::string key;
  for (const std::string_view field : {"component", "host"}) key += event["source"][field].text();
  for (const std::string_view field : {"kind", "namespace", "name", "uid", "apiVersion"})
    key += event["involvedObject"][field].text();
  return key;
}

struct LimitType {
  std::string_view name;
  KeyOf key_of;
};
constexpr std::array<LimitType, 4> kLimitTypes{{{"Namespace", namespace_key},
                                                {"Server", server_key},
                                                {"SourceAndObject", source_and_object_key},
                                                {"User", user_key}}};

const LimitType* find_type(std::string_view name) {
  for (const LimitType& type : kLimitTypes)
    if (type.name == name) return &type;
  return nullptr;
}

struct Limit {
  Limit(const LimitType& limit_type, View configuration, const Clock& clock)
      : type(limit_type),
        buckets({.per_second = configuration["qps"].integer(),
                 .burst = configuration["burst"].integer()},
                cache_size(configuration), clock) {}

  static size_t cache_size(View configuration) {
    const int64_t size = configuration["cacheSize"].integer();
    return size > 0 ? static_cast<size_t>(size) : kDefaultCacheSize;
  }

  const LimitType& type;
  RateBuckets buckets;
};

void validate_limit(View limit, const Path& path, api::FieldErrors& errors) {
  const std::string_view type = limit["type"].text();
  if (find_type(type) == nullptr) {
    std::array<std::string_view, kLimitTypes.size()> names;
    for (size_t i = 0; i < names.size(); ++i) names[i] = kLimitTypes[i].name;
    errors.not_supported(path.field("type"), type, names);
  }
  for (const std::string_view field : {"burst", "qps"}) {
    if (limit[field].integer() <= 0)
      errors.invalid(path.field(field), limit[field].integer(), "must be positive");
  }
  if (type != "Server" && limit["cacheSize"].integer() < 0) {
    errors.invalid(path.field("cacheSize"), limit["cacheSize"].integer(), "must not be negative");
  }
}

Result<void> validate(View configuration) {
  api::FieldErrors errors;
  const Path path("limits");
  if (configuration["limits"].empty())
    errors.invalid(path, configuration["limits"], "must not be empty");
  size_t index = 0;
  for (const View limit : configuration["limits"].items())
    validate_limit(limit, path.index(index++), errors);
  if (errors.empty()) return {};
  return errors.to_status("eventratelimit.admission.k8s.io", "Configuration", "");
}

class EventRateLimit final : public AdmissionPlugin {
 public:
  // REQUIRES: the configuration is valid.
  EventRateLimit(View configuration, const Clock& clock) {
    for (const View limit : configuration["limits"].items())
      limits_.push_back(std::make_unique<Limit>(*find_type(limit["type"].text()), limit, clock));
  }

  // Only events of the core group, as upstream.
  bool concerns(const Admission& admission) const override {
    return admission.is_about("", "events") && !admission.dry_run &&
           (admission.operation == Operation::kCreate || admission.operation == Operation::kUpdate);
  }

  Result<void> validate(View event, const Admission& admission) override {
    std::vector<std::string> failures;
    // Every limit is charged, even if another one rejects the event.
    for (const auto& limit : limits_) {
      const std::string key = limit->type.key_of(event, admission);
      if (limit->buckets.take(key)) continue;
      failures.push_back("limit reached on type " + std::string(limit->type.name) + " for key " +
                         key);
    }
    if (failures.empty()) return {};
    return Status(Reason::kTooManyRequests, "Too many requests: " + aggregate_text(failures));
  }

 private:
  std::vector<std::unique_ptr<Limit>> limits_;
};

}  // namespace event_rate_limit

Result<void> check_event_rate_limit(api::View configuration) {
  return event_rate_limit::validate(configuration);
}

MadePlugin make_event_rate_limit(const AdmissionContext& context) {
  TRY(event_rate_limit::validate(context.configuration));
  return std::make_unique<event_rate_limit::EventRateLimit>(context.configuration, context.clock);
}

}  // namespace proa::apiserver
