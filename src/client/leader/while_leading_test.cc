// Without an election; with one it is tested where there is a server, in controllers/framework.
#include "client/leader/while_leading.h"

#include <gtest/gtest.h>

#include <semaphore>

#include "testkit/fake_clock.h"

namespace proa::client {
namespace {

// Never called.
class NoClient final : public Client {
 public:
  Result<api::ObjectPtr> get(const Place&, const Until&) override { return nothing(); }
  Result<ObjectList> list(const Place&, const ListQuery&, const Until&) override {
    return nothing();
  }
  Result<std::unique_ptr<Watch>> watch(const Place&, const WatchQuery&, const Until&) override {
    return nothing();
  }
  Result<api::ObjectPtr> create(const Place&, json::Document, const WriteChoices&,
                                const Until&) override {
    return nothing();
  }
  Result<api::ObjectPtr> update(const Place&, json::Document, const WriteChoices&,
                                const Until&) override {
    return nothing();
  }
  Result<api::ObjectPtr> patch(const Place&, api::PatchType, json::Document, const WriteChoices&,
                               const Until&) override {
    return nothing();
  }
  Result<void> remove(const Place&, const RemoveChoices&, const Until&) override {
    return nothing();
  }
  Result<void> remove_collection(const Place&, const ListQuery&, const RemoveChoices&,
                                 const Until&) override {
    return nothing();
  }

 private:
  static Status nothing() { return {Reason::kServiceUnavailable, "there is no server"}; }
};

class WhileLeadingTest : public testing::Test {
 protected:
  NoClient client_;
  testkit::FakeClock clock_;
  SeededRandom random_{1};
};

TEST_F(WhileLeadingTest, WhatBeganIsAtWorkUntilItIsStopped) {
  std::counting_semaphore<> begun(0);
  std::weak_ptr<int> at_work;
  WhileLeading leading(client_, clock_, random_, std::nullopt, [&](const std::stop_token&) {
    auto made = std::make_shared<int>(1);
    at_work = made;
    begun.release();
    return made;
  });
  for (int round = 0; round < 2; ++round) {
    leading.start();
    begun.acquire();
    EXPECT_FALSE(at_work.expired());
    leading.stop();
    EXPECT_TRUE(at_work.expired());
  }
}

TEST_F(WhileLeadingTest, WhatHasNotBegunYetIsCalledOff) {
  std::binary_semaphore asked(0);
  WhileLeading leading(client_, clock_, random_, std::nullopt,
                       [&](const std::stop_token& lost) -> std::shared_ptr<void> {
                         asked.release();
                         std::binary_semaphore called_off(0);
                         const std::stop_callback stopped(lost, [&] { called_off.release(); });
                         called_off.acquire();
                         return nullptr;
                       });
  leading.start();
  asked.acquire();
  leading.stop();
}

TEST_F(WhileLeadingTest, ItsHealthIsThatOfWhatBegan) {
  std::counting_semaphore<> asked(0);
  std::counting_semaphore<> go(0);
  std::shared_ptr<int> result;
  WhileLeading leading(client_, clock_, random_, std::nullopt, [&](const std::stop_token&) {
    asked.release();
    go.acquire();
    return result;
  });
  const auto health = [&] {
    const Result<void> found = leading.health();
    return found ? std::string("ok") : found.status().message();
  };
  EXPECT_EQ(health(), "ok") << "it may take some seconds";
  clock_.advance(std::chrono::seconds(11));
  EXPECT_EQ(health(), "not running for 11s");
  leading.start();
  asked.acquire();
  EXPECT_EQ(health(), "ok");
  clock_.advance(std::chrono::seconds(12));
  EXPECT_EQ(health(), "starting for 12s");
  go.release();
  while (health() != "its start failed; the log has the reason") std::this_thread::yield();
  leading.stop();
  result = std::make_shared<int>(1);
  leading.start();
  clock_.advance(std::chrono::seconds(12));
  EXPECT_NE(health(), "ok");
  go.release();
  while (health() != "ok") std::this_thread::yield();
}

TEST_F(WhileLeadingTest, WithoutALeaderItSaysWhy) {
  ElectionOptions options;
  options.candidate = {"a"};
  WhileLeading leading(client_, clock_, random_, options,
                       [](const std::stop_token&) -> std::shared_ptr<void> { return nullptr; });
  leading.start();
  clock_.await_waiters(1);
  EXPECT_TRUE(leading.health().ok());
  clock_.advance(std::chrono::seconds(11));
  EXPECT_EQ(leading.health().status().message(), "there is no leader for 11s: there is no server");
}

TEST_F(WhileLeadingTest, StoppingWhatWasNeverStartedIsNothing) {
  WhileLeading leading(client_, clock_, random_, std::nullopt,
                       [](const std::stop_token&) -> std::shared_ptr<void> { return nullptr; });
  leading.stop();
}

}  // namespace
}  // namespace proa::client
