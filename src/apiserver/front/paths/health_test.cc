#include "apiserver/front/paths/health.h"

#include <gtest/gtest.h>

#include "base/log.h"
#include "store/engine/engine.h"
#include "testkit/apiserver/running_api.h"

namespace proa::apiserver {
namespace {

std::string logged;

class HealthTest : public testing::Test {
 protected:
  HealthTest() {
    logged.clear();
    set_log_sink([](std::string_view line) { logged += line; });
    checks_.add({.name = "always", .run = [] { return Result<void>(); }});
    checks_.add({.name = "part",
                 .run = [this]() -> Result<void> {
                   if (healthy_) return {};
                   return Status(Reason::kServiceUnavailable, "the part is broken");
                 },
                 .scope = HealthScope::kReadiness});
    checks_.add(
        {.name = "alive", .run = [] { return Result<void>(); }, .scope = HealthScope::kLiveness});
  }
  ~HealthTest() override { set_log_sink(nullptr); }

  std::string ask(const char* target) {
    const auto answer =
        paths_.answer({.method = "GET", .target = target}, *http::parse_target(target));
    if (!answer) return "not here";
    return std::to_string(answer->status) + " " + std::string(answer->body.view());
  }
  static size_t lines(std::string_view text) {
    size_t count = 0;
    for (size_t at = 0; (at = logged.find(text, at)) != std::string::npos; ++at) ++count;
    return count;
  }

  bool healthy_ = true;
  HealthChecks checks_;
  SlisPath slis_;
  HealthPaths paths_{checks_, slis_};
};

TEST_F(HealthTest, RunsTheChecksOfItsScope) {
  EXPECT_EQ(ask("/livez?verbose"), "200 [+]always ok\n[+]alive ok\nlivez check passed\n");
  EXPECT_EQ(ask("/readyz?verbose"), "200 [+]always ok\n[+]part ok\nreadyz check passed\n");
  EXPECT_EQ(ask("/healthz"), "200 ok");
  EXPECT_EQ(ask("/readyz/part"), "200 ok");
  EXPECT_EQ(ask("/livez/part"), "404 404 page not found\n");
  EXPECT_EQ(ask("/readyz/part/more"), "404 404 page not found\n");
  EXPECT_EQ(ask("/elsewhere"), "not here");
}

TEST_F(HealthTest, ResultsAreServiceLevelIndicators) {
  ask("/livez");
  ask("/readyz?exclude=always");
  ask("/readyz/part");
  healthy_ = false;
  ask("/readyz");
  const auto answer = slis_.answer({.method = "GET", .target = "/metrics/slis"},
                                   *http::parse_target("/metrics/slis"));
  ASSERT_TRUE(answer.has_value());
  const std::string text(answer->body.view());
  for (const char* line :
       {"# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single "
        "healthcheck.\n# TYPE kubernetes_healthcheck gauge\n",
        "kubernetes_healthcheck{name=\"always\",type=\"livez\"} 1\n",
        "kubernetes_healthcheck{name=\"part\",type=\"readyz\"} 0\n",
        "kubernetes_healthchecks_total{name=\"always\",type=\"readyz\",status=\"success\"} 1\n",
        "kubernetes_healthchecks_total{name=\"part\",type=\"readyz\",status=\"success\"} 1\n",
        "kubernetes_healthchecks_total{name=\"part\",type=\"readyz\",status=\"error\"} 1\n",
        "# TYPE process_start_time_seconds gauge\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(text.find("healthz"), std::string::npos) << "nobody asked";
  EXPECT_EQ(slis_
                .answer({.method = "DELETE", .target = "/metrics/slis"},
                        *http::parse_target("/metrics/slis"))
                ->status,
            405);
}

TEST_F(HealthTest, OnlyTheOneCheckGivesTheCause) {
  healthy_ = false;
  EXPECT_EQ(ask("/readyz"),
            "500 [+]always ok\n[-]part failed: reason withheld\n"
            "readyz check failed\n");
  EXPECT_EQ(ask("/readyz/part"), "500 internal server error: the part is broken\n");
  EXPECT_EQ(ask("/readyz?exclude=part"), "200 ok");
  EXPECT_EQ(ask("/livez"), "200 ok");
  EXPECT_TRUE(checks_.run("part").is(Reason::kServiceUnavailable));
  EXPECT_TRUE(checks_.run("other").ok());
}

TEST_F(HealthTest, LogsChangesOnce) {
  for (const bool healthy : {true, false, true}) {
    healthy_ = healthy;
    for (int i = 0; i < 5; ++i) ask("/readyz");
  }
  EXPECT_EQ(lines("health check failed"), 1u) << logged;
  EXPECT_EQ(lines("the part is broken"), 1u) << logged;
  EXPECT_EQ(lines("health check passed again"), 1u) << logged;
}

// A journal that can be full or broken.
struct JournalState {
  std::atomic<bool> broken = false;
  std::atomic<store::Room> room = store::Room::kEnough;
};
class SickJournal final : public store::Journal {
 public:
  explicit SickJournal(const JournalState& state) : state_(state) {}
  Result<void> write(const store::JournalWrite&) override {
    if (!state_.broken) return {};
    return Status(Reason::kInternalError, "Input/output error");
  }
  Result<store::Revision> reopen() override {
    TRY(write({}));
    return store::Revision{};
  }
  bool restore_reserves() override { return room() == store::Room::kEnough; }
  store::Room room() const override { return state_.room; }
  store::DiskSpace disk() const override {
    return {.free_bytes = 1 << 20, .total_bytes = 24 << 20};
  }
  Result<void> checkpoint(const std::string&) override { return {}; }
  Result<void> close(store::Revision) override { return {}; }
  uint64_t disk_bytes() const override { return 0; }

 private:
  const JournalState& state_;
};

class SickStoreTest : public testing::Test {
 protected:
  std::string create(const std::string& name) {
    const auto answer = api_.ask("POST", "/api/v1/namespaces/default/configmaps",
                                 R"({"metadata":{"name":")" + name + R"("}})");
    return std::to_string(answer.code) + " " + answer.body;
  }
  std::string get(const char* target) {
    const auto answer = api_.ask("GET", target);
    return std::to_string(answer.code) + " " + answer.body;
  }
  void tick() {
    clock_.advance(std::chrono::seconds(1));
    store_.tick();
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  JournalState state_;
  testkit::FakeClock clock_;
  store::Engine store_{clock_,
                       {.own_thread = false},
                       std::make_unique<SickJournal>(state_),
                       store::Keyspace{},
                       store::JournalFacts{}};
  testkit::RunningApi api_{store_};
};

TEST_F(SickStoreTest, AFullDiskIsNamedEverywhere) {
  ASSERT_TRUE(has(create("a"), "201 "));
  state_.room = store::Room::kReserve;
  const std::string refused = create("b");
  EXPECT_TRUE(has(refused, "507 ")) << refused;
  EXPECT_TRUE(has(refused, R"("reason":"InsufficientStorage")")) << refused;
  EXPECT_TRUE(has(refused, "the disk with the data directory is full (1.0 MB of 24.0 MB"))
      << refused;
  tick();
  const std::string ready = get("/readyz");
  EXPECT_TRUE(has(ready, "500 ") && has(ready, "[-]etcd") && has(ready, "[-]disk-space")) << ready;
  EXPECT_TRUE(has(get("/readyz/disk-space"), "data directory is full"));
  EXPECT_EQ(get("/livez"), "200 ok");
  const std::string component = get("/api/v1/componentstatuses/etcd-0");
  EXPECT_TRUE(has(component, R"("status":"False")")) << component;
  EXPECT_TRUE(has(component, R"({\"health\":\"false\",\"reason\":\"the disk)")) << component;
  EXPECT_TRUE(has(get("/metrics"), "proa_store_state{state=\"full\"} 1"));
  EXPECT_TRUE(has(get("/metrics"), "proa_store_disk_free_bytes 1048576"));
  EXPECT_TRUE(has(get("/api/v1/namespaces/default/configmaps/a"), "200 "));
  EXPECT_EQ(api_.ask("DELETE", "/api/v1/namespaces/default/configmaps/a").code, 200);
  state_.room = store::Room::kEnough;
  tick();
  EXPECT_EQ(get("/readyz"), "200 ok");
  EXPECT_TRUE(has(create("b"), "201 "));
}

TEST_F(SickStoreTest, AStoreThatCannotWriteIsNotAlive) {
  state_.broken = true;
  const std::string refused = create("a");
  EXPECT_TRUE(has(refused, "503 ")) << refused;
  EXPECT_TRUE(has(refused, "Input/output error")) << refused;
  EXPECT_TRUE(has(get("/livez"), "500 "));
  EXPECT_TRUE(has(get("/readyz/etcd"), "Input/output error"));
  EXPECT_EQ(get("/readyz/disk-space"), "200 ok");
  EXPECT_TRUE(has(get("/metrics"), "proa_store_state{state=\"failed\"} 1"));
  state_.broken = false;
  tick();
  EXPECT_EQ(get("/livez"), "200 ok");
  EXPECT_TRUE(has(create("a"), "201 "));
}

}  // namespace
}  // namespace proa::apiserver
