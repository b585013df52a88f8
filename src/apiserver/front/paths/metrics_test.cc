#include "apiserver/front/paths/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <thread>

#include "api/schema/builtin.h"
#include "base/strings.h"
#include "http/client/blocking_call.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

class MetricsTest : public testing::Test {
 protected:
  Request request(api::Verb verb, std::string_view group, std::string_view resource,
                  std::string_view name_space, std::string_view name) const {
    Request request;
    request.verb = verb;
    request.resource = schema.find_resource(group, "v1", resource);
    request.name_space = name_space;
    request.name = name;
    return request;
  }
  std::string line(const std::string& start) {
    const std::string text = path.text();
    for (const std::string_view line : split(text, '\n')) {
      if (line.starts_with(start)) return std::string(line);
    }
    return "none";
  }

  const api::Schema& schema = api::builtin_schema();
  testkit::FakeClock clock;
  std::unique_ptr<store::Store> store = store::make_memory_store(clock);
  WorkerPool pool;
  RequestMetrics requests{schema, clock};
  MetricsPath path{*store, schema, requests,
                   R"({"major":"1","minor":"36","gitVersion":"v1.36.4+proa","platform":"linux"})",
                   pool};
};

TEST_F(MetricsTest, CountsByWhatWasAsked) {
  using api::Verb;
  const RequestMark get =
      requests.begin(request(Verb::kGet, "apps", "deployments", "default", "a"), false);
  clock.advance(std::chrono::milliseconds(30));
  EXPECT_EQ(line("apiserver_current_inflight_requests{request_kind=\"readOnly\"}"),
            "apiserver_current_inflight_requests{request_kind=\"readOnly\"} 1");
  get.end(200, 1500);
  requests.begin(request(Verb::kList, "", "pods", "", ""), false).end(200, 10);
  requests.begin(request(Verb::kList, "", "pods", "default", ""), false).end(410, 10);
  requests.begin(request(Verb::kCreate, "", "pods", "default", ""), true).end(201, 10);
  requests.begin(request(Verb::kDeleteCollection, "", "pods", "default", ""), false).end(299, 10);
  const std::string deployment =
      R"({verb="GET",dry_run="",group="apps",version="v1",resource="deployments",subresource="",)"
      R"(scope="resource",component="apiserver")";
  EXPECT_EQ(line("apiserver_request_total" + deployment),
            "apiserver_request_total" + deployment + ",code=\"200\"} 1");
  EXPECT_EQ(line("apiserver_request_duration_seconds_bucket" + deployment + ",le=\"0.025\""),
            "apiserver_request_duration_seconds_bucket" + deployment + ",le=\"0.025\"} 0");
  EXPECT_EQ(line("apiserver_request_duration_seconds_bucket" + deployment + ",le=\"0.05\""),
            "apiserver_request_duration_seconds_bucket" + deployment + ",le=\"0.05\"} 1");
  EXPECT_EQ(line("apiserver_request_duration_seconds_sum" + deployment),
            "apiserver_request_duration_seconds_sum" + deployment + "} 0.03");
  EXPECT_EQ(line(R"(apiserver_request_sli_duration_seconds_bucket{verb="GET",group="apps")"),
            R"(apiserver_request_sli_duration_seconds_bucket{verb="GET",group="apps",)"
            R"(version="v1",resource="deployments",subresource="",scope="resource",)"
            R"(component="apiserver",le="0.05"} 1)");
  const std::string sizes =
      R"(apiserver_response_sizes_bucket{verb="GET",group="apps",version="v1",)"
      R"(resource="deployments",subresource="",scope="resource",component="apiserver",le=)";
  EXPECT_EQ(line(sizes + "\"1000\""), sizes + "\"1000\"} 0");
  EXPECT_EQ(line(sizes + "\"10000\""), sizes + "\"10000\"} 1");
  EXPECT_EQ(line(sizes + "\"1e+06\""), sizes + "\"1e+06\"} 1");
  const std::string pods = R"(group="",version="v1",resource="pods",subresource="",)";
  for (const auto& [start, end] : {
           std::pair{R"({verb="LIST",dry_run="",)",
                     R"(scope="cluster",component="apiserver",code="200"} 1)"},
           std::pair{R"({verb="LIST",dry_run="",)",
                     R"(scope="namespace",component="apiserver",code="410"} 1)"},
           std::pair{R"({verb="POST",dry_run="All",)",
                     R"(scope="resource",component="apiserver",code="201"} 1)"},
           std::pair{R"({verb="DELETE",dry_run="",)",
                     R"(scope="namespace",component="apiserver",code="0"} 1)"},
       }) {
    const std::string wanted = "apiserver_request_total" + std::string(start) + pods + end;
    EXPECT_EQ(line(wanted), wanted);
  }
  EXPECT_EQ(line("apiserver_current_inflight_requests{request_kind=\"mutating\"}"),
            "apiserver_current_inflight_requests{request_kind=\"mutating\"} 0");
}

TEST_F(MetricsTest, KnowsSubresourcesAndStrangers) {
  Request scale = request(api::Verb::kUpdate, "apps", "deployments", "default", "a");
  scale.subresource = scale.resource->find_subresource("scale");
  requests.begin(scale, false).end(200, 1);
  Request log = request(api::Verb::kGet, "", "pods", "default", "a");
  log.subresource = log.resource->find_subresource("log");
  requests.begin(log, false).end(200, 1);
  const api::Resource custom;
  Request stranger;
  stranger.resource = &custom;
  stranger.name = "a";
  requests.begin(stranger, false).end(200, 1);
  const std::string text = path.text();
  for (const char* part : {R"({verb="PUT",dry_run="",group="apps",version="v1",)"
                           R"(resource="deployments",subresource="scale",)",
                           R"({verb="CONNECT",dry_run="",group="",version="v1",resource="pods",)"
                           R"(subresource="log",)",
                           R"({verb="GET",dry_run="",group="",version="",resource="",)"}) {
    EXPECT_NE(text.find("apiserver_request_total" + std::string(part)), std::string::npos) << part;
  }
}

TEST_F(MetricsTest, TellsWhichDeprecatedApisWereRequested) {
  const auto has = [this](const std::string& labels) {
    const std::string wanted = "apiserver_requested_deprecated_apis{" + labels + "} 1";
    return line(wanted) == wanted;
  };
  const std::string endpoints =
      R"(group="",version="v1",resource="endpoints",subresource="",removed_release="")";
  requests.begin(request(api::Verb::kList, "", "pods", "", ""), false).end(200, 1);
  EXPECT_EQ(line("apiserver_requested_deprecated_apis"), "none");
  requests.begin(request(api::Verb::kList, "", "endpoints", "", ""), false).end(200, 1);
  requests.begin(request(api::Verb::kGet, "", "endpoints", "a", "b"), false).end(404, 1);
  EXPECT_TRUE(has(endpoints));
  api::Resource ships;
  ships.group = "example.com";
  ships.version = "v1beta1";
  ships.name = "ships";
  ships.deprecation = "example.com/v1beta1 Ship is deprecated";
  Request custom;
  custom.resource = &ships;
  requests.begin(custom, false).end(200, 1);
  EXPECT_TRUE(has(
      R"(group="example.com",version="v1beta1",resource="ships",subresource="",removed_release="")"));
}

TEST_F(MetricsTest, FollowsWatches) {
  const std::string open =
      R"(apiserver_longrunning_requests{verb="WATCH",group="",version="v1",resource="pods",)"
      R"(subresource="",scope="cluster",component="apiserver"} )";
  const RequestMark mark = requests.begin(request(api::Verb::kWatch, "", "pods", "", ""), false);
  mark.sent_events(3);
  mark.sent_events(4);
  EXPECT_EQ(line(open), open + "1");
  EXPECT_EQ(line("apiserver_watch_events_total{"),
            R"(apiserver_watch_events_total{group="",version="v1",resource="pods"} 7)");
  mark.end(200, 0);
  EXPECT_EQ(line(open), open + "0");
}

TEST_F(MetricsTest, TellsOfStoreProcessAndBuild) {
  ASSERT_TRUE(store
                  ->commit({.compares = {},
                            .operations = {store::Put{.key = "/registry/pods/a/b", .value = {}}}},
                           store::Durability::kSynced)
                  .ok());
  EXPECT_EQ(line("apiserver_storage_objects{resource=\"pods\""),
            "apiserver_storage_objects{resource=\"pods\"} 1");
  EXPECT_EQ(line("apiserver_storage_objects{resource=\"deployments.apps\""),
            "apiserver_storage_objects{resource=\"deployments.apps\"} 0");
  EXPECT_EQ(line("apiserver_resource_objects{group=\"\",resource=\"pods\""),
            "apiserver_resource_objects{group=\"\",resource=\"pods\"} 1");
  EXPECT_NE(line("apiserver_storage_size_bytes{storage_cluster_id=\"etcd-0\"}"), "none");
  EXPECT_NE(line("process_resident_memory_bytes "), "none");
  EXPECT_EQ(line("kubernetes_build_info"),
            R"(kubernetes_build_info{major="1",minor="36",git_version="v1.36.4+proa",)"
            R"(git_commit="",git_tree_state="",build_date="",go_version="",compiler="",)"
            R"(platform="linux"} 1)");
}

// Every line is valid for Prometheus, and no series is duplicated.
TEST_F(MetricsTest, IsWellFormed) {
  for (const api::Resource* resource : schema.resources()) {
    for (const api::Verb verb : {api::Verb::kGet, api::Verb::kList, api::Verb::kDelete}) {
      Request request;
      request.verb = verb;
      request.resource = resource;
      if (verb != api::Verb::kList) request.name = "a";
      requests.begin(request, false).end(200, 1);
    }
  }
  const std::regex sample(R"re([a-z_]+(\{([a-z_]+="[^"]*",?)*\})? [-+0-9.eInf]+)re");
  std::set<std::string> seen;
  const std::string text = path.text();
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.starts_with("# HELP ") || line.starts_with("# TYPE ")) continue;
    const std::string copy(line);
    EXPECT_TRUE(std::regex_match(copy, sample)) << copy;
    EXPECT_TRUE(seen.insert(copy.substr(0, copy.rfind(' '))).second) << copy;
  }
  EXPECT_GT(seen.size(), 1000u);
}

TEST_F(MetricsTest, IsOneAmongPaths) {
  const auto ask = [&](const char* method, const char* target) {
    return path.answer({.method = method, .target = target}, *http::parse_target(target));
  };
  EXPECT_FALSE(ask("GET", "/metrics/slis").has_value());
  EXPECT_EQ(ask("POST", "/metrics")->status, 200);
  EXPECT_EQ(ask("DELETE", "/metrics")->status, 405);
  const auto found = ask("GET", "/metrics");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->headers.get("content-type"),
            "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
}

TEST_F(MetricsTest, CountsFromManyThreads) {
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([this] {
        const Request get = request(api::Verb::kGet, "", "pods", "default", "a");
        for (int i = 0; i < 5000; ++i) requests.begin(get, false).end(200, 1);
      });
    }
  }
  EXPECT_TRUE(line("apiserver_request_total{").ends_with(" 20000"));
}

TEST(Metrics, CountWhatComesByHttp) {
  testkit::RunningApi api;
  EXPECT_EQ(api.ask("GET", "/api/v1/namespaces/default").code, 200);
  EXPECT_EQ(api.ask("GET", "/api/v1/namespaces/default/pods/none").code, 404);
  EXPECT_EQ(api.ask("POST", "/api/v1/namespaces/default/configmaps?dryRun=All",
                    R"({"metadata":{"name":"a"}})")
                .code,
            201);
  EXPECT_EQ(api.ask("POST", "/api/v1/namespaces/default/configmaps", "{").code, 400);
  const auto watch = api.open("/api/v1/namespaces?watch=true&resourceVersion=0");
  std::string events;
  while (std::count(events.begin(), events.end(), '\n') < 4) {
    events += (*watch->read({}))->view();
  }
  const testkit::RunningApi::Answer metrics = api.ask("GET", "/metrics");
  ASSERT_EQ(metrics.code, 200);
  for (const char* line :
       {R"({verb="GET",dry_run="",group="",version="v1",resource="namespaces",subresource="",)"
        R"(scope="resource",component="apiserver",code="200"} 1)",
        R"({verb="GET",dry_run="",group="",version="v1",resource="pods",subresource="",)"
        R"(scope="resource",component="apiserver",code="404"} 1)",
        R"({verb="POST",dry_run="All",group="",version="v1",resource="configmaps",)"
        R"(subresource="",scope="resource",component="apiserver",code="201"} 1)",
        R"({verb="POST",dry_run="",group="",version="v1",resource="configmaps",)"
        R"(subresource="",scope="resource",component="apiserver",code="400"} 1)"}) {
    EXPECT_NE(metrics.body.find("apiserver_request_total" + std::string(line)), std::string::npos)
        << line;
  }
  for (const char* line :
       {R"(apiserver_watch_events_total{group="",version="v1",resource="namespaces"} 4)",
        R"(apiserver_longrunning_requests{verb="WATCH",group="",version="v1",)"
        R"(resource="namespaces",subresource="",scope="cluster",component="apiserver"} 1)"}) {
    EXPECT_NE(metrics.body.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace proa::apiserver
