#include "apiserver/objects/catalogue/api_service_availability.h"

#include "api/object/view.h"

namespace proa::apiserver {
namespace api_service_availability {

using api::View;

constexpr std::string_view kPrefix = "/registry/apiregistration.k8s.io/apiservices/";

constexpr MetricFamily kUnavailable{"aggregator_unavailable_apiservice",
                                    "1 for an APIService that is not available.",
                                    MetricKind::kGauge,
                                    {"name"}};
constexpr MetricFamily kLosses{"aggregator_unavailable_apiservice_total",
                               "How often an APIService was no longer available.",
                               MetricKind::kCounter,
                               {"name", "reason"}};

// The condition Available; absent if there is none.
View condition_in(View root) {
  for (const View one : root["status"]["conditions"].items()) {
    if (one["type"].text() == "Available") return one;
  }
  return {};
}

}  // namespace api_service_availability

ApiServiceAvailability::ApiServiceAvailability(store::Store& store, std::function<void()> changed)
    : losses_(api_service_availability::kLosses),
      follower_(
          store, {std::string(api_service_availability::kPrefix)},
          [this](std::string_view key, const api::ObjectPtr& object) { take(key, object); },
          std::move(changed)) {}

void ApiServiceAvailability::take(std::string_view key, const api::ObjectPtr& object) {
  const std::string_view name = key.substr(api_service_availability::kPrefix.size());
  const auto known = available_.find(name);
  if (object == nullptr) {
    if (known != available_.end()) available_.erase(known);
    return;
  }
  const Result<json::Document> document = object->document();
  if (!document) return;
  const api::View condition = api_service_availability::condition_in(api::View(document->root()));
  const bool is_available = condition["status"].text() == "True";
  if (known == available_.end()) {
    available_.emplace(name, is_available);
    return;
  }
  const bool lost = known->second && !is_available;
  known->second = is_available;
  if (!lost) return;
  losses_.at({name, condition ? condition["reason"].text() : "UnknownReason"}).add();
}

void ApiServiceAvailability::catch_up() {
  follower_.read([] {});
}

void ApiServiceAvailability::write(MetricsText& text) {
  follower_.read([&] {
    text.begin(api_service_availability::kUnavailable);
    for (const auto& [name, is_available] : available_) {
      const std::string_view label = name;
      text.add({&label, 1}, int64_t{is_available ? 0 : 1});
    }
  });
  losses_.write(text);
}

}  // namespace proa::apiserver
