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

TEST_F(WhileLeadingTest, StoppingWhatWasNeverStartedIsNothing) {
  WhileLeading leading(client_, clock_, random_, std::nullopt,
                       [](const std::stop_token&) -> std::shared_ptr<void> { return nullptr; });
  leading.stop();
}

}  // namespace
}  // namespace proa::client
