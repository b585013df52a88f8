#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "client/client.h"

namespace proa::apiserver {

// Injects faults by a seed: watches break or expire, lists and writes fail.
class FaultyClient final : public client::Client {
 public:
  FaultyClient(client::Client& client, Random& random) : client_(client), random_(random) {}

  // One in `calls` calls fails; 0: none.
  void fail_one_of(uint64_t calls) { one_of_ = calls; }
  size_t faults() const { return faults_; }

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    TRY(roll());
    return client_.get(place, until);
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override {
    TRY(roll());
    return client_.list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override {
    if (refuses_streams && query.send_initial_events) {
      return Status(Reason::kInvalid, "sendInitialEvents is forbidden");
    }
    TRY(roll());
    return std::unique_ptr<client::Watch>(
        std::make_unique<FaultyWatch>(TRY(client_.watch(place, query, until)), *this));
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    TRY(roll());
    return client_.create(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    TRY(roll());
    return client_.update(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    TRY(roll());
    return client_.patch(place, type, std::move(patch), choices, until);
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    TRY(roll());
    return client_.remove(place, choices, until);
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    TRY(roll());
    return client_.remove_collection(place, query, choices, until);
  }

  bool refuses_streams = false;

 private:
  class FaultyWatch final : public client::Watch {
   public:
    FaultyWatch(std::unique_ptr<client::Watch> watch, FaultyClient& faults)
        : watch_(std::move(watch)), faults_(faults) {}
    Result<std::vector<client::Event>> next(const Until& until) override {
      TRY(faults_.roll());
      return watch_->next(until);
    }
    bool on_ready(std::function<void()> wake) override { return watch_->on_ready(std::move(wake)); }

   private:
    const std::unique_ptr<client::Watch> watch_;
    FaultyClient& faults_;
  };

  Result<void> roll() {
    const uint64_t one_of = one_of_;
    if (one_of == 0 || random_.below(one_of) != 0) return {};
    ++faults_;
    if (random_.below(2) == 0) return Status(Reason::kExpired, "too old");
    return Status(Reason::kServiceUnavailable, "the connection broke");
  }

  client::Client& client_;
  Random& random_;
  std::atomic<uint64_t> one_of_ = 0;
  std::atomic<size_t> faults_ = 0;
};

}  // namespace proa::apiserver
