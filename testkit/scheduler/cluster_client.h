#pragma once

#include <map>
#include <string>

#include "client/client.h"
#include "testkit/scheduler/test_cluster.h"

namespace proa::testkit {

// The API as a TestCluster has it: everything can be listed and watched, and nothing ever changes.
class ClusterClient final : public client::Client {
 public:
  explicit ClusterClient(const TestCluster& cluster);

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override;
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override;
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override;
  Result<api::ObjectPtr> create(const client::Place&, json::Document, const client::WriteChoices&,
                                const Until&) override {
    return refused();
  }
  Result<api::ObjectPtr> update(const client::Place&, json::Document, const client::WriteChoices&,
                                const Until&) override {
    return refused();
  }
  Result<api::ObjectPtr> patch(const client::Place&, api::PatchType, json::Document,
                               const client::WriteChoices&, const Until&) override {
    return refused();
  }
  Result<void> remove(const client::Place&, const client::RemoveChoices&, const Until&) override {
    return refused();
  }
  Result<void> remove_collection(const client::Place&, const client::ListQuery&,
                                 const client::RemoveChoices&, const Until&) override {
    return refused();
  }

 private:
  static Status refused() { return {Reason::kForbidden, "nothing can be written here"}; }
  const std::vector<api::ObjectPtr>& of(const client::Place& place) const;

  std::map<std::string, std::vector<api::ObjectPtr>> objects_;  // by resource
};

}  // namespace proa::testkit
