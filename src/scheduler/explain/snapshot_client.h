#pragma once

#include <optional>

#include "client/client.h"

namespace proa::scheduler {

// A read-only client whose watches deliver the current objects and nothing later. A resource that
// cannot be listed counts as empty; the error is kept. For one thread.
class SnapshotClient final : public client::Client {
 public:
  // `client` outlives it.
  explicit SnapshotClient(client::Client& client) : client_(client) {}

  // The first error.
  const std::optional<Status>& failure() const { return failure_; }

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    return client_.get(place, until);
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override {
    return client_.list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override;

  Result<api::ObjectPtr> create(const client::Place&, json::Document, const client::WriteChoices&,
                                const Until&) override {
    return refusal();
  }
  Result<api::ObjectPtr> update(const client::Place&, json::Document, const client::WriteChoices&,
                                const Until&) override {
    return refusal();
  }
  Result<api::ObjectPtr> patch(const client::Place&, api::PatchType, json::Document,
                               const client::WriteChoices&, const Until&) override {
    return refusal();
  }
  Result<void> remove(const client::Place&, const client::RemoveChoices&, const Until&) override {
    return refusal();
  }
  Result<void> remove_collection(const client::Place&, const client::ListQuery&,
                                 const client::RemoveChoices&, const Until&) override {
    return refusal();
  }

 private:
  static Status refusal() { return {Reason::kForbidden, "explain is read-only"}; }
  Result<client::ObjectList> list_all(const client::Place& place, const client::WatchQuery& query,
                                      const Until& until);

  client::Client& client_;
  std::optional<Status> failure_;
};

}  // namespace proa::scheduler
