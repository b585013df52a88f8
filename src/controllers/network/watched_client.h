#pragma once

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/object/view.h"
#include "client/client.h"

namespace proa::controllers {

// For tests: what controllers write.
struct Watched {
  size_t writes = 0;                  // but for events
  std::vector<std::string> events{};  // "reason: message", each kind once
  // So many are done; behind them the connection is gone, after the first of them was done anyway.
  size_t writes_left = std::numeric_limits<size_t>::max();
  bool one_more_is_done = false;
  bool deaf = false;                 // caches hear of nothing
  bool deaf_when_it_breaks = false;  // from then on
};

// For tests: a watch that brings nothing while the test wants it so.
class HeldWatch final : public client::Watch {
 public:
  HeldWatch(std::unique_ptr<client::Watch> watch, const bool& held)
      : watch_(std::move(watch)), held_(held) {}

  Result<std::vector<client::Event>> next(const Until& until) override {
    if (held_) return std::vector<client::Event>();
    return watch_->next(until);
  }

 private:
  const std::unique_ptr<client::Watch> watch_;
  const bool& held_;
};

// For tests: a client whose writes are watched, and break off when the test wants it.
class WatchedClient final : public client::Client {
 public:
  WatchedClient(std::unique_ptr<client::Client> client, Watched& watched)
      : client_(std::move(client)), watched_(watched) {}

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    return client_->get(place, until);
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override {
    return client_->list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override {
    std::unique_ptr<client::Watch> watch = TRY(client_->watch(place, query, until));
    return std::unique_ptr<client::Watch>(
        std::make_unique<HeldWatch>(std::move(watch), watched_.deaf));
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    if (place.resource->name == "events") {
      note(object.root());
      return client_->create(place, std::move(object), choices, until);
    }
    return write([&] { return client_->create(place, std::move(object), choices, until); });
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return write([&] { return client_->update(place, std::move(object), choices, until); });
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    if (place.resource->name == "events") {
      return client_->patch(place, type, std::move(patch), choices, until);
    }
    return write([&] { return client_->patch(place, type, std::move(patch), choices, until); });
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    return write([&] { return client_->remove(place, choices, until); });
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    return write([&] { return client_->remove_collection(place, query, choices, until); });
  }

 private:
  void note(api::View event) {
    watched_.events.push_back(
        fmt::format("{}: {}", event["reason"].text(), event["message"].text()));
  }

  template <typename Write>
  auto write(Write write) -> decltype(write()) {
    ++watched_.writes;
    if (watched_.writes_left > 0) {
      --watched_.writes_left;
      return write();
    }
    if (std::exchange(watched_.one_more_is_done, false)) (void)write();
    if (watched_.deaf_when_it_breaks) watched_.deaf = true;
    return Status(Reason::kServiceUnavailable, "the connection broke");
  }

  const std::unique_ptr<client::Client> client_;
  Watched& watched_;
};

}  // namespace proa::controllers
