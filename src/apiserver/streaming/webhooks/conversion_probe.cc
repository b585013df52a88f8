#include "apiserver/streaming/webhooks/conversion_probe.h"

#include "base/log.h"

namespace proa::apiserver {
namespace conversion_probe {

const Log kLog{"apiserver"};
constexpr double kCallBounds[] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,
                                  2,     5,    10,   20,   30,  45,  60};
constexpr double kConversionBounds[] = {0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128,
                                        0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384};
constexpr MetricFamily kRequests{
    "apiserver_conversion_webhook_request_total",
    "Counter for conversion webhook requests with success/failure and failure error type",
    MetricKind::kCounter,
    {"result", "failure_type"}};
constexpr MetricFamily kRequestSeconds{"apiserver_conversion_webhook_duration_seconds",
                                       "Conversion webhook request latency",
                                       MetricKind::kHistogram,
                                       {"result", "failure_type"},
                                       kCallBounds};
constexpr MetricFamily kConversionSeconds{"apiserver_crd_conversion_webhook_duration_seconds",
                                          "CRD webhook conversion duration in seconds",
                                          MetricKind::kHistogram,
                                          {"crd_name", "from_version", "to_version", "succeeded"},
                                          kConversionBounds};

// Of "example.com/v1".
std::string_view version_of(std::string_view group_version) {
  return group_version.substr(group_version.find('/') + 1);
}

// Empty: it succeeded.
std::string_view failure_type(ConversionStage reached) {
  switch (reached) {
    case ConversionStage::kPreparing:
    case ConversionStage::kCalling:
      return "conversion_webhook_call_failure";
    case ConversionStage::kReading:
      return "conversion_webhook_malformed_response_failure";
    case ConversionStage::kCounting:
      return "conversion_webhook_partial_response_failure";
    case ConversionStage::kChecking:
      return "conversion_webhook_invalid_converted_object_failure";
    case ConversionStage::kDone:
      break;
  }
  return "";
}

}  // namespace conversion_probe

ConversionProbe::ConversionProbe()
    : requests_(conversion_probe::kRequests),
      request_seconds_(conversion_probe::kRequestSeconds),
      conversion_seconds_(conversion_probe::kConversionSeconds) {}

void ConversionProbe::end(const Conversion& conversion, const Status* failure) {
  const double seconds = std::chrono::duration<double>(conversion.took).count();
  conversion_seconds_
      .at({conversion.definition, conversion_probe::version_of(conversion.from),
           conversion_probe::version_of(conversion.to), failure == nullptr ? "true" : "false"})
      .observe(seconds);
  // Upstream counts as requests only what was sent.
  if (conversion.reached != ConversionStage::kPreparing) {
    const std::string_view type = conversion_probe::failure_type(conversion.reached);
    const std::string_view result = type.empty() ? "success" : "failure";
    requests_.at({result, type}).add();
    request_seconds_.at({result, type}).observe(seconds);
  }
  if (failure == nullptr) return;
  const auto omitted = failures_.next();
  if (!omitted) return;
  conversion_probe::kLog.warn("converting custom objects by webhook failed",
                              {{"definition", conversion.definition},
                               {"from", conversion.from},
                               {"to", conversion.to},
                               {"error", *failure},
                               {"omitted", *omitted}});
}

void ConversionProbe::write(MetricsText& text) const {
  requests_.write(text);
  request_seconds_.write(text);
  conversion_seconds_.write(text);
}

}  // namespace proa::apiserver
