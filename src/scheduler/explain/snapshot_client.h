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

  Result<api::ObjectPtr> get(const client::Place& place) override { return client_.get(place); }
  Result<client::ObjectList> list(const client::Place& place,
                                  const client::ListQuery& query) override {
    return client_.list(place, query);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query) override;

  Result<api::ObjectPtr> create(const client::Place&, std::string,
                                const client::WriteChoices&) override {
    return refusal();
  }
  Result<api::ObjectPtr> update(const client::Place&, std::string,
                                const client::WriteChoices&) override {
    return refusal();
  }
  Result<api::ObjectPtr> patch(const client::Place&, api::PatchType, std::string,
                               const client::WriteChoices&) override {
    return refusal();
  }
  Result<void> remove(const client::Place&, const client::RemoveChoices&) override {
    return refusal();
  }
  Result<void> remove_collection(const client::Place&, const client::ListQuery&,
                                 const client::RemoveChoices&) override {
    return refusal();
  }

 private:
  static Status refusal() { return {Reason::kForbidden, "explain is read-only"}; }
  Result<client::ObjectList> list_all(const client::Place& place, const client::WatchQuery& query);

  client::Client& client_;
  std::optional<Status> failure_;
};

}  // namespace proa::scheduler
