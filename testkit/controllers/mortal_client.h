#pragma once

#include <memory>
#include <utility>

#include "client/client.h"

namespace proa::testkit {

// The client of a controller that crashes after some writes, not counting events. The last write
// may have been committed.
class MortalClient final : public client::Client {
 public:
  MortalClient(std::unique_ptr<client::Client> client, size_t& writes_left, bool& last_is_done)
      : client_(std::move(client)), left_(writes_left), last_is_done_(last_is_done) {}

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
    return client_->watch(place, query, until);
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return write(place, [&] { return client_->create(place, std::move(object), choices, until); });
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return write(place, [&] { return client_->update(place, std::move(object), choices, until); });
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    return write(place,
                 [&] { return client_->patch(place, type, std::move(patch), choices, until); });
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    return write(place, [&] { return client_->remove(place, choices, until); });
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    return write(place, [&] { return client_->remove_collection(place, query, choices, until); });
  }

 private:
  template <typename Write>
  auto write(const client::Place& place, Write write) -> decltype(write()) {
    if (place.resource->name == "events") return write();
    if (left_ > 0) {
      --left_;
      return write();
    }
    if (std::exchange(last_is_done_, false)) (void)write();
    return Status(Reason::kServiceUnavailable, "the connection broke");
  }

  const std::unique_ptr<client::Client> client_;
  size_t& left_;
  bool& last_is_done_;
};

}  // namespace proa::testkit
