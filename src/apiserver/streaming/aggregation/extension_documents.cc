#include "apiserver/streaming/aggregation/extension_documents.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "apiserver/streaming/aggregation/discovery_reader.h"
#include "apiserver/streaming/aggregation/identity_fields.h"
#include "apiserver/streaming/aggregation/openapi_reader.h"
#include "base/log.h"

namespace proa::apiserver {
namespace extension_documents {

const Log kLog{"aggregation"};
// Upstream's intervals.
constexpr Duration kRefresh = std::chrono::minutes(1);
constexpr Duration kFirstRetry = std::chrono::milliseconds(500);
// Upstream waits a minute for OpenAPI; but here a round waits for the slowest of its servers.
constexpr Duration kOpenApiTimeout = std::chrono::seconds(10);

// Each has a thread for as long as it is asked, as all have upstream.
constexpr size_t kAskedAtOnce = 8;

Duration retry_after(int failures) {
  Duration wait = kFirstRetry;
  for (int i = 1; i < failures && wait < kRefresh; ++i) wait *= 2;
  return std::min<Duration>(wait, kRefresh);
}

Status unexpected(const ExtensionApi& api, const http::Response& response) {
  return {Reason::kServiceUnavailable,
          "service " + api.service_namespace + "/" + api.service_name + ":" +
              std::to_string(api.port) +
              " returned non-success response code: " + std::to_string(response.status)};
}

}  // namespace extension_documents

void WakeSignal::wake() {
  MutexLock lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

void WakeSignal::wait_until(Clock& clock, Steady due, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!woken_ && !stop.stop_requested() && clock.steady() < due) {
    if (due == Steady::max()) {
      changed_.wait(mutex_);
    } else {
      clock.wait_until(changed_, mutex_, due);
    }
  }
  woken_ = false;
}

ExtensionDocumentKeeper::ExtensionDocumentKeeper(Context context)
    : context_(context), thread_([this](const std::stop_token& stop) { run(stop); }) {}

ExtensionDocumentKeeper::~ExtensionDocumentKeeper() { stop(); }

void ExtensionDocumentKeeper::stop() {
  thread_.request_stop();
  context_.changed.wake();
  if (thread_.joinable()) thread_.join();
}

void ExtensionDocumentKeeper::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    context_.changed.wait_until(context_.clock, refresh_due(stop), stop);
  }
}

Steady ExtensionDocumentKeeper::refresh_due(const std::stop_token& stop) {
  const ExtensionApiListPtr list = context_.apis.list();
  std::set<std::string_view> present;
  std::vector<Plan*> due;
  for (const ExtensionApiPtr& api : list->apis) {
    present.insert(api->name);
    Plan& plan = plans_[api->name];
    const Steady now = context_.clock.steady();
    if (plan.api != api) {
      // Another server, perhaps: nothing of the one before counts.
      plan =
          Plan{.api = api, .facts = {}, .tag = {}, .spec_tag = {}, .converted_of = {}, .due = now};
    }
    if (plan.due <= now) due.push_back(&plan);
  }
  refresh_all(due, stop);
  std::erase_if(plans_, [&](const auto& each) { return !present.contains(each.first); });
  {
    MutexLock lock(mutex_);
    std::erase_if(facts_, [&](const auto& each) { return !present.contains(each.first); });
  }
  const Steady now = context_.clock.steady();
  if (now - last_drop_ >= extension_documents::kRefresh) {
    last_drop_ = now;
    context_.clients.drop_unused(list->apis);
  }
  Steady next = Steady::max();
  for (const auto& [name, plan] : plans_) next = std::min(next, plan.due);
  return next;
}

void ExtensionDocumentKeeper::refresh_all(const std::vector<Plan*>& due,
                                          const std::stop_token& stop) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < due.size() && !stop.stop_requested(); i = next++)
      refresh(*due[i], stop);
  };
  std::vector<std::jthread> others;
  const size_t threads = std::min(due.size(), extension_documents::kAskedAtOnce);
  for (size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
}

void ExtensionDocumentKeeper::refresh(Plan& plan, const std::stop_token& stop) {
  using namespace extension_documents;
  const Result<void> discovered = discover(plan, stop);
  if (stop.stop_requested()) return;
  plan.facts.stale = !discovered.ok();
  if (!discovered) {
    if (plan.failures == 0) {
      kLog.warn("discovery of an APIService failed",
                {{"name", plan.api->name}, {"error", discovered.status()}});
    }
    plan.facts.resources = nullptr;
    plan.tag.clear();
  }
  // As upstream's, requests for documents are refused while it is not available.
  if (plan.api->available) {
    for (const Result<void>& read : {read_openapi(plan, stop), read_openapi_v2(plan, stop)}) {
      if (read) continue;
      kLog.debug("reading OpenAPI of an APIService failed",
                 {{"name", plan.api->name}, {"error", read.status()}});
    }
    convert_openapi_v2(plan);
  }
  plan.failures = discovered.ok() ? 0 : plan.failures + 1;
  plan.due = context_.clock.steady() + (plan.failures == 0 ? kRefresh : retry_after(plan.failures));
  publish(*plan.api, plan.facts);
}

Result<void> ExtensionDocumentKeeper::discover(Plan& plan, const std::stop_token& stop) const {
  const ExtensionApi& api = *plan.api;
  const http::Response response =
      TRY(context_.servers.ask(api,
                               {.path = "/apis",
                                .accept = std::string(kAggregatedDiscoveryTypes),
                                .known_tag = plan.tag,
                                .user = aggregator_user()},
                               stop));
  if (response.status == 304 && !plan.tag.empty()) return {};
  if (response.status == 503) return extension_documents::unexpected(api, response);
  if (response.status != 200 || !is_aggregated_discovery(response.headers.get("content-type")))
    return discover_legacy(plan, stop);
  const std::vector<DiscoveredVersion> versions =
      TRY(read_discovery(response.body.view(), context_.schema));
  // One that the server does not mention has no resources.
  plan.facts.resources = nullptr;
  for (const DiscoveredVersion& version : versions) {
    if (version.group == api.group && version.version == api.version)
      plan.facts.resources = version.resources;
  }
  plan.tag = response.headers.get("etag");
  return {};
}

Result<void> ExtensionDocumentKeeper::discover_legacy(Plan& plan,
                                                      const std::stop_token& stop) const {
  const ExtensionApi& api = *plan.api;
  const http::Response response =
      TRY(context_.servers.ask(api, {.path = api.path(), .user = aggregator_user()}, stop));
  if (response.status != 200) return extension_documents::unexpected(api, response);
  DiscoveredVersion version =
      TRY(read_legacy_discovery(response.body.view(), api.group, api.version, context_.schema));
  plan.facts.resources = std::move(version.resources);
  plan.tag.clear();
  return {};
}

Result<void> ExtensionDocumentKeeper::read_openapi(Plan& plan, const std::stop_token& stop) const {
  const ExtensionApi& api = *plan.api;
  const http::Response response =
      TRY(context_.servers.ask(api,
                               {.path = "/openapi/v3",
                                .user = openapi_user(),
                                .timeout = extension_documents::kOpenApiTimeout},
                               stop));
  plan.facts.lacks_openapi_v3 = response.status == 404;
  if (response.status == 404) {
    plan.facts.openapi_url.clear();
    return {};
  }
  if (response.status != 200) return extension_documents::unexpected(api, response);
  plan.facts.openapi_url = TRY(read_openapi_index(response.body.view(), api.group, api.version));
  return {};
}

Result<void> ExtensionDocumentKeeper::read_openapi_v2(Plan& plan,
                                                      const std::stop_token& stop) const {
  const ExtensionApi& api = *plan.api;
  const http::Response response =
      TRY(context_.servers.ask(api,
                               {.path = "/openapi/v2",
                                .known_tag = plan.spec_tag,
                                .user = openapi_user(),
                                .timeout = extension_documents::kOpenApiTimeout},
                               stop));
  if (response.status == 304 && !plan.spec_tag.empty()) return {};
  if (response.status == 404) {
    plan.facts.spec = nullptr;
    return {};
  }
  if (response.status != 200) return extension_documents::unexpected(api, response);
  ForeignSpec spec = TRY(read_foreign_spec(response.body.view(), api.group, api.version));
  plan.spec_tag = response.headers.get("etag");
  // Without tags, the same document comes again and again.
  if (plan.facts.spec == nullptr || plan.facts.spec->hash != spec.hash)
    plan.facts.spec = std::make_shared<const ForeignSpec>(std::move(spec));
  return {};
}

void ExtensionDocumentKeeper::convert_openapi_v2(Plan& plan) {
  Facts& facts = plan.facts;
  const ForeignSpecPtr spec = facts.lacks_openapi_v3 ? facts.spec : nullptr;
  if (plan.converted_of == spec) return;
  plan.converted_of = spec;
  facts.converted = spec == nullptr ? nullptr : convert_to_version3(*spec);
  if (spec != nullptr && facts.converted == nullptr) {
    extension_documents::kLog.warn("the OpenAPI document of an APIService is too long as version 3",
                                   {{"name", plan.api->name}});
  }
}

void ExtensionDocumentKeeper::publish(const ExtensionApi& api, const Facts& facts) {
  MutexLock lock(mutex_);
  const auto known = facts_.find(api.name);
  if (known != facts_.end() && known->second == facts) return;
  facts_.insert_or_assign(api.name, facts);
  ++facts_number_;
}

ExtensionDocumentsPtr ExtensionDocumentKeeper::current() {
  const ExtensionApiListPtr list = context_.apis.list();
  MutexLock lock(mutex_);
  if (documents_ != nullptr && made_of_apis_ >= list->number && made_of_facts_ == facts_number_)
    return documents_;
  auto made = std::make_shared<ExtensionDocuments>();
  made->number = documents_ == nullptr ? 1 : documents_->number + 1;
  for (const ExtensionApiPtr& api : list->apis) {
    const auto known = facts_.find(api->name);
    const Facts facts = known == facts_.end() ? Facts() : known->second;
    made->versions.push_back({.group = api->group,
                              .version = api->version,
                              .group_version = api->group + "/" + api->version,
                              .group_priority = api->group_priority,
                              .version_priority = api->version_priority,
                              .resources = facts.resources,
                              .stale = facts.stale});
    if (facts.spec != nullptr) {
      made->parts.push_back({.group = api->group,
                             .version = api->version,
                             .spec = facts.spec,
                             .converted = facts.converted});
    }
    if (facts.openapi_url.empty()) continue;
    made->openapi.push_back({.name = api->path().substr(1), .url = facts.openapi_url});
  }
  std::ranges::sort(made->openapi, {}, &ExtensionDocuments::OpenApiEntry::name);
  made_of_apis_ = list->number;
  made_of_facts_ = facts_number_;
  documents_ = std::move(made);
  return documents_;
}

}  // namespace proa::apiserver
