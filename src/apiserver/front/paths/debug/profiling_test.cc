#include "apiserver/front/paths/debug/profiling.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "profile/cpu_sampler.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/http/http2_client.h"

namespace proa::apiserver {
namespace {

using testkit::Http2Client;
using testkit::RunningApi;

// Lets the server's time pass until a request is answered.
RunningApi::Answer ask_over_time(RunningApi& api, const char* target) {
  std::atomic<bool> answered = false;
  RunningApi::Answer answer;
  std::jthread asking([&] {
    answer = api.ask("GET", target);
    answered = true;
  });
  while (!answered) {
    api.clock().advance(std::chrono::milliseconds(100));
    std::this_thread::yield();
  }
  asking.join();
  return answer;
}

TEST(Profiling, ACpuProfileIsACompressedFile) {
  RunningApi api;
  const auto answer = ask_over_time(api, "/debug/pprof/profile?seconds=1");
  EXPECT_EQ(answer.code, 200) << answer.body;
  EXPECT_EQ(answer.headers.get("content-type"), "application/octet-stream");
  EXPECT_EQ(answer.headers.get("content-disposition"), "attachment; filename=\"profile\"");
  EXPECT_TRUE(answer.body.starts_with("\x1f\x8b")) << "gzip";
}

TEST(Profiling, RefusesASecondCpuProfile) {
  RunningApi api;
  const auto first = profile::CpuSampler::start(std::chrono::seconds(1));
  ASSERT_TRUE(first.ok());
  const auto second = api.ask("GET", "/debug/pprof/profile?seconds=1");
  EXPECT_EQ(second.code, 500);
  EXPECT_EQ(second.body, "Could not enable CPU profiling: cpu profiling already in use\n");
  EXPECT_EQ(second.headers.get("x-go-pprof"), "1");
}

TEST(Profiling, ACpuProfileEndsWhenItsClientLeaves) {
  // The server's clock stands still.
  RunningApi api;
  std::optional<Http2Client> client(std::in_place, api.port(),
                                    api.client_certificate("admin", "system:masters"));
  client->ask("GET", "/debug/pprof/profile?seconds=600");
  while (!profile::CpuSampler::is_in_use()) std::this_thread::yield();
  client.reset();
  while (profile::CpuSampler::is_in_use()) std::this_thread::yield();
}

TEST(Profiling, ACpuProfileEndsWhenTheServerStops) {
  std::optional<RunningApi> api(std::in_place);
  Http2Client client(api->port(), api->client_certificate("admin", "system:masters"));
  const auto stream = client.ask("GET", "/debug/pprof/profile?seconds=600");
  while (!profile::CpuSampler::is_in_use()) std::this_thread::yield();
  api.reset();
  EXPECT_FALSE(profile::CpuSampler::is_in_use());
  EXPECT_EQ(client.wait(stream).status, 200) << "what was collected until then";
}

TEST(Profiling, BoundsTheTime) {
  RunningApi api;
  for (const char* seconds : {"601", "99999999999999999999"}) {
    SCOPED_TRACE(seconds);
    const auto answer = api.ask("GET", "/debug/pprof/profile?seconds=" + std::string(seconds));
    EXPECT_EQ(answer.code, 400);
    EXPECT_EQ(answer.body, "seconds must be at most 600\n");
  }
}

TEST(Profiling, HasAnIndexAndNothingElse) {
  RunningApi api;
  const auto index = api.ask("GET", "/debug/pprof/");
  EXPECT_EQ(index.code, 200);
  EXPECT_EQ(index.headers.get("content-type"), "text/html; charset=utf-8");
  EXPECT_NE(index.body.find("href='profile'"), std::string::npos);
  const auto short_path = api.ask("GET", "/debug/pprof");
  EXPECT_EQ(short_path.code, 302);
  EXPECT_EQ(short_path.headers.get("location"), "/debug/pprof/");
  for (const char* path : {"/debug/pprof/cmdline", "/debug/pprof/goroutine", "/debug/pprof/a/b"}) {
    SCOPED_TRACE(path);
    const auto unknown = api.ask("GET", path);
    EXPECT_EQ(unknown.code, 404);
    EXPECT_EQ(unknown.body, "Unknown profile\n");
  }
  // The tests have no jemalloc with profiles.
  EXPECT_EQ(api.ask("GET", "/debug/pprof/heap").code, 500);
  EXPECT_EQ(api.ask("GET", "/debug/pprof/heap?seconds=1").code, 400);
}

TEST(Profiling, NamesAddresses) {
  RunningApi api;
  const auto address = reinterpret_cast<uint64_t>(&std::abort);
  const auto answer = api.ask("GET", "/debug/pprof/symbol?" + std::to_string(address) + "+0x1+zz");
  EXPECT_EQ(answer.code, 200);
  EXPECT_TRUE(answer.body.starts_with("num_symbols: 1\n0x")) << answer.body;
  EXPECT_TRUE(answer.body.ends_with(" abort\n")) << answer.body;
}

TEST(Profiling, IsForThoseWhoMay) {
  RunningApi api;
  Http2Client other(api.port(), api.client_certificate("someone", "team"));
  EXPECT_EQ(other.wait(other.ask("GET", "/debug/pprof/profile?seconds=1")).status, 403);
  EXPECT_EQ(other.wait(other.ask("GET", "/flagz")).status, 403);
  Http2Client monitor(api.port(), api.client_certificate("prometheus", "system:monitoring"));
  for (const char* path : {"/metrics/slis", "/statusz", "/flagz"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(monitor.wait(monitor.ask("GET", path)).status, 200);
  }
  EXPECT_EQ(monitor.wait(monitor.ask("GET", "/debug/pprof/")).status, 403);
}

void allow(RunningApi& api, const std::string& group, const std::string& path) {
  const std::string base = "/apis/rbac.authorization.k8s.io/v1/";
  ASSERT_EQ(
      api.ask("POST", base + "clusterroles",
              R"({"metadata":{"name":"paths"},"rules":[{"verbs":["get"],"nonResourceURLs":[")" +
                  path + R"("]}]})")
          .code,
      201);
  ASSERT_EQ(
      api.ask("POST", base + "clusterrolebindings",
              R"({"metadata":{"name":"paths"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
              R"("kind":"ClusterRole","name":"paths"},"subjects":[{"kind":"Group","apiGroup":)"
              R"("rbac.authorization.k8s.io","name":")" +
                  group + R"("}]})")
          .code,
      201);
}

TEST(Profiling, IsAuthorizedByThePathAsItWasSent) {
  RunningApi api;
  allow(api, "profilers", "/debug/pprof/*");
  Http2Client profiler(api.port(), api.client_certificate("someone", "profilers"));
  EXPECT_EQ(profiler.wait(profiler.ask("GET", "/debug/pprof/")).status, 200);
  EXPECT_EQ(profiler.wait(profiler.ask("GET", "/debug/pprof/symbol?1")).status, 200);
  EXPECT_EQ(profiler.wait(profiler.ask("GET", "/debug/pprof")).status, 403);
}

// Who may read what is below a path may not read the path itself by a slash at its end.
TEST(Profiling, APathIsNotReadByASlashAtItsEnd) {
  RunningApi api;
  allow(api, "readers", "/metrics/*");
  Http2Client reader(api.port(), api.client_certificate("someone", "readers"));
  EXPECT_EQ(reader.wait(reader.ask("GET", "/metrics/slis")).status, 200);
  EXPECT_EQ(reader.wait(reader.ask("GET", "/metrics")).status, 403);
  EXPECT_EQ(reader.wait(reader.ask("GET", "/metrics/")).status, 404);
}

// As upstream, it is limited by neither of both.
TEST(Profiling, NeedsNoSeatAndNoPlace) {
  RunningApi fair;
  const auto has_flow = [&](const char* target) {
    return fair.ask("GET", target).headers.has("x-kubernetes-pf-flowschema-uid");
  };
  EXPECT_TRUE(has_flow("/metrics"));
  EXPECT_FALSE(has_flow("/debug/pprof/symbol?1"));
  RunningApi api(RunningApi::Options{.in_flight = {.read_only = 1}, .fairness = false});
  allow(api, "profilers", "/*");
  const auto certificate = api.client_certificate("someone", "profilers");
  Http2Client profiler(api.port(), certificate);
  profiler.ask("GET", "/debug/pprof/profile?seconds=600&timeout=1ms");
  while (!profile::CpuSampler::is_in_use()) std::this_thread::yield();
  Http2Client other(api.port(), certificate);
  EXPECT_EQ(other.wait(other.ask("GET", "/metrics")).status, 200);
}

TEST(Profiling, CanBeDisabled) {
  RunningApi api(RunningApi::Options{.profiling = false});
  EXPECT_EQ(api.ask("GET", "/debug/pprof/").code, 404);
  EXPECT_EQ(api.ask("GET", "/debug/pprof/profile?seconds=1").code, 404);
}

}  // namespace
}  // namespace proa::apiserver
