#include "apiserver/request/request_metrics.h"

#include <algorithm>
#include <string>

#include "base/check.h"

namespace proa::apiserver {
namespace request_metrics {

constexpr std::string_view kComponent = "apiserver";

constexpr double kSeconds[] = {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5, 2,
                               3,     4,     5,    6,   8,   10,  15,  20,  30, 45,   60};
// Without the finest buckets, so that one histogram serves both metrics.
constexpr double kObjectiveSeconds[] = {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5, 2, 3,
                                        4,    5,   6,   8,   10,  15,  20, 30,   45,  60};
constexpr double kBytes[] = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

constexpr MetricFamily kTotal{
    "apiserver_request_total",
    "Requests by verb, dry run, group, version, resource, scope, component and answer.",
    MetricKind::kCounter,
    {"verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component",
     "code"}};
constexpr MetricFamily kDuration{
    "apiserver_request_duration_seconds",
    "How long requests took until they were answered.",
    MetricKind::kHistogram,
    {"verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"},
    kSeconds};
constexpr MetricFamily kObjective{
    "apiserver_request_sli_duration_seconds",
    "How long requests took, without the time that webhooks and queues took.",
    MetricKind::kHistogram,
    {"verb", "group", "version", "resource", "subresource", "scope", "component"},
    kObjectiveSeconds};
constexpr MetricFamily kSizes{
    "apiserver_response_sizes",
    "Sizes of answers to reads, in bytes.",
    MetricKind::kHistogram,
    {"verb", "group", "version", "resource", "subresource", "scope", "component"},
    kBytes};
constexpr MetricFamily kLongRunning{
    "apiserver_longrunning_requests",
    "Watches that are open.",
    MetricKind::kGauge,
    {"verb", "group", "version", "resource", "subresource", "scope", "component"}};
constexpr MetricFamily kUnderWay{"apiserver_current_inflight_requests",
                                 "Requests that are being worked on, watches aside.",
                                 MetricKind::kGauge,
                                 {"request_kind"}};
constexpr MetricFamily kTerminations{
    "apiserver_request_terminations_total",
    "Requests that were refused or given up to protect the server.",
    MetricKind::kCounter,
    {"verb", "group", "version", "resource", "subresource", "scope", "component", "code"}};
constexpr MetricFamily kEvents{"apiserver_watch_events_total",
                               "Events that were sent to watches.",
                               MetricKind::kCounter,
                               {"group", "version", "resource"}};

constexpr MetricFamily kDeprecated{
    "apiserver_requested_deprecated_apis",
    "Deprecated APIs that were requested, with the release that does not serve them any more.",
    MetricKind::kGauge,
    {"group", "version", "resource", "subresource", "removed_release"}};

// Codes counted individually; all others count as the last, printed as 0.
constexpr int kCodes[] = {200, 201, 202, 204, 206, 301, 302, 304, 400, 401, 403,
                          404, 405, 406, 409, 410, 412, 413, 414, 415, 416, 422,
                          426, 429, 431, 500, 501, 502, 503, 504, 101, 0};
constexpr size_t kCodeCount = std::size(kCodes);

constexpr int kTerminationCodes[] = {429, 504};

constexpr size_t code_index(int code) {
  for (size_t i = 0; i + 1 < kCodeCount; ++i) {
    if (kCodes[i] == code) return i;
  }
  return kCodeCount - 1;
}

bool is_connect(const api::Subresource* subresource) {
  if (subresource == nullptr) return false;
  const std::string_view name = subresource->name;
  return name == "log" || name == "exec" || name == "portforward" || name == "attach" ||
         name == "proxy";
}

bool is_changing(api::Verb verb) {
  return verb != api::Verb::kGet && verb != api::Verb::kList && verb != api::Verb::kWatch;
}

}  // namespace request_metrics

struct RequestMetrics::Series {
  std::array<Counter, request_metrics::kCodeCount> codes;
  std::array<Counter, std::size(request_metrics::kTerminationCodes)> terminations;
  Histogram seconds{request_metrics::kSeconds};
  Histogram bytes{request_metrics::kBytes, 1};
  Gauge open;
};

void RequestMark::end(int code, size_t body_bytes) const {
  if (metrics_ != nullptr) metrics_->end(*this, code, body_bytes);
}

void RequestMark::end_in_defense(int code, size_t body_bytes) const {
  if (metrics_ == nullptr) return;
  metrics_->count_termination(*this, code);
  metrics_->end(*this, code, body_bytes);
}

void RequestMark::sent_events(size_t count) const {
  if (metrics_ != nullptr) metrics_->events_[resource_].add(count);
}

std::shared_ptr<const RequestMark> ended_with_last_reference(const RequestMark& mark) {
  const auto end = [](const RequestMark* held) {
    held->end(200, 0);
    delete held;
  };
  return {new RequestMark(mark), end};
}

RequestMetrics::RequestMetrics(const api::Schema& schema, const Clock& clock)
    : clock_(clock), deprecated_(request_metrics::kDeprecated) {
  targets_.emplace_back();
  for (const api::Resource* resource : schema.resources()) {
    first_target_.emplace(resource, static_cast<uint32_t>(targets_.size()));
    targets_.push_back({resource, nullptr});
    for (const api::Subresource& subresource : resource->subresources) {
      targets_.push_back({resource, &subresource});
    }
  }
  series_.reset(new std::atomic<Series*>[targets_.size() * kPerTarget]());
  events_.reset(new Counter[targets_.size()]());
}

RequestMetrics::~RequestMetrics() {
  for (size_t i = 0; i < targets_.size() * kPerTarget; ++i) delete series_[i].load();
}

RequestMark RequestMetrics::begin(const Request& request, bool dry_run) {
  RequestMark mark;
  mark.metrics_ = this;
  mark.begin_ = clock_.steady();
  uint32_t target = 0;
  if (const auto found = first_target_.find(request.resource.get()); found != first_target_.end()) {
    target = mark.resource_ = found->second;
    if (request.subresource != nullptr) {
      const auto first = request.resource->subresources.data();
      target += 1 + static_cast<uint32_t>(request.subresource - first);
    }
  }
  if (target == 0 && request.resource != nullptr && !request.resource->deprecation.empty()) {
    const api::Resource& resource = *request.resource;
    const std::string_view part =
        request.subresource == nullptr ? std::string_view() : request.subresource->name;
    deprecated_.at({resource.group, resource.version, resource.name, part, ""}).set(1);
  }
  // Connect requests are counted under one verb, whatever the method.
  const bool connects = request_metrics::is_connect(request.subresource);
  const api::Verb verb = connects ? api::Verb::kGet : request.verb;
  Scope scope = kCluster;
  if (!request.name.empty() || request.verb == api::Verb::kCreate) {
    scope = kResource;
  } else if (!request.name_space.empty()) {
    scope = kNamespace;
  }
  mark.series_ =
      ((target * kVerbs + static_cast<uint32_t>(verb)) * kScopes + scope) * 2 + (dry_run ? 1 : 0);
  if (verb == api::Verb::kWatch) {
    series(mark.series_).open.add(1);
  } else {
    in_flight_[request_metrics::is_changing(verb) ? kMutating : kReadOnly].add(1);
  }
  return mark;
}

RequestMetrics::Series& RequestMetrics::series(uint32_t number) {
  Series* found = series_[number].load(std::memory_order_acquire);
  if (found != nullptr) return *found;
  auto made = std::make_unique<Series>();
  if (series_[number].compare_exchange_strong(found, made.get())) return *made.release();
  return *found;
}

void RequestMetrics::end(const RequestMark& mark, int code, size_t body_bytes) {
  Series& counted = series(mark.series_);
  const Place place = place_of(mark.series_);
  counted.codes[request_metrics::code_index(code)].add();
  counted.seconds.observe(std::chrono::duration<double>(clock_.steady() - mark.begin_).count());
  if (place.verb == api::Verb::kGet || place.verb == api::Verb::kList) {
    counted.bytes.observe(static_cast<double>(body_bytes));
  }
  if (place.verb == api::Verb::kWatch) {
    counted.open.add(-1);
  } else {
    in_flight_[request_metrics::is_changing(place.verb) ? kMutating : kReadOnly].add(-1);
  }
}

void RequestMetrics::count_termination(const RequestMark& mark, int code) {
  for (size_t i = 0; i < std::size(request_metrics::kTerminationCodes); ++i) {
    if (request_metrics::kTerminationCodes[i] == code) series(mark.series_).terminations[i].add();
  }
}

RequestMetrics::Place RequestMetrics::place_of(uint32_t series) const {
  const bool dry_run = series % 2 == 1;
  const auto scope = static_cast<Scope>(series / 2 % kScopes);
  const uint32_t rest = series / 2 / kScopes;
  return {targets_[rest / kVerbs], static_cast<api::Verb>(rest % kVerbs), scope, dry_run};
}

std::string_view RequestMetrics::verb_text(const Place& place) {
  if (request_metrics::is_connect(place.target.subresource)) return "CONNECT";
  switch (place.verb) {
    case api::Verb::kCreate:
      return "POST";
    case api::Verb::kDelete:
    case api::Verb::kDeleteCollection:
      return "DELETE";
    case api::Verb::kGet:
      return "GET";
    case api::Verb::kList:
      return "LIST";
    case api::Verb::kPatch:
      return "PATCH";
    case api::Verb::kUpdate:
      return "PUT";
    case api::Verb::kWatch:
      return "WATCH";
  }
  return "other";
}

std::vector<std::string_view> RequestMetrics::labels_of(const Place& place, bool with_dry_run) {
  constexpr std::string_view kScopeTexts[] = {"resource", "namespace", "cluster"};
  std::vector<std::string_view> labels{verb_text(place)};
  if (with_dry_run) labels.push_back(place.dry_run ? "All" : "");
  const Target& target = place.target;
  labels.push_back(target.resource == nullptr ? "" : target.resource->group);
  labels.push_back(target.resource == nullptr ? "" : target.resource->version);
  labels.push_back(target.resource == nullptr ? "" : target.resource->name);
  labels.push_back(target.subresource == nullptr ? "" : target.subresource->name);
  labels.push_back(kScopeTexts[place.scope]);
  labels.push_back(request_metrics::kComponent);
  return labels;
}

void RequestMetrics::write_family(MetricsText& text, const MetricFamily& family,
                                  void (*add)(MetricsText&, const Series&, const Place&)) const {
  text.begin(family);
  for (uint32_t i = 0; i < targets_.size() * kPerTarget; ++i) {
    const Series* found = series_[i].load(std::memory_order_acquire);
    if (found != nullptr) add(text, *found, place_of(i));
  }
}

bool RequestMetrics::was_requested(uint32_t target) const {
  const auto* first = &series_[target * kPerTarget];
  return std::any_of(first, first + kPerTarget, [](const std::atomic<Series*>& one) {
    return one.load(std::memory_order_relaxed) != nullptr;
  });
}

// No built-in API is going to be removed: the last label is empty.
void RequestMetrics::write_deprecated(MetricsText& text) const {
  deprecated_.write(text);
  for (uint32_t i = 0; i < targets_.size(); ++i) {
    const Target& target = targets_[i];
    if (target.resource == nullptr || target.resource->deprecation.empty() || !was_requested(i))
      continue;
    const std::array<std::string_view, 5> labels{
        target.resource->group, target.resource->version, target.resource->name,
        target.subresource == nullptr ? std::string_view() : target.subresource->name, ""};
    text.add(labels, int64_t{1});
  }
}

void RequestMetrics::write(MetricsText& text) const {
  write_deprecated(text);
  using namespace request_metrics;  // NOLINT: of this file only
  write_family(text, kTotal, [](MetricsText& out, const Series& series, const Place& place) {
    std::vector<std::string_view> labels = labels_of(place, true);
    for (size_t i = 0; i < kCodeCount; ++i) {
      if (series.codes[i].value() == 0) continue;
      const std::string code = std::to_string(kCodes[i]);
      labels.emplace_back(code);
      out.add(labels, series.codes[i].value());
      labels.pop_back();
    }
  });
  write_family(text, kDuration, [](MetricsText& out, const Series& series, const Place& place) {
    out.add(labels_of(place, true), series.seconds);
  });
  write_family(text, kObjective, [](MetricsText& out, const Series& series, const Place& place) {
    if (!place.dry_run) out.add(labels_of(place, false), series.seconds);
  });
  write_family(text, kSizes, [](MetricsText& out, const Series& series, const Place& place) {
    const bool reads = place.verb == api::Verb::kGet || place.verb == api::Verb::kList;
    if (reads && !place.dry_run) out.add(labels_of(place, false), series.bytes);
  });
  write_family(text, kTerminations, [](MetricsText& out, const Series& series, const Place& place) {
    if (place.dry_run) return;
    std::vector<std::string_view> labels = labels_of(place, false);
    for (size_t i = 0; i < std::size(kTerminationCodes); ++i) {
      if (series.terminations[i].value() == 0) continue;
      const std::string code = std::to_string(kTerminationCodes[i]);
      labels.emplace_back(code);
      out.add(labels, series.terminations[i].value());
      labels.pop_back();
    }
  });
  write_family(text, kLongRunning, [](MetricsText& out, const Series& series, const Place& place) {
    if (place.verb == api::Verb::kWatch && !place.dry_run) {
      out.add(labels_of(place, false), series.open.value());
    }
  });
  text.begin(kUnderWay);
  const std::string_view reading = "readOnly";
  const std::string_view changing = "mutating";
  text.add({&reading, 1}, in_flight_[kReadOnly].value());
  text.add({&changing, 1}, in_flight_[kMutating].value());
  text.begin(kEvents);
  for (size_t i = 0; i < targets_.size(); ++i) {
    const api::Resource* resource = targets_[i].resource;
    if (resource == nullptr || events_[i].value() == 0) continue;
    const std::array<std::string_view, 3> labels{resource->group, resource->version,
                                                 resource->name};
    text.add(labels, events_[i].value());
  }
}

}  // namespace proa::apiserver
