#include "scheduler/framework/permits.h"

#include <gtest/gtest.h>

#include <thread>

#include "testkit/fake_clock.h"

namespace proa::scheduler {
namespace {

using namespace std::chrono_literals;

TEST(Permits, ListenFromTheBeginning) {
  testkit::FakeClock clock;
  Permits permits(clock);
  permits.begin(api::UidView("a"));
  permits.allow(api::UidView("a"));
  EXPECT_TRUE(permits.wait(api::UidView("a"), Until::after(clock, 1s)).ok());
  permits.begin(api::UidView("a"));
  permits.reject(api::UidView("a"), "not today");
  const Result<void> rejected = permits.wait(api::UidView("a"), Until::after(clock, 1s));
  ASSERT_TRUE(rejected.is(Reason::kForbidden));
  EXPECT_EQ(rejected.status().message(), "not today");
}

TEST(Permits, TakeTheFirstWord) {
  testkit::FakeClock clock;
  Permits permits(clock);
  permits.begin(api::UidView("a"));
  permits.reject(api::UidView("a"), "no");
  permits.allow(api::UidView("a"));
  EXPECT_TRUE(permits.wait(api::UidView("a"), Until::after(clock, 1s)).is(Reason::kForbidden));
}

TEST(Permits, LoseWordsAboutPodsThatDoNotWait) {
  testkit::FakeClock clock;
  Permits permits(clock);
  permits.allow(api::UidView("a"));
  permits.begin(api::UidView("a"));
  EXPECT_TRUE(permits.wait(api::UidView("a"), {.deadline = clock.steady(), .stop = {}})
                  .is(Reason::kTimeout));
}

TEST(Permits, WakeWhoWaits) {
  struct Case {
    const char* name;
    std::function<void(Permits&, testkit::FakeClock&, std::stop_source&)> act;
    std::optional<Reason> failure;
  };
  const std::vector<Case> cases = {
      {"allowed", [](Permits& permits, auto&, auto&) { permits.allow(api::UidView("a")); },
       std::nullopt},
      {"rejected", [](Permits& permits, auto&, auto&) { permits.reject(api::UidView("a"), "no"); },
       Reason::kForbidden},
      {"too late", [](Permits&, testkit::FakeClock& clock, auto&) { clock.advance(10s); },
       Reason::kTimeout},
      {"stopped", [](Permits&, auto&, std::stop_source& stop) { stop.request_stop(); },
       Reason::kTimeout},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    testkit::FakeClock clock;
    Permits permits(clock);
    std::stop_source stop;
    permits.begin(api::UidView("a"));
    permits.begin(api::UidView("b"));
    Result<void> outcome;
    std::jthread waiter([&] {
      outcome = permits.wait(api::UidView("a"), Until::after(clock, 10s, stop.get_token()));
    });
    clock.await_waiters(1);
    permits.allow(api::UidView("b"));
    c.act(permits, clock, stop);
    waiter.join();
    EXPECT_EQ(outcome.ok(), !c.failure.has_value());
    if (c.failure) {
      EXPECT_TRUE(outcome.is(*c.failure));
    }
  }
}

}  // namespace
}  // namespace proa::scheduler
